/** What GitHub's answers are made of, piece by piece: links, pages, refusals, archives, redirects, accounts. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ServiceFailure } from '../../src/mount/index.ts';
import { accountOf } from './account.ts';
import type { Answer, GithubClient } from './client.ts';
import { allowanceOf, failureOfAnswer, limitEnd } from './failures.ts';
import { above, branchOf, gitName, nameOf, treeOf } from './git-names.ts';
import { linksOf } from './links.ts';
import { Moves } from './moves.ts';
import { pagesFrom } from './pages.ts';
import { filesOfArchive } from './tar.ts';

const ORIGIN = 'https://api.github.example';
const failure = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return `${(error as ServiceFailure).kind}: ${(error as Error).message}`;
  }
  return 'none';
};

describe('a Link header', () => {
  it.each([
    ['', null, null],
    ['<https://api.github.example/x?page=2>; rel="next"', '/x?page=2', null],
    ['</x?page=2>; rel="next", </x?page=9>; rel="last"', '/x?page=2', 9],
    ['</x?a=1&page=12&b=2>; rel="last"', null, 12],
    ['</x?mypage=12>; rel="last"', null, null],
    ['</x?page=1>; rel="prev"', null, null],
    ['</x?q=a:b{c}>; rel="next"', '/x?q=a%3Ab%7Bc%7D', null],
    ['</x?q=1:2>; rel="next"', '/x?q=1:2', null],
  ])('%j goes on at %j of %j', (header, next, last) => {
    expect(linksOf(header, ORIGIN)).toEqual({ next: next === null ? null : ORIGIN + next, last });
  });

  it.each([
    ['nonsense <', 'no Link header'],
    ['<>; rel="next"', 'at what is no address'],
    ['<http://>; rel="next"', 'at what is no address'],
    [
      '<https://other.example/x>; rel="next"',
      'which is not https://api.github.example: nothing was sent there',
    ],
    ['<http://api.github.example/x>; rel="next"', 'nothing was sent there'],
  ])('%j is not followed', (header, message) => {
    expect(failure(() => linksOf(header, ORIGIN))).toMatch(/^protocol: /);
    expect(failure(() => linksOf(header, ORIGIN))).toContain(message);
  });
});

describe('pages', () => {
  const page = (n: number) => `${ORIGIN}/x?per_page=1&page=${n}`;
  const answer = (data: unknown, next: string | null, last: number | null = null): Answer =>
    ({ status: 200, data, next, last, etag: null }) as Answer;
  function client(answers: Record<string, Answer | Error>) {
    const asked: string[] = [];
    const get = async (url: string) => {
      asked.push(url);
      const found = answers[url];
      if (found === undefined) throw new Error(`nobody should ask for ${url}`);
      if (found instanceof Error) throw found;
      return found;
    };
    return { asked, client: { get } as unknown as GithubClient };
  }
  const all = async (pages: AsyncIterable<Answer>, most = 100) => {
    const data: unknown[] = [];
    for await (const one of pages) {
      data.push(one.data);
      if (data.length === most) break;
    }
    return data;
  };
  const listing = (count: number, last: number | null) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        page(n + 1),
        answer(n + 1, n + 1 < count ? page(n + 2) : null, last),
      ]),
    );

  it('are asked for one after the other where nobody says how many there are', async () => {
    const { client: line, asked } = client(listing(3, null));
    expect(await all(pagesFrom(line, page(1)))).toEqual([1, 2, 3]);
    expect(asked).toEqual([1, 2, 3].map(page));
    expect(await all(pagesFrom(line, page(1)), 1)).toEqual([1]);
    expect(asked).toHaveLength(4);
  });

  it('are asked for side by side, eight at most, where the last one is known; each once', async () => {
    const { client: line, asked } = client(listing(20, 20));
    const pages = pagesFrom(line, page(1));
    await pages.next();
    expect(asked).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map(page));
    await pages.next();
    expect(asked).toHaveLength(10);
    expect(await all(pages)).toEqual(Array.from({ length: 18 }, (_, n) => n + 3));
    expect(asked.toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => page(n + 1)).toSorted());
  });

  it('are not guessed where that was not wanted, or where they have no numbers', async () => {
    const plain = client(listing(3, 3));
    expect(await all(pagesFrom(plain.client, page(1), { guess: false }), 1)).toEqual([1]);
    expect(plain.asked).toEqual([page(1)]);
    const after = `${ORIGIN}/x?after=abc&page=2`;
    const cursors = client({ [page(1)]: answer(1, after, 9), [after]: answer(2, null) });
    expect(await all(pagesFrom(cursors.client, page(1)))).toEqual([1, 2]);
    expect(cursors.asked).toEqual([page(1), after]);
  });

  it('that were guessed count only where the listing leads to them', async () => {
    const other = `${ORIGIN}/y?page=7`;
    const answers = {
      ...listing(4, 4),
      [page(2)]: answer('two', other),
      [other]: answer('end', null),
      [page(4)]: new Error('late'),
    };
    const { client: line } = client(answers);
    expect(await all(pagesFrom(line, page(1)))).toEqual([1, 'two', 'end']);
  });

  it('begin with an answer that is known', async () => {
    const { client: line, asked } = client(listing(2, null));
    expect(await all(pagesFrom(line, page(1), { first: answer('known', page(2)) }))).toEqual([
      'known',
      2,
    ]);
    expect(asked).toEqual([page(2)]);
  });

  it('that go in a circle are an error', async () => {
    const { client: line } = client({
      [page(1)]: answer(1, page(2)),
      [page(2)]: answer(2, page(1)),
    });
    await expect(all(pagesFrom(line, page(1)))).rejects.toThrow('in a circle');
  });
});

describe('a refusal', () => {
  const NOW = new Date('2025-01-01T00:00:00Z');
  const seconds = (status: number, headers: Record<string, unknown>, data: unknown = {}) => {
    const end = limitEnd(status, headers, data, NOW);
    return end === null ? null : (end.getTime() - NOW.getTime()) / 1_000;
  };
  const reset = String(NOW.getTime() / 1_000 + 90);

  it.each<[number, Record<string, unknown>, unknown, number | null]>([
    [429, {}, {}, 60],
    [429, { 'retry-after': '5' }, {}, 5],
    [403, { 'retry-after': '0' }, {}, 0],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }, {}, 90],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }, {}, 60],
    [403, { 'x-ratelimit-remaining': '0' }, {}, 60],
    [429, { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': reset }, {}, 60],
    [403, {}, { message: 'You have exceeded a secondary rate limit' }, 60],
    [403, {}, { message: 'abuse detection mechanism' }, 60],
    [403, {}, { message: 'Resource not accessible' }, null],
    [403, { 'x-ratelimit-remaining': '3' }, {}, null],
    [404, { 'retry-after': '5' }, {}, null],
    [500, { 'x-ratelimit-remaining': '0' }, {}, null],
  ])('by %i with %j and %j lasts %j s', (status, headers, data, wanted) => {
    expect(seconds(status, headers, data)).toBe(wanted);
  });

  it('says what is left of the hour, by our clock', () => {
    const headers = (more: Record<string, string> = {}) =>
      new Headers({
        'x-ratelimit-limit': '5000',
        'x-ratelimit-remaining': '7',
        'x-ratelimit-reset': '100',
        'x-ratelimit-resource': 'core',
        ...more,
      });
    expect(allowanceOf(headers(), 2_000)).toEqual({
      limit: 5_000,
      remaining: 7,
      resetAt: new Date(98_000),
    });
    expect(allowanceOf(headers({ 'x-ratelimit-resource': 'search' }), 0)).toBeNull();
    expect(allowanceOf(headers({ 'x-ratelimit-reset': 'soon' }), 0)).toBeNull();
    expect(allowanceOf(new Headers({ 'x-ratelimit-resource': 'core' }), 0)).toBeNull();
  });

  const of = (status: number, data: unknown, until: Date | null = null) =>
    failureOfAnswer(status, data, { until, now: NOW, method: 'GET', cause: null });
  const SAID = { message: 'no\n way', errors: ['first', { code: 'x' }] };
  it.each([
    [401, 'auth', 'check GITHUB_TOKEN'],
    [403, 'forbidden', 'no way; first; {"code":"x"}; the token may lack'],
    [404, 'missing', 'the token may not see it'],
    [410, 'gone', 'answered 410: no way'],
    [422, 'invalid', 'answered 422: no way'],
    [500, 'server', 'try again later'],
    [499, 'invalid', 'answered 499'],
  ])('by %i is %s', (status, kind, message) => {
    expect(of(status, SAID)).toMatchObject({ kind, status });
    expect(of(status, SAID).message).toContain(message);
  });

  it('says when a limit ends, and who took something down', () => {
    const until = new Date(NOW.getTime() + 60_000);
    expect(of(403, {}, until)).toMatchObject({ kind: 'limited', retryAt: until });
    const block = { reason: 'dmca', html_url: 'https://x.example/n' };
    expect(of(403, { message: 'blocked', block }).message).toBe(
      'GitHub answered 403: blocked; it was taken down (dmca); see https://x.example/n',
    );
    expect(of(451, { block: { reason: 'tos' } }).message).toContain('taken down (tos)');
    expect(of(451, {}).message).toBe(
      'GitHub answered 451: no reason given; it was taken down (legal reasons)',
    );
    expect(of(400, 'a\n b').message).toBe('GitHub answered 400: a b');
    expect(of(400, 'x'.repeat(300)).message).toHaveLength('GitHub answered 400: '.length + 200);
    expect(of(400, 3).message).toContain('no reason given');
  });
});

describe('an archive', () => {
  /** One entry of a tar, as POSIX has its header. */
  function entry(
    name: string,
    text: string,
    type = '0',
    more: { prefix?: string; size?: string } = {},
  ): Buffer {
    const data = Buffer.from(text);
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(more.size ?? `${data.length.toString(8).padStart(11, '0')} `, 124);
    header.write(type, 156, 'latin1');
    header.write(more.prefix ?? '', 345);
    return Buffer.concat([header, data, Buffer.alloc((512 - (data.length % 512)) % 512)]);
  }
  const read = (parts: Buffer[], limit = 1 << 20) =>
    [...filesOfArchive(gzipSync(Buffer.concat(parts)), limit)].map(({ path, data }) => [
      path,
      Buffer.from(data).toString(),
    ]);
  const END = Buffer.alloc(1024);

  it('has its regular files, without the directory that all are in', () => {
    expect(
      read([
        entry('pax_global_header', '52 comment=x\n', 'g'),
        entry('r-1/', '', '5'),
        entry('r-1/a.txt', 'hello'),
        entry('r-1/old', 'x', '\0'),
        entry('r-1/link', '', '2'),
        entry('b', 'y'.repeat(512), '0', { prefix: 'r-1/deep' }),
        entry('r-1/empty', ''),
        END,
        entry('r-1/behind', 'no'),
      ]),
    ).toEqual([
      ['a.txt', 'hello'],
      ['old', 'x'],
      ['deep/b', 'y'.repeat(512)],
      ['empty', ''],
    ]);
  });

  it('has long names before their entries, each for one', () => {
    const long = `r-1/${'d/'.repeat(80)}f`;
    const pax = `${long.length + 9} path=${long}\n`;
    expect(
      read([
        entry('x', `12 mtime=1\n${pax}`, 'x'),
        entry('short', '1'),
        entry('r-1/next', '2'),
        END,
      ]),
    ).toEqual([
      [long.slice(4), '1'],
      ['next', '2'],
    ]);
    expect(read([entry('x', `${long}\0`, 'L'), entry('short', '1'), END])).toEqual([
      [long.slice(4), '1'],
    ]);
    expect(read([entry('x', '12 mtime=1\n', 'x'), entry('r-1/n', '1'), END])).toEqual([['n', '1']]);
    // Of a directory, too.
    expect(read([entry('x', pax, 'x'), entry('d', '', '5'), entry('r-1/n', '1'), END])).toEqual([
      ['n', '1'],
    ]);
  });

  it('that is cut off, too large or no archive is an error', () => {
    const whole = entry('r-1/a', 'z'.repeat(600));
    expect(() => read([whole.subarray(0, 700)])).toThrow('cut off');
    expect(() => read([entry('r-1/a', '', '0', { size: 'nonsense' })])).toThrow('cut off');
    expect(() => read([whole, END], 1024)).toThrow();
    expect(() => [...filesOfArchive(Buffer.from('no'), 1024)]).toThrow();
    expect(read([entry('r-1/a', '', '0', { size: '            ' }), END])).toEqual([['a', '']]);
  });
});

