/** The calls that a worker has not answered yet, by the id of their message. */
import type { CallWatch } from './job.ts';
import type { FromWorker } from './protocol.ts';

/** The worker that was asked was ended. */
export class WorkerGone extends Error {
  /** Had it begun with what it was asked? If not, that was not done, and can be asked again. */
  readonly begun: boolean;

  constructor(message: string, begun: boolean) {
    super(message);
    this.begun = begun;
  }
}

interface PendingCall {
  resolve(message: FromWorker): void;
  reject(error: Error): void;
  watch: CallWatch;
}

/** Those of one worker at a time. */
export class PendingCalls {
  readonly #calls = new Map<number, PendingCall>();
  #nextId = 1;

  /** An id that no other call of this world has. */
  newId(): number {
    return this.#nextId++;
  }

  get isEmpty(): boolean {
    return this.#calls.size === 0;
  }

  has(id: number): boolean {
    return this.#calls.has(id);
  }

  /** Waits for the answer to a message, which is sent once the answer can be taken. */
  send(id: number, watch: CallWatch, post: () => void): Promise<FromWorker> {
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject, watch });
      post();
    });
  }

  /** Who wants to hear of a call while it runs. */
  watchOf(id: number): CallWatch | undefined {
    return this.#calls.get(id)?.watch;
  }

  /** Takes a call out, to be answered. */
  take(id: number): PendingCall | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  /** Takes all of them out, failed. @param begun the last one that the worker has begun with */
  failAll(message: string, begun: number): void {
    for (const [id, call] of this.#calls) call.reject(new WorkerGone(message, id <= begun));
    this.#calls.clear();
  }
}
