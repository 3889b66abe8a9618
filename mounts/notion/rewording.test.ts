/** Generated rewordings; the long test has more of them. */
import { expect, it } from 'vitest';
import { Workbench } from './testing.ts';
import { checkRewordings } from './testing-rewording.ts';

it.each([{}, { callouts: 'colons', tables: 'indented' }] as const)(
  'an edit that only rewords makes no block anew, in whatever container it is: %j',
  async (habits) => {
    await using workbench = await Workbench.start();
    const { edits, anew } = await checkRewordings(workbench, 40, habits);
    expect({ anew, isEnough: edits >= 30 }).toEqual({ anew: 0, isEnough: true });
  },
  60_000,
);
