/**
 * What crosses between the supervisor and the worker of a world. All of it is
 * plain data. The worker holds shell, namespace and mounts; the supervisor ends
 * it when it must, and keeps what has to outlive it.
 */

import type { CommandLine } from '../command-line.ts';
import type { CredentialRequest, HeldCredential } from '../credentials/credential.ts';
import type { Buffers } from '../disk/buffers.ts';
import type { Errno } from '../errors.ts';
import type { MemoryOp } from '../memory-tree/op.ts';
import type { MountUsage } from '../mount/contract/contract.ts';
import type { Told } from '../mount/contract/webhook.ts';
import type { PartSpec } from '../parts/config.ts';
import type { Approval } from '../policy/approval.ts';
import type { ActingContext } from '../policy/context.ts';
import type { Access, ToolCallFacts } from '../policy/gate.ts';
import type { Question, QuestionDraft } from '../policy/question.ts';
import type { ScheduleStep } from '../schedule/journal.ts';
import type { SearchFiles } from '../search/mounted.ts';
import type { Programs } from '../shell/command.ts';
import type { HostProgram, HostProgramEnd } from '../shell/host-programs.ts';
import type { ShellState } from '../shell/shell.ts';
import type { TerminalLooks, TerminalRequest } from '../shell/terminal.ts';
import type { Settings } from '../sources/source.ts';
import type { OcrProgram } from '../texts/ocr.ts';
import type { JobAsk, JobsRequest } from './background/asks.ts';
import type { ErrorOnTheWire, FsCall } from './fs-call.ts';
import type { LineFromWorker, LineToWorker } from './line/protocol.ts';
import type { OutboxMessage } from './outbox.ts';
import type { TrafficEvent } from './traffic.ts';

/** Where the files of a mount come from, by its kind: what the world itself has to know of it. */
interface Sources {
  memory: { initial: MemoryOp[]; maxBytes?: number };
  session: { id: string; past: boolean; pastOf?: string };
  /** `isPrivate`: of the state, whose files are their owner's alone. */
  disk: {
    root: string;
    hidden: string[];
    isPrivate?: boolean;
    /** A program outside has its texts open: what it can be asked for. */
    buffers?: Pick<Buffers, 'reads' | 'writes'>;
  };
  /** `/`, with the one file that is in it; `made` in ms. */
  root: { readme: { name: string; text: string; made: number } };
  bin: object;
  dev: object;
  changes: object;
  /** Of sessions of this actor; all, if absent. */
  approvals: { of?: string };
  /** Plans, or what else is asked. */
  questions: { of?: string; plans: boolean };
  /** Of one actor; all, if absent. */
  schedule: { of?: string };
  /** The deployment's directory over the package's; and the host's own tools, which are no faults there. */
  harness: { own: string | null; defaults: string; hostTools: string[] };
  service: ServiceSpec;
}

export type SourceKind = keyof Sources;

export type SourceSpec<Kind extends SourceKind = SourceKind> = {
  [Each in Kind]: { kind: Each } & Sources[Each];
}[Kind];

/** A module of the deployment's: as the config names it, and its file. */
export interface NamedModule {
  name: string;
  file: string;
}

/** Something outside, which a source of the config opens. */
export interface ServiceSpec {
  /** The source's name: the world asks for it when it attaches the mount. */
  scheme: string;
  /** What people call it. */
  title: string;
  settings: Settings;
  /** The module that it is, where it is the deployment's own. */
  module?: NamedModule;
  baseUrl?: string;
  /** The variable of the host's environment that its token is in. */
  variable?: string;
  token?: string;
  /** Credentials in the settings. */
  secrets?: readonly string[];
  stage: boolean;
  freshMs?: number;
}

/** A mount to attach. */
export interface MountSpec {
  point: string;
  source: SourceSpec;
  access: Access;
  searchable: boolean;
}

/** A policy as it was read, not checked yet. */
export interface PolicySource {
  /** How messages call it. */
  file: string;
  text: string;
  /** The package's own, which does not concern the person at the shell. */
  isDefault: boolean;
}

