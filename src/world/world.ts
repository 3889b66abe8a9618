/** A world: what one agent has. Namespace, shell and session, made from one config. */
import fs from 'node:fs';
import type { Worker } from 'node:worker_threads';
import type { IFileSystem } from 'just-bash';
import type { Applied, Change } from '../changes/index.ts';
import { resolvePath } from '../namespace/paths.ts';
import type { NamespaceFs } from '../namespace/types.ts';
import { createSession, type Log, resumeSession, type SessionLog } from '../session/log.ts';
import { sessionPlace } from '../session/place.ts';
import { memoryOps, snapshotAt } from '../session/workspace/index.ts';
import { type AgentConfig, checkConfig, type WorldConfig } from './config.ts';
import { type Host, planMounts, stateDirectory } from './plan.ts';
import type {
  ChangesMethod,
  FsMethod,
  MountSpec,
  SourceSpec,
  Usage,
  WorldSpec,
} from './protocol.ts';
import { type OutputText, Recorder } from './recorder.ts';
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
  readonly fs: WorldFs;
  readonly session: SessionLog;
  /** What is mounted, but for what belongs to every world. */
  readonly mounts: readonly WorldMount[];
  /** The agent's part of the config. */
  readonly agent: AgentConfig;
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
}

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
    const mounts = planMounts(checked, host, state, {
      id: session.id,
      past: checked.session?.past ?? true,
      workspace: kept?.ops ?? null,
    });
    fs.mkdirSync(state, { recursive: true });
    const spec: WorldSpec = {
      mounts,
      cwd: checked.cwd ?? '/workspace',
      env: { HOME: '/workspace', USER: 'agent', LANG: 'C.UTF-8', ...checked.env },
      operationTimeoutMs: checked.operationTimeoutMs ?? DEFAULT_OPERATION_TIMEOUT_MS,
      sessions: state,
      state: host.deployment === null && checked.state === undefined ? null : state,
      shell: null,
    };
    const recorder = new Recorder(session);
    const supervisor = new Supervisor(spec, {
      worker: options.worker,
      load: (hash) => place.blobs.get(hash),
      onChange: (change) => recorder.change(change),
    });
    if (checked.session?.snapshots !== false) {
      const workspace = mounts.find(({ point }) => point === '/workspace');
      recorder.track(trackWorkspace(workspace, supervisor, place.blobs, state, snapshot ?? null));
    }
    const more = { state, mounts: visible(mounts), agent: checked.agent ?? {} };
    return assemble(supervisor, recorder, more, checked.timeoutMs ?? DEFAULT_TIMEOUT_MS);
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
const OWN: ReadonlySet<SourceSpec['kind']> = new Set(['bin', 'dev', 'changes', 'session']);
const LOCAL: ReadonlySet<SourceSpec['kind']> = new Set(['memory', 'disk', ...OWN]);

function visible(mounts: readonly MountSpec[]): WorldMount[] {
  return mounts
    .filter(
      ({ point, source }) =>
        point !== '/' && !OWN.has(source.kind) && point !== '/session/schedule',
    )
    .map(({ point, source: { kind } }) => ({ point, kind, service: !LOCAL.has(kind) }));
}

function assemble(
  supervisor: Supervisor,
  recorder: Recorder,
  more: Pick<World, 'state' | 'mounts' | 'agent'>,
  timeoutMs: number,
): World {
  let queue: Promise<unknown> = Promise.resolve();
  const exec = (command: string, options: ExecOptions = {}): Promise<ExecResult> => {
    const next = queue.then(() => run(supervisor, recorder, command, options, timeoutMs));
    queue = next.catch(() => undefined);
    return next;
  };
  let closed: Promise<void> | undefined;
  return {
    exec,
    fs: createFsProxy(supervisor, (path) => recorder.touched(path)),
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
  supervisor: Supervisor,
  recorder: Recorder,
  command: string,
  options: ExecOptions,
  timeoutMs: number,
): Promise<ExecResult> {
  const { stdin, cwd, env, signal, onOutput, toolCallId } = options;
  const from = cwd === undefined ? supervisor.cwd : resolvePath('/', cwd);
  const start = recorder.begin(command, from, toolCallId);
  const before = supervisor.usage;
  const result = await supervisor.run({
    script: command,
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

/** @param touched told of every path that is about to be changed */
function createFsProxy(supervisor: Supervisor, touched: (path: string) => void): WorldFs {
  // Each method has the namespace's own signature, and the port carries plain data both ways.
  const call =
    (method: FsMethod) =>
    (...args: unknown[]): Promise<never> => {
      if (CHANGES_FIRST.has(method)) touched(String(args[0]));
      else if (CHANGES_BOTH.has(method)) for (const path of args.slice(0, 2)) touched(String(path));
      return supervisor.call({ type: 'fs', method, args }) as Promise<never>;
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
