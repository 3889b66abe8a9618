import { Bash } from 'just-bash';
import { describe, expect, it } from 'vitest';
import { FsError } from '../../src/errors.ts';
import { grepShims } from './index.ts';
import { FakeSearch, hostOf, MemoryNamespace, type MemoryOptions } from './testing/memory.ts';

const FILES = {
  '/w/a.txt': 'foo\nbar\n',
  '/w/b.txt': 'bar foo\n',
  '/w/.dot': 'foo\n',
  '/w/d/c.txt': 'foo é\n',
  '/w/d/x.md': '# foo\n',
};

function world(options: MemoryOptions = {}, search = new FakeSearch()) {
  const fs = new MemoryNamespace(FILES, options);
  const bash = new Bash({ fs, customCommands: grepShims(hostOf(fs, search)), cwd: '/w' });
  const run = async (script: string): Promise<[string, string, number]> => {
    const { stdout, stderr, exitCode } = await bash.exec(script);
    return [stdout, stderr, exitCode];
  };
  return { fs, search, run };
}

function failure(path: string, reason?: string): Map<string, FsError> {
  const init = { path, op: 'open', ...(reason === undefined ? {} : { reason }) };
  return new Map([[path, new FsError('EACCES', init)]]);
}

describe('grep in the shell', () => {
  const { run } = world();
  it.each([
    [
      'grep -rn foo',
      '.dot:1:foo\na.txt:1:foo\nb.txt:1:bar foo\nd/c.txt:1:foo é\nd/x.md:1:# foo\n',
      0,
    ],
    ['grep foo *.txt -n', 'a.txt:1:foo\nb.txt:1:bar foo\n', 0],
    [
      'grep -rnA1 --include "*.txt" foo .',
      './a.txt:1:foo\n./a.txt-2-bar\n--\n./b.txt:1:bar foo\n--\n./d/c.txt:1:foo é\n',
      0,
    ],
    ['grep --inc=*.md -rl foo', 'd/x.md\n', 0],
    ['cat a.txt | grep -c o', '1\n', 0],
    ['egrep "foo|bar" a.txt', 'foo\nbar\n', 0],
    ['fgrep -e fo -e ba a.txt', 'foo\nbar\n', 0],
    ['printf "é\\n" | grep -o .', 'é\n', 0],
    ['find . -name "*.txt" | xargs grep -l é', './d/c.txt\n', 0],
    ['find . -name "a.txt" -exec grep -H bar {} \\;', './a.txt:bar\n', 0],
    ['grep nothing a.txt', '', 1],
    ['rg foo', '', 0],
  ])('%s', async (script, stdout, status) => {
    const [out, err, code] = await run(script);
    if (!script.startsWith('rg')) expect(out).toBe(stdout);
    expect(err).toBe('');
    expect(code).toBe(status);
  });
});

describe('an error hides nothing', () => {
  it('a file that cannot be read is named with its reason, and the others are searched', async () => {
    const reason = 'the policy denies reading a.txt; ask for it';
    const { run } = world({ failing: failure('/w/a.txt', reason) });
    expect(await run('grep -r foo . --include=*.txt')).toEqual([
      './b.txt:bar foo\n./d/c.txt:foo é\n',
      `grep: ./a.txt: Permission denied\ndirigent: ${reason}\n`,
      2,
    ]);
  });

  it('rg says it too, with status 2', async () => {
    const { run } = world({ failing: failure('/w/a.txt', 'denied') });
    const [stdout, stderr, status] = await run('rg -l foo .');
    expect(stdout).toBe('./b.txt\n./d/c.txt\n./d/x.md\n');
    expect(stderr).toBe('./a.txt: Permission denied (os error 13)\ndirigent: denied\n');
    expect(status).toBe(2);
  });

  it('a directory that cannot be listed is named', async () => {
    const { run } = world({ walks: false, failing: failure('/w/d') });
    const [stdout, stderr, status] = await run('grep -rl foo .');
    expect(stdout).toBe('./.dot\n./a.txt\n./b.txt\n');
    expect(stderr).toBe('grep: ./d: Permission denied\n');
    expect(status).toBe(2);
  });

  it('-s silences the message and keeps the status; -q with a match is 0', async () => {
    const { run } = world({ failing: failure('/w/a.txt') });
    expect(await run('grep -s foo a.txt b.txt')).toEqual(['b.txt:bar foo\n', '', 2]);
    const [, , status] = await run('grep -q foo a.txt b.txt');
    expect(status).toBe(0);
  });
});

describe('walking', () => {
  it('gives the same with and without a walk at once', async () => {
    const scripts = [
      'grep -rn foo',
      'grep -rc foo d',
      'grep -r --exclude-dir=d foo .',
      'rg -n foo',
      'rg --files --hidden',
      'rg -g "!*.md" foo d',
      'rg --max-depth 1 foo',
    ];
    for (const script of scripts) {
      const atOnce = await world().run(script);
      expect(await world({ walks: false }).run(script)).toEqual(atOnce);
      expect(atOnce[2]).toBe(0);
    }
  });

  it('asks for no bytes of files that --include leaves out', async () => {
    const { fs, run } = world({ walks: false });
    await run('grep -r --include=*.md foo .');
    expect(fs.asked.filter((path) => path.endsWith('.txt'))).toEqual([]);
    expect(fs.asked).toContain('prefetch /w');
  });
});

describe('rg leaves out what ignore files, globs and types say', () => {
  const tree = {
    '/r/.git/HEAD': 'foo',
    '/r/.gitignore': '*.log\n/build/\n!keep.log\ndocs/*.tmp\n',
    '/r/a.log': 'foo\n',
    '/r/keep.log': 'foo\n',
    '/r/build/x.txt': 'foo\n',
    '/r/sub/build/y.txt': 'foo\n',
    '/r/docs/z.tmp': 'foo\n',
    '/r/docs/.ignore': 'secret*\n',
    '/r/docs/secret.txt': 'foo\n',
    '/r/docs/open.rs': 'foo\n',
    '/r/.hidden': 'foo\n',
  };
  it.each([
    ['rg -l foo', 'docs/open.rs\nkeep.log\nsub/build/y.txt\n'],
    ['rg -l foo sub', 'sub/build/y.txt\n'],
    ['cd docs; rg -l foo', 'open.rs\n'],
    ['rg -l --no-ignore -g "*.log" foo', 'a.log\nkeep.log\n'],
    ['rg -l -trust foo', 'docs/open.rs\n'],
    ['rg -l -Trust foo sub docs', 'sub/build/y.txt\n'],
    ['rg -uu -l foo docs .hidden', 'docs/open.rs\ndocs/secret.txt\ndocs/z.tmp\n.hidden\n'],
  ])('%s', async (script, expected) => {
    for (const walks of [true, false]) {
      const fs = new MemoryNamespace(tree, { walks });
      const bash = new Bash({ fs, customCommands: grepShims(hostOf(fs)), cwd: '/r' });
      const { stdout, stderr } = await bash.exec(script);
      expect(stderr).toBe('');
      expect(stdout).toBe(expected);
    }
  });
});
