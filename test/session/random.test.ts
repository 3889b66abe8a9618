import { test } from 'vitest';
import { runRandomOperations } from './random.ts';

test.each([1, 2, 3])('1,000 random operations end as in a plain model, seed %i', (seed) => {
  runRandomOperations(seed, 1000);
});
