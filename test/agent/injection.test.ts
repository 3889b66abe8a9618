/** Some of the planted instructions, of every kind; `injection.long.test.ts` has all. */
import { expect, test } from 'vitest';
import { ATTACKS, expectStopped } from './injections.ts';

test('planted instructions are obeyed by the model and stopped by the policy; their twins succeed', async () => {
  expect(ATTACKS.length).toBeGreaterThanOrEqual(30);
  // Three kinds take turns in the table: a step of ten meets each of them.
  await expectStopped(ATTACKS.filter((_, index) => index % 10 === 0));
});
