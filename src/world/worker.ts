/**
 * The worker of a world: shell, namespace and mounts together, so that no file
 * operation of a command crosses a thread. It does what it is told, one command
 * at a time, and tells what must outlive it as it happens.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { DefenseInDepthBox } from 'just-bash';
import type { Change } from '../changes/index.ts';
import type { MountTable } from '../namespace/table.ts';
import { type ActingContext, copiedFrom, USER } from '../policy/context.ts';
import { PausableClock } from '../shell/clock.ts';
import type { ShellTerminal, TerminalLooks, TerminalRequest } from '../shell/terminal.ts';
import { type Assembly, assembleWorld } from './assembly.ts';
import { pointOf } from './attach.ts';
import { AskedJobs } from './background/asked.ts';
import { ServedJobs } from './background/served.ts';
import { BufferCalls } from './buffer-calls.ts';
import { CredentialCalls } from './credential-calls.ts';
import type { FsAnswer } from './fs-call.ts';
import { collectGarbage } from './garbage.ts';
import { ServedLines } from './line/served.ts';
import { makeCalls } from './make-calls.ts';
import { OutboxWriter } from './outbox.ts';
import { nobodyYet } from './policing.ts';
import { probeMounts } from './probe.ts';
import type { FromWorker, OwnShell, ToWorker, WorldSpec } from './protocol.ts';
import type { PlacedChange } from './proxies.ts';
import { refusalsOf } from './refusals.ts';
import { syncMounts, syncProgress } from './sync.ts';
import { type CallTraffic, Traffic } from './traffic.ts';
import { WhenIdle } from './when-idle.ts';
import { wire } from './wire-errors.ts';
import { WorkerPrograms } from './worker-programs.ts';

/** What a started worker holds. */
interface Running extends Assembly {
  clock: PausableClock;
  notices: { text: string; point: string }[];
  /** What is under way and can be stopped, by the id of its message. */
  aborts: Map<number, AbortController>;
  /** The last message that was begun with: what came after it can be sent again. Shared. */
  begun: Int32Array;
  /** Has a command run? */
  hasRun: boolean;
  /** The services whose text commands of the shell have read: what it has of it may be printed at any time. */
  shellOrigins: Set<string>;
  traffic: Traffic;
  /** What the person at the terminal was asked and has not answered. */
  asked: Map<number, (text: string | null) => void>;
  idle: WhenIdle;
  /** Programs of the host that commands have run. */
  programs: WorkerPrograms;
  /** Background jobs that use this world's files. */
  jobs: ServedJobs;
  /** Processes of the host that ask by themselves. */
  lines: ServedLines;
}

/** How long the first command waits to hear what became of changes left under way, in ms. */
const RECOVERY_MS = 2_000;

const port = parentPort;
if (port === null)
  throw new Error('this module is the worker of a world; start it with createWorld');
const send = (message: FromWorker, transfer: ArrayBuffer[] = []): void =>
  port.postMessage(message, transfer);

/** The message that is being answered belongs to one world, and so does this worker. */
const started = Promise.withResolvers<Running>();

port.on('message', (message: ToWorker) => {
  if (message.type === 'start') {
    start(message.spec, message.begun).then(
      (running) => started.resolve(running),
      (error: unknown) => send({ type: 'failed', error: wire(error) }),
    );
    return;
  }
  void started.promise.then((running) => running.idle.during(() => handle(running, message)));
});
send({ type: 'loaded' });

