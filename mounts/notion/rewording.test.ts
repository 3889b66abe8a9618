/** Generated rewordings; the long test has more of them. */
import { expect, it } from 'vitest';
import { Workbench } from './testing.ts';
import { checkRewordings } from './testing-rewording.ts';

it('an edit that only rewords makes no block anew, in whatever container it is', async () => {
  await using workbench = await Workbench.start();
  const { edits, anew } = await checkRewordings(workbench, 25);
  expect({ anew, isEnough: edits >= 20 }).toEqual({ anew: 0, isEnough: true });
});