/** All that a worker needs to make its world. */
export interface WorldSpec {
  mounts: MountSpec[];
  /** The URL of the module of all that can be mounted; not needed where no service is. */
  sources?: string;
  cwd: string;
  env: Record<string, string>;
  operationTimeoutMs: number;
  /** The directory of sessions/ and blobs/. */
  sessions: string;
  /** The directory of replica.sqlite, changes.sqlite …; null keeps them in memory. */
  state: string | null;
  shell: ShellState | null;
  /** The services whose text commands of that shell have read. */
  shellOrigins?: readonly string[];
  /** The session's id. */
  session: string;
  /** The sessions that it was forked from, the nearest first. */
  ancestors?: readonly string[];
  /** The directory of the host that these had as /workspace, where it was none of memory. */
  workspace?: string | null;
  policy: PolicySource;
  /** Which of the programs that are off by default this world has. */
  programs?: Programs;
  /** The programs of the host that `run` knows. */
  hostPrograms?: readonly string[];
  /** Hosts that commands may ask; none without. */
  network?: readonly string[];
  /** The deployment's own commands. */
  shims?: readonly NamedModule[];
  /** The module of the deployment's hooks; null without. */
  hooks: string | null;
  /** Are credentials asked of a source of the deployment's own? */
  asksCredentials?: boolean;
  /** The deployment's own policy engine; absent without. */
  engine?: PartSpec | undefined;
  /** The deployment's own store of sessions; absent without. */
  store?: PartSpec | undefined;
  /** The program that reads pictures; absent without. */
  ocr?: OcrProgram;
  /** How the command line is called for this world. */
  commandLine?: CommandLine;
  /** May commands begin jobs that outlive their line? */
  jobs?: boolean;
  /** What the search by meaning is started from; without it there is none. */
  search?: SearchFiles;
}

/** Requests and bytes by mount point. */
export type Usage = Record<string, MountUsage>;

/** An operation that the gate, or a mount, refused. */
export interface Refusal {
  path: string;
  op: string;
  code: Errno;
  rule: string;
}

/** What the `approvals` commands of a front end ask for. */
export type ApprovalsMethod = 'list' | 'get' | 'answer';

/** What the `questions` commands of a front end ask for. */
export type QuestionsMethod = 'list' | 'get' | 'answer';

/** What the `changes` commands of a front end ask for. */
export type ChangesMethod = 'list' | 'get' | 'apply' | 'drop' | 'settle';

/** What a program of the host did to the world, beside what it printed. */
export interface EndedProgram extends HostProgramEnd {
  /** Points of the mounts that it read. */
  read: string[];
  changed: string[];
  refused: Refusal[];
}

/** What a mount asks of the program that has its files open. `path`: in the mount. */
export type BufferRequest =
  | { op: 'read'; path: string }
  | { op: 'write'; path: string; text: string };

/** A shell beside that of the world, as its last command left it. */
export interface OwnShell {
  /** null: nothing was run in it so far. */
  state: ShellState | null;
  /** The services whose text that state may hold. */
  origins: readonly string[];
}

