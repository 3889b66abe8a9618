/** What a mistyped command or path may have meant. */
import { expect, test } from 'vitest';
import { type HintWorld, hints } from '../../src/cli/did-you-mean.ts';
import { FsError } from '../../src/errors.ts';

const tree: Record<string, string[]> = {
  '/': ['mnt', 'workspace'],
  '/mnt': ['github', 'linear'],
  '/mnt/github': ['issues', 'pulls'],
  '/mnt/github/issues': ['3.md', 'index.tsv'],
  '/workspace': ['notes.txt', 'notes'],
};

const world = (cwd: string): HintWorld => ({
  cwd,
  commands: async () => ['cat', 'ls', 'less', 'grep'],
  fs: {
    readdir: async (path) => {
      const listed = tree[path];
      if (listed === undefined) throw new FsError('ENOTDIR', { path, op: 'scandir' });
      return listed;
    },
  },
});

test.each([
  ['bash: grpe: command not found', ['grep']],
  ['bash: hlep: command not found', ['help']],
  ['bash: zzzzzz: command not found', []],
  ['cat: isues/3.md: No such file or directory', ['issues/3.md']],
  ["ls: cannot access '/mnt/gihtub': No such file or directory", ['/mnt/github']],
  ['bash: cd: /mtn/linear: No such file or directory', ['/mnt/linear']],
  ['cat: issues/3.md/x: No such file or directory', []],
  ['cat: issues/999.md: No such file or directory', []],
  ['cat: ../../workspace/note.txt: No such file or directory', ['/workspace/notes.txt']],
  ['grep: nothing to see', []],
  [
    'bash: a: command not found\nbash: lses: command not found\nbash: ct: command not found',
    ['less', 'cat'],
  ],
])('%j: %j', async (stderr, meant) => {
  expect(await hints(`${stderr}\n`, world('/mnt/github'))).toEqual(meant);
});
