/** What is made of GitHub's answers to a search, without a server: the cells of a hit, and what a search lacks. */
import { describe, expect, it } from 'vitest';
import { ServiceFailure } from '../../src/mount/index.ts';
import type { GithubClient } from './client.ts';
import { foundLinks, isShown } from './finds.ts';
import type { GithubStore, RepoName } from './store.ts';

const AT = '2025-01-01T00:00:00Z';
const found = (number: number, more: object = {}) => ({
  ...{ number, title: `Number ${number}`, state: 'open', user: { login: 'octo' }, body: null },
  ...{ created_at: AT, updated_at: AT, html_url: `https://github.com/octo/hello/issues/${number}` },
  ...{ repository_url: 'https://api.github.com/repos/octo/hello', labels: [], assignees: [] },
  ...{ comments: 0, locked: false, milestone: null, closed_at: null },
  ...more,
});

/** The links of a mount on pages of answers, each of rows or a fault. */
function links(pages: readonly (object | ServiceFailure)[], only: RepoName | null = null) {
  const asked: string[] = [];
  const stored: unknown[] = [];
  const client = {
    hasToken: true,
    get: async (url: string) => {
      asked.push(url);
      const data = pages[asked.length - 1];
      if (data instanceof ServiceFailure) throw data;
      const next =
        asked.length < pages.length ? `https://api.test/page?page=${asked.length + 1}` : null;
      return { data, next, last: null };
    },
  } as unknown as GithubClient;
  const store = {
    replica: { transaction: (work: () => void) => work() },
    putIssue: (name: RepoName, { number }: { number: number }, origin: string) =>
      stored.push([`${name.owner}/${name.repo}`, number, origin]),
  } as unknown as GithubStore;
  const [search, own] = foundLinks({ client, store, only });
  return {
    asked,
    stored,
    search: async (query: string) => (await search?.find?.(query)) ?? null,
    own: async (name: string) => (await own?.find?.(name)) ?? null,
    ids: [search?.id, own?.id],
  };
}

const answer = (items: readonly object[], more: object = {}) => ({
  ...{ total_count: items.length, incomplete_results: false, items },
  ...more,
});
const cells = (all: Awaited<ReturnType<ReturnType<typeof links>['search']>>) =>
  all?.hits.map((hit) => [hit.name, hit.path, ...hit.cells]);

describe('a hit', () => {
  it('says where it is, how it stands, and whose it is', async () => {
    const { search, stored } = links([
      answer([
        found(1),
        found(2, { state: 'closed', user: null, pull_request: { merged_at: AT } }),
        found(3, { state: 'closed', pull_request: { merged_at: null } }),
        found(4, { pull_request: {}, repository_url: 'https://git.test/api/v3/repos/a/b.c' }),
      ]),
    ]);
    const line = (name: string, path: string, ...rest: string[]) => [name, path, ...rest, AT];
    expect(cells(await search('x'))).toEqual([
      line(
        'octo.hello.1.md',
        '/octo/hello/issues/1.md',
        'octo/hello',
        '1',
        'open',
        'Number 1',
        'octo',
      ),
      line(
        'octo.hello.2.md',
        '/octo/hello/pulls/2.md',
        'octo/hello',
        '2',
        'merged',
        'Number 2',
        'ghost',
      ),
      line(
        'octo.hello.3.md',
        '/octo/hello/pulls/3.md',
        'octo/hello',
        '3',
        'closed',
        'Number 3',
        'octo',
      ),
      line('a.b.c.4.md', '/a/b.c/pulls/4.md', 'a/b.c', '4', 'open', 'Number 4', 'octo'),
    ]);
    expect(stored).toEqual([
      ...[1, 2, 3].map((number) => ['octo/hello', number, 'listing']),
      ['a/b.c', 4, 'listing'],
    ]);
  });

  it('of which the answer does not say where it is, or that is elsewhere, is left out', async () => {
    const elsewhere = 'https://api.github.com/repos/octo/other';
    const rows = [
      found(1),
      found(2, { repository_url: undefined }),
      found(3, { repository_url: 'https://api.github.com/users/octo' }),
      found(4, { repository_url: elsewhere }),
      found(5, { repository_url: 'https://api.github.com/repos/OCTO/Hello' }),
    ];
    const numbers = async (only: RepoName | null) =>
      (await links([answer(rows)], only).search('x'))?.hits.map(({ cells: [, number] }) => number);
    expect(await numbers(null)).toEqual(['1', '4', '5']);
    expect(await numbers({ owner: 'octo', repo: 'hello' })).toEqual(['1', '5']);
  });
});

