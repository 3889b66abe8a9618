/** A search with the index says what one without it says, whatever happens to the files meanwhile. */
import { expect, it } from 'vitest';
import { checkIndexedSearch } from './testing/index-property.ts';

const RUNS = 25;

it('with the index and without it every command says the same, through edits of every kind', async () => {
  expect(await checkIndexedSearch(RUNS)).toBeGreaterThan(RUNS);
});
