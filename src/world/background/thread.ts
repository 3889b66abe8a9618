/**
 * The thread of a background job: a shell of its own, which ends with the job. It spins without
 * holding the world up; its files are those of the world's one namespace.
 */
import { parentPort } from 'node:worker_threads';
import { DefenseInDepthBox } from 'just-bash';
import { createShims } from '../../../shims/index.ts';
import { type FsError, STRERROR, sentenceOf } from '../../errors.ts';
import type { GateDecision } from '../../policy/gate.ts';
import type { IndexState, SearchResult, SearchService } from '../../search/contract.ts';
import type { Network, ShimHost } from '../../shell/command.ts';
import { type Inbox, takesSignal } from '../../shell/inbox.ts';
import { STAND_IN } from '../../shell/long-scripts.ts';
import { createShell } from '../../shell/shell.ts';
import type { ErrorOnTheWire } from '../fs-call.ts';
import { collectGarbage } from '../garbage.ts';
import { OutboxWriter } from '../outbox.ts';
import { loadShims } from '../shim-modules.ts';
import { revive } from '../wire-errors.ts';
import { WorkerPrograms } from '../worker-programs.ts';
import type { JobAsk } from './asks.ts';
import type { FromJob, JobAnswer, JobMount, JobSpec, ToJob } from './protocol.ts';
import { RemoteFs } from './remote-fs.ts';

/** The engine's own limit of time comes after the job's. */
const GRACE_MS = 60_000;

const port = parentPort;
if (port === null) throw new Error('this module is the thread of a background job of a world');
const send = (message: FromJob): void => port.postMessage(message);

/** What the world is asked, until it has answered. */
class Questions {
  readonly #open = new Map<number, PromiseWithResolvers<JobAnswer>>();
  #last = 0;

  async ask(ask: JobAsk, strand = 0, signal?: AbortSignal): Promise<JobAnswer> {
    const id = ++this.#last;
    const answered = Promise.withResolvers<JobAnswer>();
    this.#open.set(id, answered);
    const stop = (): void => send({ type: 'stop', id });
    signal?.addEventListener('abort', stop, { once: true });
    send({ type: 'ask', id, strand, ask });
    try {
      return await answered.promise;
    } finally {
      this.#open.delete(id);
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Asks, and gives the value. @throws what was answered in its place */
  async value(ask: JobAsk): Promise<unknown> {
    // A command asks from inside the script's sandbox.
    const { outcome } = await DefenseInDepthBox.runTrustedAsync(() => this.ask(ask));
    if ('error' in outcome) throw revive(outcome.error);
    return outcome.value;
  }

  receive({ id, answer }: Extract<ToJob, { type: 'answer' }>): void {
    this.#open.get(id)?.resolve(answer);
  }
}

const questions = new Questions();
const programs = new WorkerPrograms(send);
const stop = new AbortController();
const inbox: Inbox = [];

port.on('message', (message: ToJob) => {
  switch (message.type) {
    case 'begin':
      run(message.spec).then(
        (exitCode) => send({ type: 'ended', exitCode }),
        (error: unknown) => send({ type: 'failed', message: sentenceOf(error) }),
      );
      return;
    case 'collect':
      void collectGarbage();
      return;
    case 'answer':
      return questions.receive(message);
    case 'signal':
      if (takesSignal(inbox, message.signal)) send({ type: 'trapped' });
      else stop.abort();
      return;
    default:
      return programs.receive(message);
  }
});

async function run(spec: JobSpec): Promise<number> {
  const { node, state, deadlineMs, maxOutput } = spec;
  const mounts = (await questions.value({ on: 'mounts' })) as JobMount[];
  const fs = new RemoteFs((ask, strand, signal) => questions.ask(ask, strand, signal), mounts);
  const host: ShimHost = {
    fs,
    search,
    terminal: () => null,
    mounts: () => mounts.map((mount) => ({ ...mount, capacity: () => mount.capacity })),
    programs: programsOf(spec),
    network: await networkOf(spec.network),
  };
  const own = await loadShims(spec.shims, host);
  const shims = createShims(host, { programs: spec.programs, own });
  const outbox = new OutboxWriter(send);
  const shell = createShell({
    fs,
    commands: shims.commands,
    plain: shims.plain,
    cwd: spec.cwd,
    env: spec.env,
    limits: { maxExecutionTimeMs: deadlineMs + GRACE_MS },
    onOutput: (kind, bytes) => outbox.put({ kind, bytes }),
  });
  const { exitCode, stdout, stderr } = await shell.exec(STAND_IN, {
    job: { node, state, inbox },
    signal: stop.signal,
    deadlineMs,
    maxOutput,
  });
  if (stdout.length + stderr.length >= maxOutput) {
    const most = Math.round(maxOutput / 1024 / 1024);
    const said = `dirigent: ${STRERROR.EFBIG} (EFBIG): a job may print ${most} MiB, and was ended; send what is more to a file\n`;
    outbox.put({ kind: 'stderr', bytes: said });
  }
  return exitCode;
}

const search: SearchService = {
  ask: async (question) => {
    const found = await questions.value({ on: 'search', method: 'ask', args: [question] });
    const { trouble, ...result } = found as Omit<SearchResult, 'trouble'> & {
      trouble?: readonly ErrorOnTheWire[];
    };
    if (trouble === undefined) return result;
    return { ...result, trouble: trouble.map((each) => revive(each) as FsError) };
  },
  state: async (...args) =>
    (await questions.value({ on: 'search', method: 'state', args })) as IndexState,
};

function programsOf({ hostPrograms: names, context }: JobSpec): ShimHost['programs'] {
  if (names.length === 0) return null;
  return {
    names,
    run: async (program, signal) => {
      const read = new Set<string>();
      const end = await programs.run(program, context, { signal, read });
      if (read.size > 0) await questions.value({ on: 'read', points: [...read] });
      return end;
    },
  };
}

async function networkOf(allow: readonly string[]): Promise<Network | null> {
  if (allow.length === 0) return null;
  const { createNetwork } = await import('../network.ts');
  let heard: Promise<unknown> = Promise.resolve();
  const network = createNetwork({
    allow,
    permit: async (call) => (await questions.value({ on: 'permit', call })) as GateDecision,
    noteRead: (url) => {
      heard = questions.value({ on: 'heard', url });
    },
  });
  if (network === null) return null;
  return {
    allow: network.allow,
    ask: async (request) => {
      const answer = await network.ask(request);
      // Whoever reads it has read what a host said.
      await heard;
      return answer;
    },
  };
}
