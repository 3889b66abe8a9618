/**
 * The library: a world of files for an agent, and its shell.
 *
 * @module dirigent
 */
import '../src/world/unbundled.ts';
import { sourceTable } from '../mounts/index.ts';
import type { SETTINGS } from '../mounts/settings.ts';
import { createWorld as createWorldOf, type World } from '../src/library.ts';
import type { ConfigOf } from '../src/world/config.ts';
import type { RunProgram } from '../src/world/host-programs.ts';
import type { WorldOptions } from '../src/world/world.ts';

export type { AgentTool, ToolContext, ToolOutput } from '../src/agent/tool.ts';
export { ConfigError, type Errno, FsError, isFsError } from '../src/errors.ts';
export type { World } from '../src/library.ts';
export { MODES, type Mode } from '../src/mount/contract/contract.ts';
export type { Answer, Approval, ApprovalScope, ApprovalState } from '../src/policy/approval.ts';
export type { ActingContext } from '../src/policy/context.ts';
export type { HookAnswer, HookOperation, Hooks } from '../src/policy/hooks.ts';
export {
  type AgentRights,
  ALL_RIGHTS,
  type FilesystemRights,
  intersectFilesystem,
  intersectRights,
} from '../src/policy/rights.ts';
export type { Entry, EntryDraft, SessionMessage } from '../src/session/entry.ts';
export type { SessionEvent } from '../src/session/events.ts';
export type { SessionLog } from '../src/session/log.ts';
export type {
  ExecOptions,
  ExecResult,
  WorldApprovals,
  WorldChanges,
  WorldFs,
  WorldMount,
  WorldOptions,
} from '../src/world/world.ts';

/** What `createWorld` takes and `dirigent.config.ts` exports. */
export type WorldConfig = ConfigOf<typeof SETTINGS>;

/** Gives a config its type, for `export default defineConfig({…})`. */
export function defineConfig(config: WorldConfig): WorldConfig {
  return config;
}

/**
 * Makes a world. It runs nothing until the first call.
 * @throws ConfigError naming each fault with its path in the config
 */
export function createWorld(config: WorldConfig = {}, options: WorldOptions = {}): World {
  const hostPrograms = async (): Promise<RunProgram> =>
    (await import('../src/doors/programs/run.ts')).runProgram;
  return createWorldOf(sourceTable, config, { hostPrograms, ...options });
}