describe('a search', () => {
  const hundred = (n: number) => Array.from({ length: 100 }, (_, row) => found(n * 100 + row + 1));

  it('is read to its end, a hundred a page, and in one repository asks for that one', async () => {
    const all = links([
      answer(hundred(0), { total_count: 130 }),
      answer(hundred(1).slice(70), { total_count: 130 }),
    ]);
    const got = await all.search('a b');
    expect([got?.hits.length, got?.shortfall]).toEqual([130, null]);
    expect(all.asked[0]).toBe('/search/issues?q=a+b&per_page=100&page=1');
    const one = links([answer([])], { owner: 'Octo', repo: 'hello' });
    await one.search('x');
    expect(one.asked).toEqual(['/search/issues?q=x+repo%3AOcto%2Fhello&per_page=100&page=1']);
    // What was found in one is no answer for another.
    expect([all.ids, one.ids]).toEqual([
      ['search', 'own'],
      ['search in octo/hello', 'own in octo/hello'],
    ]);
  });

  it.each([
    [1_000, null],
    [
      1_001,
      'GitHub\'s search for "x": it shows 1000 of 1001; GitHub gives no more than 1,000: narrow the search',
    ],
  ])('that finds %i is read up to a thousand, and says %j', async (total_count, shortfall) => {
    const pages = Array.from({ length: 11 }, (_, n) => answer(hundred(n), { total_count }));
    const { search, asked } = links(pages);
    const got = await search('x');
    expect([got?.hits.length, got?.shortfall, asked.length]).toEqual([1_000, shortfall, 10]);
  });

  it('that ran out of time on any of its pages says so', async () => {
    const late = { total_count: 101, incomplete_results: true };
    const { search } = links([
      answer(hundred(0), late),
      answer([found(101)], { total_count: 101 }),
    ]);
    expect((await search('x'))?.shortfall).toBe(
      'GitHub\'s search for "x": GitHub ran out of time and did not look everywhere',
    );
  });

  it('that meets a limit gives what came before it, and says why it ends; any other fault is one', async () => {
    const limited = new ServiceFailure('limited', 'the limit is reached');
    const first = answer(hundred(0), { total_count: 300 });
    const got = await links([first, limited]).search('x');
    expect([got?.hits.length, got?.shortfall]).toEqual([
      100,
      'GitHub\'s search for "x": it shows 100 of 300; the limit is reached',
    ]);
    await expect(links([limited]).search('x')).rejects.toBe(limited);
    await expect(links([answer([], { total_count: 300 }), limited]).search('x')).rejects.toBe(
      limited,
    );
    const broken = new ServiceFailure('server', 'broken');
    await expect(links([first, broken]).search('x')).rejects.toBe(broken);
  });
});

describe('what is yours', () => {
  it.each([
    ['assigned', '/issues?filter=assigned&state=open&sort=updated&per_page=100&page=1'],
    ['mentioned', '/issues?filter=mentioned&state=open&sort=updated&per_page=100&page=1'],
  ])('is asked for as GitHub names it: %s', async (name, url) => {
    const { own, asked } = links([[found(1)], [found(2)]]);
    const got = await own(name);
    expect([got?.hits.length, got?.shortfall, asked[0]]).toEqual([2, null, url]);
  });

  it('and waits for your review is searched for', async () => {
    const { own, asked } = links([answer([found(1, { pull_request: {} })])]);
    expect((await own('review-requested'))?.hits).toHaveLength(1);
    expect(new URL(asked[0] ?? '', 'http://x').searchParams.get('q')).toBe(
      'is:open is:pr review-requested:@me archived:false',
    );
  });
});

it('a repository is shown where it is the one that is shown, however it is written', () => {
  const of = (owner: string, repo: string) => ({ owner, repo });
  expect(isShown(null, of('a', 'b'))).toBe(true);
  expect(isShown(of('A', 'b'), of('a', 'B'))).toBe(true);
  expect(isShown(of('a', 'b'), of('a', 'c'))).toBe(false);
  expect(isShown(of('a', 'b'), of('c', 'b'))).toBe(false);
});
