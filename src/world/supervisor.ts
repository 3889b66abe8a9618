/**
 * The supervisor of a world's worker: it starts it, ends it when a command
 * cannot be stopped otherwise, and starts another one with the memory mounts
 * and the shell's state as the last finished command left them.
 */
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { Change } from '../changes/index.ts';
import type { LoadStored, MemoryTree } from '../memory-tree/tree.ts';
import type { MountUsage } from '../mount/contract/contract.ts';
import { addUsage } from '../mount/contract/usage.ts';
import type { Approval } from '../policy/approval.ts';
import type { ActingContext } from '../policy/context.ts';
import type { ScheduleStep } from '../schedule/journal.ts';
import { PausableClock } from '../shell/clock.ts';
import type { ShellState } from '../shell/shell.ts';
import type { ShellTerminal, TerminalLooks } from '../shell/terminal.ts';
import { inSlices } from '../slices.ts';
import { isOutOfMemory, MemoryWatch, memoryLimits } from './memory-watch.ts';
import { Mirrors } from './mirrors.ts';
import { OutboxReader } from './outbox.ts';
import { joined } from './printed.ts';
import type { FromWorker, Refusal, ToWorker, Usage, WorldSpec } from './protocol.ts';
import { spawnWorker } from './spawn-worker.ts';
import type { TrafficEvent } from './traffic.ts';
import { revive } from './wire-errors.ts';

/** A command for the worker. */
export interface Job {
  script: string;
  cwd?: string;
  env?: Record<string, string>;
  stdin?: Uint8Array;
  signal?: AbortSignal;
  deadlineMs: number;
  context: ActingContext;
  /** In a shell that begins anew. */
  fresh?: boolean;
  /** Called with what the command prints, as it prints it. */
  onOutput?: (stream: OutputStream, bytes: Uint8Array) => void;
  /** Called when it begins to wait for a person. */
  onParked?: (() => void) | undefined;
  /** Called with what the mounts do for it. */
  onTraffic?: ((event: TrafficEvent) => void) | undefined;
  /** Where a person sits. */
  terminal?: ShellTerminal | undefined;
}

export type OutputStream = 'stdout' | 'stderr';

/** What became of it. */
export interface JobResult {
  stdout: Uint8Array;
  stderr: Uint8Array;
  exitCode: number;
  /** The script said `exit`. */
  exited: boolean;
  /** Requests and bytes by mount point, since the worker began. */
  usage: Usage;
  /** Paths that the command changed, in order. */
  changed: string[];
  /** The worker was ended under it: `changed` is not known. */
  stopped: boolean;
  /** What it was refused, whatever it did with the messages. */
  refused: Refusal[];
  /** The changes of services that it made, each as it was last heard of, and the points of their mounts. */
  writes: { change: Change; point: string }[];
  /** Points of the mounts that it read, on behalf of an agent; null where that is not known. */
  read: string[] | null;
}

/** Who wants to hear what becomes of a call, beside its answer; and may end its waiting. */
export interface CallWatch {
  /** Ends the waiting for a person; what a mount has begun goes on. */
  signal?: AbortSignal;
  /** It waits for a person now. */
  onParked?(): void;
  /** The points of the mounts that it read. */
  onRead?(points: readonly string[]): void;
  /** What the mounts do for it, as it happens. */
  onTraffic?(event: TrafficEvent): void;
  /** It asks the person at its terminal. */
  onAsk?: ShellTerminal['ask'];
}

/** What a supervisor is made with, beside the world's spec. */
export interface SupervisorOptions {
  worker?: Worker | undefined;
  /** What the worker may take of memory, beside the files of memory mounts, in bytes. */
  maxMemoryBytes?: number | undefined;
  /** Gives the content of `stored` files of memory mounts. */
  load?: LoadStored;
  /** Told of every step of a change in the journal. */
  onChange?: (change: Change, point: string) => void;
  /** Told of every approval that is asked for or answered. */
  onApproval?: (approval: Approval) => void;
  /** Told of everything that is scheduled, or is not any more. */
  onSchedule?: (step: ScheduleStep) => void;
}

/** After its deadline, or an abort, a command has so many ms to end by itself. */
const GRACE_MS = 300;

/** An idle worker that is told to close has so many ms for it. */
const CLOSE_MS = 1000;

/** What a running command says is read this often, ms: a worker that spins could not tell of it. */
const READ_MS = 25;

/** Requests without an id of their own, as they are sent. */
type Request = ToWorker extends infer T
  ? T extends { id: number }
    ? Omit<T, 'id'>
    : never
  : never;

/** What is asked of the namespace and the journals. */
type Call = Extract<
  Request,
  {
    type:
      | 'fs'
      | 'changes'
      | 'usage'
      | 'sync'
      | 'progress'
      | 'probe'
      | 'approvals'
      | 'policy'
      | 'tool'
      | 'note';
  }
