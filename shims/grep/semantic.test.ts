import { Bash } from 'just-bash';
import { describe, expect, it } from 'vitest';
import { FsError } from '../../src/errors.ts';
import { grepShims } from './index.ts';
import { shownLine, shownPath, statusOf } from './semantic.ts';
import { FakeSearch, hostOf, MemoryNamespace } from './testing/memory.ts';

const FILES = {
  '/mnt/issues/1.md': 'login fails\n',
  '/mnt/issues/2.md': 'log in twice\n',
  '/mnt/wiki/a.md': 'sign in\n',
  '/mnt/wiki/b.pdf': 'portal\n',
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

  it.each([
    ['grep login issues', 'issues/2.md'],
    ['grep login issues/1.md issues', 'issues/2.md'],
    ['grep portal wiki/b.pdf', '/mnt/issues/2.md'],
    ['grep login issues/1.md wiki/b.pdf', '/mnt/issues/2.md'],
  ])('%s, of which not all are files of lines, is a question', async (script, path) => {
    const { search, bash } = world();
    expect((await bash.exec(script)).stdout.split('\n')[0]).toBe(`${path}:1:log in twice`);
    expect(search.questions).toHaveLength(1);
  });

  it('asks nothing where no place is there', async () => {
    const { search, bash } = world();
    const stderr = 'grep: wiki/none.md: No such file or directory\n';
    expect(await bash.exec('grep q wiki/none.md')).toMatchObject({
      stdout: '',
      stderr,
      exitCode: 2,
    });
    expect(search.questions).toEqual([]);
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

describe('what else the search says', () => {
  it('is on stderr, a line each: the note, missing words, what failed, what was skipped', async () => {
    const { search, bash } = world();
    search.rest = {
      missing: ['zebra', 'gnu'],
      trouble: [
        new FsError('EACCES', { path: '/mnt/wiki/b.md', op: 'open', reason: 'ask for it' }),
        new FsError('EIO', { path: '/mnt/wiki/c.md', op: 'read' }),
      ],
      unsearched: [
        {
          ...{ count: 1, example: '/mnt/wiki/d.pdf', what: 'documents', how: 'wait' },
          ...{ why: ['it is new', 'they are new'], fails: false },
        },
        {
          ...{ count: 2, example: '/mnt/wiki/e.zip', what: 'archives', how: 'unpack' },
          ...{ why: ['it is packed', 'they are packed'], fails: false },
        },
      ],
    };
    const said = [
      'index of 2 minutes ago',
      'no document has: zebra, gnu',
      'grep: /mnt/wiki/b.md: Permission denied',
      'dirigent: ask for it',
      'grep: /mnt/wiki/c.md: Input/output error',
      'grep: skipped wiki/d.pdf: it is new; wait',
      'grep: skipped 2 archives such as wiki/e.zip: they are packed; unpack',
      '',
    ];
    const { stderr, exitCode } = await bash.exec('grep q');
    expect([stderr.split('\n'), exitCode]).toEqual([said, 2]);
    search.note = 'index of 2 minutes ago\n';
    expect((await bash.exec('grep q')).stderr).toBe(stderr);
    search.note = '';
    expect((await bash.exec('grep q')).stderr.split('\n')).toEqual(said.slice(1));
  });

  const unsearched = (fails: boolean) => [
    { count: 1, example: '/x', what: 'files', why: ['it is', 'they are'] as const, how: '', fails },
  ];
  it.each([
    [{ complete: true }, 0, 1],
    [{ complete: false }, 0, 2],
    [{ unsearched: unsearched(false) }, 0, 1],
    [{ unsearched: unsearched(true) }, 2, 2],
    [{ unsearched: [...unsearched(false), ...unsearched(true)] }, 2, 2],
    [{ trouble: [new FsError('EIO', { path: '/x', op: 'read' })] }, 2, 2],
    [{ trouble: [], unsearched: [] }, 0, 1],
  ])('%j is status %d with answers, and %d without', (rest, some, none) => {
    const answer = { path: '/x', line: 1, text: '', score: 1, crumb: '', passage: '' };
    const answers = [{ ...answer, passageLine: 1 }];
    expect(statusOf({ answers, documents: 1, note: '', ...rest })).toBe(some);
    expect(statusOf({ answers: [], documents: 1, note: '', ...rest })).toBe(none);
  });

  const digits = '0123456789'.repeat(100);
  it.each([
    ['a\nb\r\n\nc', 0, 'a b c'],
    [digits.slice(0, 300), 0, digits.slice(0, 300)],
    [digits.slice(0, 300), 5, digits.slice(0, 300)],
    [digits.slice(0, 301), 0, `${digits.slice(0, 300)}…`],
    [digits.slice(0, 301), 1, `…${digits.slice(1, 301)}`],
    [digits, 1, `…${digits.slice(1, 301)}…`],
    [digits, 699, `…${digits.slice(699, 999)}…`],
    [digits, 700, `…${digits.slice(700)}`],
    [digits, 999, `…${digits.slice(700)}`],
    [digits, -1, `${digits.slice(0, 300)}…`],
  ])(
    'of a long line 300 characters are shown, and where it goes on: %j from %d',
    (text, from, shown) => {
      expect(shownLine(text, from)).toBe(shown);
    },
  );

  it.each([
    ['/mnt/a.md', ['/'], '/mnt/a.md'],
    ['/mnt/a.md', ['mnt', '/mnt/a.md'], '/mnt/a.md'],
    ['/mnt/ab/c', ['/mnt', '/mnt/a'], '/mnt/ab/c'],
    ['/mnt/a/c', ['/mnt', './a', '/mnt'], './a/c'],
    ['/mnt/a/c', ['./a', '/mnt', './a/'], './a/c'],
    ['/elsewhere', ['mnt'], '/elsewhere'],
  ])('%s in %j is shown as %s: by the narrowest place that was given', (path, given, shown) => {
    const scopes = given.map((each) => ({
      given: each,
      path: each.startsWith('/') ? each : `/mnt${each.replace(/^mnt|^\.|\/$/g, '')}`,
    }));
    expect(shownPath(path, scopes)).toBe(shown);
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
    [
      'echo login | grep login issues/1.md -',
      'issues/1.md:login fails\n(standard input):login\n',
      0,
    ],
    ['grep " " issues/1.md', 'login fails\n', 0],
    ['grep "" issues/1.md', 'login fails\n', 0],
  ])('%s', async (script, expected, status) => {
    const { search, bash } = world();
    const { stdout, exitCode } = await bash.exec(script);
    expect(stdout).toBe(expected);
    expect(exitCode).toBe(status);
    expect(search.questions).toEqual([]);
  });
});
