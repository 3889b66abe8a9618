/** In the supervisor: the thread of one background job, from its start to its end. */
import type { Worker } from 'node:worker_threads';
import { FsError, isFsError, sentenceOf } from '../../errors.ts';
import type { ActingContext } from '../../policy/context.ts';
import type { WireError } from '../fs-call.ts';
import type { CallWatch, OutputStream, Request } from '../job.ts';
import { type MemoryLimits, MemoryWatch } from '../memory-watch.ts';
import { OutboxReader } from '../outbox.ts';
import { WorkerGone } from '../pending-calls.ts';
import { ProgramRuns, type RunForWorld } from '../program-runs.ts';
import type { Refusal } from '../protocol.ts';
import { spawnWorker } from '../spawn-worker.ts';
import { wire } from '../wire-errors.ts';
import type { JobAsk } from './asks.ts';
import type { FromJob, JobAnswer, JobSpec, ToJob } from './protocol.ts';

/** What a thread is started with. */
export interface JobThreadOptions {
  number: number;
  spec: JobSpec;
  memory: MemoryLimits;
  /** Asks the worker of the world. */
  call(request: Extract<Request, { type: 'job' | 'job-end' }>, watch?: CallWatch): Promise<unknown>;
  /** Who acts in it, with what holds now. */
  now(context: ActingContext): ActingContext;
  /** Sees to it that the policy in force is the one on the disk. */
  refresh(): Promise<void>;
  runProgram: RunForWorld | undefined;
  onOutput(stream: OutputStream, bytes: Uint8Array): void;
  onChanged(paths: readonly string[]): void;
}

/** How a job ended. */
export interface JobEnd {
  exitCode: number;
  /** The signal that ended it; 0 where none did. */
  signal: number;
  /** Its world ended, and it with it. */
  interrupted: boolean;
}

/** What it prints is read this often, ms: one that spins could not tell of it. */
const READ_MS = 50;
/** After a signal, or its deadline, a job has so many ms to end by itself. */
const GRACE_MS = 500;
const KILL = 9;
/** More refusals of one job than this say nothing new. */
const REFUSALS_KEPT = 100;

export class JobThread {
  readonly ended: Promise<JobEnd>;
  /** What it did; `requests` are those that mounts sent for it. */
  readonly deeds = { changed: new Set<string>(), refused: [] as Refusal[], requests: 0 };
  readonly #options: JobThreadOptions;
  readonly #end = Promise.withResolvers<JobEnd>();
  readonly #worker: Worker;
  readonly #outbox = new OutboxReader();
  readonly #memory: MemoryWatch;
  readonly #programs: ProgramRuns;
  /** What the world is asked, and the job may give up. */
  readonly #asked = new Map<number, AbortController>();
  readonly #timers: NodeJS.Timeout[];
  #context: ActingContext;
  #signal = 0;
  #isOver = false;

