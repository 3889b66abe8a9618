/**
 * Workers that have loaded what every world has, and know of no world yet. As many load at once as
 * there are processors: of twenty that load side by side none is there before all of them nearly are.
 */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { FromWorker } from './protocol.ts';
import { spawnWorker } from './spawn-worker.ts';

/** What is kept, and how. */
export interface SpareWorkersOptions {
  /** So many are kept for those who come; 1 by default. */
  spares?: number;
  /** So many load at once; by default one for each processor. */
  atOnce?: number;
  spawn?: () => Worker;
}

/** One that has loaded. */
interface Spare {
  worker: Worker;
  /** From now on it is its world's. */
  release(): void;
}

/** The workers of those who open many worlds. Each is taken once, by one world. */
export class SpareWorkers {
  readonly #spares: number;
  readonly #atOnce: number;
  readonly #spawn: () => Worker;
  readonly #ready: Spare[] = [];
  readonly #loading = new Set<Worker>();
  readonly #waiting: PromiseWithResolvers<Worker>[] = [];
  #isClosed = false;

  constructor({
    spares = 1,
    atOnce = availableParallelism(),
    spawn = spawnWorker,
  }: SpareWorkersOptions = {}) {
    this.#spares = spares;
    this.#atOnce = atOnce;
    this.#spawn = spawn;
    this.#fill();
  }

  /** One that has loaded, for a world that is its own. @throws what it could not be started with */
  take(): Promise<Worker> {
    const wanted = Promise.withResolvers<Worker>();
    if (this.#isClosed) wanted.reject(closed());
    else this.#waiting.push(wanted);
    this.#give();
    this.#fill();
    return wanted.promise;
  }

  /** Ends those that nobody has taken. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
    const ready = this.#ready.splice(0).map(({ worker }) => worker);
    await Promise.all([...ready, ...this.#loading].map((worker) => worker.terminate()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #fill(): void {
    const wanted = (): number => this.#waiting.length + this.#spares - this.#ready.length;
    while (!this.#isClosed && this.#loading.size < Math.min(this.#atOnce, wanted())) this.#load();
  }

  #load(): void {
    const worker = this.#spawn();
    // Nobody is kept from ending by one that nobody has taken.
    worker.unref();
    this.#loading.add(worker);
    let failure: Error = new Error('the worker of a world ended before it had loaded');
    const onMessage = ({ type }: FromWorker): void => {
      if (type !== 'loaded') return;
      this.#loading.delete(worker);
      this.#ready.push(spare);
      this.#give();
      this.#fill();
    };
    const onError = (error: Error): void => {
      failure = error;
    };
    // Where nobody waits it is tried again when one is wanted: what has ended it may go on.
    const onExit = (): void => {
      const index = this.#ready.indexOf(spare);
      if (index >= 0) this.#ready.splice(index, 1);
      if (this.#loading.delete(worker)) this.#waiting.shift()?.reject(failure);
      if (this.#waiting.length > 0) this.#fill();
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    // These alone: Node has listeners of its own there.
    const release = (): void =>
      void worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    const spare: Spare = { worker, release };
  }

  #give(): void {
    while (this.#ready.length > 0 && this.#waiting.length > 0) {
      const spare = this.#ready.shift();
      spare?.release();
      if (spare !== undefined) this.#waiting.shift()?.resolve(spare.worker);
    }
  }
}

const closed = (): Error => new Error('no more worlds are opened');
