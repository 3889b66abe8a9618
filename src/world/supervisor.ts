/**
 * The supervisor of a world's worker: it starts it, ends it when a command
 * cannot be stopped otherwise, and starts another one with the memory mounts
 * and the shell's state as the last finished command left them.
 */
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { Change } from '../changes/index.ts';
import type { LoadStored, MemoryTree } from '../memory-tree/tree.ts';
import { PausableClock } from '../shell/clock.ts';
import { looksOf } from '../shell/terminal.ts';
import { afterGrace } from './grace.ts';
import type { Call, CallWatch, Job, JobResult, Request } from './job.ts';
import { Leases } from './leases.ts';
import { Lines } from './line/lines.ts';
import { MemoryWatch, memoryLimits } from './memory-watch.ts';
import { Mirrors } from './mirrors.ts';
import { PendingCalls, WorkerGone } from './pending-calls.ts';
import type { FromWorker, JournalStep, ToWorker, Usage, WorldSpec } from './protocol.ts';
import { Shells } from './shells.ts';
import { spawnWorker } from './spawn-worker.ts';
import { interrupted, memoryUsedUp, overdue, Stopped, workerFailed } from './stopped.ts';
import { totalUsage } from './usage.ts';
import { revive } from './wire-errors.ts';
import { WorkerHost, type WorkerHostOptions } from './worker-host.ts';
import { WorkerRecords } from './worker-records.ts';

/** What a supervisor is made with, beside the world's spec. */
export interface SupervisorOptions extends WorkerHostOptions {
  worker?: Worker | undefined;
  /** What the worker may take of memory, beside the files of memory mounts, in bytes. */
  maxMemoryBytes?: number | undefined;
  /** Gives the content of `stored` files of memory mounts. */
  load?: LoadStored;
  /** Told of every step of a change in the journal. */
  onChange?: (change: Change, point: string) => void;
  /** Told of every step of the journals of what people are asked, and of the schedule. */
  onStep?: (step: JournalStep) => void;
}

/** An idle worker that is told to close has so many ms for it. */
const CLOSE_MS = 1000;

/** What a running command says is read this often, ms: a worker that spins could not tell of it. */
const READ_MS = 25;

/** One worker at a time, with what outlives it. */
export class Supervisor {
  readonly #spec: WorldSpec;
  readonly #mirrors: Mirrors;
  readonly #records: WorkerRecords;
  readonly #pending = new PendingCalls();
  /** Which clients have the world to themselves. */
  readonly leases = new Leases();
  /** Processes of the host that ask the worker themselves. */
  readonly lines: Lines;
  readonly #memory: MemoryWatch;
  readonly #host: WorkerHost;
  #worker: Worker;
  #ready: Promise<string[]>;
  readonly shells: Shells;
  #before: Usage = {};
  #usage: Usage = {};
  #closing = false;
  #isReady = false;
  /** The worker that is being ended from here. */
  #ending: Worker | null = null;
  /** It ended before it was up: the next one who asks has another one started. */
  #isDown = false;
  /** The message of the command that runs. */
  #running: number | null = null;
  /** How many wait for the worker. */
  #waiting = 0;
  #clock = new PausableClock();
  /** The last message that the worker has begun with. */
  #begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #onStep: (step: JournalStep) => void;

