import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in edges.json; here are their messages and what is this house's own.
test.each([
  [
    'split -l 0 a.txt',
    { stdout: '', stderr: "split: invalid number of lines: '0'\n", exitCode: 1 },
  ],
  ['split -n 5/3 a.txt', { stdout: '', stderr: "split: invalid chunk number: '5'\n", exitCode: 1 }],
  [
    'split nope',
    {
      stdout: '',
      stderr: "split: cannot open 'nope' for reading: No such file or directory\n",
      exitCode: 1,
    },
  ],
  [
    'split a b c',
    {
      stdout: '',
      stderr: "split: extra operand 'c'\nTry 'split --help' for more information.\n",
      exitCode: 1,
    },
  ],
  ['split -a 1 -b 1 a.txt; ls | head -3', { stdout: 'a.txt\nxa\nxb\n', stderr: '', exitCode: 0 }],
  [
    'csplit a.txt',
    {
      stdout: '',
      stderr: "csplit: missing operand after 'a.txt'\nTry 'csplit --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'csplit a.txt /zzz/; ls',
    { stdout: '17\na.txt\n', stderr: "csplit: '/zzz/': match not found\n", exitCode: 0 },
  ],
  ['csplit a.txt 1 x', { stdout: '', stderr: 'csplit: x: invalid pattern\n', exitCode: 1 }],
  [
    "csplit a.txt '/a'",
    { stdout: '', stderr: "csplit: /a: closing delimiter '/' missing\n", exitCode: 1 },
  ],
  [
    'csplit nope 1',
    {
      stdout: '',
      stderr: "csplit: cannot open 'nope' for reading: No such file or directory\n",
      exitCode: 1,
    },
  ],
  [
    'split -l 1 -b 2 a.txt',
    {
      stdout: '',
      stderr:
        "split: cannot split in more than one way\nTry 'split --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'split -t xy a.txt',
    { stdout: '', stderr: "split: multi-character separator 'xy'\n", exitCode: 1 },
  ],
  [
    'split --additional-suffix=/x a.txt',
    {
      stdout: '',
      stderr:
        "split: invalid suffix '/x', contains directory separator\nTry 'split --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    "csplit -b 'x' a.txt 2; ls",
    {
      stdout: 'a.txt\n',
      stderr: 'csplit: missing % conversion specification in suffix\n',
      exitCode: 0,
    },
  ],
  [
    "csplit -b '%%' a.txt 2; ls",
    {
      stdout: 'a.txt\n',
      stderr: 'csplit: missing % conversion specification in suffix\n',
      exitCode: 0,
    },
  ],
  [
    "csplit -b '%d%x' a.txt 2; ls",
    {
      stdout: 'a.txt\n',
      stderr: 'csplit: too many % conversion specifications in suffix\n',
      exitCode: 0,
    },
  ],
  [
    "csplit -b '%s' a.txt 2; ls",
    {
      stdout: 'a.txt\n',
      stderr: 'csplit: invalid conversion specifier in suffix: s\n',
      exitCode: 0,
    },
  ],
  [
    "csplit -sb 'p%%%03x-%%' a.txt 2 3; ls",
    { stdout: 'a.txt\nxxp%000-%\nxxp%001-%\nxxp%002-%\n', stderr: '', exitCode: 0 },
  ],
])('pieces, or a message and none: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