>;

interface Pending {
  resolve(message: FromWorker): void;
  reject(error: Error): void;
  watch: CallWatch;
}

/** One worker at a time, with what outlives it. */
export class Supervisor {
  readonly #spec: WorldSpec;
  readonly #mirrors: Mirrors;
  readonly #onChange: (change: Change, point: string) => void;
  /** What became of each change that was told since the command began, by id. */
  readonly #changes = new Map<string, { change: Change; point: string }>();
  readonly #pending = new Map<number, Pending>();
  readonly #live = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  readonly #memory: MemoryWatch;
  #outbox = new OutboxReader();
  #onOutput: Job['onOutput'];
  #worker: Worker;
  #ready: Promise<string[]>;
  #nextId = 1;
  #shell: ShellState | null = null;
  #shellOrigins: readonly string[] = [];
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
  readonly #onApproval: (approval: Approval) => void;
  readonly #onSchedule: (step: ScheduleStep) => void;

  constructor(spec: WorldSpec, options: SupervisorOptions = {}) {
    const { worker = spawnWorker(), load, onChange, onApproval, onSchedule } = options;
    this.#memory = new MemoryWatch(memoryLimits(options.maxMemoryBytes, spec.mounts), (limit) => {
      void this.#replace(this.#worker, usedUp(limit));
    });
    this.#onSchedule = onSchedule ?? (() => undefined);
    this.#onApproval = onApproval ?? (() => undefined);
    this.#spec = spec;
    this.#onChange = onChange ?? (() => undefined);
    this.#mirrors = new Mirrors(spec.mounts, load);
    this.#worker = worker;
    this.#ready = this.#start(worker);
  }

  /** The names of the shell's commands, once the worker is up. */
  get commands(): Promise<string[]> {
    return this.#awaited(() => this.#up());
  }

  /** Runs one command. The caller sees to it that there is one at a time. */
  run(job: Job): Promise<JobResult> {
    return this.#awaited(() => this.#run(job));
  }

  async #run(job: Job): Promise<JobResult> {
    await this.#up();
    this.#live.stdout.length = 0;
    this.#live.stderr.length = 0;
    this.#changes.clear();
    const { signal, onOutput, onParked, onTraffic, terminal, ...rest } = job;
    this.#onOutput = onOutput;
    if (signal?.aborted === true) return this.#stoppedResult(new Stopped(130, 'interrupted'));
    const id = this.#nextId++;
    this.#running = id;
    const stop = this.#guard(id, job.deadlineMs, signal);
    const reading = setInterval(() => this.#readOutbox(), READ_MS);
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
          ...(onTraffic === undefined ? {} : { watched: true }),
          ...(terminal === undefined ? {} : { terminal: looksOf(terminal) }),
        },
        id,
        watch,
      );
      if (done.type !== 'done') throw new Error(`the worker answered ${done.type} to a command`);
      if (done.state !== null) this.#shell = done.state;
      this.#shellOrigins = done.shellOrigins;
      this.#usage = total(this.#before, done.usage);
      const { exitCode, exited, changed, refused, read } = done;
      const usage = this.#usage;
      const printed = await this.#printed(done.notices);
      const writes = [...this.#changes.values()];
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
      this.#running = null;
    }
  }

  /** Calls a method of the namespace, or of the change journal, in the worker. */
  call(request: Call, watch: CallWatch = {}): Promise<unknown> {
    return this.#awaited(() => this.#call(request, watch));
  }

  async #call(request: Call, watch: CallWatch): Promise<unknown> {
    await this.#up();
    const watched = watch.onTraffic !== undefined && request.type === 'fs';
    const asked = watched ? { ...request, watched } : request;
    const id = this.#nextId++;
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

  /** The files of a memory mount, which outlive the worker. */
  mirror(point: string): MemoryTree | undefined {
    return this.#mirrors.at(point);
  }

  /** The paths in a memory mount that were changed since the last call. */
  takeTouched(point: string): string[] {
    return this.#mirrors.takeTouched(point);
  }

  /** Where the shell stands. */
  get cwd(): string {
    return this.#shell?.cwd ?? this.#spec.cwd;
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
    if (this.#isReady && this.#pending.size === 0) {
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
    const spec = { ...this.#spec, mounts, shell: this.#shell, shellOrigins: this.#shellOrigins };
    this.#post(worker, { type: 'start', spec });
    return ready;
  }

  #receive(message: FromWorker): void {
    this.#readOutbox();
    switch (message.type) {
      case 'segment':
        this.#outbox.add(message.segment);
        this.#readOutbox();
        return;
      case 'approval':
        this.#onApproval(message.approval);
        return;
      case 'schedule':
        this.#onSchedule(message.step);
        return;
      case 'parked':
        if (message.waiting > 0) this.#clock.pause();
        else this.#clock.resume();
        return;
      case 'traffic':
        this.#pending.get(message.id)?.watch.onTraffic?.(message.event);
        return;
      case 'ask':
        void this.#ask(message);
        return;
      case 'waits':
        this.#pending.get(message.id)?.watch.onParked?.();
        return;
      case 'done':
        this.#take(message.id)?.resolve(message);
        return;
      case 'answer':
      case 'refused': {
        const pending = this.#take(message.id);
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
      text = (await this.#pending.get(id)?.watch.onAsk?.(request)) ?? null;
    } finally {
      // Whoever was asked has failed: the command goes on as at an end of input.
      this.#post(worker, { type: 'reply', ask, text });
    }
  }

  #readOutbox(): void {
    for (const record of this.#outbox.read()) {
      if (record.kind === 'memory') {
        this.#mirrors.apply(record.point, record.change);
      } else if (record.kind === 'change') {
        const { change, point } = record;
        this.#changes.set(change.id, { change, point });
        this.#onChange(change, point);
      } else {
        this.#live[record.kind].push(record.bytes);
        this.#onOutput?.(record.kind, Buffer.from(record.bytes));
      }
    }
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #failAll(error: Error): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }

  #send(request: Request, id: number, watch: CallWatch): Promise<FromWorker> {
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, watch });
      this.#post(this.#worker, { ...request, id } as ToWorker);
    });
  }

  #post(worker: Worker, message: ToWorker): void {
    worker.postMessage(message);
  }

  /** Watches the clock and the caller's signal; ends the worker when asking did not help. */
  #guard(id: number, deadlineMs: number, signal: AbortSignal | undefined): () => void {
    const worker = this.#worker;
    let grace: NodeJS.Timeout | undefined;
    const end = (stopped: Stopped): void => {
      if (this.#pending.has(id)) void this.#replace(worker, stopped);
    };
    const onAbort = (): void => {
      this.#post(worker, { type: 'abort', id });
      grace = setTimeout(() => end(new Stopped(130, 'interrupted')), GRACE_MS);
    };
    // The time in which a person is waited for is not the command's.
    const clock = new PausableClock();
    this.#clock = clock;
    const stopDeadline = clock.at(clock.now() + deadlineMs + GRACE_MS, () =>
      end(new Stopped(124, `stopped after ${deadlineMs / 1000} s, its deadline`)),
    );
    signal?.addEventListener('abort', onAbort, { once: true });
    return () => {
      stopDeadline();
      clearTimeout(grace);
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
    const stopped = isOutOfMemory(error) ? usedUp(null) : new Stopped(137, ENDED(error));
    this.#abandon(stopped);
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
    this.#readOutbox();
    this.#outbox = new OutboxReader();
    const command = this.#running === null ? undefined : this.#take(this.#running);
    this.#failAll(
      new Error(
        `the worker of this world was ended (${stopped.message}) and another one started: whether this was done is not known; look, and ask again`,
      ),
    );
    this.#before = this.#usage;
    this.#isReady = false;
    command?.reject(stopped);
  }

  /** All that the command printed, copied out of the shared memory, and what is added to its stderr. */
  async #printed(more: string): Promise<Pick<JobResult, 'stdout' | 'stderr'>> {
    const { stdout, stderr } = this.#live;
    return {
      stdout: await inSlices(joined(stdout.splice(0))),
      stderr: await inSlices(joined([...stderr.splice(0), Buffer.from(more)])),
    };
  }

  async #stoppedResult(stopped: Stopped): Promise<JobResult> {
    return {
      ...(await this.#printed(`dirigent: ${stopped.message}\n`)),
      exitCode: stopped.exitCode,
      exited: false,
      usage: this.#usage,
      changed: [],
      stopped: true,
      refused: [],
      read: null,
      writes: [...this.#changes.values()],
    };
  }
}

const ENDED = (error: Error): string => `stopped: ${error.message}`;

/** @param limit in bytes; null where the engine itself had no more to give */
function usedUp(limit: number | null): Stopped {
  const most = limit === null ? '' : ` (${Math.round(limit / 1024 / 1024)} MiB)`;
  return new Stopped(
    137,
    `stopped: the memory of this world's worker was used up${most}; take less at a time, or raise maxMemoryBytes in the config`,
  );
}
const looksOf = ({ columns, rows, color }: ShellTerminal): TerminalLooks => ({
  columns,
  rows,
  color,
});

/** A command was ended from outside. */
class Stopped extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

const NOTHING: MountUsage = { requests: 0, bytes: 0 };

function total(before: Usage, now: Usage): Usage {
  const sum: Usage = { ...before };
  for (const [point, spent] of Object.entries(now)) {
    sum[point] = addUsage(before[point] ?? NOTHING, spent);
  }
  return sum;
}
