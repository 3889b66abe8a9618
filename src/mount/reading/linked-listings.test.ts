import { afterEach, describe, expect, it } from 'vitest';
import { ChangeJournal } from '../../changes/journal.ts';
import { Replica } from '../../replica/replica.ts';
import { openServiceMount } from '../service/opening.ts';
import type { ServiceMount } from '../service/service-mount.ts';
import { ServiceStore } from '../table/service-store.ts';
import {
  HIT_NAME,
  type HitList,
  LinkedListings,
  nameOfQuery,
  QUERY_NAME,
  queryOf,
  searchRoutes,
} from './linked-listings.ts';

const open: { close(): void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

const found = (...names: string[]): HitList => ({
  hits: names.map((name) => ({
    name,
    path: name.endsWith('.md') ? `/records/${name}` : null,
    updatedAt: '2026-01-02T03:04:05Z',
    cells: [`title of ${name}`],
  })),
  shortfall: null,
});

/** A service of two records and a search; what it was asked for is noted. */
function service(answer: (query: string) => HitList) {
  const replica = new Replica(':memory:');
  const changes = new ChangeJournal(':memory:');
  open.push(replica, changes);
  const asked: string[] = [];
  const notices: string[] = [];
  const clock = { at: Date.parse('2026-02-03T04:05:06Z') };
  const stores: { wrote(): void }[] = [];
  const mount: ServiceMount = openServiceMount(
    {
      stage: false,
      replica,
      changes,
      onNotice: (text) => notices.push(text),
      point: '/mnt/x',
      now: () => new Date(clock.at),
    },
    {
      kind: 'x',
      title: 'X',
      client: () => ({ usage: () => ({ requests: asked.length, bytes: 0 }) }),
      store: (...given) => new WritingStore(...given),
      table: ({ store, freshness, now }) => {
        stores.push(store);
        const listings = new LinkedListings({
          store,
          freshness,
          now,
          kind: 'search',
          columns: ['title'],
          ask: async (query) => {
            asked.push(query);
            return answer(query);
          },
        });
        return {
          about: '',
          hints: [],
          params: { query: QUERY_NAME, hit: HIT_NAME },
          collections: {},
          search: true,
          ofRecords: true,
          routes: [
            { pattern: '/records', type: 'directory', about: '' },
            {
              pattern: '/records/one.md',
              type: 'file',
              about: '',
              read: () => ({ text: 'first\n', version: '1', mtime: new Date(0) }),
            },
            ...searchRoutes(listings, 'X'),
          ],
        };
      },
    },
  );
  return { mount, asked, notices, clock, wrote: () => stores[0]?.wrote() };
}

class WritingStore extends ServiceStore {
  wrote(): void {
    this.noteOwnWrite('one');
  }
}

const text = async (mount: ServiceMount, path: string) =>
  Buffer.from(await mount.read(path)).toString();

describe('what a service found', () => {
  it('is an index in the order of the answer, and a link to each record that has a place', async () => {
    const { mount, asked } = service(() => found('two.md', 'one.md', 'elsewhere'));
    const rows = await mount.readdir('/search/leaking queue');
    expect(rows.map(({ name, type }) => [name, type])).toEqual([
      ['index.tsv', 'file'],
      ['one.md', 'symlink'],
      ['two.md', 'symlink'],
    ]);
    expect((await text(mount, '/search/leaking queue/index.tsv')).split('\n')).toEqual([
      'file\ttitle',
      'two.md\ttitle of two.md',
      'one.md\ttitle of one.md',
      'elsewhere\ttitle of elsewhere',
      '',
    ]);
    expect((await mount.lstat('/search/leaking queue/one.md')).type).toBe('symlink');
    expect(await mount.readlink?.('/search/leaking queue/one.md')).toBe('../../records/one.md');
    expect(mount.hasLinks?.('/search/leaking queue/one.md/below')).toBe(true);
    expect(mount.hasLinks?.('/records/one.md')).toBe(false);
    expect(asked).toEqual(['leaking queue']);
  });

  it("is asked for when it is named: neither looking for a program's own files nor listing asks", async () => {
    const { mount, asked } = service(() => found('one.md'));
    expect(await mount.readdir('/search')).toEqual([]);
    await expect(mount.lstat('/search/.git')).rejects.toMatchObject({ code: 'ENOENT' });
    await mount.lstat('/search/some');
    expect(asked).toEqual([]);
    await mount.readdir('/search/some');
    expect((await mount.readdir('/search')).map(({ name }) => name)).toEqual(['some']);
    expect(asked).toEqual(['some']);
  });

  it('is not asked for again within a minute, but after a write of ours', async () => {
    const { mount, asked, clock, wrote } = service(() => found('one.md'));
    await mount.readdir('/search/q');
    clock.at += 50_000;
    await text(mount, '/search/q/index.tsv');
    expect(asked).toHaveLength(1);
    wrote();
    await text(mount, '/search/q/index.tsv');
    expect(asked).toHaveLength(2);
    clock.at += 61_000;
    expect(mount.costly('/search/q')).toBe(true);
    await mount.readdir('/search/q');
    expect(asked).toHaveLength(3);
    expect(mount.costly('/search/q')).toBe(false);
    clock.at += 3_600_001;
    expect(await mount.readdir('/search')).toEqual([]);
  });

  it('drops what a later answer has not, and says each time what an answer lacks', async () => {
    const answers = [
      found('one.md', 'two.md'),
      { ...found('two.md'), shortfall: '1,000 of 2,345' },
    ];
    const { mount, notices, clock } = service(() => answers.shift() ?? found());
    await mount.readdir('/search/q');
    expect(notices).toEqual([]);
    clock.at += 61_000;
    expect((await mount.readdir('/search/q')).map(({ name }) => name)).not.toContain('one.md');
    await text(mount, '/search/q/index.tsv');
    expect(notices).toEqual(expect.arrayContaining(['1,000 of 2,345']));
    await expect(mount.readlink?.('/search/q/one.md')).rejects.toMatchObject({ code: 'ENOENT' });
    for (const path of ['/search/repo:octo/hello', '/search/repo:octo/hello/index.tsv']) {
      await expect(mount.lstat(path)).rejects.toMatchObject({
        code: 'ENOENT',
        reason: expect.stringContaining('%2F'),
      });
    }
  });

  it('is never met twice by a walk: links are not followed, and what is not at hand is costly', async () => {
    const { mount } = service(() => found('one.md'));
    await mount.readdir('/search/q');
    const walked = [...(mount.walk('/') ?? [])].map(({ path }) => path);
    expect(walked).toEqual(['/README.md', '/records/one.md', '/search/q/index.tsv']);
  });

  it('has a name for every query, and a query for every name', () => {
    for (const query of ['a/b', '100%', 'a%2Fb', 'repo:o/r is:open "x y"', '%25', 'ä~#?*']) {
      expect(nameOfQuery(query)).not.toContain('/');
      expect(queryOf(nameOfQuery(query))).toBe(query);
    }
    expect(queryOf('repo:o%2fr 50%')).toBe('repo:o/r 50%');
  });
});
