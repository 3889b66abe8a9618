/** A world: what one agent has. Namespace, shell and session, made from one config. */
import fs from 'node:fs';
import type { Worker } from 'node:worker_threads';
import type { IFileSystem } from 'just-bash';
import type { Applied, Change } from '../changes/index.ts';
import { ConfigError } from '../errors.ts';
import { resolvePath } from '../namespace/paths.ts';
import type { NamespaceFs } from '../namespace/types.ts';
import type { Answer, Approval, ApprovalState } from '../policy/approval.ts';
import { type ActingContext, contextOf } from '../policy/context.ts';
import { createSession, type Log, resumeSession, type SessionLog } from '../session/log.ts';
import { sessionPlace } from '../session/place.ts';
import { memoryOps, snapshotAt } from '../session/workspace/index.ts';
import { type AgentConfig, checkConfig, type WorldConfig } from './config.ts';
import {
  defaultHarness,
  type Host,
  harnessDirectory,
  hooksModule,
  planMounts,
  stateDirectory,
} from './plan.ts';
import { PolicyWatch, readPolicy } from './policy-file.ts';
import type {
  ApprovalsMethod,
  ChangesMethod,
  FsMethod,
  MountSpec,
  PolicySource,
  Refusal,
  SourceSpec,
  Usage,
  WorldSpec,
} from './protocol.ts';
import { type OutputText, Recorder } from './recorder.ts';
import { searchFiles } from './search-files.ts';
import { Supervisor } from './supervisor.ts';
import { trackWorkspace } from './workspace.ts';

/** Settings of one command; what is not given carries over from the one before. */
export interface ExecOptions {
  cwd?: string;
  /** Added to the shell's variables, exported, for this command. */
  env?: Record<string, string>;
  stdin?: string | Uint8Array;
  signal?: AbortSignal;
  /** The command's deadline, in ms. */
  timeoutMs?: number;
  /** Called with what the command prints, as it prints it; the result has it all again. */
  onOutput?: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;
  /** Who acts; the person who made the world, if absent. See {@link ActingContext}. */
  context?: Partial<ActingContext>;
  /** The call of a model that the command is run for, for the log. */
  toolCallId?: string;
}

/** What a command gave. */
export interface ExecResult {
  /** Text; where the bytes are not UTF-8, each character is one byte (Latin-1). */
  stdout: string;
  stderr: string;
  stdoutBytes: Uint8Array;
  stderrBytes: Uint8Array;
  exitCode: number;
  /** Requests that it cost, over all mounts. */
  requests: number;
  /** Where the shell stands after it. */
  cwd: string;
  /** What it was refused by a rule, whatever it did with the messages. */
  refused: Refusal[];
  /** It ended with `exit`: a session at a terminal ends with it. */
  exited: boolean;
}

/** The namespace as seen from outside the worker: its methods, each a message. */
export type WorldFs = Pick<
  IFileSystem,
  Exclude<FsMethod, 'readdirWithFileTypes' | 'readFileBytes'>
> &
  Pick<NamespaceFs, 'readdirWithFileTypes' | 'resolvePath' | 'getAllPaths'>;

/** The change journal as seen from outside the worker. */
export interface WorldChanges {
  /** Oldest first. */
  list(): Promise<Change[]>;
  get(id: string): Promise<Change | null>;
  apply(ids: readonly string[]): Promise<Applied[]>;
  drop(ids: readonly string[]): Promise<Applied[]>;
  /** Asks the services what came of changes that are unknown; sends nothing again. */
  settle(ids: readonly string[]): Promise<Applied[]>;
}

/** The requests for approval of a world's state directory, and their answers. */
export interface WorldApprovals {
  /** Oldest first. */
  list(state?: ApprovalState): Promise<Approval[]>;
  get(id: string): Promise<Approval | null>;
  /** Answers a pending request; gives what it is now, or null where there is none with that id. */
  answer(id: string, answer: Answer): Promise<Approval | null>;
}

/** A mount, as front ends see it. */
export interface WorldMount {
  point: string;
  /** `github`, `disk`, `memory` … */
  kind: string;
  /** Its text comes from a service outside, and is not to be trusted. */
  service: boolean;
}

