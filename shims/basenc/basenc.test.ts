import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  [
    'basenc a.txt',
    {
      stdout: '',
      stderr: "basenc: missing encoding type\nTry 'basenc --help' for more information.\n",
      exitCode: 1,
    },
  ],
  ['base64 -d a.txt | wc -c', { stdout: '10\n', stderr: 'base64: invalid input\n', exitCode: 0 }],
  [
    'base32 a b',
    {
      stdout: '',
      stderr: "base32: extra operand 'b'\nTry 'base32 --help' for more information.\n",
      exitCode: 1,
    },
  ],
  ['base64 -w x a.txt', { stdout: '', stderr: "base64: invalid wrap size: 'x'\n", exitCode: 1 }],
  [
    'basenc --z85 a.txt',
    {
      stdout: '',
      stderr: 'basenc: invalid input (length must be multiple of 4 characters)\n',
      exitCode: 1,
    },
  ],
  ['base64 nope', { stdout: '', stderr: 'base64: nope: No such file or directory\n', exitCode: 1 }],
  [
    'base32 --nope',
    {
      stdout: '',
      stderr: "base32: unrecognized option '--nope'\nTry 'base32 --help' for more information.\n",
      exitCode: 1,
    },
  ],
])('an encoder says what is wrong with its input: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
