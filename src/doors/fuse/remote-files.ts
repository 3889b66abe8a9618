/** The world's files, as the process that serves the kernel has them: each call is a message to the door. */

import type { FsCall } from '../../world/protocol.ts';
import { revive } from '../../world/wire-errors.ts';
import { WorldFiles } from '../files/world-files.ts';
import { Bulk, hasFile, hasLarge } from './bulk.ts';
import type { FromServer, ToServer } from './protocol.ts';

/** A world that has not answered for so long is busy, ms: with a command that holds its thread. */
const BUSY_MS = 60;

interface Pending {
  resolve(values: unknown[]): void;
  reject(error: Error): void;
}

export class RemoteFiles extends WorldFiles {
  readonly #send: (message: FromServer) => void;
  #bulk: Bulk | null = null;
  readonly #pending = new Map<number, Pending>();
  #last = 0;
  /** When the world was last heard of, or had nothing to answer, ms of a clock that does not jump. */
  #heard = performance.now();
  #lease = 0;
  /** Why nobody answers any more. */
  #ended: Error | null = null;

  constructor(send: (message: FromServer) => void) {
    super();
    this.#send = send;
  }

  /** Large contents go by files of a directory that the door has, too. */
  useDirectory(directory: string): void {
    this.#bulk = new Bulk(directory, 'server');
  }

  /** Does the world keep everybody waiting? What it said last is then the best that is known. */
  get isBusy(): boolean {
    return this.#pending.size > 0 && performance.now() - this.#heard > BUSY_MS;
  }

  get lease(): number {
    return this.#lease;
  }

  /** @param lease 0: others use the world, too */
  haveLease(lease: number): void {
    this.#lease = lease;
  }

  receive({ id, values, error }: Extract<ToServer, { type: 'answer' }>): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    this.#heard = performance.now();
    if (error !== undefined) pending?.reject(revive(error));
    else if (hasFile(values)) Bulk.unpack(values).then(pending?.resolve, pending?.reject);
    else pending?.resolve(values);
  }

  /** Nobody will answer any more. */
  end(error: Error): void {
    this.#ended = error;
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }

  /** @throws FsError of the first call that fails; those after it are not made */
  async ask(calls: readonly FsCall[]): Promise<unknown[]> {
    const bulk = this.#bulk;
    if (bulk === null || !calls.some(hasLarge)) return this.#post(calls);
    const packed = calls.map(
      async ([method, ...args]): Promise<FsCall> => [method, ...(await bulk.pack(args))],
    );
    return this.#post(await Promise.all(packed));
  }

  #post(calls: readonly FsCall[]): Promise<unknown[]> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    if (this.#pending.size === 0) this.#heard = performance.now();
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send({ type: 'calls', id, calls });
    });
  }
}
