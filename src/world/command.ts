/** One command of a world, from its start in the log to its end. */
import type { FsStat } from 'just-bash';
import { z } from 'zod';
import type { ChangeOp, ChangeState } from '../changes/change.ts';
import { FsError } from '../errors.ts';
import { ownUsage, usageSince } from '../mount/contract/usage.ts';
import { resolvePath } from '../paths.ts';
import { type ActingContext, contextOf, copiedFrom } from '../policy/context.ts';
import type { ShellTerminal } from '../shell/terminal.ts';
import { inSlices } from '../slices.ts';
import type { BackgroundJobs, JobNotices } from './background/jobs.ts';
import type { FsAnswer } from './fs-call.ts';
import type { Job, JobResult } from './job.ts';
import type { PolicyReload } from './policy-reload.ts';
import { outputText } from './printed.ts';
import type { Refusal, Usage } from './protocol.ts';
import type { Recorder } from './recorder.ts';
import type { Supervisor } from './supervisor.ts';
import type { TrafficEvent } from './traffic.ts';
import { revive } from './wire-errors.ts';

/** What became of something that a command wrote to a service. */
export interface Write {
  /** The change's id in the journal. */
  id: string;
  op: ChangeOp;
  state: ChangeState;
  /** Where it is in the world: what was made, or what was written to. */
  path: string;
  /** Where a person can look at it. */
  url?: string;
  /** In a few words: `close #12`, `edit PLT-3 (title)`. */
  summary: string;
}

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
  /** The terminal that it is run at: its stdin is the keyboard, and it may ask there. */
  terminal?: ShellTerminal;
  /** Called when the command begins to wait for a person's answer. */
  onParked?: () => void;
  /** Called with what the mounts do for the command, and with their requests, as it happens. */
  onTraffic?: (event: TrafficEvent) => void;
  /** Who acts; the person who made the world, if absent. See {@link ActingContext}. */
  context?: Partial<ActingContext>;
  /** The call of a model that the command is run for, for the log. */
  toolCallId?: string;
  /**
   * Run it in a shell that begins anew: variables, functions, descriptors and the
   * current directory are those of the world's beginning, and what earlier
   * commands have read of services is no more in it.
   */
  fresh?: boolean;
  /**
   * Run it in a shell of this name, which shares nothing with that of the world but files: it
   * begins as that did, and lives until the world ends or {@link World.endShell} is called.
   */
  shell?: string;
  /**
   * Background jobs of this command end before it does, as those of a world that ends with it;
   * otherwise they go on, unless the command waits for jobs itself.
   */
  keepsJobs?: boolean;
}

/** What a command gave. */
export interface ExecResult {
  /** Text; where the bytes are not UTF-8, each character is one byte (Latin-1). */
  stdout: string;
  stderr: string;
  stdoutBytes: Uint8Array;
  stderrBytes: Uint8Array;
  exitCode: number;
  /** Requests that it cost, over all mounts; not what was asked behind it. */
  requests: number;
  /** Where the shell stands after it. */
  cwd: string;
  /** What it was refused by a rule, whatever it did with the messages. */
  refused: Refusal[];
  /** What became of what it wrote to services, in order. */
  writes: readonly Write[];
  /** Points of the mounts that a command of an agent read; null where that is not known, as after a kill. */
  read: readonly string[] | null;
  /** It ended with `exit`: a session at a terminal ends with it. */
  exited: boolean;
}

/** What a command needs of its world. */
export interface CommandParts {
  supervisor: Supervisor;
  recorder: Recorder;
  /** The deadline of a command that has none of its own, in ms. */
  timeoutMs: number;
  /** Is somebody there to answer an approval? */
  attended: boolean;
  policy: PolicyReload;
  jobs: BackgroundJobs;
}

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'must be text or bytes');

