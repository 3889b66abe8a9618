import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  [
    'sort -r a.txt | sponge a.txt; cat a.txt',
    { stdout: 'gamma\nbeta\nalpha\n', stderr: '', exitCode: 0 },
  ],
  [
    'vipe',
    {
      stdout: '',
      stderr:
        'vipe: there is no editor in a pipe here: write the text to a file, and use edit FILE at a terminal, or sed -i\n',
      exitCode: 1,
    },
  ],
  [
    'combine a.txt nor a.txt',
    {
      stdout: '',
      stderr: "combine: unknown operation 'nor'\nTry 'combine --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'combine a.txt',
    {
      stdout: '',
      stderr:
        "combine: usage: combine FILE and|not|or|xor FILE\nTry 'combine --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'echo x | ts -r',
    {
      stdout: '',
      stderr: 'ts: -r, times told as "5m ago", is not here: use date -d on them\n',
      exitCode: 1,
    },
  ],
  [
    'ifne',
    {
      stdout: '',
      stderr: "ifne: a command is needed\nTry 'ifne --help' for more information.\n",
      exitCode: 1,
    },
  ],
  ["chronic sh -c 'echo no'", { stdout: '', stderr: '', exitCode: 0 }],
  ["chronic sh -c 'echo yes; exit 2'", { stdout: 'yes\n', stderr: '', exitCode: 2 }],
  [
    'echo x | sponge /bin/x',
    {
      stdout: '',
      stderr:
        'sponge: /bin/x: Permission denied\ndirigent: /bin is mounted ro: nothing here can be changed\n',
      exitCode: 1,
    },
  ],
])('what moreutils has works on one input: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