/** What `createWorld` gives. */
export interface World {
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  /** The files as the person in charge has them: bound by the modes of the mounts. */
  readonly fs: WorldFs;
  /** The files as someone else has them: bound by the policy, too. */
  fsAs(context: Partial<ActingContext>): WorldFs;
  readonly approvals: WorldApprovals;
  /**
   * Puts a policy in force from the next operation on.
   * @throws ConfigError when it is not valid; the one before stays in force
   */
  usePolicy(policy: PolicySource): Promise<void>;
  readonly session: SessionLog;
  /** What is mounted, but for what belongs to every world. */
  readonly mounts: readonly WorldMount[];
  /** The agent's part of the config. */
  readonly agent: AgentConfig;
  /** Where the harness lies on the host. */
  readonly harness: Extract<SourceSpec, { kind: 'harness' }>;
  readonly changes: WorldChanges;
  /** Where the shell stands, and the next command begins. */
  readonly cwd: string;
  /** The directory on the host in which the state is kept. */
  readonly state: string;
  /** The names of the shell's commands. */
  commands(): Promise<string[]>;
  /** Requests and bytes by mount point, since the world began. */
  usage(): Usage;
  close(): Promise<void>;
}

/** Where a world runs; by default the process's own directory and environment. */
export interface WorldOptions extends Partial<Host> {
  /** A worker started earlier, to save its start-up time. */
  worker?: Worker;
  /** The id of an earlier session to go on with; a new one is begun by default. */
  session?: string;
  /**
   * Called when an approval is asked for, and when it is answered. With it, an
   * operation that asks waits for the answer; without it, nobody is there, and
   * it is refused at once.
   */
  onApproval?: (approval: Approval, world: World) => void;
  /** Called with what is wrong with the harness after an edit: the last good version stays in force. */
  onHarnessError?: (error: Error) => void;
}

/** The commands, and after them those that stand for the tools of the harness. */
const COMMAND_PATH = '/usr/bin:/bin:/harness/.bin';

const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_OPERATION_TIMEOUT_MS = 30_000;

/**
 * Makes a world. It runs nothing until the first call.
 * @throws ConfigError naming each fault with its path in the config
 */
export function createWorld(config: WorldConfig = {}, options: WorldOptions = {}): World {
  const checked = checkConfig(config);
  const host: Host = {
    deployment: options.deployment ?? null,
    cwd: options.cwd ?? process.cwd(),
    env: options.env ?? process.env,
  };
  const state = stateDirectory(checked, host);
  const place = sessionPlace(state);
  const session =
    options.session === undefined ? createSession(place) : resumeSession(place, options.session);
  try {
    const snapshot = workspaceSnapshot(session, host);
    const kept = snapshot === undefined ? null : memoryOps(place.blobs, snapshot);
    const harness = harnessDirectory(checked, host);
    const mounts = planMounts(checked, host, state, {
      id: session.id,
      past: checked.session?.past ?? true,
      workspace: kept?.ops ?? null,
    });
    fs.mkdirSync(state, { recursive: true });
    const spec: WorldSpec = {
      mounts,
      cwd: checked.cwd ?? '/workspace',
      env: {
        PATH: COMMAND_PATH,
        HOME: '/workspace',
        USER: 'agent',
        LANG: 'C.UTF-8',
        ...checked.env,
      },
      operationTimeoutMs: checked.operationTimeoutMs ?? DEFAULT_OPERATION_TIMEOUT_MS,
      sessions: state,
      state: host.deployment === null && checked.state === undefined ? null : state,
      shell: null,
      search: searchFiles(),
      session: session.id,
      policy: readPolicy(harness, defaultHarness()),
      hooks: hooksModule(checked, host),
    };
    const { onApproval } = options;
    const recorder = new Recorder(session);
    const supervisor = new Supervisor(spec, {
      worker: options.worker,
      load: (hash) => place.blobs.get(hash),
      onChange: (change) => recorder.change(change),
      onApproval: (approval) => {
        session.append({ type: 'approval', approval });
        onApproval?.(approval, world);
      },
    });
    if (checked.session?.snapshots !== false) {
      const workspace = mounts.find(({ point }) => point === '/workspace');
      recorder.track(trackWorkspace(workspace, supervisor, place.blobs, state, snapshot ?? null));
    }
    const world = assemble({
      supervisor,
      recorder,
      more: {
        state,
        mounts: visible(mounts),
        agent: checked.agent ?? {},
        harness: harnessOf(mounts),
      },
      timeoutMs: checked.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      attended: onApproval !== undefined,
      policy: new PolicyReload(harness, supervisor, options.onHarnessError),
    });
    return world;
  } catch (error) {
    session.close();
    throw error;
  }
}

