/** The calls that a worker has not answered yet, by the id of their message. */
import type { CallWatch } from './job.ts';
import type { FromWorker } from './protocol.ts';

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

  /** Takes all of them out, failed. */
  failAll(error: Error): void {
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
  }
}