describe('names of Git', () => {
  it('are those of its trees', () => {
    expect(['a/b/c', 'a/b/', 'a', 'a/'].map(above)).toEqual(['a/b', 'a', '', '']);
    expect(['a/b/c', 'a/b/', 'a'].map(nameOf)).toEqual(['c', 'b', 'a']);
    expect([treeOf('sha main x'), branchOf('sha main x'), treeOf(null), branchOf(null)]).toEqual([
      'sha',
      'main x',
      null,
      null,
    ]);
    // As `git hash-object` has them.
    expect(gitName(Buffer.from(''))).toBe('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391');
    expect(gitName(Buffer.from('hello\n'))).toBe('ce013625030ba8dba906f756967f9e9ca394464a');
  });
});

describe('a redirect', () => {
  const BASE = 'https://ghe.example/api/v3';
  const REPOSITORIES: Record<string, object> = {
    '/repos/old/name': { id: 7, full_name: 'new/name' },
    '/repositories/7': { id: 7, full_name: 'new/name' },
    '/repos/new/name': { id: 7, full_name: 'new/name' },
    '/repositories/8': { id: 8, full_name: 'other/one' },
    '/repositories/8/issues/3': { number: 4, repository_url: `${BASE}/repos/other/renamed` },
  };
  function moves(answers: Record<string, object | number> = REPOSITORIES) {
    const asked: [string, Headers][] = [];
    let now = 0;
    const made = new Moves({
      baseUrl: BASE,
      now: () => new Date(now),
      fetch: async (url, { headers }) => {
        asked.push([url.slice(BASE.length), new Headers(headers)]);
        const answer = answers[url.slice(BASE.length)] ?? 404;
        return typeof answer === 'number'
          ? new Response('{}', { status: answer })
          : Response.json(answer);
      },
    });
    const check = (from: string, to: string, request: RequestInit = {}) =>
      made
        .check({
          status: 301,
          from: new URL(BASE + from),
          to: new URL(to.startsWith('http') ? to : BASE + to),
          request,
        } as never)
        .then(
          () => 'followed',
          (error: ServiceFailure) => `${error.kind}: ${error.message}`,
        );
    return { made, asked, check, move: (ms: number) => (now += ms) };
  }
  const POST = { method: 'POST' };

  it('of a repository that has another name now is followed, and known', async () => {
    const { made, check, asked, move } = moves();
    expect(made.isSame('old/name', 'new/name')).toBe(false);
    const request = {
      ...POST,
      headers: {
        authorization: 'T',
        'if-none-match': 'x',
        'content-type': 'y',
        'content-length': '3',
      },
    };
    expect(await check('/repos/old/name/issues', '/repositories/7/issues', request)).toBe(
      'followed',
    );
    expect(asked.map(([path]) => path).sort()).toEqual(['/repos/old/name', '/repositories/7']);
    expect([...(asked[0]?.[1] ?? [])]).toEqual([['authorization', 'T']]);
    expect(made.isSame('OLD/name', 'New/Name')).toBe(true);
    expect(made.isSame('a/b', 'A/B')).toBe(true);
    await check('/repos/old/name/issues', '/repositories/7/issues', request);
    move(59_999);
    await check('/repos/old/name/issues', '/repositories/7/issues', request);
    expect(asked).toHaveLength(2);
    move(1);
    await check('/repos/old/name/issues', '/repositories/7/issues', request);
    expect(asked).toHaveLength(4);
  });

  it('of a repository itself is followed where it is only read', async () => {
    const { check, asked } = moves();
    expect(await check('/repos/old/name', '/repositories/8')).toBe('followed');
    expect(await check('/repos/old/name', '/repositories/8', { method: 'head' })).toBe('followed');
    expect(asked).toEqual([]);
    expect(await check('/repos/old/name', '/repositories/8', { method: 'PATCH' })).toBe(
      'gone: old/name was transferred to other/one: nothing was sent there',
    );
  });

  it('of what is no repository’s is followed where it is only read', async () => {
    const { check } = moves();
    expect(await check('/orgs/a/repos', '/organizations/1/repos', POST)).toBe('followed');
    expect(await check('/repos/a/b/tarball', 'https://codeload.example/a/b')).toBe('followed');
    expect(await check('/repos/a/b/tarball', 'https://codeload.example/a/b', POST)).toBe(
      "gone: a/b/tarball was transferred to /a/b, which is no repository's: nothing was sent there",
    );
  });

  it('of an issue that was transferred is not, and says where it is', async () => {
    const { check } = moves();
    expect(await check('/repos/old/name/issues/3', '/repositories/8/issues/3')).toBe(
      'gone: old/name#3 was transferred to other/renamed#4: nothing was sent there',
    );
    expect(await check('/repos/old/name/issues/3', '/repositories/7/issues/4')).toBe(
      'gone: old/name#3 was transferred to new/name#4: nothing was sent there',
    );
    expect(await check('/repositories/9/pulls/3/files', '/repositories/10/pulls/3/files')).toBe(
      'gone: repository 9#3 was transferred to a repository that the token may not see: nothing was sent there',
    );
    expect(await check('/repos/old/name/labels', '/repositories/8/labels')).toBe(
      'gone: old/name/labels was transferred to other/one: nothing was sent there',
    );
  });

  it('of which nobody can say where it leads is asked about again', async () => {
    const answers: Record<string, object | number> = { ...REPOSITORIES, '/repos/old/name': 500 };
    const { check } = moves(answers);
    expect(await check('/repos/old/name/issues', '/repositories/7/issues')).toMatch(
      /^server: GitHub answered 500 to where a redirect leads/,
    );
    answers['/repos/old/name'] = 451;
    expect(await check('/repos/old/name/issues', '/repositories/7/issues')).toMatch(/^gone/);
  });
});

