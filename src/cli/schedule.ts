/** `dirigent schedule`: what an agent, or its user, wants done at a time. */
import type { Worker } from 'node:worker_threads';
import type { Agent } from '../agent/open-agent.ts';
import { principalOf } from '../policy/author.ts';
import { USER } from '../policy/context.ts';
import { UntrustedMarks } from '../policy/marks.ts';
import {
  isUnderWay,
  type ScheduleEntry,
  ScheduleJournal,
  scheduleFile,
} from '../schedule/journal.ts';
import { fallDue, isRecurring, readSchedule, type Scheduled } from '../schedule/prompt.ts';
import {
  joined,
  type VisibleText,
  visible,
  visibleLines,
  visibleMessage,
  visibleName,
} from '../visible.ts';
import { SCHEDULE_STEP } from '../world/recorder.ts';
import type { World } from '../world/world.ts';
import type { ScheduleArguments } from './agent-options.ts';
import { resolveId } from './ids.ts';
import type { Installation } from './installation.ts';
import { openWorld } from './open-world.ts';
import type { Output } from './output.ts';
import { suggested } from './place.ts';
import { hostOf, showTurn } from './run-turn.ts';

/** Runs `dirigent schedule`, and gives its exit status: 1 where anything went wrong. */
export async function runSchedule(
  options: ScheduleArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const world = await openWorld(options, installation, worker, output);
  const journal = new ScheduleJournal(scheduleFile(world.state));
  journal.onStep((data) => {
    world.session.append({ type: 'custom', name: SCHEDULE_STEP, data });
  });
  try {
    const schedule = readSchedule(journal);
    for (const { name, fault } of schedule.broken) {
      await output.err(visible`dirigent: ${visibleName(`/session/schedule/${name}`)}: ${fault}\n`);
    }
    const healthy = schedule.broken.length === 0;
    const { entries } = schedule;
    switch (options.verb) {
      case 'list':
        await (options.json ? output.json(entries.map(row)) : output.out(table(entries)));
        return healthy ? 0 : 1;
      case 'show':
        for (const entry of named(journal.list(), options)) await show(entry, options, output);
        return 0;
      case 'rm':
        for (const entry of named(journal.list(), options)) {
          journal.remove(entry);
          await output.out(visible`${visibleName(`/session/schedule/${entry.name}`)} removed\n`);
        }
        return 0;
      case 'run': {
        const due = whatIsDue(entries, options, journal);
        return (await runAll(due, journal, { world, options, output })) && healthy ? 0 : 1;
      }
    }
  } finally {
    journal.close();
  }
}

/** What waits or was begun and is named. @throws FsError where a name is none's, or several' */
function named(
  entries: readonly ScheduleEntry[],
  { names, given }: ScheduleArguments,
): ScheduleEntry[] {
  // Of one that comes again, the file is meant, and not a time of it.
  const open = new Map(
    entries
      .toSorted((one, other) => Number(other.series !== null) - Number(one.series !== null))
      .flatMap((entry) => (entry.state === 'done' ? [] : [[entry.name, entry] as const])),
  );
  const choice = { what: 'scheduled prompt', names: suggested(given, 'schedule list') };
  return names.flatMap((typed) => {
    const name = typed.replace(/^\/session\/schedule\//, '');
    return open.get(resolveId([...open.keys()], name, choice)) ?? [];
  });
}

/** What is named, due or not; else all that is due. Of what comes again, the time that has come. */
function whatIsDue(
  entries: readonly Scheduled[],
  options: ScheduleArguments,
  journal: ScheduleJournal,
): Scheduled[] {
  const all = entries.map(({ entry }) => entry);
  const chosen = new Set(named(all, options).map(({ id }) => id));
  if (chosen.size === 0) fallDue(journal, Date.now());
  for (const scheduled of entries)
    if (chosen.has(scheduled.entry.id) && isRecurring(scheduled))
      journal.fall(scheduled.entry, Date.now());
  return readSchedule(journal).entries.filter((scheduled) => {
    const { entry, at } = scheduled;
    if (isRecurring(scheduled) || isHeldUp(entry, journal)) return false;
    if (chosen.size > 0) return chosen.has(entry.series ?? entry.id);
    return at.getTime() <= Date.now();
  });
}

/** Is the time before it still being carried out? */
const isHeldUp = ({ series }: ScheduleEntry, journal: ScheduleJournal): boolean =>
  series !== null && journal.list().some((other) => other.series === series && isUnderWay(other));

async function show(
  entry: ScheduleEntry,
  { json }: ScheduleArguments,
  output: Output,
): Promise<void> {
  const { name, text } = entry;
  const state = stateOf(entry);
  const head = visible`${visibleName(`/session/schedule/${name}`)}: ${state}\n\n`;
  const body = visibleLines(`${text.trimEnd()}\n`);
  await (json ? output.json({ name, state, text }) : output.out(joined([head, body])));
}

/** Carries out what waits, and tells whether all of it went well. */
async function runAll(
  due: readonly Scheduled[],
  journal: ScheduleJournal,
  running: Omit<CarriedOut, 'agent'>,
): Promise<boolean> {
  const { world, options, output } = running;
  const { openAgent } = await import('../agent/open-agent.ts');
  const agent = await openAgent(world, hostOf(options, output), world.agent);
  let good = true;
  for (const scheduled of due) {
    const { entry } = scheduled;
    if (principalOf(entry.author) !== USER) {
      // It is theirs, and what is carried out here is done in the world of the person in charge.
      await output.err(
        visible`dirigent: ${visibleName(entry.name)} is by ${(entry.author.people ?? []).join(' and ')}: a server that lets them in carries it out, in a world of theirs\n`,
      );
      if (options.names.length > 0) good = false;
      continue;
    }
    if (!journal.take(entry)) continue;
    const status = await carryOut(scheduled, { ...running, agent });
    journal.end(entry, status);
    if (status !== 'done') good = false;
  }
  await agent.close();
  return good;
}

interface CarriedOut {
  world: World;
  agent: Agent;
  options: ScheduleArguments;
  output: Output;
}

/** Runs the turn of one prompt, and gives its status. */
async function carryOut(
  { entry: { name, author }, at, prompt, agent: who, model }: Scheduled,
  { world, agent, options, output }: CarriedOut,
): Promise<string> {
  await output.err(visible`dirigent: ${visibleName(name)}, due ${at.toISOString()}\n`);
  const untrusted = originsOf(world, name);
  const result = await showTurn(world, output, { quiet: options.json }, () =>
    agent.run({
      prompt,
      untrusted,
      author,
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

const row = ({ entry, at, when, prompt, agent, model }: Scheduled) => ({
  name: entry.name,
  at,
  ...('every' in when ? { every: when.every, zone: when.zone } : {}),
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
    entries.map((scheduled) => {
      const { entry, at, when, prompt } = scheduled;
      const [first = ''] = prompt.split('\n');
      const what = entry.state === 'running' ? stateOf(entry) : at.toISOString();
      const again =
        'every' in when && isRecurring(scheduled) ? `  (${when.every} ${when.zone})` : '';
      return visible`${what.padEnd(24)}  ${visibleName(entry.name)}${again}  ${first}\n`;
    }),
  );
}
