/** A turn that was killed anywhere goes on. */
import { expect, test } from 'vitest';
import { killedBetweenEntries } from './resuming.ts';

test('killed between any two entries, a turn is resumed without a side effect done twice', async () => {
  expect(await killedBetweenEntries(1)).toBeGreaterThan(3);
});
