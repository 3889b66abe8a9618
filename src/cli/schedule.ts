/** `dirigent schedule`: what an agent, or its user, wants done at a time. */
import type { Worker } from 'node:worker_threads';
import {
  endScheduled,
  readSchedule,
  type Scheduled,
  scheduleDirectory,
  takeScheduled,
} from '../agent/schedule.ts';
import type { ScheduleArguments } from './agent-options.ts';
import { openWorld } from './open-world.ts';
import type { Output } from './output.ts';
import { hostOf, showTurn } from './run-turn.ts';

/** Runs `dirigent schedule`, and gives its exit status: 1 where anything went wrong. */
export async function runSchedule(
  options: ScheduleArguments,
  output: Output,
  worker: Worker,
): Promise<number> {
  const world = await openWorld(options, worker);
  const directory = scheduleDirectory(world.state);
  const { entries, broken } = readSchedule(directory);
  for (const { name, fault } of broken) {
    await output.err(`dirigent: /session/schedule/${name}: ${fault}\n`);
  }
  if (options.verb === 'list') {
    await output.out(options.json ? `${JSON.stringify(entries)}\n` : table(entries));
    return broken.length > 0 ? 1 : 0;
  }
  const { openAgent } = await import('../agent/open-agent.ts');
  const agent = await openAgent(world, hostOf(options), world.agent);
  const now = Date.now();
  let failed = broken.length > 0;
  for (const { name, at, state, prompt, agent: who, model } of entries) {
    if (state === 'running' || at.getTime() > now || !takeScheduled(directory, name)) continue;
    await output.err(`dirigent: ${name}, due ${at.toISOString()}\n`);
    const result = await showTurn(world, output, options.json, () =>
      agent.run({
        prompt,
        ...(who === undefined ? {} : { agent: who }),
        ...(model === undefined ? {} : { model }),
      }),
    );
    endScheduled(directory, name, new Date());
    if (options.json) await output.out(`${JSON.stringify({ name, ...result })}\n`);
    else if (result.error !== undefined) await output.err(`dirigent: ${result.error}\n`);
    if (result.status !== 'done') failed = true;
  }
  await agent.close();
  return failed ? 1 : 0;
}

function table(entries: readonly Scheduled[]): string {
  if (entries.length === 0) return 'nothing is scheduled\n';
  return entries
    .map(({ name, at, state, prompt }) => {
      const [first = ''] = prompt.split('\n');
      const what = state === 'running' ? 'interrupted' : at.toISOString();
      return `${what.padEnd(24)}  ${name}  ${first}\n`;
    })
    .join('');
}
