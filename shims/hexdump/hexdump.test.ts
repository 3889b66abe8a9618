import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in edges.json; here are their messages and what is this house's own.
test.each([
  [
    'hexdump -C a.txt',
    {
      stdout:
        '00000000  61 6c 70 68 61 0a 62 65  74 61 0a 67 61 6d 6d 61  |alpha.beta.gamma|\n00000010  0a                                                |.|\n00000011\n',
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    'hexdump nope',
    {
      stdout: '',
      stderr:
        'hexdump: nope: No such file or directory\nhexdump: all input file arguments failed\n',
      exitCode: 1,
    },
  ],
  [
    'hexdump -e \'"%z"\' a.txt',
    { stdout: '', stderr: 'hexdump: bad conversion character %z\n', exitCode: 1 },
  ],
  [
    'hexdump -n x a.txt',
    {
      stdout: '',
      stderr: "hexdump: failed to parse length: 'x'\nTry 'hexdump --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'hd -n 3 a.txt',
    {
      stdout: '00000000  61 6c 70                                          |alp|\n00000003\n',
      stderr: '',
      exitCode: 0,
    },
  ],
])('hexdump says what it cannot read or print: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