describe('the account of a token', () => {
  const client = (answers: Record<string, unknown>, viewer = 'my app[bot]') =>
    ({
      get: async (path: string) => {
        const answer = answers[path];
        if (answer instanceof Error) throw answer;
        return answer;
      },
      query: async () => ({ viewer: { login: viewer } }),
    }) as unknown as GithubClient;
  const installed = (ids: number[]) => ({
    data: { repositories: ids.map((id) => ({ owner: { id } })) },
  });
  const forbidden = new ServiceFailure('forbidden', 'no');

  it('is its user, and what it may do', async () => {
    expect(
      await accountOf(client({ '/user': { data: { id: 7 }, scopes: 'repo,  read:org,' } }), 'd'),
    ).toBe('7+read:org,repo');
    expect(await accountOf(client({ '/user': { data: { id: 7 }, scopes: '' } }), 'd')).toBe('7+');
    expect(await accountOf(client({ '/user': { data: { id: 7 }, scopes: null } }), 'digest')).toBe(
      '7+~digest',
    );
  });

  it('of an app is the app, and the owner of what it reaches', async () => {
    const path = '/installation/repositories?per_page=1';
    expect(await accountOf(client({ '/user': forbidden, [path]: installed([5, 6]) }), 'd')).toBe(
      'my-app-bot-+5',
    );
    await expect(
      accountOf(client({ '/user': forbidden, [path]: installed([]) }), 'd'),
    ).rejects.toThrow('reaches no repository');
    await expect(
      accountOf(client({ '/user': new ServiceFailure('auth', 'refused') }), 'd'),
    ).rejects.toThrow('refused');
  });
});
