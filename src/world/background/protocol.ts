/**
 * Background jobs: what crosses between a job's thread, the supervisor, and the worker of the world,
 * which holds the one namespace. All of it is plain data.
 */
import type { StatementNode } from 'just-bash';
import type { Capacity, Mode } from '../../mount/contract/contract.ts';
import type { ActingContext } from '../../policy/context.ts';
import type { Programs } from '../../shell/command.ts';
import type { InterpreterState } from '../../shell/interpreter-types.ts';
import type { ErrorOnTheWire, WireError } from '../fs-call.ts';
import type { OutboxMessage } from '../outbox.ts';
import type { FromWorker, NamedModule, Refusal, ToWorker } from '../protocol.ts';
import type { JobAsk } from './asks.ts';

/** What it is answered, and what came of it besides. */
export interface JobAnswer {
  outcome: { value: unknown } | { error: ErrorOnTheWire };
  /** Failures that no command may swallow. */
  faults: WireError[];
  /** What without an end was read, and not read to its end. */
  endless: string | null;
  /** How many files had been opened for writing: the mark that `flush` takes. */
  held: number;
  /** In a directory that was listed: the names of the files that cost a request each. */
  costly?: string[];
  /** Paths that were changed. */
  changed: string[];
  refused: Refusal[];
  /** That mounts sent for it. */
  requests: number;
  /** Services whose text the job has read so far. */
  origins: string[];
}

/** A mount as commands know of it, when the job began. */
export interface JobMount {
  point: string;
  kind: string;
  mode: Mode;
  capacity: Capacity | null;
  searchable: boolean;
}

/** What a job's thread begins with. */
export interface JobSpec {
  node: StatementNode;
  state: InterpreterState;
  /** Where a world's shell begins, and its variables. */
  cwd: string;
  env: Record<string, string>;
  programs?: Programs;
  hostPrograms: readonly string[];
  network: readonly string[];
  shims: readonly NamedModule[];
  context: ActingContext;
  deadlineMs: number;
  /** Bytes that it may print. */
  maxOutput: number;
}

export type ToJob =
  /** It holds more than it may, perhaps only as garbage. */
  | { type: 'collect' }
  | { type: 'begin'; spec: JobSpec }
  | { type: 'answer'; id: number; answer: JobAnswer }
  | { type: 'signal'; signal: number }
  | Extract<ToWorker, { type: 'program-end' | 'program-failed' }>;

export type FromJob =
  | { type: 'ask'; id: number; strand: number; ask: JobAsk }
  /** Nobody waits for what was asked any more. */
  | { type: 'stop'; id: number }
  /** A trap has taken the last signal: it goes on. */
  | { type: 'trapped' }
  | { type: 'ended'; exitCode: number }
  | { type: 'failed'; message: string }
  | OutboxMessage
  | Extract<FromWorker, { type: 'program' | 'program-stop' }>;
