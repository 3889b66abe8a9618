/** Whatever a process is given that was written to deceive, what it says of it is harmless. */
import { expect, test } from 'vitest';
import { expectRefusals, REFUSALS } from './hostile.ts';

test.each(REFUSALS)('%s', async (which) => {
  expect.hasAssertions();
  await expectRefusals([which]);
});
