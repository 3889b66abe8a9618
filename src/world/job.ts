/** What is asked of a world's worker, and what becomes of it. */
import type { Change } from '../changes/index.ts';
import type { ActingContext } from '../policy/context.ts';
import type { ShellTerminal } from '../shell/terminal.ts';
import type { LeaseHolder } from './leases.ts';
import type { Refusal, ToWorker, Usage } from './protocol.ts';
import type { TrafficEvent } from './traffic.ts';

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
  /** In a shell of this name; in that of the world, if absent. */
  shell?: string;
  /** Its jobs end with it. */
  keepsJobs?: boolean;
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
  /** Whose call it is: that one's lease is not recalled for it. */
  holder?: LeaseHolder;
  /** Ends the waiting for a person; what a mount has begun goes on. */
  signal?: AbortSignal;
  /** It waits for a person now. */
  onParked?(): void;
  /** The points of the mounts that it read. */
  onRead?(points: readonly string[]): void;
  /** The paths that it changed. */
  onChanged?(paths: readonly string[]): void;
  /** It was refused, or failed. */
  onFailed?(error: unknown): void;
  /** What the mounts do for it, as it happens. */
  onTraffic?(event: TrafficEvent): void;
  /** It asks the person at its terminal. */
  onAsk?: ShellTerminal['ask'];
}

/** Requests without an id of their own, as they are sent. */
export type Request = ToWorker extends infer T
  ? T extends { id: number }
    ? Omit<T, 'id'>
    : never
  : never;

/** What is asked of the namespace and the journals. */
export type Call = Extract<
  Request,
  {
    type:
      | 'fs'
      | 'changes'
      | 'usage'
      | 'sync'
      | 'progress'
      | 'probe'
      | 'hear'
      | 'approvals'
      | 'questions'
      | 'question'
      | 'policy'
      | 'tool'
      | 'note'
      | 'job'
      | 'job-end'
      | 'line';
  }
>;
