/** What a keeper is made with. */
import type { CommandLine } from '../command-line.ts';
import type { Approval } from './approval.ts';
import type { ApprovalJournal } from './approvals.ts';
import type { EngineGate } from './engine.ts';
import type { Gate } from './gate.ts';
import type { Hooks } from './hooks.ts';
import type { Taint } from './taint.ts';

/** What a keeper is made with. */
export interface KeeperOptions {
  /** The gate of the mount modes. */
  modes: Gate;
  mountAt(point: string): MountFacts | undefined;
  /** Opened when the first approval is asked for. */
  approvals(): ApprovalJournal;
  /** For what a refusal suggests. */
  commandLine?: CommandLine | undefined;
  session: string;
  hooks: Hooks | null;
  /** Asked besides the policy; null where the deployment has none. */
  engine?: EngineGate | null;
  /** Told when an operation begins to wait for an answer, and when it ends; null: nobody can answer. */
  onParked?(approval: Approval, waiting: boolean): void;
  /** ms since the epoch. */
  now?: () => number;
  /** How often another process's answer is looked for, ms. */
  pollMs?: number;
  /** Follows text of services through files; null where nothing is kept of that. */
  taint?: Taint | null;
}

/** What is known of a mount. */
export interface MountFacts {
  kind: string;
  /** What is written there others see. */
  service: boolean;
  /** Its text comes from outside, and gives no orders. */
  outside: boolean;
  /** The directory of the host that its files are in, if any. */
  directory?: string | undefined;
}
