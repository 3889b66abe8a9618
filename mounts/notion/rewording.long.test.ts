/** Many generated rewordings, in every form that Notion's markdown has been seen in. */
import { expect, it } from 'vitest';
import { Workbench } from './testing.ts';
import { checkRewordings } from './testing-rewording.ts';

it.each([
  { callouts: 'tag', tables: 'flush' },
  { callouts: 'tag', tables: 'indented' },
  { callouts: 'colons', tables: 'flush' },
  { callouts: 'colons', tables: 'indented' },
] as const)(
  'of 150 edits that only reword none makes a block anew: %j',
  async (habits) => {
    await using workbench = await Workbench.start();
    const { edits, anew } = await checkRewordings(workbench, 150, habits);
    expect({ anew, isEnough: edits >= 120 }).toEqual({ anew: 0, isEnough: true });
  },
  240_000,
);
