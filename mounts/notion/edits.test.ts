/** Generated edits; the long test has more of them. */
import { expect, it } from 'vitest';
import { Workbench } from './testing.ts';
import { checkEdits } from './testing-edits.ts';

it('of 40 generated edits the invalid ones send nothing, the valid ones change their field alone', async () => {
  await using workbench = await Workbench.start();
  const { valid, invalid } = await checkEdits(workbench, 40);
  expect(Math.min(valid, invalid)).toBeGreaterThan(8);
});
