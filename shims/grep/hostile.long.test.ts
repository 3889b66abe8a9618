/** Every catastrophic pattern in grep and rg: decided, or given up with a message and status 2. */
import { expect, it } from 'vitest';
import { expectEnds } from './testing/hostile-ends.ts';
import { HOSTILE } from './testing/hostile-patterns.ts';

it(`each of ${HOSTILE.length} catastrophic patterns ends, nearly all of them decided`, async () => {
  const { decided, givenUp } = await expectEnds(HOSTILE, ['grep', 'grep -o', 'rg']);
  console.info(`hostile patterns in grep and rg: ${decided} decided, ${givenUp} given up`);
  expect(HOSTILE.length).toBeGreaterThanOrEqual(200);
  expect(givenUp).toBeLessThan(decided / 10);
});
