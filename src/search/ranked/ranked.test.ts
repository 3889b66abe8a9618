import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openReplica, type Replica } from '../../replica/index.ts';
import { createRankedSearch, type RankedSearch } from './index.ts';

let search: RankedSearch;
let time = 0;
const open: Replica[] = [];

beforeEach(() => {
  time = 1_000_000;
  search = createRankedSearch(':memory:', () => new Date(time));
});
afterEach(() => {
  search.close();
  for (const one of open.splice(0)) one.close();
});

const paths = async (query: string, ...under: string[]) =>
  (await search.search(query, under, 10)).hits.map(({ path }) => path);

describe('ranked search', () => {
  it('puts the best document first and points to its most telling line', async () => {
    search.put('/mnt/docs/a.md', '# Billing\n\nwe mention a token here\n');
    search.put(
      '/mnt/docs/b.md',
      '---\ntitle: Expired tokens\n---\n\nIntro\n\nHow to renew an expired token.\n',
    );
    const { hits } = await search.search('how do I renew expired tokens?', ['/mnt'], 10);
    expect(hits[0]).toMatchObject({
      path: '/mnt/docs/b.md',
      line: 7,
      text: 'How to renew an expired token.',
    });
    expect(hits).toHaveLength(2);
    expect(hits[0]?.score).toBeGreaterThan(hits[1]?.score ?? Number.POSITIVE_INFINITY);
  });

  it('stays under the paths it was given', async () => {
    search.put('/mnt/docs/a.md', 'token');
    search.put('/mnt/docs-old/a.md', 'token');
    expect(await paths('token', '/mnt/docs')).toEqual(['/mnt/docs/a.md']);
    expect(await paths('token', '/mnt/docs/a.md')).toEqual(['/mnt/docs/a.md']);
    expect(await paths('token', '/')).toHaveLength(2);
    expect(await paths('token')).toEqual([]);
  });

  it('takes no part of a query for syntax', async () => {
    search.put('/a.md', 'NEAR the end');
    for (const query of ['NEAR(', '"', 'a OR', 'title: x', '*', '(near)', '', 'near AND NOT']) {
      await search.search(query, ['/'], 10);
    }
    expect(await paths('"near" *', '/')).toEqual(['/a.md']);
  });

  it('forgets what was removed, and what was replaced', async () => {
    search.put('/d/a.md', 'first');
    search.put('/d/a.md', 'second');
    expect(await paths('first', '/')).toEqual([]);
    search.remove('/d');
    expect(await paths('second', '/')).toEqual([]);
  });

  it('follows the feed of a mount, deletions too', async () => {
    const replica = openReplica(':memory:');
    open.push(replica);
    const record = (value: string) => ({
      key: 'a',
      updatedAt: '',
      size: 1,
      path: '/a.md',
      value,
    });
    replica.upsert('m', 'c', record('squeaky wheel'));
    search.follow('/mnt/thing', {
      name: 'm',
      feed: (after) => replica.feed('m', after),
      document: () => {
        const found = replica.get('m', 'c', 'a');
        return found === null ? null : { text: String(found.value) };
      },
    });
    expect(await paths('squeaky', '/mnt')).toEqual(['/mnt/thing/a.md']);
    replica.upsert('m', 'c', record('silent wheel'));
    expect(await paths('squeaky', '/mnt')).toEqual([]);
    expect(await paths('silent', '/mnt')).toEqual(['/mnt/thing/a.md']);
    replica.remove('m', 'c', 'a');
    expect(await paths('wheel', '/mnt')).toEqual([]);
  });

  it('says how much it searched and how old it is', async () => {
    for (let n = 0; n < 1204; n++) search.put(`/d/${n}.md`, 'x');
    search.put('/e/1.md', 'x');
    time += 12_000;
    expect((await search.search('x', ['/d'], 1)).note).toBe(
      'searched 1,204 documents by meaning (ranked keywords), index 12 s old',
    );
  });
});
