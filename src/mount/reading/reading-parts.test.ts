/** The small parts that a mount reads with: what is remembered, for how long, and how it is told. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { ChangeJournal } from '../../changes/journal.ts';
import { FsError } from '../../errors.ts';
import { Replica } from '../../replica/replica.ts';
import { ServiceFailure } from '../client/failure.ts';
import type { Dirent, MountStat } from '../contract/contract.ts';
import { line, shown } from '../record/fields.ts';
import type { Collection, Content, Route, Service } from '../table/route.ts';
import { RouteTable } from '../table/table.ts';
import { Extras } from './extras.ts';
import { Freshness, questionOf } from './freshness.ts';
import { Momentary } from './momentary.ts';
import { OwnDirectories } from './own-directories.ts';
import { Prefetch } from './prefetch.ts';
import type { Question } from './question.ts';
import { ReadTexts } from './read-texts.ts';
import { renderReadme } from './readme.ts';
import { Singles } from './singles.ts';
import { Staged } from './staged.ts';

const START = Date.parse('2026-01-31T10:00:00Z');

it('what is looked at in one run of code is asked for once, and anew after the next wait', async () => {
  let asked = 0;
  const momentary = new Momentary(() => ++asked);
  expect([momentary.get(), momentary.get()]).toEqual([1, 1]);
  expect([momentary.renew(), momentary.get()]).toEqual([2, 2]);
  await Promise.resolve();
  expect(momentary.get()).toBe(3);
  const until = performance.now() + 15;
  while (performance.now() < until);
  const seen = new Set(Array.from({ length: 130 }, () => momentary.get()));
  expect([...seen]).toEqual([3, 4]);
});

it('a directory of our own is forgotten with what is below it, and each change is counted', () => {
  const own = new OwnDirectories();
  for (const path of ['/a', '/a/b', '/a/b/c', '/ab']) own.add(path);
  expect([own.has('/a/b'), own.has('/b'), own.changes]).toEqual([true, false, 4]);
  expect(own.below('/a')).toEqual(['/a/b', '/a/b/c']);
  own.forget('/a/b');
  expect([own.below('/a'), own.has('/ab'), own.changes]).toEqual([[], true, 6]);
  own.forget('/a');
  expect([own.has('/a'), own.has('/ab'), own.changes]).toEqual([false, true, 7]);
});

it('more than three single questions of a kind within a minute are many', () => {
  let time = START;
  const singles = new Singles(() => new Date(time));
  const many = (...ones: string[]) => ones.map((one) => singles.isMany('issues', one));
  expect(many('1', '2', '2', '3')).toEqual([false, false, false, false]);
  expect(singles.isMany('pulls', '4')).toBe(false);
  expect(many('4', '1')).toEqual([true, true]);
  time += 60_000;
  expect(many('1')).toEqual([true]);
  time += 1;
  expect(many('5')).toEqual([false]);
});

describe('what was read', () => {
  const content = (text: string): Content => ({
    text,
    version: `v of ${text}`,
    mtime: new Date(0),
  });
  const put = (replica: Replica, key: string, value = key) =>
    replica.upsert('m', 'x', { key, updatedAt: '', size: 1, path: null, value });

  it('is the base of an edit where it may be one, until it is forgotten', () => {
    const texts = new ReadTexts();
    for (const path of ['/a/b', '/a/b/c', '/a/bc']) texts.remember(path, content(path), 1, true);
    texts.remember('/plain', content('x'), 1, false);
    expect(texts.base('/a/b')).toEqual({ text: '/a/b', version: 'v of /a/b' });
    expect(texts.base('/plain')).toBeNull();
    texts.forgetBelow('/a/b');
    expect(['/a/b', '/a/b/c', '/a/bc'].map((path) => texts.base(path)?.text)).toEqual([
      '/a/b',
      undefined,
      '/a/bc',
    ]);
    texts.forget('/a/b');
    expect(texts.base('/a/b')).toBeNull();
  });

  it('is remembered of the 2,000 that were read last', () => {
    const texts = new ReadTexts();
    texts.remember('/first', content('1'), 1, true);
    for (let n = 1; n < 2_000; n++) texts.remember(`/${n}`, content('x'), 1, true);
    texts.remember('/first', content('2'), 1, true);
    texts.remember('/last', content('x'), 1, true);
    expect(texts.base('/first')?.text).toBe('2');
    expect([texts.base('/1'), texts.base('/2')?.text]).toEqual([null, 'x']);
  });

  it('has its true size in bytes, made again only once its records have changed', () => {
    const replica = new Replica(':memory:', () => new Date(START));
    const texts = new ReadTexts();
    let made = 0;
    const make = () => {
      made += 1;
      return content(`für ${replica.get('m', 'x', '1')?.version ?? ''}`);
    };
    put(replica, '1');
    expect(texts.size('/a', replica, make)).toBeNull();
    texts.remember('/a', { ...content(''), bytes: new Uint8Array(7) }, replica.revision(), false);
    expect(texts.size('/a', replica, make)).toBe(7);
    expect(made).toBe(0);
    put(replica, '2');
    const size = texts.size('/a', replica, make);
    expect(made).toBe(1);
    expect(size).toBe(Buffer.byteLength(make().text));
    for (const key of ['2', '3']) put(replica, key);
    expect([texts.size('/a', replica, make), made]).toEqual([size, 2]);
    put(replica, '1', 'another');
    expect(texts.size('/a', replica, () => null)).toBeNull();
  });
});

it('what is staged is the latest of each path, without calls, and asked for once it changed', () => {
  const journal = new ChangeJournal(':memory:');
  onTestFinished(() => journal.close());
  const staged = new Staged(journal, 'm');
  const none = staged.now();
  expect(none).toEqual({ all: [], byPath: new Map() });
  expect(staged.now()).toBe(none);
  const begin = (path: string, mine: string, op: 'update' | 'call' = 'update', mount = 'm') =>
    journal.update(journal.begin({ mount, path, op, mine }).id, { state: 'pending' });
  begin('/a', 'one');
  const latest = begin('/a', 'two');
  begin('/b', 'call', 'call');
  begin('/c', 'x', 'update', 'other');
  const now = staged.now();
  expect(now.all.map(({ mine }) => mine)).toEqual(['one', 'two']);
  expect([...now.byPath].map(([path, { id }]) => [path, id])).toEqual([['/a', latest.id]]);
  expect(staged.now()).toBe(now);
});

/** Questions by key, whose answers are noted where they are asked for. */
function asking(options: Partial<ConstructorParameters<typeof Freshness>[0]> = {}) {
  let time = START;
  const notices: string[] = [];
  const held = new Map<string, number>();
  const lacking = new Map<string, string>();
  const failures = new Map<string, Error>();
  const asked: string[] = [];
  const freshness = new Freshness({
    freshMs: 10_000,
    now: () => new Date(time),
    onNotice: (text) => void notices.push(text),
    ...options,
  });
  const question = (key: string): Question => ({
    key,
    heldSince: () => held.get(key) ?? null,
    lacking: () => lacking.get(key) ?? null,
    ask: async () => {
      asked.push(key);
      const failure = failures.get(key);
      if (failure !== undefined) throw failure;
      held.set(key, time);
    },
  });
  const move = (ms: number) => {
    time += ms;
  };
  return { freshness, question, notices, held, lacking, failures, asked, move };
}

