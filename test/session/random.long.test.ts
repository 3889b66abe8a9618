import { test } from 'vitest';
import { runRandomOperations } from './random.ts';

test.each([11, 12])('20,000 random operations end as in a plain model, seed %i', (seed) => {
  runRandomOperations(seed, 20_000);
});