  constructor(options: JobThreadOptions) {
    const { spec, memory, runProgram } = options;
    this.#options = options;
    this.#context = spec.context;
    this.ended = this.#end.promise;
    this.#programs = new ProgramRuns(runProgram, () => () => options.now(this.#context));
    const worker = spawnWorker('job');
    this.#worker = worker;
    worker.on('message', (message: FromJob) => this.#receive(message));
    worker.on('error', (error) => this.#fail(sentenceOf(error)));
    worker.on('exit', () => this.#fail('its thread ended'));
    this.#memory = new MemoryWatch(
      memory,
      (limit) => this.#fail(`it used up its memory (${Math.round(limit / 1024 / 1024)} MiB)`),
      () => this.#post({ type: 'collect' }),
    );
    this.#memory.begin(() => worker);
    const overdue = (): void => {
      this.#say(`stopped after ${spec.deadlineMs / 1000} s, the time of a job`);
      this.#over({ exitCode: 124, signal: 0, interrupted: false });
    };
    this.#timers = [
      setInterval(() => this.#read(), READ_MS),
      setTimeout(overdue, spec.deadlineMs + GRACE_MS),
    ];
    // It keeps no program from ending: with that its world ends, and it.
    for (const timer of this.#timers) timer.unref();
    worker.unref();
    this.#post({ type: 'begin', spec });
  }

  /** Services whose text it has read, or was begun with. */
  get origins(): readonly string[] {
    return this.#context.untrustedFrom ?? [];
  }

  /** Sends it a signal: where it has no trap for it, it ends. */
  signal(signal: number): void {
    if (this.#isOver) return;
    this.#signal = signal;
    if (signal === KILL) return this.#killed();
    this.#post({ type: 'signal', signal });
    // One that spins does not hear of it.
    this.#timers.push(setTimeout(() => this.#killed(), GRACE_MS).unref());
  }

  /** Its world ends. */
  async interrupt(): Promise<void> {
    this.#say('interrupted: its world ended');
    this.#over({ exitCode: 143, signal: 0, interrupted: true });
    await this.#worker.terminate();
  }

  #killed(): void {
    // A trap took the signal, and it goes on.
    if (this.#signal === 0) return;
    const signal = this.#signal;
    this.#over({ exitCode: 128 + signal, signal, interrupted: false });
  }

  #receive(message: FromJob): void {
    if (this.#isOver) return;
    this.#read();
    switch (message.type) {
      case 'segment':
        this.#outbox.add(message);
        return;
      case 'ask':
        void this.#ask(message);
        return;
      case 'stop':
        this.#asked.get(message.id)?.abort();
        return;
      case 'program':
      case 'program-stop':
        this.#programs.receive(message, (answer) => {
          if (answer.type === 'program-end') {
            this.#changed(answer.end.changed);
            this.#refused(answer.end.refused);
          }
          this.#post(answer as ToJob);
        });
        return;
      case 'trapped':
        this.#signal = 0;
        return;
      case 'ended': {
        if (this.#signal !== 0) return this.#killed();
        const { exitCode } = message;
        return this.#over({ exitCode, signal: 0, interrupted: false });
      }
      case 'failed':
        return this.#fail(message.message);
      default:
        return;
    }
  }

  /** Has an operation done by the world's namespace, in the name of whoever started the job. */
  async #ask({ id, strand, ask }: Extract<FromJob, { type: 'ask' }>): Promise<void> {
    const { number, call, refresh, now } = this.#options;
    const stop = new AbortController();
    this.#asked.set(id, stop);
    const once = async (): Promise<JobAnswer> => {
      await refresh();
      const context = now(this.#context);
      const request = { type: 'job', job: number, context, strand, ask } as const;
      return (await call(request, { signal: stop.signal })) as JobAnswer;
    };
    let answer: JobAnswer;
    try {
      answer = await once().catch((error: unknown) => {
        // What a command beside it ended can be read again.
        if (error instanceof WorkerGone && onlyReads(ask)) return once();
        throw error;
      });
    } catch (error) {
      answer = lost(ask, error);
    } finally {
      this.#asked.delete(id);
    }
    if (this.#isOver) return;
    this.#changed(answer.changed);
    this.#refused(answer.refused);
    this.deeds.requests += answer.requests;
    this.#heard(answer.origins);
    this.#post({ type: 'answer', id, answer });
  }

  /** What it has read of services it knows from now on, whichever worker the world has. */
  #heard(origins: readonly string[]): void {
    const { untrustedFrom = [] } = this.#context;
    const all = new Set([...untrustedFrom, ...origins]);
    if (origins.length === 0 || all.size === untrustedFrom.length) return;
    this.#context = { ...this.#context, untrustedRead: true, untrustedFrom: [...all] };
  }

  #changed(paths: readonly string[]): void {
    if (paths.length === 0) return;
    for (const path of paths) this.deeds.changed.add(path);
    this.#options.onChanged(paths);
  }

  #refused(refused: readonly Refusal[]): void {
    const room = REFUSALS_KEPT - this.deeds.refused.length;
    this.deeds.refused.push(...refused.slice(0, Math.max(0, room)));
  }

  #read(): void {
    for (const record of this.#outbox.read())
      if (record.kind === 'stdout' || record.kind === 'stderr')
        this.#options.onOutput(record.kind, Buffer.from(record.bytes));
  }

  #say(text: string): void {
    if (!this.#isOver) this.#options.onOutput('stderr', Buffer.from(`dirigent: ${text}\n`));
  }

  #fail(why: string): void {
    this.#say(`stopped: ${why}`);
    this.#over({ exitCode: 137, signal: 0, interrupted: false });
  }

  #over(end: JobEnd): void {
    if (this.#isOver) return;
    this.#read();
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#memory.end();
    this.#programs.endAll();
    void this.#worker.terminate();
    this.#end.resolve(end);
  }

  #post(message: ToJob): void {
    this.#worker.postMessage(message);
  }
}

const CHANGING: ReadonlySet<string> = new Set([
  'writeFile',
  'appendFile',
  'mkdir',
  'rm',
  'cp',
  'mv',
  'chmod',
  'utimes',
  'symlink',
  'link',
  'call',
  'flush',
]);
const onlyReads = (ask: JobAsk): boolean =>
  ask.on === 'fs' ? !CHANGING.has(ask.method) : ask.on !== 'permit';

/** The answer where none came. */
function lost(ask: JobAsk, error: unknown): JobAnswer {
  const path = ask.on === 'fs' ? String(ask.args[0]) : '/';
  const op = ask.on === 'fs' ? ask.method : ask.on;
  const failure = isFsError(error)
    ? error
    : new FsError('EIO', { path, op, reason: `${path}: ${sentenceOf(error)}` });
  const fault = wire(failure) as WireError;
  return {
    outcome: { error: fault },
    faults: [fault],
    endless: null,
    held: 0,
    changed: [],
    refused: [],
    origins: [],
    requests: 0,
  };
}