/** What {@link ExecOptions} may be; the context is checked where it is filled in. */
const execOptions = z.strictObject({
  cwd: z.string().startsWith('/', 'must be absolute').optional(),
  env: z
    .record(z.string().regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable'), z.string())
    .optional(),
  stdin: z.union([z.string(), bytes]).optional(),
  signal: z.instanceof(AbortSignal).optional(),
  timeoutMs: z.number().positive().optional(),
  onOutput: z.custom<ExecOptions['onOutput']>((value) => typeof value === 'function').optional(),
  onParked: z.custom<ExecOptions['onParked']>((value) => typeof value === 'function').optional(),
  onTraffic: z.custom<ExecOptions['onTraffic']>((value) => typeof value === 'function').optional(),
  terminal: z.custom<ExecOptions['terminal']>((value) => typeof value === 'object').optional(),
  context: z.custom<ExecOptions['context']>((value) => typeof value === 'object').optional(),
  toolCallId: z.string().optional(),
  fresh: z.boolean().optional(),
  shell: z.string().optional(),
  keepsJobs: z.boolean().optional(),
});

/** @throws TypeError naming each setting that cannot be used */
function checkArguments(command: unknown, options: unknown): void {
  if (typeof command !== 'string') throw new TypeError('exec: the command must be a text');
  const checked = execOptions.safeParse(options);
  if (checked.success) return;
  const faults = checked.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new TypeError(`exec: ${faults.join('; ')}`);
}

/**
 * Runs one command, and keeps its start and its end in the log.
 * @throws TypeError on options that cannot be used
 * @throws FsError where `cwd` is no directory
 */
export async function runCommand(
  { supervisor, recorder, timeoutMs, attended, policy, jobs }: CommandParts,
  command: string,
  options: ExecOptions,
): Promise<ExecResult> {
  checkArguments(command, options);
  const { stdin, cwd, env, signal, onOutput, onParked, onTraffic, toolCallId } = options;
  const { fresh, terminal, keepsJobs, shell } = options;
  if (signal?.aborted === true) return notBegun(supervisor.shells.cwdIn(shell));
  const context = contextOf({ attended, ...options.context });
  await policy.refreshFor(context);
  const here = fresh === true ? supervisor.initialCwd : supervisor.shells.cwdIn(shell);
  const from = cwd === undefined ? here : resolvePath('/', cwd);
  if (from !== here) await requireDirectory(supervisor, from);
  supervisor.catchUp();
  const start = await recorder.begin(command, from, toolCallId, context);
  const before = supervisor.usage;
  const job: Job = {
    script: command,
    context,
    deadlineMs: options.timeoutMs ?? timeoutMs,
    onParked,
    onTraffic,
    terminal,
    ...(cwd === undefined ? {} : { cwd: from }),
    ...(fresh === undefined ? {} : { fresh }),
    ...(shell === undefined ? {} : { shell }),
    ...(keepsJobs === undefined ? {} : { keepsJobs }),
    ...(env === undefined ? {} : { env }),
    ...(signal === undefined ? {} : { signal }),
    ...(onOutput === undefined ? {} : { onOutput }),
    ...(stdin === undefined
      ? {}
      : { stdin: typeof stdin === 'string' ? Buffer.from(stdin) : stdin }),
  };
  const ran = await supervisor.run(job).catch(async (error: unknown) => {
    // There is no result, and the start in the log has its end all the same.
    await recorder.fail(start, error, supervisor.shells.cwdIn(shell));
    throw error;
  });
  const notices = jobs.notices(context);
  const result = withNotices(ran, notices);
  const stdout = await inSlices(outputText(result.stdout));
  const stderr = await inSlices(outputText(result.stderr));
  const spent = difference(before, result.usage);
  const requests = Object.values(spent).reduce((sum, each) => sum + ownUsage(each).requests, 0);
  await recorder.end(start, result, {
    stdout,
    stderr,
    spent,
    requests,
    cwd: supervisor.shells.cwdIn(shell),
  });
  if (notices.origins.length > 0) {
    const knowing = { ...context, untrustedRead: true, untrustedFrom: notices.origins };
    await supervisor.call({ type: 'note', context: knowing });
  }
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    stdoutBytes: result.stdout,
    stderrBytes: result.stderr,
    exitCode: result.exitCode,
    requests,
    cwd: supervisor.shells.cwdIn(shell),
    refused: result.refused,
    read: result.read,
    writes: await writesOf(result.writes),
    exited: result.exited,
  };
}

/** A command tells of the jobs that have ended since the last one, and has read what that tells of. */
function withNotices(ran: JobResult, { text, origins }: JobNotices): JobResult {
  if (text === '') return ran;
  const stderr = Buffer.concat([ran.stderr, Buffer.from(text)]);
  return { ...ran, stderr, read: ran.read && [...ran.read, ...origins.map(copiedFrom)] };
}

/** Without those of which nothing came: a draft is either told by its refusal or changed nothing. */
async function writesOf(changes: JobResult['writes']): Promise<Write[]> {
  const told = changes.filter(({ change }) => change.state !== 'draft');
  // Records are read by the YAML library, which most commands do without.
  if (told.length === 0) return [];
  const { linkOf, summarize } = await import('../mount/record/summary.ts');
  return told.map(({ change, point }) => {
    const { id, op, state, path, result } = change;
    const url = result?.url ?? linkOf(change);
    return {
      id,
      op,
      state,
      path: `${point}${result?.path ?? path}`,
      ...(url === null ? {} : { url }),
      summary: summarize(change),
    };
  });
}

/** A command whose signal came before its turn. */
function notBegun(cwd: string): ExecResult {
  const stderr = 'dirigent: interrupted before it began; nothing was done\n';
  return {
    stdout: '',
    stderr,
    stdoutBytes: new Uint8Array(),
    stderrBytes: Buffer.from(stderr),
    exitCode: 130,
    requests: 0,
    cwd,
    refused: [],
    read: [],
    writes: [],
    exited: false,
  };
}

async function requireDirectory(supervisor: Supervisor, path: string): Promise<void> {
  const answer = await supervisor.call({ type: 'fs', calls: [['stat', path]] });
  // The method's own answer, over a port that carries plain data.
  const { values, error } = answer as FsAnswer;
  if (error !== undefined) throw revive(error);
  if ((values[0] as FsStat).isDirectory) return;
  throw new FsError('ENOTDIR', { path, op: 'chdir', reason: `cwd: ${path} is no directory` });
}

/** What was spent between two counts. */
function difference(before: Usage, after: Usage): Usage {
  const spent: Usage = {};
  for (const [point, count] of Object.entries(after)) {
    const cost = usageSince(before[point] ?? { requests: 0, bytes: 0 }, count);
    if (cost.requests !== 0 || cost.bytes !== 0) spent[point] = cost;
  }
  return spent;
}
