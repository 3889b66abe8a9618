/** The same as indexed.test.ts, many times. */
import { expect, it } from 'vitest';
import { checkIndexedSearch } from './testing/index-property.ts';

const RUNS = 300;

it('with the index and without it every command says the same, through edits of every kind, many times', async () => {
  expect(await checkIndexedSearch(RUNS)).toBeGreaterThan(RUNS);
});
