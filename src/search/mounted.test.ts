/** A world's search costs nothing before it is asked. */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createWorldSearch, type WorldSearchOptions } from './mounted.ts';
import { searchedWorld, serviceOf } from './service/testing.ts';

const files = {
  module: pathToFileURL(join(import.meta.dirname, 'service/engine-worker.ts')).href,
  words: join(import.meta.dirname, '../../data/words.bin'),
};
const open = (more: Partial<WorldSearchOptions> = {}) =>
  createWorldSearch({ ...searchedWorld({ '/mnt/docs': true }), file: ':memory:', files, ...more });

afterEach(() => vi.useRealTimers());

describe('a world’s search', () => {
  it('answers by an engine of its own, which it starts when it is first asked', async () => {
    const world = searchedWorld({ '/mnt/docs': true, '/mnt/thing': true });
    const search = open(world);
    await world.fs.writeFile('/mnt/docs/a.md', 'a squeaky wheel');
    const feed = vi.fn(serviceOf('s', ['/b.md']).feed);
    search.follow('/mnt/thing', { ...serviceOf('s', ['/b.md']), feed });
    expect(feed).not.toHaveBeenCalled();
    const state = await search.state(['/mnt'], true);
    expect(state).toMatchObject({ documents: 2, pending: 0 });
    const { answers } = await search.ask({ query: 'squeaky wheel', paths: ['/mnt'], limit: 5 });
    expect(answers.map(({ path }) => path)).toEqual(['/mnt/docs/a.md']);
    await search.close();
    await expect(search.state(['/mnt'], true)).rejects.toThrow('the search index has ended');
  });

  it('that was not made has no answer, and ends all the same', async () => {
    const search = open({ files: undefined });
    const question = { query: 'x', paths: ['/mnt'], limit: 5 };
    await expect(search.ask(question)).rejects.toThrow('this world was made without a search');
    await expect(open({ files: undefined }).close()).resolves.toBeUndefined();
  });
});

describe('an index in the background', () => {
  /** A search that builds soon, and whether it has begun to look at what is mounted. */
  const building = async (searchable: boolean, passed: number) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const world = searchedWorld({ '/mnt/docs': searchable });
    const looked = vi.spyOn(world.table, 'at');
    const search = open(world);
    search.buildSoon();
    await vi.advanceTimersByTimeAsync(passed);
    vi.useRealTimers();
    return { search, looked };
  };

  it('is built in a world that lasts', async () => {
    const { search, looked } = await building(true, 2_000);
    await vi.waitFor(() => expect(looked).toHaveBeenCalledWith('/mnt/docs'));
    await search.close();
  });

  it.each([
    ['in one that ends at once', true, 1_999],
    ['where nothing is to be searched', false, 2_000],
  ])('is not built %s', async (_, searchable, passed) => {
    const { search, looked } = await building(searchable, passed);
    await search.close();
    expect(looked).not.toHaveBeenCalled();
  });
});