async function start(spec: WorldSpec, begun: Int32Array): Promise<Running> {
  const notices: Running['notices'] = [];
  const outbox = new OutboxWriter(send);
  const programs = new WorkerPrograms(send);
  const buffers = new BufferCalls(send);
  /** Whoever runs the command: what it has read so far, whatever it begins has in view. */
  const knowing = (): ActingContext =>
    inView(running.acting.context, running.policing.originsOf(running.acting.read ?? []));
  const asked = new AskedJobs(send, knowing, (origins) => {
    const { context, read } = running.acting;
    for (const origin of origins) read?.add(copiedFrom(origin));
    return running.policing.note({ ...context, untrustedRead: true, untrustedFrom: origins });
  });
  const credentials = new CredentialCalls(send);
  // They are asked for while the world is being made.
  port?.on('message', (message: ToWorker) => {
    if (message.type === 'credential-answer' || message.type === 'credential-failed')
      credentials.receive(message);
  });
  const assembly = await assembleWorld(spec, {
    onOutput: (stream, bytes) => outbox.put({ kind: stream, bytes }),
    onChange: (change, point) => {
      const job = running.jobs.current();
      outbox.put({ kind: 'change', point, change, ...(job === undefined ? {} : { job }) });
    },
    onMemoryChange: (point, change) => outbox.put({ kind: 'memory', point, change }),
    onNotice: (text, point) => notices.push({ text, point }),
    onStep: send,
    onParked: (waiting) => {
      if (waiting > 0) running.clock.pause();
      else running.clock.resume();
      send({ type: 'parked', waiting });
    },
    ...(spec.asksCredentials === true
      ? { askCredential: (request, rejected) => credentials.ask(request, rejected) }
      : {}),
    buffers: (able) => buffers.buffers(able),
    ...(spec.jobs === true ? { background: asked } : {}),
    runProgram: (program, signal) =>
      programs.run(program, knowing(), { signal, read: running.acting.read }),
  });
  send({ type: 'ready', commands: assembly.commands });
  const clock = new PausableClock();
  const traffic = new Traffic();
  const running: Running = {
    ...assembly,
    clock,
    notices,
    aborts: new Map(),
    begun,
    hasRun: false,
    shellOrigins: new Set(spec.shellOrigins),
    traffic,
    asked: new Map(),
    idle: new WhenIdle(assembly.ahead),
    programs,
    jobs: new ServedJobs(assembly, traffic),
    lines: new ServedLines({
      send,
      tell: (line, news) => outbox.put({ kind: 'line', line, news }),
      make: (acting, calls) => makeCalls(assembly, acting, calls),
      during: (work) => running.idle.during(work),
    }),
  };
  port?.on('message', (message: ToWorker) => {
    if (message.type === 'abort') running.aborts.get(message.id)?.abort();
    else if (message.type === 'reply') {
      running.asked.get(message.ask)?.(message.text);
      running.asked.delete(message.ask);
    } else if (message.type === 'program-end' || message.type === 'program-failed')
      programs.receive(message);
    else if (message.type === 'buffer-answer' || message.type === 'buffer-failed')
      buffers.receive(message);
    else if (message.type === 'jobs-answer' || message.type === 'jobs-failed')
      asked.receive(message);
    else if (
      message.type === 'line-go' ||
      message.type === 'line-abort' ||
      message.type === 'line-end'
    )
      running.lines.receive(message);
    else if (message.type === 'collect') void collectGarbage();
  });
  return running;
}

const placed = (table: MountTable, change: Change): PlacedChange => ({
  ...change,
  point: pointOf(table, change.mount),
});

