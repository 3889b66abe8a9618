/** What an earlier version of the stand-in kept is served by a later one. */
import { expect, it } from 'vitest';
import { seed } from '../../../mounts/github/testing.ts';
import { Store, type StoreState } from './store.ts';

it('a state that lacks what came later is served as one that has none of it', () => {
  const data = seed({ issues: 2, commentsEach: 1 });
  const { accounts, repositories, nextId } = new Store(data, Date.now).state();
  for (const { branches } of repositories) {
    for (const branch of branches.values()) delete branch.submodules;
  }
  const earlier: StoreState = { accounts, repositories, nextId };
  const store = Store.of(earlier, data.tokens, Date.now);
  expect(store.repository('octo', 'hello')?.issues.size).toBe(2);
  expect(store.repository('octo', 'hello')?.main.tree().entries).toEqual([]);
  expect([store.notifications.size, store.uploads.size, store.formerNames.size]).toEqual([0, 0, 0]);
});
