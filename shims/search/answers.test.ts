/** What search asks for, and how it shows what it is answered: over a search that answers what the test says. */
import { expect, test } from 'vitest';
import { FsError } from '../../src/errors.ts';
import type { SearchAnswer, SearchQuestion, SearchResult } from '../../src/search/contract.ts';
import { doubleShell } from '../support/double-shell.ts';
import { searchShims } from './index.ts';

const FILES = {
  '/mnt/pages/a.md': 'a\n',
  '/mnt/pages/notes/b.md': 'b\n',
  '/mnt/other/c.md': 'c\n',
  '/work/d.md': 'd\n',
};

const ANSWER: SearchAnswer = {
  path: '/mnt/pages/notes/b.md',
  line: 12,
  text: 'The tide\nturns.',
  score: 0.123456,
  crumb: 'Tides > Day',
  passage: 'First.\nThe tide',
  passageLine: 11,
};

function shellWith(result: Partial<SearchResult> | Error = {}) {
  const asked: SearchQuestion[] = [];
  const shell = doubleShell(
    [
      (host) => {
        host.fs.searchable = (path) => !path.startsWith('/work');
        const ask = async (question: SearchQuestion): Promise<SearchResult> => {
          asked.push(question);
          if (result instanceof Error) throw result;
          return { answers: [ANSWER], documents: 1, note: 'all of it is searched', ...result };
        };
        return searchShims({ ...host, search: { ...host.search, ask } });
      },
    ],
    FILES,
    '/mnt/pages',
  );
  return { asked, run: shell.run };
}

test.each<[command: string, question: Partial<SearchQuestion>]>([
  ['search tide', { query: 'tide', limit: 10, paths: ['/mnt/pages'] }],
  ['search -n 3 x notes a.md', { limit: 3, paths: ['/mnt/pages/notes', '/mnt/pages/a.md'] }],
  ['search --number=1000 "a b" /', { query: 'a b', limit: 1000, paths: ['/'] }],
  ['search --number 1 x', { limit: 1 }],
  ['search --kind issue x', { kind: 'issue' }],
  ['search --kind page x', { kind: 'page' }],
  ['search --kind file x', { kind: 'file' }],
  ['search --since 2024-06-03 x', { since: '2024-06-03T00:00:00.000Z' }],
  ['search --mount pages x', { paths: ['/mnt/pages'] }],
  ['search --mount /mnt/other x', { paths: ['/mnt/other'] }],
  ['cd /; search --mount pages x /mnt', { paths: ['/mnt/pages'] }],
  ['cd /; search --mount pages x /', { paths: ['/mnt/pages'] }],
  ['search --mount pages x notes', { paths: ['/mnt/pages/notes'] }],
  ['search --mount pages x /mnt/pages', { paths: ['/mnt/pages'] }],
  ['search --mount / x notes', { paths: ['/mnt/pages/notes'] }],
  ['search -- -x', { query: '-x' }],
])('%s asks for that', async (command, question) => {
  const { run, asked } = shellWith();
  expect((await run(command)).exitCode).toBe(0);
  expect(asked).toEqual([{ query: 'x', limit: 10, paths: ['/mnt/pages'], ...question }]);
});

test('--since 7d means the days before now', async () => {
  const { run, asked } = shellWith();
  await run('search --since 7d x; search --since 0d x');
  const [week, today] = asked.map(({ since }) => Date.parse(since ?? ''));
  const days = ((today ?? 0) - (week ?? 0)) / 86_400_000;
  expect(days).toBeGreaterThan(6.99);
  expect(days).toBeLessThan(7.01);
  expect(Math.abs((today ?? 0) - Date.now())).toBeLessThan(3_600_000);
});

