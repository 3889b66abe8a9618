/**
 * The library: a world of files for an agent, and its shell.
 *
 * @module dirigent
 */
import './world/unbundled.ts';

export type { AgentTool, ToolContext, ToolOutput } from './agent/tool.ts';
export { ConfigError, type Errno, FsError, isFsError } from './errors.ts';
export { createWorld, type World } from './library.ts';
export { MODES, type Mode } from './mount/contract/contract.ts';
export type { Answer, Approval, ApprovalScope, ApprovalState } from './policy/approval.ts';
export type { ActingContext } from './policy/context.ts';
export type { HookAnswer, HookOperation, Hooks } from './policy/hooks.ts';
export {
  type AgentRights,
  ALL_RIGHTS,
  type FilesystemRights,
  intersectFilesystem,
  intersectRights,
} from './policy/rights.ts';
export type { Entry, EntryDraft, SessionMessage } from './session/entry.ts';
export type { SessionEvent } from './session/events.ts';
export type { SessionLog } from './session/log.ts';
export { defineConfig, type WorldConfig } from './world/config.ts';
export type {
  ExecOptions,
  ExecResult,
  WorldApprovals,
  WorldChanges,
  WorldFs,
  WorldMount,
  WorldOptions,
} from './world/world.ts';
