/** Edits of what is in containers: the schema of every block takes seconds to compile. */
import { afterAll, beforeAll, it } from 'vitest';
import { Workbench } from './testing.ts';
import { checkLostAnswer, checkShaping, SHAPINGS } from './testing-rewording.ts';

let workbench: Workbench;
beforeAll(async () => {
  workbench = await Workbench.start();
});
afterAll(() => workbench[Symbol.asyncDispose]());

it.each(SHAPINGS)('$what makes and removes these blocks alone', (shaping) =>
  checkShaping(workbench, shaping),
);

it.each(['PATCH', 'DELETE'])(
  'a lost answer to the %s of a block is settled, and nothing is sent twice',
  (method) => checkLostAnswer(workbench, method),
);
