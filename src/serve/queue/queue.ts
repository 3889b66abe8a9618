/**
 * The queue at work: takes messages in their order, one turn a session at a
 * time, and so many at once. A turn that waits for a person longer than a
 * moment is parked: its world is closed, and its row is all that is left of it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Delivery, type Steered, TurnParked } from '../../agent/delivery.ts';
import type { TurnResult } from '../../agent/turn-result.ts';
import type { Doorway, Visit } from '../../doors/door.ts';
import { isFsError, sentenceOf } from '../../errors.ts';
import type { Approval } from '../../policy/approval.ts';
import type { ApprovalJournal } from '../../policy/approvals.ts';
import type { Asked, AskedJournal } from '../../policy/asked-journal.ts';
import type { PlanScope } from '../../policy/plan.ts';
import { type Question, verdictOf } from '../../policy/question.ts';
import type { QuestionJournal } from '../../policy/questions.ts';
import type { SessionEvent } from '../../session/events.ts';
import type { SessionPlace } from '../../session/file.ts';
import type { Standing } from '../standing.ts';
import { deliveredIn } from './delivered.ts';
import type { AskedOf, TurnJournal } from './journal.ts';
import { PARKED_MS, resumptionText } from './resumption.ts';
import type { QueuedTurn, TurnDraft, TurnOutcome } from './turn.ts';

/** What the queue is made of. */
export interface TurnQueueOptions {
  journal: TurnJournal;
  approvals: ApprovalJournal;
  questions: QuestionJournal;
  doorway: Pick<Doorway, 'enter'>;
  place: SessionPlace;
  /** Whose turns are run. */
  standing: Standing;
  /** Turns at once. */
  turns: number;
  /** A turn that waits for a person longer than this is parked. In ms. */
  parkAfterMs?: number;
  /** How often answers from other processes are looked for. In ms. */
  pollMs?: number;
  now?: () => number;
  /** Told of what happens in a session while a turn of it runs. */
  onEvent?(session: string, event: SessionEvent): void;
  /** Told of what the queue itself cannot do. */
  onFault(error: unknown): void;
}

const PARK_AFTER_MS = 30_000;
const POLL_MS = 500;
/** Before a session is tried again that another process is writing. In ms. */
const BUSY_MS = 2_000;
const STOPPING: TurnOutcome = {
  status: 'interrupted',
  error: 'the server was stopped during this turn; its session has what was done until then',
};
const KILLED: TurnOutcome = {
  status: 'interrupted',
  error:
    'the server ended during this turn; its session has what was done until then, and it is not run again by itself',
};
const EXPIRED: TurnOutcome = {
  status: 'expired',
  error:
    'nobody answered what it asked for within a week, or it was asked for by an earlier version: say it again if it is still wanted',
};

/** A turn that runs. */
interface Running {
  turn: QueuedTurn;
  abort: AbortController;
  /** Messages that were said to it, and end with it. */
  steered: QueuedTurn[];
  parking: NodeJS.Timeout | undefined;
  done: Promise<void>;
}

const found = <Each extends Asked>(journal: AskedJournal<Each>, ids: readonly string[]): Each[] =>
  ids.flatMap((id) => journal.get(id) ?? []);

/** Whose it is and who wrote it are those who may have turns now, and not only when it was said. */
function refusalOf({ actor, agent, author }: QueuedTurn, standing: Standing): string | null {
  const authors = (author?.people ?? []).filter((each) => each !== actor);
  const refusals = authors.map((each) => standing.refusal(each, agent));
  return [standing.refusal(actor, agent), ...refusals].find((each) => each !== null) ?? null;
}

const deliveryOf = ({ id, part }: QueuedTurn): Delivery => ({ message: id, part });

/** The turns of a deployment. */
export class TurnQueue {
  readonly #options: TurnQueueOptions;
  /** By session. */
  readonly #running = new Map<string, Running>();
  readonly #ended = new AbortController();
  #polling: Promise<void> | null = null;

  constructor(options: TurnQueueOptions) {
    this.#options = options;
  }

  /** Turns that run now. */
  get running(): number {
    return this.#running.size;
  }

