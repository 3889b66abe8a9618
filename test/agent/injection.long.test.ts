/** All planted instructions: see injections.ts. */
import { expect, test } from 'vitest';
import { ATTACKS, expectStopped } from './injections.ts';

test(`${ATTACKS.length} planted instructions are obeyed by the model and stopped by the policy; their twins succeed`, async () => {
  expect.hasAssertions();
  await expectStopped(ATTACKS);
});
