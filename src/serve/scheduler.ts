/**
 * Carries out the schedule: what is due becomes a message of the queue. The
 * message is there, held back, before the prompt is taken: a server that is
 * killed between the two finds out which of them it had done.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { UntrustedMarks } from '../policy/marks.ts';
import { isUnderWay, type ScheduleEntry, type ScheduleJournal } from '../schedule/journal.ts';
import { fallDue, type Scheduled } from '../schedule/prompt.ts';
import type { TurnJournal } from './queue/journal.ts';
import type { TurnQueue } from './queue/queue.ts';
import { hasEnded, type QueuedTurn, type TurnDraft, type TurnOutcome } from './queue/turn.ts';
import { dueAt, promptKey } from './schedule.ts';
import type { ServedSessions } from './sessions.ts';
import { placeOf, type Standing } from './standing.ts';

/** What the scheduler works with. */
export interface SchedulerParts {
  schedule: ScheduleJournal;
  journal: TurnJournal;
  queue: TurnQueue;
  sessions: ServedSessions;
  /** The file of the journal, for what its prompts are marked with. */
  file: string;
  standing: Standing;
  now(): number;
  onFault(error: unknown): void;
}

const SOURCE = 'schedule';
const TICK_MS = 1_000;
const TAKEN: TurnOutcome = {
  status: 'refused',
  error: 'another process had taken the prompt, or it was written anew',
};

/** In a word; of one that was refused, why. */
const outcomeOf = ({ outcome, state }: QueuedTurn): string =>
  outcome?.status === 'refused' && outcome.error !== undefined
    ? outcome.error
    : (outcome?.status ?? state);

/** The schedule of a deployment that is served. */
export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #ended = new AbortController();
  #ticking: Promise<void> | null = null;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  start(tickMs: number = TICK_MS): void {
    this.#ticking = this.#run(tickMs);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#ticking;
  }

  async #run(tickMs: number): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        this.#tick();
      } catch (error) {
        this.#parts.onFault(error);
      }
      await delay(tickMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #tick(): void {
    const { schedule, journal, queue, now } = this.#parts;
    fallDue(schedule, now());
    for (const due of dueAt(schedule, now())) if (!this.#isHeldUp(due.entry)) this.#carryOut(due);
    for (const entry of schedule.list()) {
      if (entry.state !== 'running') continue;
      const turn = journal.find(SOURCE, promptKey(entry));
      if (turn === null) continue;
      if (hasEnded(turn)) schedule.end(entry, outcomeOf(turn));
      // Taken by a server that was killed before it could say so.
      else if (turn.heldBy !== null && turn.heldBy === entry.owner) queue.release(turn.id);
    }
  }

  /** Is the time before it still being carried out? One that waits for a person holds nothing up. */
  #isHeldUp({ series }: ScheduleEntry): boolean {
    const { schedule, journal } = this.#parts;
    if (series === null) return false;
    const others = schedule.list().filter((other) => other.series === series);
    return others.some((other) => {
      if (other.state !== 'running') return false;
      const turn = journal.find(SOURCE, promptKey(other));
      // Without a message another process has taken it, at a terminal.
      return turn === null ? isUnderWay(other) : ['queued', 'running'].includes(turn.state);
    });
  }

  #carryOut(due: Scheduled): void {
    const { schedule, journal, queue } = this.#parts;
    const { entry } = due;
    const draft = this.#draftOf(due);
    if ('refused' in draft) {
      if (schedule.take(entry)) schedule.end(entry, draft.refused);
      return;
    }
    // Puts a prompt into the queue that is not to be carried out yet.
    const { id, heldBy } =
      journal.find(SOURCE, promptKey(entry)) ??
      journal.add({ ...draft, session: draft.session() }, schedule.owner).turn;
    if (heldBy !== null && heldBy !== schedule.owner) journal.hold(id, schedule.owner);
    if (schedule.take(entry)) queue.release(id);
    else journal.end(id, TAKEN);
  }

  /** The message that a prompt becomes, in a session that is made for it; or why it becomes none. */
  #draftOf({
    entry,
    prompt,
    ...chosen
  }: Scheduled): (Omit<TurnDraft, 'session'> & { session(): string }) | { refused: string } {
    const { sessions, standing } = this.#parts;
    const place = placeOf(entry.author, chosen.agent ?? null, standing);
    if ('refused' in place) return place;
    return {
      ...place,
      session: () => sessions.create(place.actor, place.agent).id,
      source: SOURCE,
      sourceId: promptKey(entry),
      model: chosen.model ?? null,
      text: prompt,
      author: entry.author,
      untrusted: this.#originsOf(entry.name),
    };
  }

  /** A prompt that was written by a turn that had read text of services may be theirs. */
  #originsOf(name: string): readonly string[] {
    const { file } = this.#parts;
    const marks = new UntrustedMarks({ file, session: '', ancestors: [], workspace: null });
    try {
      return marks.textOf({ scope: '', path: `/session/schedule/${name}` });
    } finally {
      marks.close();
    }
  }
}
