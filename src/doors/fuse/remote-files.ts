/** The world's files, as the process that serves the kernel has them: each call is a message to the door. */
import type { Inspection, Location } from '../../namespace/inspect.ts';
import type { DirentEntry } from '../../namespace/types.ts';
import { revive } from '../../world/wire-errors.ts';
import { Bulk, hasFile, hasLarge } from './bulk.ts';
import type { FileCall, FromServer, ToServer } from './protocol.ts';

/** A world that has not answered for so long is busy, ms: with a command that holds its thread. */
const BUSY_MS = 60;

interface Pending {
  resolve(values: unknown[]): void;
  reject(error: Error): void;
}

export class RemoteFiles {
  readonly #send: (message: FromServer) => void;
  #bulk: Bulk | null = null;
  readonly #pending = new Map<number, Pending>();
  #last = 0;
  /** When the world was last heard of, or had nothing to answer, ms of a clock that does not jump. */
  #heard = performance.now();

  constructor(send: (message: FromServer) => void) {
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
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }

  /** @throws FsError of the first call that fails; those after it are not made */
  async all(calls: readonly FileCall[]): Promise<unknown[]> {
    const bulk = this.#bulk;
    if (bulk === null || !calls.some(hasLarge)) return this.#ask(calls);
    const packed = calls.map(
      async ([method, ...args]): Promise<FileCall> => [method, ...(await bulk.pack(args))],
    );
    return this.#ask(await Promise.all(packed));
  }

  #ask(calls: readonly FileCall[]): Promise<unknown[]> {
    if (this.#pending.size === 0) this.#heard = performance.now();
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send({ type: 'calls', id, calls });
    });
  }

  async call(...call: FileCall): Promise<unknown> {
    return (await this.all([call]))[0];
  }

  // The port carries plain data; each method has the namespace's own signature.

  async inspect(path: string): Promise<Inspection> {
    return (await this.call('inspect', path)) as Inspection;
  }

  async locate(path: string): Promise<Location> {
    return (await this.call('locate', path)) as Location;
  }

  async read(path: string): Promise<Uint8Array> {
    return (await this.call('readFileBuffer', path)) as Uint8Array;
  }

  async list(path: string): Promise<DirentEntry[]> {
    return (await this.call('readdirWithFileTypes', path)) as DirentEntry[];
  }
}
