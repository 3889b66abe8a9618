import { Bash } from 'just-bash';
import { describe, expect, it } from 'vitest';
import { FsError } from '../../src/errors.ts';
import { grepShims } from './index.ts';
import { FakeSearch, hostOf, MemoryNamespace } from './testing/memory.ts';

const FILES = {
  '/mnt/issues/1.md': 'login fails\n',
  '/mnt/issues/2.md': 'log in twice\n',
  '/mnt/wiki/a.md': 'sign in\n',
  '/workspace/x.txt': 'login\n',
};

function world() {
  const search = new FakeSearch();
  search.hits = [
    { path: '/mnt/issues/2.md', line: 1, text: 'log in twice', score: 0.9 },
    { path: '/mnt/issues/1.md', line: 1, text: 'login fails', score: 0.8 },
  ];
  search.note = 'index of 2 minutes ago';
  const fs = new MemoryNamespace(FILES, { searchable: (path) => path.startsWith('/mnt') });
  const bash = new Bash({ fs, customCommands: grepShims(hostOf(fs, search)), cwd: '/mnt' });
  return { search, bash };
}

describe('grep without a flag asks the search service where text is searchable', () => {
  it('prints ranked path:line:text with paths as they were given, the note on stderr, status 0', async () => {
    const { search, bash } = world();
    const { stdout, stderr, exitCode } = await bash.exec('grep "cannot sign in" issues wiki/');
    expect(stdout).toBe('issues/2.md:1:log in twice\nissues/1.md:1:login fails\n');
    expect(stderr).toBe('index of 2 minutes ago\n');
    expect(exitCode).toBe(0);
    expect(search.questions).toEqual([
      { query: 'cannot sign in', paths: ['/mnt/issues', '/mnt/wiki'], limit: 10 },
    ]);
  });

  it.each([
    ['grep q', 'issues/2.md:1:log in twice'],
    ['cd issues; grep q', '2.md:1:log in twice'],
    ['grep q .', './issues/2.md:1:log in twice'],
    ['grep q /mnt', '/mnt/issues/2.md:1:log in twice'],
    ['grep q issues/2.md issues', 'issues/2.md:1:log in twice'],
    ['cd /workspace; grep q ../mnt/issues/', '../mnt/issues/2.md:1:log in twice'],
  ])('%s prints %s', async (script, line) => {
    const { stdout } = await world().bash.exec(script);
    expect(stdout.split('\n')[0]).toBe(line);
  });

  it('prints the lines of a named file that hold the words, and searches it when there are none', async () => {
    const { search, bash } = world();
    expect(await bash.exec('grep login issues/1.md')).toMatchObject({
      stdout: 'login fails\n',
      stderr: '',
      exitCode: 0,
    });
    expect(search.questions).toEqual([]);
    const { stdout } = await bash.exec('grep "cannot sign in" issues/1.md issues/2.md');
    expect(stdout).toBe('issues/2.md:1:log in twice\nissues/1.md:1:login fails\n');
    expect(search.questions).toHaveLength(1);
  });

  it('is status 1 without a hit', async () => {
    const { search, bash } = world();
    search.hits = [];
    expect((await bash.exec('grep q')).exitCode).toBe(1);
  });

  it('names a path that is not there and searches the others, status 2', async () => {
    const { search, bash } = world();
    const { stdout, stderr, exitCode } = await bash.exec('grep q nope issues');
    expect(stdout).not.toBe('');
    expect(stderr).toMatch(/^grep: nope: No such file or directory\n/);
    expect(exitCode).toBe(2);
    expect(search.questions[0]?.paths).toEqual(['/mnt/issues']);
  });

  it('says what failed in the service and how to search literally, status 2', async () => {
    const { search, bash } = world();
    search.failure = new FsError('EIO', { path: '/', op: 'search', reason: 'the index is locked' });
    const { stderr, exitCode } = await bash.exec('grep q');
    expect(stderr).toContain('dirigent: the index is locked\n');
    expect(stderr).toContain('grep -rn');
    expect(exitCode).toBe(2);
  });
});

describe('everything else is GNU grep', () => {
  it.each([
    ['grep -r login', 'issues/1.md:login fails\n', 0],
    ['grep -- login issues/1.md', 'login fails\n', 0],
    ['grep login issues/1.md -n', '1:login fails\n', 0],
    ['echo a login | grep login', 'a login\n', 0],
    ['true | DIRIGENT_IO=p grep login', '', 1],
    ['grep login /workspace/x.txt', 'login\n', 0],
    [
      'grep login /workspace/x.txt issues/1.md',
      '/workspace/x.txt:login\nissues/1.md:login fails\n',
      0,
    ],
    ['cd /workspace; grep login', '', 1],
    ['egrep login issues/1.md', 'login fails\n', 0],
    ['echo login | grep login -', 'login\n', 0],
  ])('%s', async (script, expected, status) => {
    const { search, bash } = world();
    const { stdout, exitCode } = await bash.exec(script);
    expect(stdout).toBe(expected);
    expect(exitCode).toBe(status);
    expect(search.questions).toEqual([]);
  });
});