/**
 * The snapshot that /workspace is made of; undefined where it is a mount of
 * its own. A fork, and a session that goes on without a deployment, have no
 * directory: their files are in the blob store.
 */
function workspaceSnapshot(session: Log, host: Host): string | null | undefined {
  const { workspace } = session.header;
  if (workspace === undefined && (host.deployment !== null || session.leaf === null))
    return undefined;
  return snapshotAt(session);
}

/** What every world has; an agent need not be told of it as mounted. */
const OWN: ReadonlySet<SourceSpec['kind']> = new Set([
  'bin',
  'dev',
  'changes',
  'approvals',
  'harness',
  'session',
]);
const LOCAL: ReadonlySet<SourceSpec['kind']> = new Set(['memory', 'disk', ...OWN]);

function visible(mounts: readonly MountSpec[]): WorldMount[] {
  return mounts
    .filter(
      ({ point, source }) =>
        point !== '/' && !OWN.has(source.kind) && point !== '/session/schedule',
    )
    .map(({ point, source: { kind } }) => ({ point, kind, service: !LOCAL.has(kind) }));
}

function harnessOf(mounts: readonly MountSpec[]): World['harness'] {
  for (const { source } of mounts) if (source.kind === 'harness') return source;
  throw new Error('a world without a harness was planned');
}

/** What a world's methods are made of. */
interface Parts {
  supervisor: Supervisor;
  recorder: Recorder;
  more: Pick<World, 'state' | 'mounts' | 'agent' | 'harness'>;
  timeoutMs: number;
  attended: boolean;
  policy: PolicyReload;
}

/** Takes an edit of the policy over between two commands. */
class PolicyReload {
  readonly #directory: string | null;
  readonly #watch: PolicyWatch;
  readonly #supervisor: Supervisor;
  readonly #onError: (error: Error) => void;

  constructor(
    directory: string | null,
    supervisor: Supervisor,
    onError: (error: Error) => void = () => undefined,
  ) {
    this.#directory = directory;
    this.#watch = new PolicyWatch(directory);
    this.#supervisor = supervisor;
    this.#onError = onError;
  }