async function handle(running: Running, message: ToWorker): Promise<void> {
  if ('id' in message) Atomics.store(running.begun, 0, message.id);
  switch (message.type) {
    case 'exec':
      return exec(running, message);
    case 'fs': {
      const read = new Set<string>();
      const work = async (): Promise<FsAnswer> => {
        // Each message that belongs to no turn is one of its own: its context is its alone.
        const { context = nobodyYet('host').context } = message;
        const watch = watchOf(running, message);
        const signal = stoppable(running, message.id);
        const onParked = (): void => waits(message.id);
        const acting = { context, read, watch, signal, onParked };
        return makeCalls(running, acting, message.calls).finally(() => watch?.end());
      };
      return answer(message.id, work, read).finally(() => running.aborts.delete(message.id));
    }
    case 'changes':
      return answer(message.id, async () => {
        await running.attached.recovered;
        const journal = running.attached.changes();
        const call = journal[message.method] as (...args: unknown[]) => unknown;
        const value = await call.apply(journal, message.args);
        const { method } = message;
        if (method === 'list')
          return (value as Change[]).map((each) => placed(running.table, each));
        const one = method === 'get' && value !== null;
        return one ? placed(running.table, value as Change) : value;
      });
    case 'approvals':
    case 'questions':
      return answer(message.id, async () => {
        const journal = await running.policing[message.type]();
        const call = journal[message.method] as (...args: unknown[]) => unknown;
        return call.apply(journal, message.args);
      });
    case 'question': {
      const { context, draft } = message;
      const signal = stoppable(running, message.id);
      const acting = { context, signal, onParked: () => waits(message.id) };
      return answer(message.id, () =>
        running.policing.ask(acting, draft).finally(() => running.aborts.delete(message.id)),
      );
    }
    case 'tool': {
      const { context, tool } = message;
      const signal = stoppable(running, message.id);
      const acting = { context, signal, onParked: () => waits(message.id) };
      return answer(message.id, () =>
        running.policing.permitTool(acting, tool).finally(() => running.aborts.delete(message.id)),
      );
    }
    case 'job': {
      const { job, context, strand, ask } = message;
      const signal = stoppable(running, message.id);
      return answer(message.id, () =>
        running.jobs
          .answer(job, context, strand, ask, signal)
          .finally(() => running.aborts.delete(message.id)),
      );
    }
    case 'job-end':
      return answer(message.id, async () => running.jobs.end(message.job));
    case 'note':
      return answer(message.id, () => running.policing.note(message.context));
    case 'policy':
      return answer(message.id, () => running.policing.use(message.policy));
    case 'sync':
      return answer(message.id, async () => {
        const synced = await syncMounts(running.table, message.path);
        return { synced, notices: noticesOf(running) };
      });
    case 'probe':
      return answer(message.id, async () =>
        probeMounts(running.table, running.attached.replica().held(), message.timeoutMs),
      );
    case 'hear':
      return answer(message.id, async () => {
        const heard = await running.table.at(message.point)?.mount.hear?.(message.events);
        return { heard: heard ?? null, notices: noticesOf(running) };
      });
    case 'progress':
      return answer(message.id, async () => syncProgress(running.table));
    case 'line':
      return answer(message.id, () => running.lines.open(message));
    case 'usage':
      return answer(message.id, async () => running.attached.usage());
    case 'close':
      await running.texts.close();
      await running.attached.close();
      // Of this thread alone.
      return process.exit();
    default:
      return;
  }
}

const noticesOf = (running: Running): string[] => [
  ...new Set(running.notices.splice(0).map(({ text }) => text)),
];

