import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in edges.json; here are their messages and what is this house's own.
test.each([
  ["rename -v 's/txt/md/' a.txt", { stdout: 'a.txt renamed as a.md\n', stderr: '', exitCode: 0 }],
  ['rename -v txt md a.txt', { stdout: "`a.txt' -> `a.md'\n", stderr: '', exitCode: 0 }],
  [
    "rename 's/a/b' a.txt",
    { stdout: '', stderr: "rename: the expression does not end: '/' is missing\n", exitCode: 1 },
  ],
  [
    "rename 'print 1' a.txt",
    {
      stdout: '',
      stderr:
        "rename: an expression such as 's/a/b/' and files are needed, or FROM TO FILE...\nTry 'rename --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'rename \'system("ls")\' a.txt',
    {
      stdout: '',
      stderr:
        "rename: an expression such as 's/a/b/' and files are needed, or FROM TO FILE...\nTry 'rename --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    "touch b.txt; rename 's/a/b/' a.txt",
    { stdout: '', stderr: 'a.txt not renamed: b.txt already exists\n', exitCode: 0 },
  ],
  ['rename zzz y a.txt', { stdout: '', stderr: '', exitCode: 4 }],
  [
    'rename a.txt',
    {
      stdout: '',
      stderr:
        "rename: an expression such as 's/a/b/' and files are needed, or FROM TO FILE...\nTry 'rename --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    "rename -v 's/a/c/' nope.a",
    {
      stdout: '',
      stderr: "rename: Can't rename nope.a nope.c: No such file or directory\n",
      exitCode: 1,
    },
  ],
])('rename takes expressions of Perl and plain words: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