  /** What cannot be used is told, and the policy before it stays in force. */
  async refresh(): Promise<void> {
    if (!this.#watch.changed()) return;
    try {
      const policy = readPolicy(this.#directory, defaultHarness());
      if (policy.isDefault) {
        throw new ConfigError(
          'policy.yaml',
          'it is gone; the last one stays in force until the world is made again',
        );
      }
      await this.#supervisor.call({ type: 'policy', policy });
    } catch (error) {
      this.#onError(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

function assemble(parts: Parts): World {
  const { supervisor, recorder, more } = parts;
  let queue: Promise<unknown> = Promise.resolve();
  const exec = (command: string, options: ExecOptions = {}): Promise<ExecResult> => {
    const next = queue.then(() => run(parts, command, options));
    queue = next.catch(() => undefined);
    return next;
  };
  let closed: Promise<void> | undefined;
  const touched = (path: string): void => recorder.touched(path);
  return {
    exec,
    fs: createFsProxy(supervisor, touched),
    fsAs: (context) => {
      const whole = contextOf({ origin: 'tool', attended: parts.attended, ...context });
      return createFsProxy(supervisor, touched, whole);
    },
    approvals: createApprovalsProxy(supervisor),
    usePolicy: async (policy) => void (await supervisor.call({ type: 'policy', policy })),
    session: recorder.session,
    changes: createChangesProxy(supervisor),
    get cwd() {
      return supervisor.cwd;
    },
    ...more,
    commands: () => supervisor.commands,
    usage: () => supervisor.usage,
    close: () => {
      closed ??= supervisor.close().then(() => recorder.close());
      return closed;
    },
  };
}

async function run(
  { supervisor, recorder, timeoutMs, attended, policy }: Parts,
  command: string,
  options: ExecOptions,
): Promise<ExecResult> {
  const { stdin, cwd, env, signal, onOutput, toolCallId } = options;
  const context = contextOf({ attended, ...options.context });
  // Within a turn nothing of the harness changes.
  if (context.turn === null) await policy.refresh();
  const from = cwd === undefined ? supervisor.cwd : resolvePath('/', cwd);
  const start = recorder.begin(command, from, toolCallId);
  const before = supervisor.usage;
  const result = await supervisor.run({
    script: command,
    context,
    deadlineMs: options.timeoutMs ?? timeoutMs,
    ...(cwd === undefined ? {} : { cwd: from }),
    ...(env === undefined ? {} : { env }),
    ...(signal === undefined ? {} : { signal }),
    ...(onOutput === undefined ? {} : { onOutput }),
    ...(stdin === undefined
      ? {}
      : { stdin: typeof stdin === 'string' ? Buffer.from(stdin) : stdin }),
  });
  const stdout = toText(result.stdout);
  const stderr = toText(result.stderr);
  const spent = difference(before, result.usage);
  const requests = Object.values(spent).reduce((sum, each) => sum + each.requests, 0);
  recorder.end(start, result, { stdout, stderr, spent, requests, cwd: supervisor.cwd });
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    stdoutBytes: result.stdout,
    stderrBytes: result.stderr,
    exitCode: result.exitCode,
    requests,
    cwd: supervisor.cwd,
    refused: result.refused,
    exited: result.exited,
  };
}

/** What was spent between two counts. */
function difference(before: Usage, after: Usage): Usage {
  const spent: Usage = {};
  for (const [point, { requests, bytes }] of Object.entries(after)) {
    const old = before[point] ?? { requests: 0, bytes: 0 };
    if (requests !== old.requests || bytes !== old.bytes)
      spent[point] = { requests: requests - old.requests, bytes: bytes - old.bytes };
  }
  return spent;
}

/** UTF-8 where the bytes are; otherwise a character a byte, so that nothing is lost. */
function toText(bytes: Uint8Array): OutputText {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer);
    return { text, latin1: false };
  } catch (error) {
    if (error instanceof TypeError) return { text: buffer.toString('latin1'), latin1: true };
    throw error;
  }
}

/** The methods that change what their first argument names, or their first two. */
const CHANGES_FIRST: ReadonlySet<FsMethod> = new Set<FsMethod>([
  'writeFile',
  'appendFile',
  'mkdir',
  'rm',
  'chmod',
  'utimes',
]);
const CHANGES_BOTH: ReadonlySet<FsMethod> = new Set<FsMethod>(['cp', 'mv', 'symlink', 'link']);

function createApprovalsProxy(supervisor: Supervisor): WorldApprovals {
  const call =
    (method: ApprovalsMethod) =>
    (...args: unknown[]): Promise<never> =>
      supervisor.call({ type: 'approvals', method, args }) as Promise<never>;
  return { list: call('list'), get: call('get'), answer: call('answer') };
}

/**
 * @param touched told of every path that is about to be changed
 * @param context on whose behalf; the person in charge, if absent
 */
function createFsProxy(
  supervisor: Supervisor,
  touched: (path: string) => void,
  context?: ActingContext,
): WorldFs {
  // Each method has the namespace's own signature, and the port carries plain data both ways.
  const call =
    (method: FsMethod) =>
    (...args: unknown[]): Promise<never> => {
      if (CHANGES_FIRST.has(method)) touched(String(args[0]));
      else if (CHANGES_BOTH.has(method)) for (const path of args.slice(0, 2)) touched(String(path));
      return supervisor.call({
        type: 'fs',
        method,
        args,
        ...(context === undefined ? {} : { context }),
      }) as Promise<never>;
    };
  return {
    readFile: call('readFile'),
    readFileBuffer: call('readFileBuffer'),
    writeFile: call('writeFile'),
    appendFile: call('appendFile'),
    exists: call('exists'),
    stat: call('stat'),
    lstat: call('lstat'),
    mkdir: call('mkdir'),
    readdir: call('readdir'),
    readdirWithFileTypes: call('readdirWithFileTypes'),
    rm: call('rm'),
    cp: call('cp'),
    mv: call('mv'),
    chmod: call('chmod'),
    symlink: call('symlink'),
    link: call('link'),
    readlink: call('readlink'),
    realpath: call('realpath'),
    utimes: call('utimes'),
    resolvePath,
    getAllPaths: () => [],
  };
}

function createChangesProxy(supervisor: Supervisor): WorldChanges {
  const call =
    (method: ChangesMethod) =>
    (...args: unknown[]): Promise<never> =>
      supervisor.call({ type: 'changes', method, args }) as Promise<never>;
  return {
    list: call('list'),
    get: call('get'),
    apply: call('apply'),
    drop: call('drop'),
    settle: call('settle'),
  };
}