describe('an answer', () => {
  it('is fresh within its window, and asked for past it', async () => {
    const { freshness, question, asked, move } = asking();
    for (const [ms, times] of [
      [0, 1],
      [9_999, 1],
      [1, 2],
    ] as const) {
      move(ms);
      await freshness.ensure(question('a'), 'list');
      expect(asked).toHaveLength(times);
    }
  });

  it('that a walk covers is fresh for two seconds, whatever the window', async () => {
    const { freshness, question, asked, move } = asking({ freshMs: 0 });
    await freshness.ensure(question('a'), 'prefetch');
    move(1_999);
    await freshness.ensure(question('a'));
    await freshness.ensure(question('a'), 'list');
    expect(asked).toHaveLength(1);
    move(1);
    await freshness.ensure(question('a'));
    expect(asked).toHaveLength(2);
    await freshness.ensure(question('a'), 'list');
    expect(asked).toHaveLength(3);
  });

  it('that fails is served from what is held, and not asked for again at once', async () => {
    const { freshness, question, asked, notices, failures, move } = asking();
    await freshness.ensure(question('a'));
    failures.set('a', new ServiceFailure('server', 'it is down'));
    move(10_000);
    await freshness.ensure(question('a'));
    move(9_999);
    await freshness.ensure(question('a'));
    const notice = 'showing data from 10:00:00 UTC: it is down';
    expect([asked.length, notices]).toEqual([2, [notice, notice]]);
    move(1);
    failures.clear();
    await freshness.ensure(question('a'));
    failures.set('a', new ServiceFailure('missing', 'it is gone'));
    move(10_000);
    await expect(freshness.ensure(question('a'))).rejects.toThrow('it is gone');
    failures.set('b', new ServiceFailure('server', 'it is down'));
    await expect(freshness.ensure(question('b'))).rejects.toThrow('it is down');
    failures.set('a', new TypeError('a bug'));
    move(10_000);
    await expect(freshness.ensure(question('a'))).rejects.toThrow('a bug');
  });

  it('that lacks something says so to whoever lists it, and not to a walk', async () => {
    const { freshness, question, notices, lacking } = asking();
    lacking.set('a', 'only the first 10');
    await freshness.ensure(question('a'));
    expect(notices).toEqual([]);
    for (const eagerness of ['list', 'prefetch'] as const)
      await freshness.ensure(question('a'), eagerness);
    const notice = 'a: incomplete, only the first 10';
    expect(notices).toEqual([notice, notice]);
  });

  it('may not be asked for where there is a reason', async () => {
    const refused = new ServiceFailure('limited', 'not now');
    const { freshness, question, asked } = asking({ refusal: () => refused });
    await expect(freshness.ensure(question('a'))).rejects.toBe(refused);
    expect(asked).toEqual([]);
  });

  it('that there is no such thing holds as long as any other', async () => {
    const { freshness, question, asked, move } = asking();
    let isHeld = false;
    const none = { ...question('a'), heldSince: () => null };
    const ensure = () => freshness.ensureOne(none, () => isHeld);
    await ensure();
    move(9_999);
    await ensure();
    expect(asked).toHaveLength(1);
    move(1);
    await ensure();
    expect(asked).toHaveLength(2);
    isHeld = true;
    await ensure();
    isHeld = false;
    await ensure();
    expect(asked).toHaveLength(4);
  });

  it('within a time is asked for anew unless it was since, and what is not held is not', async () => {
    const { freshness, question, asked, move } = asking();
    await freshness.ensure(question('a'));
    move(100);
    await freshness.anew(START + 1, () => freshness.ensure(question('a')));
    await freshness.anew(START + 100, () => freshness.ensure(question('a')));
    await freshness.anew(START + 200, () => freshness.ensure(question('none')));
    expect(asked).toEqual(['a', 'a']);
  });

  it('stays what was looked at until the first of them is no more', async () => {
    const { freshness, question, move, failures } = asking();
    expect(freshness.epoch()).toBe(0);
    await freshness.ensure(question('a'));
    move(5_000);
    await freshness.ensure(question('b'));
    await freshness.ensure(question('a'));
    move(4_999);
    expect(freshness.epoch()).toBe(0);
    move(1);
    expect([freshness.epoch(), freshness.epoch()]).toEqual([1, 1]);
    failures.set('a', new ServiceFailure('server', 'down'));
    await freshness.ensure(question('a'));
    move(9_999);
    expect(freshness.epoch()).toBe(1);
    move(1);
    expect(freshness.epoch()).toBe(2);
    const running = freshness.activity.run('x', async () => freshness.epoch());
    expect(await running).toBeNull();
  });

  it('is told of with its age and what it lacks, listings that are under way before all', async () => {
    const under = {
      owner: null,
      beganAt: START,
      touchedAt: START,
      cursor: '2',
      records: 20,
      pages: 2,
      total: null,
    };
    const { freshness, question, lacking } = asking({
      underWay: () => [
        { ...under, what: 'a' },
        { ...under, what: 'other' },
      ],
    });
    await freshness.ensure(question('a'));
    lacking.set('b', 'half of it');
    await freshness.ensure(question('b'));
    const listed = 'being listed, 20 records so far, 2 pages';
    expect(freshness.known()).toEqual([
      { what: 'other', heldSince: null, lacking: listed },
      { what: 'a', heldSince: START },
      { what: 'b', heldSince: START, lacking: 'half of it' },
    ]);
    expect(freshness.questions).toBe(2);
    await freshness.anew(START, () =>
      freshness.ensure({ ...question('c'), heldSince: () => null }),
    );
    expect(freshness.known().at(-1)).toEqual({ what: 'c', heldSince: null });
  });

  it('of a collection is named by what it is of, and nobody’s where that is not said', async () => {
    const { freshness, asked } = asking();
    const synced: object[] = [];
    const collection: Collection = {
      scope: ['owner', 'repo'],
      heldSince: () => START,
      sync: async (scope) => void synced.push(scope),
      freshMs: 60_000,
    };
    const question = questionOf('Issues', collection, { owner: 'A', repo: 'b', number: '1' });
    expect(question?.key).toBe('issues a b');
    expect([question?.window?.(), question?.lacking?.()]).toEqual([60_000, null]);
    await question?.ask();
    expect(synced).toEqual([{ owner: 'A', repo: 'b' }]);
    expect(questionOf('Issues', collection, { owner: 'A' })).toBeNull();
    const all = { Issues: collection };
    const params = { owner: 'A', repo: 'b' };
    await freshness.ensureCollection(all, 'Issues', {});
    await freshness.ensureCollection(all, 'Pulls', params);
    expect(freshness.questions).toBe(0);
    await freshness.ensureCollection(all, 'Issues', params);
    expect(freshness.questions).toBe(1);
    expect(freshness.readsFreshCollection(all, 'Issues', params)).toBe(true);
    expect(freshness.readsFreshCollection(all, 'Issues', {})).toBe(false);
    expect(freshness.readsFreshCollection(all, 'Pulls', params)).toBe(false);
    expect(asked).toEqual([]);
  });

  it('that takes longer than an operation may is asked for by itself instead', async () => {
    const { freshness } = asking();
    const bring = (failure?: Error) =>
      freshness.isBroughtInTime(() => (failure ? Promise.reject(failure) : Promise.resolve()));
    expect(await bring()).toBe(true);
    expect(await bring(new ServiceFailure('unfinished', 'x'))).toBe(false);
    await expect(bring(new ServiceFailure('server', 'down'))).rejects.toThrow('down');
    await expect(bring(new Error('bug'))).rejects.toThrow('bug');
  });
});