  constructor(spec: WorldSpec, options: SupervisorOptions = {}) {
    const { worker = spawnWorker(), load, onChange, onStep } = options;
    this.#memory = new MemoryWatch(
      memoryLimits(options.maxMemoryBytes, spec.mounts),
      (limit) => void this.#replace(this.#worker, memoryUsedUp(limit)),
      () => this.#post(this.#worker, { type: 'collect' }),
    );
    this.#onStep = onStep ?? (() => undefined);
    this.#host = new WorkerHost(options);
    this.#spec = spec;
    this.shells = new Shells(spec.cwd);
    this.#mirrors = new Mirrors(spec.mounts, load);
    this.lines = new Lines({
      call: (request) => this.call(request),
      post: (message) => this.#post(this.#worker, message),
      during: (holder, work) => this.#awaited(() => this.leases.during(holder, work)),
      read: () => this.#records.read(),
    });
    this.#records = new WorkerRecords(this.#mirrors, onChange ?? (() => undefined), (line, news) =>
      this.lines.told(line, news),
    );
    this.#worker = worker;
    this.#ready = this.#start(worker);
  }

  /** The names of the shell's commands, once the worker is up. */
  get commands(): Promise<string[]> {
    return this.#awaited(() => this.#up());
  }

  /** Runs one command. The caller sees to it that there is one at a time. */
  run(job: Job): Promise<JobResult> {
    return this.#awaited(() => this.leases.during(undefined, () => this.#run(job)));
  }

  async #run(job: Job): Promise<JobResult> {
    await this.#up();
    const { signal, onOutput, onParked, onTraffic, terminal, shell, ...rest } = job;
    this.#records.begin(onOutput);
    if (signal?.aborted === true) return this.#stoppedResult(interrupted());
    const id = this.#pending.newId();
    this.#running = id;
    const stop = this.#guard(id, job.deadlineMs, signal);
    const reading = setInterval(() => this.#records.read(), READ_MS);
    try {
      const watch: CallWatch = {
        ...(onParked === undefined ? {} : { onParked }),
        ...(onTraffic === undefined ? {} : { onTraffic }),
        ...(terminal === undefined ? {} : { onAsk: (request) => terminal.ask(request) }),
      };
      const done = await this.#send(
        {
          type: 'exec',
          ...rest,
          ...(shell === undefined ? {} : { own: this.shells.named(shell) }),
          ...(onTraffic === undefined ? {} : { watched: true }),
          ...(terminal === undefined ? {} : { terminal: looksOf(terminal) }),
        },
        id,
        watch,
      );
      if (done.type !== 'done') throw new Error(`the worker answered ${done.type} to a command`);
      this.shells.keep(shell, done);
      this.#usage = totalUsage(this.#before, done.usage);
      const { exitCode, exited, changed, refused, read } = done;
      const usage = this.#usage;
      const printed = await this.#records.printed(done.notices);
      const writes = this.#records.writes;
      return {
        ...printed,
        exitCode,
        exited,
        changed,
        refused,
        read,
        usage,
        writes,
        stopped: false,
      };
    } catch (error) {
      if (error instanceof Stopped) return await this.#stoppedResult(error);
      throw error;
    } finally {
      clearInterval(reading);
      stop();
      this.#host.endPrograms();
      this.#running = null;
    }
  }

  /** Calls a method of the namespace, or of the change journal, in the worker. */
  call(request: Call, watch: CallWatch = {}): Promise<unknown> {
    const called = async (): Promise<unknown> => {
      try {
        return await this.#call(request, watch);
      } catch (error) {
        // A command that was ended took no more with it than what was begun.
        if (error instanceof WorkerGone && !error.begun && !this.#closing) return called();
        throw error;
      }
    };
    if (request.type === 'policy') {
      // What a client puts off may be what waits for this; what it knows was allowed by the policy before.
      this.leases.recall();
      return this.#awaited(called).finally(() => this.leases.forget());
    }
    if (request.type !== 'fs' && request.type !== 'job') return this.#awaited(called);
    return this.#awaited(() => this.leases.during(watch.holder, called));
  }

  async #call(request: Call, watch: CallWatch): Promise<unknown> {
    await this.#up();
    const watched = watch.onTraffic !== undefined && request.type === 'fs';
    const asked = watched ? { ...request, watched } : request;
    const id = this.#pending.newId();
    const onAbort = (): void => this.#post(this.#worker, { type: 'abort', id });
    watch.signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const sent = this.#send(asked, id, watch);
      if (watch.signal?.aborted === true) onAbort();
      const answer = await sent;
      return answer.type === 'answer' ? answer.value : undefined;
    } finally {
      watch.signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Takes in what was done until now: whoever watches it is told before this returns. */
  catchUp(): void {
    this.#records.read();
  }

  /** The files of a memory mount, which outlive the worker. */
  mirror(point: string): MemoryTree | undefined {
    return this.#mirrors.at(point);
  }

  /** The paths in a memory mount that were changed since the last call. */
  takeTouched(point: string): string[] {
    this.catchUp();
    return this.#mirrors.takeTouched(point);
  }

  /** Where a shell begins. */
  get initialCwd(): string {
    return this.#spec.cwd;
  }

  get usage(): Usage {
    return this.#usage;
  }

  /**
   * Lets an idle worker close its databases and end by itself; a busy one, and
   * one that is still loading, is ended.
   */
  close(): Promise<void> {
    return this.#awaited(() => this.#close());
  }

  /** The process stays while somebody waits for the worker: an idle world keeps nobody from ending. */
  async #awaited<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    this.#worker.ref();
    this.#memory.begin(() => this.#worker);
    try {
      return await work();
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) {
        this.#worker.unref();
        this.#memory.end();
      }
    }
  }

  async #close(): Promise<void> {
    this.#closing = true;
    const worker = this.#worker;
    if (this.#isReady && this.#pending.isEmpty && this.lines.areIdle) {
      const ended = once(worker, 'exit', { signal: AbortSignal.timeout(CLOSE_MS) });
      this.#post(worker, { type: 'close' });
      // Too late, or an error on the way out: it is ended all the same.
      await ended.catch(() => undefined);
    }
    await worker.terminate();
  }

  #start(worker: Worker): Promise<string[]> {
    const ready = new Promise<string[]>((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        if (message.type === 'ready') {
          this.#isReady = true;
          resolve(message.commands);
        } else if (message.type === 'failed') reject(revive(message.error));
        else this.#receive(message);
      });
      let failure: Error | null = null;
      worker.on('error', (error: Error) => {
        failure = error;
      });
      worker.on('exit', () => {
        const error = failure ?? new Error('the worker of this world ended');
        reject(error);
        if (this.#ending !== worker) this.#lost(error);
      });
    });
    // Whoever runs a command meets the failure; nobody may be waiting yet.
    ready.catch(() => undefined);
    if (this.#waiting === 0) worker.unref();
    const mounts = this.#mirrors.filled(this.#spec.mounts);
    const { state, origins } = this.shells.worlds;
    const spec = { ...this.#spec, mounts, shell: state, shellOrigins: origins };
    this.#begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    this.#post(worker, { type: 'start', spec, begun: this.#begun });
    return ready;
  }

  #receive(message: FromWorker): void {
    this.#records.read();
    switch (message.type) {
      case 'segment':
        this.#records.add(message);
        return;
      case 'approval':
      case 'question':
      case 'schedule':
        this.#onStep(message);
        return;
      case 'parked':
        if (message.waiting > 0) this.#clock.pause();
        else this.#clock.resume();
        return;
      case 'traffic':
        this.#pending.watchOf(message.id)?.onTraffic?.(message.event);
        return;
      case 'ask':
        void this.#ask(message);
        return;
      case 'program':
      case 'program-stop':
      case 'credential':
      case 'buffer':
      case 'jobs': {
        const worker = this.#worker;
        this.#host.receive(message, (answer) => this.#post(worker, answer));
        return;
      }
      case 'line':
        this.lines.receive(message);
        return;
      case 'waits':
        this.#pending.watchOf(message.id)?.onParked?.();
        return;
      case 'done':
        this.#pending.take(message.id)?.resolve(message);
        return;
      case 'answer':
      case 'refused': {
        const pending = this.#pending.take(message.id);
        pending?.watch.onRead?.(message.read ?? []);
        if (message.type === 'answer') pending?.resolve(message);
        else pending?.reject(revive(message.error));
        return;
      }
      default:
        return;
    }
  }

  /** Passes on what a command asks, and what is answered. */
  async #ask({ id, ask, request }: Extract<FromWorker, { type: 'ask' }>): Promise<void> {
    const worker = this.#worker;
    let text: string | null = null;
    try {
      text = (await this.#pending.watchOf(id)?.onAsk?.(request)) ?? null;
    } finally {
      // Whoever was asked has failed: the command goes on as at an end of input.
      this.#post(worker, { type: 'reply', ask, text });
    }
  }

  #send(request: Request, id: number, watch: CallWatch): Promise<FromWorker> {
    return this.#pending.send(id, watch, () =>
      this.#post(this.#worker, { ...request, id } as ToWorker),
    );
  }

  #post(worker: Worker, message: ToWorker): void {
    worker.postMessage(message);
  }

  /** Watches the clock and the caller's signal; ends the worker when asking did not help. */
  #guard(id: number, deadlineMs: number, signal: AbortSignal | undefined): () => void {
    const worker = this.#worker;
    const graces: (() => void)[] = [];
    const endUnlessItDoes = (stopped: Stopped): void => {
      const end = (): void => {
        if (this.#pending.has(id)) void this.#replace(worker, stopped);
      };
      graces.push(afterGrace(worker, end));
    };
    const onAbort = (): void => {
      this.#post(worker, { type: 'abort', id });
      endUnlessItDoes(interrupted());
    };
    // The time in which a person is waited for is not the command's.
    const clock = new PausableClock();
    this.#clock = clock;
    const stopDeadline = clock.at(clock.now() + deadlineMs, () =>
      endUnlessItDoes(overdue(deadlineMs)),
    );
    signal?.addEventListener('abort', onAbort, { once: true });
    return () => {
      stopDeadline();
      for (const stop of graces) stop();
      signal?.removeEventListener('abort', onAbort);
    };
  }

  /** The worker's commands, once there is a worker. @throws what the worker could not begin with */
  #up(): Promise<string[]> {
    if (this.#closing) return Promise.reject(new Error('this world was closed'));
    if (this.#isDown) this.#startNext();
    return this.#ready;
  }

  /** Ends the worker, with what it does, and starts the next one. Whoever asks meanwhile waits for that. */
  async #replace(worker: Worker, stopped: Stopped): Promise<void> {
    if (this.#ending === worker) return;
    this.#ending = worker;
    // What the worker had sent before it ended is delivered before this resolves.
    const ended = worker.terminate();
    const next = ended.then(() => {
      this.#abandon(stopped);
      if (this.#closing) throw new Error('this world was closed');
      return this.#startNext();
    });
    next.catch(() => undefined);
    this.#ready = next;
    await ended;
  }

  /** The worker ended, and nobody here has ended it. */
  #lost(error: Error): void {
    const wasReady = this.#isReady;
    this.#abandon(workerFailed(error));
    if (this.#closing) return;
    // One that does not come up is not started again and again.
    if (wasReady) this.#startNext();
    else this.#isDown = true;
  }

  #startNext(): Promise<string[]> {
    this.#isDown = false;
    this.#worker = spawnWorker();
    this.#ready = this.#start(this.#worker);
    return this.#ready;
  }

  /** Answers all who wait for a worker that has ended: the command as stopped, others as failed. */
  #abandon(stopped: Stopped): void {
    this.leases.recall();
    this.#records.end();
    const command = this.#running === null ? undefined : this.#pending.take(this.#running);
    const why = `the worker of this world was ended (${stopped.message}) and another one started: whether this was done is not known; look, and ask again`;
    this.#pending.failAll(why, Atomics.load(this.#begun, 0));
    this.lines.lost(why);
    this.#before = this.#usage;
    this.#isReady = false;
    command?.reject(stopped);
  }

  async #stoppedResult(stopped: Stopped): Promise<JobResult> {
    return {
      ...(await this.#records.printed(`dirigent: ${stopped.message}\n`)),
      exitCode: stopped.exitCode,
      exited: false,
      usage: this.#usage,
      changed: [],
      stopped: true,
      refused: [],
      read: null,
      writes: this.#records.writes,
    };
  }
}
