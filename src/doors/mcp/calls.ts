/**
 * Calls of tools that go on from one request of a client to the next: one that
 * asks a person is answered in a later request, and one that takes long is a
 * task that the client comes back for.
 */
import { randomUUID } from 'node:crypto';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Approval } from '../../policy/approval.ts';
import type { Question } from '../../policy/question.ts';
import type { Visit } from '../door.ts';

/** What a call is run with. */
export interface CallHooks {
  id: string;
  signal: AbortSignal;
  /** It begins to wait for a person. */
  onParked(): void;
  onOutput(stream: 'stdout' | 'stderr', bytes: Uint8Array): void;
}

/** What is next of a call. */
export type Next<T> = { ended: T } | { asks: Approval | Question } | { goesOn: true };

/** Under way at once, of one client. */
const CALLS = 64;
/** A question that nobody has answered for so long ends its call; the request for approval stays. ms */
const UNANSWERED_MS = 60 * 60_000;
/** So long what came of a task is kept, ms. */
export const KEPT_MS = 10 * 60_000;

/** The calls of one client. */
export class Calls<T> {
  readonly #visit: Visit;
  readonly #calls = new Map<string, Call<T>>();
  #hasEnded = false;

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  /**
   * Begins one.
   * @param asked tells it from others: what is gone on with must be the same
   * @throws ProtocolError where too many are under way
   */
  begin(asked: string, run: (hooks: CallHooks) => Promise<T>): Call<T> {
    if (this.#calls.size >= CALLS) {
      throw new ProtocolError(
        ProtocolErrorCode.InternalError,
        `${CALLS} calls are under way, or kept as tasks, and no more at once: end one, or try again later`,
      );
    }
    const call: Call<T> = new Call(asked, run, () => this.#question(call));
    this.#calls.set(call.id, call);
    return call;
  }

  get(id: string): Call<T> | undefined {
    return this.#calls.get(id);
  }

  /** A call has been told of for the last time. */
  forget(call: Call<T>): void {
    this.#calls.delete(call.id);
  }

  /** Forgets a call when it has ended and nobody has asked for so long. */
  keep(call: Call<T>): void {
    void call.result
      .catch(() => undefined)
      .then(() => setTimeout(() => this.forget(call), KEPT_MS).unref());
  }

  /** Nobody can be asked any more: what waits for a person, or comes to that, is ended. */
  end(): void {
    this.#hasEnded = true;
    for (const call of this.#calls.values()) if (call.question !== null) call.turnDown();
  }

  /** A request for approval, or a question, that no other call has put, or had put, to its person. */
  async #question(call: Call<T>): Promise<Approval | Question | null> {
    if (this.#hasEnded) {
      call.abort();
      return null;
    }
    const taken = new Set<string | undefined>();
    for (const other of this.#calls.values()) if (other !== call) taken.add(other.question?.id);
    const { approvals, questions } = this.#visit;
    const pending = [...(await approvals.pending()), ...(await questions.pending())].filter(
      ({ id }) => !taken.has(id),
    );
    // What an earlier call has left waits, too.
    const own = pending.find(({ createdAt }) => createdAt >= call.began.getTime());
    return own ?? pending[0] ?? null;
  }
}

/** One call. */
export class Call<T> {
  readonly id = randomUUID();
  readonly asked: string;
  readonly result: Promise<T>;
  readonly began = new Date();
  /** What a person is asked, while they are. */
  question: Approval | Question | null = null;
  /** Why what was answered last is none; null where it was one, or there was none yet. */
  fault: string | null = null;
  /** Bytes that it has printed. */
  printed = 0;
  readonly #abort = new AbortController();
  readonly #ask: () => Promise<Approval | Question | null>;
  #parked = Promise.withResolvers<void>();
  #unanswered: NodeJS.Timeout | undefined;

  constructor(
    asked: string,
    run: (hooks: CallHooks) => Promise<T>,
    ask: () => Promise<Approval | Question | null>,
  ) {
    this.asked = asked;
    this.#ask = ask;
    this.result = run({
      id: this.id,
      signal: this.#abort.signal,
      onParked: () => this.#parked.resolve(),
      onOutput: (_, bytes) => {
        this.printed += bytes.length;
      },
    }).finally(() => {
      this.question = null;
      clearTimeout(this.#unanswered);
    });
    // Whoever waits for it meets the failure.
    this.result.catch(() => undefined);
  }

  get aborted(): boolean {
    return this.#abort.signal.aborted;
  }

  readonly abort = (): void => this.#abort.abort();

  /** Its person cannot be asked: it ends, and the request for approval stays. */
  turnDown(): void {
    this.question = null;
    this.abort();
  }

  /** A person has answered. */
  answered(): void {
    this.question = null;
    this.fault = null;
    clearTimeout(this.#unanswered);
  }

  /** Waits for what is next. @param withinMs gives up waiting, and the call goes on */
  async next(withinMs?: number): Promise<Next<T>> {
    const waited = new AbortController();
    const late = new Promise<'late'>((resolve) => {
      if (withinMs === undefined) return;
      const timer = setTimeout(() => resolve('late'), withinMs);
      waited.signal.addEventListener('abort', () => clearTimeout(timer));
    });
    try {
      for (;;) {
        if (this.question !== null) return { asks: this.question };
        const ended = this.result.then((result) => ({ ended: result }));
        const parked = this.#parked.promise.then(() => 'parked' as const);
        const first = await Promise.race([ended, parked, late]);
        if (first === 'late') return { goesOn: true };
        if (first !== 'parked') return first;
        this.#parked = Promise.withResolvers<void>();
        await this.#put();
      }
    } finally {
      waited.abort();
    }
  }

  async #put(): Promise<void> {
    this.question = await this.#ask();
    if (this.question === null) return;
    clearTimeout(this.#unanswered);
    this.#unanswered = setTimeout(this.abort, UNANSWERED_MS).unref();
  }
}