  /** Says what became of what an earlier process had begun, and begins. */
  start(): void {
    for (const turn of this.#options.journal.list({ states: ['running'] })) this.#recover(turn);
    this.#polling = this.#poll();
    this.#pump();
  }

  /** Takes a message in. It is on the disk when this returns. */
  submit(draft: TurnDraft): { turn: QueuedTurn; isNew: boolean } {
    const added = this.#options.journal.add(draft);
    this.#pump();
    return added;
  }

  /** Lets a message go that was held back, unless it was stopped meanwhile. */
  release(id: string): void {
    const { journal } = this.#options;
    if (journal.get(id)?.state !== 'queued') return;
    journal.release(id);
    this.#pump();
  }

  /** Ends the turn of a session that runs, or is parked; those behind it go on. @returns whether there was one */
  stop(session: string): boolean {
    const { journal } = this.#options;
    const running = this.#running.get(session);
    running?.abort.abort();
    const parked = journal.list({ session, states: ['parked'] });
    const said = journal
      .list({ session, states: ['queued'] })
      .filter(({ mode }) => mode === 'steer');
    for (const { id } of [...parked, ...said]) journal.end(id, { status: 'stopped' });
    return running !== undefined || parked.length > 0;
  }

  /** An answer was given: whoever waits for it goes on now. */
  answered(): void {
    this.#resumeParked();
    this.#pump();
  }

  /** Ends what runs, and says so of it. */
  async close(): Promise<void> {
    this.#ended.abort();
    for (const { turn, abort } of this.#running.values())
      abort.abort(this.#isAsking(turn) ? new TurnParked() : undefined);
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    await this.#polling;
  }

  /** What a process has left behind that is no more. */
  #recover(turn: QueuedTurn): void {
    const { journal, place } = this.#options;
    const delivered = deliveredIn(place, turn.session, deliveryOf(turn));
    if (delivered === 'absent') journal.release(turn.id);
    else if (delivered !== 'begun' && delivered.status !== 'parked')
      journal.end(turn.id, delivered);
    // Its command is gone, and its question stands: the answer goes on from there.
    else if (this.#isAsking(turn)) this.#park(turn);
    else journal.end(turn.id, KILLED);
  }

  async #poll(): Promise<void> {
    const { pollMs = POLL_MS } = this.#options;
    const { signal } = this.#ended;
    while (!signal.aborted) {
      this.#guarded(() => this.answered());
      await delay(pollMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #pump(): void {
    const { journal, turns } = this.#options;
    while (!this.#ended.signal.aborted && this.#running.size < turns) {
      const turn = journal.take();
      if (turn === null) return;
      const running: Running = {
        turn,
        abort: new AbortController(),
        steered: [],
        parking: undefined,
        done: Promise.resolve(),
      };
      this.#running.set(turn.session, running);
      running.done = this.#run(running).catch((error: unknown) => this.#options.onFault(error));
    }
  }

  async #run(running: Running): Promise<void> {
    try {
      const outcome = await this.#outcome(running);
      if (outcome !== null) this.#end(running, outcome);
    } finally {
      clearTimeout(running.parking);
      this.#running.delete(running.turn.session);
      // Not from within: a turn that fails at once would have the next one begin inside it.
      setImmediate(() => this.#guarded(() => this.#pump()));
    }
  }

  /** Runs a turn; null where it could not begin now, and waits in the queue again. */
  async #outcome(running: Running): Promise<TurnOutcome | null> {
    const { journal, standing, now = Date.now } = this.#options;
    const { turn } = running;
    const refusal = refusalOf(turn, standing);
    if (refusal !== null) return { status: 'refused', error: refusal };
    try {
      const visit = await this.#enter(running);
      // What a shell was told by one is not what it does for another.
      let isLast = turn.author !== null;
      try {
        const result = await this.#followed(visit, () => this.#turnIn(visit, running));
        isLast ||= result.status === 'parked';
        return result;
      } finally {
        // What came of the turn is what it said, whatever becomes of its world then.
        await (isLast ? visit.end() : visit.close()).catch((error: unknown) =>
          this.#options.onFault(error),
        );
      }
    } catch (error) {
      if (isFsError(error, 'EBUSY') || isFsError(error, 'EAGAIN')) {
        journal.release(turn.id, now() + BUSY_MS);
        return null;
      }
      return { status: 'refused', error: sentenceOf(error) };
    }
  }

  /** Passes on what happens while it is worked. */
  async #followed<T>(visit: Visit, work: () => Promise<T>): Promise<T> {
    const ended = new AbortController();
    const following = this.#follow(visit, ended.signal).catch((error: unknown) =>
      this.#options.onFault(error),
    );
    try {
      return await work();
    } finally {
      // What was told before is still in the stream.
      await new Promise((resolve) => setImmediate(resolve));
      ended.abort();
      await following;
    }
  }

  #enter(running: Running): Promise<Visit> {
    const { actor, agent, session, author } = running.turn;
    const principal = { actor, session, ...(agent === null ? {} : { agent }) };
    return this.#options.doorway.enter(principal, {
      anew: author !== null,
      onApproval: ({ id }) => this.#guarded(() => this.#asks(running, 'approvals', id)),
      onQuestion: ({ id }) => this.#guarded(() => this.#asks(running, 'questions', id)),
    });
  }

  async #turnIn(visit: Visit, running: Running): Promise<TurnResult> {
    const { turn, abort } = running;
    const agent = await visit.agent();
    return agent.run({
      ...(turn.part === 0
        ? { prompt: turn.text }
        : { prompt: this.#resumption(turn), resumed: true, begunWith: turn.text }),
      signal: abort.signal,
      untrusted: turn.untrusted,
      delivery: deliveryOf(turn),
      steered: () => this.#steer(running),
      ...(turn.model === null ? {} : { model: turn.model }),
      ...(turn.author === null ? {} : { author: turn.author }),
      ...(turn.plan ? { plan: this.#approvedPlan(turn) ?? true } : {}),
    });
  }

  async #follow(visit: Visit, signal: AbortSignal): Promise<void> {
    const { onEvent } = this.#options;
    for await (const event of visit.events({ signal })) onEvent?.(visit.session, event);
  }

  #steer(running: Running): Steered[] {
    if (running.abort.signal.aborted) return [];
    const said = this.#options.journal.takeSteering(running.turn);
    running.steered.push(...said);
    return said.map((turn) => ({
      text: turn.text,
      untrusted: turn.untrusted,
      delivery: deliveryOf(turn),
    }));
  }

  /** A person is asked: the turn waits a moment as it is, and is parked then. */
  #asks(running: Running, what: keyof AskedOf, id: string): void {
    const { journal, parkAfterMs = PARK_AFTER_MS } = this.#options;
    const { turn } = running;
    const { approvals, questions } = turn;
    const asked = { approvals, questions, [what]: [...new Set([...turn[what], id])] };
    running.turn = journal.asked(turn.id, asked);
    clearTimeout(running.parking);
    const park = (): void => {
      if (this.#isAsking(running.turn)) running.abort.abort(new TurnParked());
    };
    running.parking = setTimeout(() => this.#guarded(park), parkAfterMs);
  }

  /** What is called by a timer or an event has nobody who could be told, and ends no process. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.onFault(error);
    }
  }

  #end({ turn, steered }: Running, outcome: TurnOutcome): void {
    const { journal } = this.#options;
    const { status } = outcome;
    const isClosing = status === 'stopped' && this.#ended.signal.aborted;
    if (status === 'parked') this.#park(turn);
    else journal.end(turn.id, isClosing ? STOPPING : outcome);
    // The answer is that of the turn.
    const { text: _, ...said } = isClosing ? STOPPING : outcome;
    for (const { id } of steered) journal.end(id, status === 'parked' ? { status: 'done' } : said);
  }

  #park({ id, approvals, questions }: QueuedTurn): void {
    const { journal, now = Date.now, ...asked } = this.#options;
    asked.approvals.keep(approvals, now() + PARKED_MS);
    asked.questions.keep(questions, now() + PARKED_MS);
    journal.park(id);
  }

  #resumeParked(): void {
    const { journal } = this.#options;
    for (const turn of journal.list({ states: ['parked'] })) {
      const asked = this.#askedOf(turn);
      if (asked.some(({ state }) => state === 'pending')) continue;
      const isAnswered = asked.some(({ answeredAt }) => answeredAt !== null);
      if (isAnswered) journal.resume(turn.id);
      else journal.end(turn.id, EXPIRED);
    }
  }

  #isAsking(turn: QueuedTurn): boolean {
    return this.#askedOf(turn).some(({ state }) => state === 'pending');
  }

  #askedOf({ approvals, questions }: QueuedTurn): (Approval | Question)[] {
    const { approvals: requests, questions: asked } = this.#options;
    return [...found(requests, approvals), ...found(asked, questions)];
  }

  /** What an earlier part of a turn was allowed to change; null where nothing was approved yet. */
  #approvedPlan({ questions }: QueuedTurn): PlanScope | null {
    const approved = found(this.#options.questions, questions).findLast(
      (asked) => verdictOf(asked)?.decision === 'approve',
    );
    return approved?.form.scope ?? null;
  }

  /** What a parked turn is told; the answers have come to it then. */
  #resumption({ approvals, questions }: QueuedTurn): string {
    const asked = found(this.#options.questions, questions);
    for (const { id } of asked) this.#options.questions.take(id);
    return resumptionText(found(this.#options.approvals, approvals), asked);
  }
}