export type ToWorker =
  /** `begun`: shared; the id of the last message that it has begun with. */
  | { type: 'start'; spec: WorldSpec; begun: Int32Array }
  /** What came of a program of the host. */
  | { type: 'program-end'; run: number; end: EndedProgram }
  | { type: 'program-failed'; run: number; error: ErrorOnTheWire }
  /** What a program has open; empty where it was to take a text. */
  | { type: 'credential-answer'; ask: number; credential: HeldCredential | null }
  | { type: 'credential-failed'; ask: number; error: ErrorOnTheWire }
  | { type: 'buffer-answer'; ask: number; text: string }
  | { type: 'buffer-failed'; ask: number; error: ErrorOnTheWire }
  | {
      type: 'exec';
      id: number;
      script: string;
      cwd?: string;
      env?: Record<string, string>;
      stdin?: Uint8Array;
      deadlineMs: number;
      context: ActingContext;
      /** In a shell that begins anew. */
      fresh?: boolean;
      /** In another shell than that of the world. */
      own?: OwnShell;
      /** The terminal that it is run at. */
      terminal?: TerminalLooks;
      /** Is what the mounts do for it to be told as it happens? */
      watched?: boolean;
      /** Do its jobs end with it? */
      keepsJobs?: boolean;
    }
  /** An operation of a background job, in the name of whoever started it. */
  | {
      type: 'job';
      id: number;
      job: number;
      context: ActingContext;
      strand: number;
      ask: JobAsk;
    }
  | { type: 'job-end'; id: number; job: number }
  /** What became of what a command asked of the background jobs. */
  | { type: 'jobs-answer'; ask: number; value: unknown }
  | { type: 'jobs-failed'; ask: number; error: ErrorOnTheWire }
  | { type: 'abort'; id: number }
  /** It holds more than it may, perhaps only as garbage. */
  | { type: 'collect' }
  /** What the person at the terminal answered; null for an end. */
  | { type: 'reply'; ask: number; text: string | null }
  /** The answer is an {@link FsAnswer}. Without a context it is the person in charge, through a front end. */
  | {
      type: 'fs';
      id: number;
      calls: readonly FsCall[];
      context?: ActingContext;
      watched?: boolean;
    }
  | { type: 'changes'; id: number; method: ChangesMethod; args: unknown[] }
  | { type: 'approvals'; id: number; method: ApprovalsMethod; args: unknown[] }
  | { type: 'questions'; id: number; method: QuestionsMethod; args: unknown[] }
  /** Somebody asks a person; the answer is what became of the `Question`. */
  | { type: 'question'; id: number; draft: QuestionDraft; context: ActingContext }
  | { type: 'policy'; id: number; policy: PolicySource }
  /** May somebody call a tool? The answer is a `GateDecision`. */
  | { type: 'tool'; id: number; tool: ToolCallFacts; context: ActingContext }
  /** Text of services has come to somebody, by no file. */
  | { type: 'note'; id: number; context: ActingContext }
  | { type: 'sync'; id: number; path: string }
  | { type: 'progress'; id: number }
  | { type: 'probe'; id: number; timeoutMs: number }
  /** The service of a mount has said what happened. */
  | { type: 'hear'; id: number; point: string; events: readonly Told[] }
  | { type: 'usage'; id: number }
  | LineToWorker
  | { type: 'close' };

/** A step of a journal, which the log mirrors. */
export type JournalStep =
  /** An approval was asked for, or answered. */
  | { type: 'approval'; approval: Approval }
  /** A question was asked, or answered. */
  | { type: 'question'; question: Question }
  /** Something was scheduled, or is not any more. */
  | { type: 'schedule'; step: ScheduleStep };

export type FromWorker =
  /** It has what every world has, and waits for its plan. */
  | { type: 'loaded' }
  | { type: 'ready'; commands: string[] }
  | { type: 'failed'; error: ErrorOnTheWire }
  | JournalStep
  | LineFromWorker
  /** So many operations wait for a person now. */
  | { type: 'parked'; waiting: number }
  | OutboxMessage
  | {
      type: 'done';
      id: number;
      /** Lines for stderr, after all that the command printed, which is in the outbox. */
      notices: string;
      exitCode: number;
      /** The script said `exit`. */
      exited: boolean;
      usage: Usage;
      changed: string[];
      refused: Refusal[];
      /** Points of the mounts that an agent's command read; and, after `copy:`, of services whose text lay elsewhere. */
      read: string[];
      state: ShellState | null;
      /** The services whose text that state may hold. */
      shellOrigins: string[];
    }
  /** What the mounts do for a command or a call that is watched. */
  | { type: 'traffic'; id: number; event: TrafficEvent }
  /** A command asks the person at its terminal something. */
  | { type: 'ask'; id: number; ask: number; request: TerminalRequest }
  /** A command wants a program of the host to be run, in the name of whoever runs the command. */
  | { type: 'program'; run: number; program: HostProgram; context: ActingContext }
  /** The command that wanted it has been stopped, and the program with it. */
  | { type: 'program-stop'; run: number }
  /** A mount asks the program that has its files open. */
  | { type: 'credential'; ask: number; request: CredentialRequest; rejected: boolean }
  | { type: 'buffer'; ask: number; request: BufferRequest }
  /** A command asks of the background jobs, in the name of whoever runs it. */
  | { type: 'jobs'; ask: number; request: JobsRequest; context: ActingContext }
  /** A command or a call has begun to wait for a person. */
  | { type: 'waits'; id: number }
  | { type: 'answer'; id: number; value: unknown; read?: string[] }
  | {
      type: 'refused';
      id: number;
      error: ErrorOnTheWire;
      read?: string[];
    };