describe('a fetch in bulk', () => {
  const directory = (pattern: string): Route => ({ pattern, type: 'directory', about: '' });
  /** `/OWNER/REPO/issues`: of each repository a question; owners and repositories are asked for at the root. */
  function walked(repos: Record<string, number>, search: string | null = null) {
    const of = asking();
    const fetched: [string, boolean][] = [];
    const table = new RouteTable(
      [
        directory('/:owner'),
        directory('/:owner/:repo'),
        {
          ...directory('/:owner/:repo/issues'),
          prefetch: async (params, named) =>
            void fetched.push([`${params['owner']}/${params['repo']}`, named]),
        },
      ],
      {
        owner: { matches: /^[a-z]+$/, example: 'o' },
        repo: { matches: /^[a-z]\d*$/, example: 'r' },
      },
    );
    const paths = Object.keys(repos);
    const prefetch = new Prefetch({
      title: 'Forge',
      table,
      freshness: of.freshness,
      search,
      questions: ({ route: { pattern }, params: { owner, repo } }) => {
        if (pattern === '/:owner') return [of.question('owners')];
        if (pattern === '/:owner/:repo') return [];
        return [owner === undefined || repo === undefined ? null : of.question(`${owner}/${repo}`)];
      },
      readdir: async (path): Promise<Dirent[]> => {
        const below = path === '/' ? '' : `${path.slice(1)}/`;
        const names = paths.filter((one) => one.startsWith(below));
        const next = new Set(names.map((one) => one.slice(below.length).split('/')[0] ?? ''));
        return [
          { name: 'README.md', type: 'file' },
          ...[...next].map((name): Dirent => ({ name, type: 'directory' })),
        ];
      },
      lstat: async (path) => ({ mtime: new Date(repos[path.slice(1)] ?? 0) }) as MountStat,
    });
    return { ...of, prefetch, fetched };
  }

  it('asks for what a path says, and goes into each directory where it does not', async () => {
    const { prefetch, asked, notices } = walked({ 'a/r': 1, 'a/s': 2, 'b/r': 3 });
    await prefetch.run('/a/r');
    expect(asked).toEqual(['a/r']);
    expect(prefetch.coverage('/a/r')).toBe('Forge as of 10:00:00 UTC, complete');
    await prefetch.run('/');
    expect(asked).toEqual(['a/r', 'owners', 'a/s', 'b/r']);
    expect(prefetch.heldSince('/')).toBe(START);
    expect([prefetch.coverage('/x'), prefetch.heldSince('/x')]).toEqual([null, null]);
    expect(notices).toEqual([]);
  });

  it('tells each row whether the walk begins at it', async () => {
    const { prefetch, fetched } = walked({ 'a/r': 1 });
    await prefetch.run('/a/r');
    await prefetch.run('/a/r/issues');
    await prefetch.run('/a');
    expect(fetched).toEqual([
      ['a/r', true],
      ['a/r', true],
      ['a/undefined', false],
      ['a/r', true],
    ]);
  });

  it('is of the twenty directories that were updated last, and says what it left', async () => {
    const repos = Object.fromEntries(
      Array.from({ length: 21 }, (_, index) => [`a/r${index}`, index === 20 ? 0 : index + 1]),
    );
    const { prefetch, asked, notices } = walked(repos, '/forge/search');
    await prefetch.run('/a');
    expect(asked).toHaveLength(21);
    expect(asked).not.toContain('a/r20');
    expect(notices).toEqual([
      'Forge: fetched 20 of 21 directories under /a, the most recently updated; the others are not searched: name one to fetch it',
    ]);
    expect(prefetch.coverage('/a')).toBe(
      "Forge as of 10:00:00 UTC, 20 of 21 directories (Forge's own search has the rest: /forge/search)",
    );
    const { [`a/r20`]: _, ...few } = repos;
    const all = walked(few);
    await all.prefetch.run('/a');
    expect([all.asked.length, all.notices]).toEqual([21, []]);
  });

  it('goes on past a directory that cannot be fetched, and stops at a limit', async () => {
    const failing = (kind: 'server' | 'limited' | 'missing') => {
      const of = walked({ 'a/r': 1, 'a/s': 2 });
      of.failures.set('a/r', new ServiceFailure(kind, `a/r is ${kind}`));
      return { ...of, run: of.prefetch.run('/a') };
    };
    const server = failing('server');
    await expect(server.run).rejects.toThrow(FsError);
    expect(server.asked).toContain('a/s');
    expect(server.prefetch.coverage('/a')).toBe('Forge as of 10:00:00 UTC, incomplete');
    const limited = failing('limited');
    await expect(limited.run).rejects.toMatchObject({ code: 'EAGAIN', op: 'prefetch' });
    expect(limited.asked).not.toContain('a/s');
    const missing = failing('missing');
    await missing.run;
    expect(missing.asked).toContain('a/s');
  });

  it('of which nothing is held, or something is lacking, is not complete', async () => {
    const none = walked({ 'a/r': 1 });
    none.failures.set('a/r', new ServiceFailure('server', 'down'));
    await expect(none.prefetch.run('/a/r')).rejects.toThrow();
    expect(none.prefetch.coverage('/a/r')).toBe('Forge: nothing held');
    expect(none.prefetch.heldSince('/a/r')).toBeNull();
    const lacks = walked({ 'a/r': 1 });
    lacks.lacking.set('a/r', 'the old ones');
    await lacks.prefetch.run('/a/r');
    expect(lacks.prefetch.coverage('/a/r')).toBe('Forge as of 10:00:00 UTC, incomplete');
  });
});

