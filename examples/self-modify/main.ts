/**
 * `node examples/self-modify/main.ts`: an agent writes down what it has learned
 * in its own harness, under each of the three settings that a deployer has.
 */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { createWorld, type WorldConfig } from '../../entry/index.ts';
import { openAgent } from '../../src/agent/open-agent.ts';
import { visibleLines } from '../../src/visible.ts';
import { calls, freshState, inTurn, says, useModel } from '../scripted.ts';

const SETTINGS: readonly [name: string, mode: NonNullable<WorldConfig['harness']>['mode']][] = [
  ['the harness is read-only', 'ro'],
  ['single files can be written', ['skills/**']],
  ['the harness can be written', 'rw'],
];

const SKILL = '/harness/skills/release/SKILL.md';
const AGENTS = '/harness/AGENTS.md';

const edit = (path: string, old: string, fresh: string) => () =>
  calls(['edit', { path, old, new: fresh }]);

const outcome = (result = ''): string => result.split('\n').slice(0, 2).join(' — ');

await useModel(
  inTurn(
    edit(SKILL, 'Run the tests, then tag.', 'Run the tests, write the notes, then tag.'),
    edit(AGENTS, 'write it down as a skill', 'write it down as a skill, the same day'),
    () =>
      calls([
        'write',
        {
          path: '/harness/proposals/AGENTS.md',
          content: 'Write down what you learn the same day.\n',
        },
      ]),
    ([skill, agents, proposal]) =>
      says(
        `skill:     ${outcome(skill)}\nAGENTS.md: ${outcome(agents)}\nproposal:  ${outcome(proposal)}`,
      ),
  ),
);
const state = freshState();
for (const [index, [name, mode]] of SETTINGS.entries()) {
  const directory = join(state, String(index));
  mkdirSync(directory);
  // What an agent writes here must not change the example.
  cpSync(join(import.meta.dirname, 'harness'), join(directory, 'harness'), { recursive: true });
  const world = createWorld(
    { harness: { directory: './harness', ...(mode === undefined ? {} : { mode }) } },
    { deployment: directory },
  );
  const agent = await openAgent(world, { base: directory, env });
  const { text } = await agent.run({ prompt: 'Keep what you have learned about releases.' });
  // An agent's words may hold what a terminal acts on, or look like a heading of ours.
  process.stdout.write(`## ${name}\n${visibleLines(text, { prefix: '  ' })}\n\n`);
  await world.close();
}
process.exit(0);