test.each([
  ['search', 'give a QUERY, in words'],
  ['search "  "', 'give a QUERY, in words'],
  ['search -n 0 x', '-n takes a number from 1 to 1000'],
  ['search -n 1001 x', '-n takes a number from 1 to 1000'],
  ['search -n 1.5 x', '-n takes a number from 1 to 1000'],
  ['search --kind song x', '--kind is one of issue, page and file'],
  ['search --since someday x', '--since takes a date such as 2024-06-03, or 7d (not "someday")'],
  ['search --since 123456d x', '--since takes a date such as 2024-06-03, or 7d (not "123456d")'],
  ['search -n', '-n takes a number from 1 to 1000'],
  ['search --number -5 x', '--number takes a number from 1 to 1000'],
  ['search --since', '--since takes a date such as 2024-06-03, or 7d'],
  ['search --kind', '--kind is one of issue, page and file'],
  ['search x --mount', '--mount takes the name of a mount, such as docs for /mnt/docs'],
  ['search --json=yes x', "Option '--json' does not take an argument"],
  ['search --nope x', "Unknown option '--nope'"],
])('%s is refused before anything is asked', async (command, message) => {
  const { run, asked } = shellWith();
  const { stdout, stderr, exitCode } = await run(command);
  expect({ stdout, exitCode, asked }).toEqual({ stdout: '', exitCode: 2, asked: [] });
  expect(stderr).toMatch(/^search: .*\nusage: search .*\n$/);
  expect(stderr.split('\n')[0]).toBe(`search: ${message}`);
});

test.each([['--help'], ['-h']])('%s tells the options', async (option) => {
  const { stdout, exitCode } = await shellWith().run(`search ${option}`);
  expect([stdout.slice(0, 16), exitCode]).toEqual(['usage: search [-', 0]);
});

const UNSEARCHED = (path: string): string =>
  `search: ${path}: is not searched by meaning\ndirigent: services, /mnt and /memory are, and mounts with \`search: true\`; grep -rn searches any directory literally\n`;

test.each<[command: string, stderr: string, paths: string[] | null]>([
  [
    'search x nope',
    'search: nope: No such file or directory\ndirigent: a question of several words is one argument: search "x nope"\n',
    null,
  ],
  [
    'search x two words',
    'search: two: No such file or directory\nsearch: words: No such file or directory\ndirigent: a question of several words is one argument: search "x two words"\n',
    null,
  ],
  [
    'search x no.md nope',
    'search: no.md: No such file or directory\nsearch: nope: No such file or directory\n',
    null,
  ],
  ['search x nope notes', 'search: nope: No such file or directory\n', ['/mnt/pages/notes']],
  ['search x ./nope', 'search: ./nope: No such file or directory\n', null],
  ['search x /work', UNSEARCHED('/work'), null],
  ['cd /work; search x', UNSEARCHED('/work'), null],
  ['search x /work/d.md notes', UNSEARCHED('/work/d.md'), ['/mnt/pages/notes']],
  [
    'search --mount pages x /mnt/other',
    'search: /mnt/other: is not in /mnt/pages, where --mount pages searches\n',
    null,
  ],
  ['search --mount pages x /mnt/pages2', 'search: /mnt/pages2: No such file or directory\n', null],
  [
    'search --mount nope x',
    'search: /mnt/nope: No such file or directory\ndirigent: mounts are other, pages\n',
    null,
  ],
])('%s says where it cannot search', async (command, stderr, paths) => {
  const { run, asked } = shellWith({ note: '' });
  const told = await run(command);
  expect(told.exitCode).toBe(2);
  expect(told.stderr).toBe(paths === null ? stderr : `${stderr}\n`);
  expect(asked.map((one) => one.paths)).toEqual(paths === null ? [] : [paths]);
});

test('an answer is a line as grep has it, by the name of the place that was given', async () => {
  const { run } = shellWith();
  expect(await run('search x')).toEqual({
    stdout: 'notes/b.md:12:The tide turns.\n',
    stderr: 'all of it is searched\n',
    exitCode: 0,
  });
  expect((await run('search x /mnt/pages')).stdout).toBe(
    '/mnt/pages/notes/b.md:12:The tide turns.\n',
  );
});

