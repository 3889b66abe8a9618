/** `dirigent schedule`: what an agent, or its user, wants done at a time. */
import type { Worker } from 'node:worker_threads';
import type { Agent } from '../agent/open-agent.ts';
import { UntrustedMarks } from '../policy/marks.ts';
import { isUnderWay, ScheduleJournal, scheduleFile } from '../schedule/journal.ts';
import { readSchedule, type Scheduled } from '../schedule/prompt.ts';
import { joined, type VisibleText, visible, visibleMessage, visibleName } from '../visible.ts';
import { SCHEDULE_STEP } from '../world/recorder.ts';
import type { World } from '../world/world.ts';
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
  const world = await openWorld(options, worker, output);
  const journal = new ScheduleJournal(scheduleFile(world.state));
  journal.onStep((data) => {
    world.session.append({ type: 'custom', name: SCHEDULE_STEP, data });
  });
  try {
    const { entries, broken } = readSchedule(journal);
    for (const { name, fault } of broken) {
      await output.err(visible`dirigent: ${visibleName(`/session/schedule/${name}`)}: ${fault}\n`);
    }
    if (options.verb === 'list') {
      await (options.json ? output.json(entries.map(row)) : output.out(table(entries)));
      return broken.length > 0 ? 1 : 0;
    }
    const { openAgent } = await import('../agent/open-agent.ts');
    const agent = await openAgent(world, hostOf(options, output), world.agent);
    let failed = broken.length > 0;
    for (const scheduled of entries) {
      const { entry, at } = scheduled;
      if (entry.state !== 'waiting' || at.getTime() > Date.now() || !journal.take(entry)) continue;
      const status = await carryOut(scheduled, { world, agent, options, output });
      journal.end(entry, status);
      if (status !== 'done') failed = true;
    }
    await agent.close();
    return failed ? 1 : 0;
  } finally {
    journal.close();
  }
}

interface CarriedOut {
  world: World;
  agent: Agent;
  options: ScheduleArguments;
  output: Output;
}

/** Runs the turn of one prompt, and gives its status. */
async function carryOut(
  { entry: { name }, at, prompt, agent: who, model }: Scheduled,
  { world, agent, options, output }: CarriedOut,
): Promise<string> {
  await output.err(visible`dirigent: ${visibleName(name)}, due ${at.toISOString()}\n`);
  const untrusted = originsOf(world, name);
  const result = await showTurn(world, output, options.json, () =>
    agent.run({
      prompt,
      untrusted,
      ...(who === undefined ? {} : { agent: who }),
      ...(model === undefined ? {} : { model }),
    }),
  );
  if (options.json) await output.json({ name, ...result });
  else if (result.error !== undefined)
    await output.err(visible`dirigent: ${visibleMessage(result.error)}\n`);
  return result.status;
}

/** A prompt that was written by a turn that had read text of services may be theirs. */
function originsOf(world: World, name: string): readonly string[] {
  const file = scheduleFile(world.state);
  const marks = new UntrustedMarks({ file, session: '', ancestors: [], workspace: null });
  try {
    return marks.textOf({ scope: '', path: `/session/schedule/${name}` });
  } finally {
    marks.close();
  }
}

const row = ({ entry, at, prompt, agent, model }: Scheduled) => ({
  name: entry.name,
  at,
  prompt,
  agent,
  model,
  state: stateOf(entry),
});

function stateOf(entry: Scheduled['entry']): string {
  if (entry.state !== 'running') return entry.state;
  return isUnderWay(entry) ? 'running' : 'interrupted';
}

function table(entries: readonly Scheduled[]): VisibleText {
  if (entries.length === 0) return visible`nothing is scheduled\n`;
  return joined(
    entries.map(({ entry, at, prompt }) => {
      const [first = ''] = prompt.split('\n');
      const what = entry.state === 'running' ? stateOf(entry) : at.toISOString();
      return visible`${what.padEnd(24)}  ${visibleName(entry.name)}  ${first}\n`;
    }),
  );
}