async function exec(running: Running, message: Extract<ToWorker, { type: 'exec' }>): Promise<void> {
  const { shell, agent, attached, notices } = running;
  const signal = stoppable(running, message.id);
  agent.clearErrors();
  agent.takeChanges();
  running.programs.take();
  if (!running.hasRun) await Promise.race([attached.recovered, delay(RECOVERY_MS)]);
  running.hasRun = true;
  // What an interrupted command had opened and not written is not written now.
  agent.forgetHeld();
  const { id, script, cwd, env, stdin, deadlineMs, fresh, keepsJobs, own } = message;
  const leave = own === undefined ? () => undefined : enterShell(running, own);
  if (fresh === true) {
    shell.reset();
    running.shellOrigins.clear();
  }
  // Whoever runs a command in a shell has what the shell has in view.
  const context = inView(message.context, [...running.shellOrigins]);
  running.clock = new PausableClock();
  running.acting.context = context;
  running.acting.signal = signal;
  running.acting.onParked = () => waits(message.id);
  const read = new Set([...running.shellOrigins].map(copiedFrom));
  running.acting.read = read;
  const watch = watchOf(running, message);
  running.acting.watch = watch;
  const mark = agent.errorMark();
  try {
    await running.policing.prepare(context);
    const terminal = message.terminal && terminalOf(running, message.id, message.terminal, signal);
    running.terminal.now = terminal ?? null;
    const result = await shell.exec(script, {
      signal,
      ...(terminal === undefined ? {} : { terminal }),
      clock: running.clock,
      deadlineMs,
      ...(keepsJobs === undefined ? {} : { keepsJobs }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
      ...(stdin === undefined ? {} : { stdin }),
    });
    watch?.end();
    const told = notices.splice(0);
    const said = [...new Set(told.map(({ text }) => `dirigent: ${text}\n`))];
    // A person who only looks goes on typing what is theirs.
    if (context.actor !== USER || shell.leftAnything())
      for (const origin of running.policing.originsOf(read)) running.shellOrigins.add(origin);
    for (const { point } of told) read.add(point);
    const deeds = running.programs.take();
    // What it printed was told through the outbox, and is not sent once more.
    send({
      type: 'done',
      id,
      notices: said.join(''),
      exitCode: result.exitCode,
      exited: result.exited,
      usage: attached.usage(),
      changed: [...new Set([...agent.takeChanges(), ...deeds.changed])],
      refused: [...refusalsOf(agent.errorsSince(mark)), ...deeds.refused],
      read: [...read],
      state: shell.state(),
      shellOrigins: [...running.shellOrigins],
    });
  } catch (error) {
    watch?.end();
    send({ type: 'refused', id, error: wire(error) });
  } finally {
    running.acting.watch = null;
    running.terminal.now = null;
    running.aborts.delete(id);
    leave();
  }
}

/** The next command is run in another shell. @returns puts that of the world back */
function enterShell({ shell, shellOrigins }: Running, { state, origins }: OwnShell): () => void {
  const worlds = { state: shell.state(), origins: [...shellOrigins] };
  const put = (to: OwnShell): void => {
    shell.reset(to.state ?? undefined);
    shellOrigins.clear();
    for (const origin of to.origins) shellOrigins.add(origin);
  };
  put({ state, origins });
  return () => put(worlds);
}

/** Whoever acts has text of these services in view, too. */
function inView(context: ActingContext, origins: readonly string[]): ActingContext {
  if (origins.length === 0) return context;
  const untrustedFrom = [...new Set([...(context.untrustedFrom ?? []), ...origins])];
  return { ...context, untrustedRead: true, untrustedFrom };
}

/** The terminal of a command. While a person is asked its deadline waits. */
function terminalOf(
  running: Running,
  id: number,
  looks: TerminalLooks,
  signal: AbortSignal,
): ShellTerminal {
  let last = 0;
  const ask = async (request: TerminalRequest): Promise<string | null> => {
    if (signal.aborted) return null;
    const key = id * 1_000_000 + ++last;
    const { promise, resolve } = Promise.withResolvers<string | null>();
    running.asked.set(key, resolve);
    const onAbort = (): void => resolve(null);
    signal.addEventListener('abort', onAbort, { once: true });
    running.clock.pause();
    send({ type: 'parked', waiting: 1 });
    send({ type: 'ask', id, ask: key, request });
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      running.clock.resume();
      send({ type: 'parked', waiting: 0 });
    }
  };
  // A command asks from inside the script's sandbox.
  return { ...looks, ask: (request) => DefenseInDepthBox.runTrustedAsync(() => ask(request)) };
}

/** Lets a message be stopped by another one that names it. */
function stoppable({ aborts }: Running, id: number): AbortSignal {
  const abort = new AbortController();
  aborts.set(id, abort);
  return abort.signal;
}

/** @param read gets the points of the mounts that the work reads */
async function answer(
  id: number,
  work: () => Promise<unknown>,
  read: ReadonlySet<string> = new Set(),
): Promise<void> {
  try {
    const value = await work();
    send({ type: 'answer', id, value, read: [...read] });
  } catch (error) {
    // What was read before the failure may be in its message.
    send({ type: 'refused', id, error: wire(error), read: [...read] });
  }
}

/** Tells what the mounts do for a call, where its caller wants to know. */
function watchOf(
  { traffic }: Running,
  { id, watched }: { id: number; watched?: boolean },
): CallTraffic | null {
  if (watched !== true) return null;
  return traffic.begin((event) => send({ type: 'traffic', id, event }));
}

const waits = (id: number): void => send({ type: 'waits', id });