test('a page of a document is named by its path', async () => {
  const { run } = shellWith({ answers: [{ ...ANSWER, path: '/mnt/pages/r.pdf', page: 'p3' }] });
  expect((await run('search x')).stdout).toBe('r.pdf:p3:The tide turns.\n');
  expect(JSON.parse((await run('search --json x')).stdout)).toMatchObject({
    path: 'r.pdf',
    page: 'p3',
  });
});

test('--json has what the line shows, and with --explain what it comes from', async () => {
  const shown = { path: 'notes/b.md', line: 12, score: 0.1235, text: 'The tide\nturns.' };
  const { crumb, passage, passageLine } = ANSWER;
  const { run } = shellWith();
  expect(JSON.parse((await run('search --json x')).stdout)).toEqual(shown);
  expect(JSON.parse((await run('search --json --explain x')).stdout)).toEqual({
    ...shown,
    crumb,
    passage,
    passageLine,
    parts: null,
    evidence: null,
  });
  const parts = { words: 0.5 };
  const evidence = { latent: 0.25 };
  const rich = shellWith({ answers: [{ ...ANSWER, parts, evidence }], missing: ['zebra'] });
  expect(JSON.parse((await rich.run('search --json --explain x')).stdout)).toEqual({
    ...shown,
    missing: ['zebra'],
    crumb,
    passage,
    passageLine,
    parts,
    evidence,
  });
  expect(JSON.parse((await rich.run('search --json x')).stdout)).toEqual({
    ...shown,
    missing: ['zebra'],
  });
});

test('--explain shows shares, cosines, and the passage by its lines', async () => {
  const shares = { parts: { terms: 0.5 }, evidence: { latent: 0.25, words: 0.75, rare: 1 } };
  const passage = '  Tides > Day\n';
  const lines = '  11: First.\n  12: The tide\n\n';
  const head = 'notes/b.md:12:The tide turns.\n';
  const explain = async (answer: SearchAnswer) =>
    (await shellWith({ answers: [answer] }).run('search --explain x')).stdout;
  expect(await explain({ ...ANSWER, ...shares })).toBe(
    `${head}${passage}  score 0.12, terms 0.50, rare 1.00, cosine of latent 0.25, cosine of words 0.75\n${lines}`,
  );
  expect(await explain({ ...ANSWER, evidence: { sentence: 0.5 } })).toBe(
    `${head}${passage}  score 0.12, cosine of latent 0.00, cosine of words 0.00, cosine of sentence 0.50\n${lines}`,
  );
});

test('stderr tells what is lacking, how much spoke for it, and what was left out', async () => {
  const { run } = shellWith({
    missing: ['zebra', 'gnu'],
    relevance: { reached: 0.456, needed: 0.5 },
    trouble: [new FsError('EIO', { op: 'read', path: '/mnt/pages/bad.md' })],
    unsearched: [
      {
        count: 2,
        example: '/mnt/pages/v.pdf',
        what: 'documents',
        why: ['it is new', 'they are new'],
        how: 'wait',
        fails: false,
      },
    ],
  });
  const last = [
    'search: /mnt/pages/bad.md: Input/output error',
    'search: skipped 2 documents such as v.pdf: they are new; wait',
    '',
  ];
  const first = ['all of it is searched', 'no document has: zebra, gnu'];
  const plain = await run('search x');
  expect([plain.stderr.split('\n'), plain.exitCode]).toEqual([[...first, ...last], 2]);
  const explained = await run('search --explain x');
  expect(explained.stderr.split('\n')).toEqual([
    ...first,
    'search: 0.46 speaks for an answer, 0.50 is needed',
    ...last,
  ]);
});

test('no answer is status 1, and a search that fails is status 2 and said by its question', async () => {
  const none = await shellWith({ answers: [] }).run('search x');
  expect([none.stdout, none.exitCode]).toEqual(['', 1]);
  const failed = shellWith(new FsError('EACCES', { op: 'search', path: '/mnt/pages' }));
  expect(await failed.run('search "a b" nope notes')).toEqual({
    stdout: '',
    stderr: 'search: nope: No such file or directory\nsearch: a b: Permission denied\n',
    exitCode: 2,
  });
});
