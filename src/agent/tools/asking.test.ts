/** What an agent can put to a person: nothing that is shown as something else than it is. */
import { expect, test } from 'vitest';
import { PlanMode } from '../plan-mode.ts';
import { askTool } from './ask.ts';
import { planTool } from './plan.ts';

test('an option, and a tool of a plan, is one line in which all is seen: none passes for another one', () => {
  const choosing = (options: string[]) =>
    askTool.prepare({ question: 'Which?', kind: 'choice', options });
  const planning = (tool: string) =>
    planTool(new PlanMode()).prepare({ plan: 'p', writes: [], tools: [tool] });
  expect(choosing(['Keep all', 'Delete all'])).not.toHaveProperty('faults');
  expect(planning('fetch')).not.toHaveProperty('faults');
  for (const forged of ['Keep all\n2  Cancel', 'Keep\rall', '\u202eKeep', '\u001b[2JKeep']) {
    expect.soft(choosing([forged, 'Delete all']), forged).toHaveProperty('faults');
    expect.soft(planning(forged), forged).toHaveProperty('faults');
  }
});
