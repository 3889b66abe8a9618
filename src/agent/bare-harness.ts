/** A harness with one agent and nothing else. */
import type { HarnessView } from './harness-view.ts';

const PROMPT =
  'You work in a world in which everything is a file. Look before you act, and say what you found and what you did.';

export const bareHarness = (): HarnessView => ({
  agents: new Map([
    [
      'assistant',
      {
        name: 'assistant',
        description: 'Works in the world',
        model: 'auto',
        prompt: PROMPT,
        allowsTool: () => true,
        skills: null,
      },
    ],
  ]),
  skills: new Map(),
  prompts: new Map(),
  instructions: [],
  tools: [],
});
