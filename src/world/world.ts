/** A world: what one agent has. Namespace, shell and session, made from one config. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { IFileSystem } from 'just-bash';
import type { Applied, Change } from '../changes/index.ts';
import { resolvePath } from '../namespace/paths.ts';
import type { NamespaceFs } from '../namespace/types.ts';
import { createSessionLog, type SessionLog } from '../session/log.ts';
import { checkConfig, type WorldConfig } from './config.ts';
import { type Host, planMounts, stateDirectory } from './plan.ts';
import type { ChangesMethod, FsMethod, Usage, WorldSpec } from './protocol.ts';
import { type JobResult, Supervisor } from './supervisor.ts';

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

/** What `createWorld` gives. */
export interface World {
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  readonly fs: WorldFs;
  readonly session: SessionLog;
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
  const session = createSessionLog(join(state, 'sessions'));
  const mounts = planMounts(checked, host, state, join(state, 'sessions', session.id));
  fs.mkdirSync(state, { recursive: true });
  const spec: WorldSpec = {
    mounts,
    cwd: checked.cwd ?? '/workspace',
    env: { HOME: '/workspace', USER: 'agent', LANG: 'C.UTF-8', ...checked.env },
    operationTimeoutMs: checked.operationTimeoutMs ?? DEFAULT_OPERATION_TIMEOUT_MS,
    state: host.deployment === null && checked.state === undefined ? null : state,
    shell: null,
  };
  const supervisor = new Supervisor(spec, options.worker);
  return assemble(supervisor, session, state, checked.timeoutMs ?? DEFAULT_TIMEOUT_MS);
}

function assemble(
  supervisor: Supervisor,
  session: SessionLog,
  state: string,
  timeoutMs: number,
): World {
  let queue: Promise<unknown> = Promise.resolve();
  const exec = (command: string, options: ExecOptions = {}): Promise<ExecResult> => {
    const next = queue.then(() => run(supervisor, session, command, options, timeoutMs));
    queue = next.catch(() => undefined);
    return next;
  };
  let closed: Promise<void> | undefined;
  return {
    exec,
    fs: createFsProxy(supervisor),
    session,
    changes: createChangesProxy(supervisor),
    get cwd() {
      return supervisor.cwd;
    },
    state,
    commands: () => supervisor.commands,
    usage: () => supervisor.usage,
    close: () => {
      closed ??= supervisor.close().then(() => session.close());
      return closed;
    },
  };
}

async function run(
  supervisor: Supervisor,
  session: SessionLog,
  command: string,
  options: ExecOptions,
  timeoutMs: number,
): Promise<ExecResult> {
  const { stdin, cwd, env, signal, onOutput } = options;
  const start = session.append({
    type: 'bash_start',
    command,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const before = sum(supervisor.usage);
  const result = await supervisor.run({
    script: command,
    deadlineMs: options.timeoutMs ?? timeoutMs,
    ...(cwd === undefined ? {} : { cwd: resolvePath('/', cwd) }),
    ...(env === undefined ? {} : { env }),
    ...(signal === undefined ? {} : { signal }),
    ...(onOutput === undefined ? {} : { onOutput }),
    ...(stdin === undefined
      ? {}
      : { stdin: typeof stdin === 'string' ? Buffer.from(stdin) : stdin }),
  });
  const requests = sum(result.usage) - before;
  const texts = { stdout: toText(result.stdout), stderr: toText(result.stderr) };
  session.append({
    type: 'bash_end',
    start: start.id,
    exitCode: result.exitCode,
    ...texts,
    requests,
    changed: result.changed,
  });
  return {
    ...texts,
    stdoutBytes: result.stdout,
    stderrBytes: result.stderr,
    exitCode: result.exitCode,
    requests,
    cwd: supervisor.cwd,
    exited: result.exited,
  };
}

const sum = (usage: JobResult['usage']): number =>
  Object.values(usage).reduce((all, each) => all + each.requests, 0);

/** UTF-8 where the bytes are; otherwise a character a byte, so that nothing is lost. */
function toText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer);
  } catch (error) {
    if (error instanceof TypeError) return buffer.toString('latin1');
    throw error;
  }
}

function createFsProxy(supervisor: Supervisor): WorldFs {
  // Each method has the namespace's own signature, and the port carries plain data both ways.
  const call =
    (method: FsMethod) =>
    (...args: unknown[]): Promise<never> =>
      supervisor.call({ type: 'fs', method, args }) as Promise<never>;
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