describe('the README.md of a mount', () => {
  const service: Service = {
    kind: 'forge',
    title: 'Forge',
    about: 'All of it.',
    hints: ['be kind'],
    params: { key: { matches: /^x$/, example: 'x', shown: 'KEY-1' } },
    collections: {},
    routes: [],
    usage: () => ({ requests: 3, bytes: 40 }),
  };
  const record = {
    name: 'issue',
    fields: { id: shown('the id'), title: line('a title', { required: true }), more: line('more') },
  };
  const edit = { record } as unknown as NonNullable<Route['edit']>;
  const create = { record: () => record } as unknown as NonNullable<Route['create']>;
  const readme = (more: Partial<Service> = {}, stage = false, of = asking()) =>
    renderReadme({ service: { ...service, ...more }, freshness: of.freshness, stage });

  it('names each row with what may be done with it', () => {
    const file = (pattern: string, more: Partial<Route> = {}): Route => ({
      pattern,
      type: 'file',
      about: 'it',
      ...more,
    });
    const text = readme({
      routes: [
        { ...file('/teams/:team'), type: 'directory' },
        file('/:key.md', { edit }),
        file('/files/:path+', { replace: {} as never }),
        file('/new.md', { create, hidden: true }),
        file('/diff', { costly: () => true }),
        { ...file('/big', { costly: true, hidden: true }), type: 'directory' },
        file('/cheap', { costly: false }),
      ],
    });
    expect(text.split('\n').filter((one) => one.startsWith('- `') && one.includes(': it'))).toEqual(
      [
        '- `teams/TEAM/`: it',
        '- `KEY-1.md`: it (writable)',
        '- `files/PATH`: it (writable)',
        '- `new.md`: it (not listed)',
        '- `diff`: it (costs a request of its own: name it to read it)',
        '- `big/`: it (not listed; costs a request of its own: name it to list it)',
        '- `cheap`: it',
      ],
    );
    expect(text).toContain('A record is one markdown file');
    expect(text).toContain('`new.md` makes a record');
    expect(text).toContain(
      '### issue\n- `title` (required): a title\n- `more`: more\n- set by the service: id',
    );
  });

  it('says how records are written where they are, and nothing of it where they are not', () => {
    const json = readme({ routes: [{ pattern: '/:key.json', type: 'file', about: '', edit }] });
    expect(json).toContain('A record is one JSON object');
    expect(json).not.toContain('makes a record');
    const none = readme();
    for (const part of ['## Writing', '## How fresh', 'staged', '###'])
      expect(none).not.toContain(part);
    expect(none).toContain('## Good to know\n\n- be kind');
    expect(none).toContain('3 requests and 40 bytes');
    expect(readme({ hints: [] })).not.toContain('Good to know');
    expect(readme({}, true)).toContain('**Writes here are staged**');
    const plain = { name: 'plain', fields: { title: line() } };
    expect(readme({ records: [plain] })).toMatch(/### plain\n- `title`: one line\n\n/);
  });

  it('tells the age of twenty answers, and of the others that of the oldest', async () => {
    const of = asking();
    for (let n = 0; n < 20; n++) await of.freshness.ensure(of.question(`q${n}`));
    expect(readme({}, false, of)).not.toContain('more, the oldest');
    of.lacking.set('q1', 'half');
    of.move(1_000);
    for (const key of ['q20', 'q21']) await of.freshness.ensure(of.question(key));
    const text = readme({}, false, of);
    expect(text).toContain('- q0: as of 10:00:00 UTC\n- q1: incomplete: half; as of 10:00:00 UTC');
    expect(text).toContain('- and 2 more, the oldest of them as of 10:00:01 UTC');
    of.held.delete('q21');
    of.held.delete('q1');
    of.held.delete('q0');
    const later = readme({}, false, of);
    expect(later).toContain('- q0: not held\n- q1: incomplete: half\n');
    expect(later).toContain('the oldest of them not held');
  });
});

it('beside README.md, .last and .error are there where there is something to tell', () => {
  const changes = new ChangeJournal(':memory:');
  onTestFinished(() => changes.close());
  const table = new RouteTable(
    [
      { pattern: '/issues', type: 'directory', about: '' },
      { pattern: '/issues/new.md', type: 'file', about: '', create: {} as never },
      { pattern: '/labels', type: 'directory', about: '' },
    ],
    {},
  );
  const { freshness } = asking();
  const service = {
    usage: () => ({ requests: 0, bytes: 0 }),
    routes: [],
    hints: [],
    title: 'Forge',
  };
  const writer = { last: (path: string) => changes.latest('m', path) };
  const extras = (attachedAt?: string) =>
    new Extras({
      service: service as never,
      name: 'm',
      changes,
      writer: writer as never,
      freshness,
      stage: false,
      table,
      ...(attachedAt && { attachedAt }),
    });
  const text = (path: string, at?: string) => {
    const bytes = extras(at).read(path);
    return bytes && Buffer.from(bytes).toString();
  };
  for (const name of ['/README.md', '/issues/.last', '/.error'])
    expect(extras().has(name)).toBe(true);
  for (const name of ['/issues/README.md', '/issues/last', '/README.md/x'])
    expect(extras().has(name)).toBe(false);
  expect(text('/README.md')).toContain('# Forge');
  for (const path of ['/issues/.last', '/issues/.error', '/labels/.last', '/issues/1.md'])
    expect(text(path)).toBeNull();
  const { id } = changes.begin({ mount: 'm', path: '/issues/new.md', op: 'create', mine: 'x' });
  expect(text('/issues/.last')).toBe(`/session/changes/${id}\n`);
  changes.update(id, { state: 'failed', error: 'it is wrong' });
  expect(text('/issues/.last')).toBe(`/session/changes/${id}\n`);
  expect(text('/issues/.error')).toBe('it is wrong\n');
  changes.update(id, { state: 'applied', result: { path: '/issues/7.md' } });
  expect(text('/issues/.last')).toBe('7.md\n');
  expect(text('/issues/.last', '/mnt/forge')).toBe('/mnt/forge/issues/7.md\n');
});
