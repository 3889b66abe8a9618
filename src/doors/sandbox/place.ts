/** Where somebody's sandbox is, and who uses it: what all adapters take. */
import type { Approval } from '../../policy/approval.ts';
import type { SourceTable } from '../../sources/source.ts';
import { checkConfig } from '../../world/config.ts';
import { stateDirectory } from '../../world/plan.ts';
import { storePart } from '../../world/session-place.ts';
import type { World } from '../../world/world.ts';
import type { Doorway, Visit } from '../door.ts';
import { openDoorway } from '../doorway.ts';

/** Whose world it is, and in whose name it is used. */
export interface SandboxPlace<Config> {
  /** The config of the world; a plain one, if absent. */
  config?: Config;
  /** The directory of the deployment. Its state is in `.dirigent` there. */
  deployment?: string;
  /** The name that rules of the policy and the log have for whoever uses it; `sandbox`, if absent. */
  actor?: string;
  /** The agent of the harness whose rights bound it. */
  agent?: string;
  /** Has a person asked, who answers through `visit.approvals`; without it what asks is refused. */
  onApproval?(approval: Approval, visit: Visit): void;
}

/** What worlds of a config are made with. */
export interface Maker<Config> {
  createWorld(
    config: Config | undefined,
    options: { deployment: string | null; session?: string; actor?: string },
  ): World;
  /** What they can mount. */
  sources: SourceTable;
}

const ACTOR = 'sandbox';

/** What a sandbox needs to know of its config itself. */
export interface SandboxConfig {
  state?: string | undefined;
  parts?: unknown;
}

/**
 * Opens the doorway of a place. No world is opened before somebody enters.
 * @throws ConfigError where the store of its sessions is not one to be loaded
 */
export function openSandboxDoorway<Config extends SandboxConfig>(
  { config, deployment }: SandboxPlace<Config>,
  { createWorld, sources }: Maker<Config>,
): Doorway {
  const host = { deployment: deployment ?? null, cwd: process.cwd(), env: process.env };
  const state = stateDirectory(config?.state === undefined ? {} : { state: config.state }, host);
  return openDoorway({
    door: 'sandbox',
    state,
    // What is wrong with the config of a plain one, the world says.
    store:
      config?.parts === undefined
        ? undefined
        : storePart(checkConfig(sources, config), host, state),
    open: (session, actor) =>
      createWorld(config, {
        deployment: deployment ?? null,
        ...(session === undefined ? {} : { session }),
        ...(actor === undefined ? {} : { actor }),
      }),
    host: { base: deployment ?? process.cwd(), env: process.env },
    ownAgents: true,
  });
}

/** Comes in: in a session of an id, in a new one, or in the one that all who are the same share. */
export function enterSandbox(
  doorway: Doorway,
  { actor = ACTOR, agent, onApproval }: Omit<SandboxPlace<unknown>, 'config'>,
  session?: string,
): Promise<Visit> {
  const principal = {
    actor,
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
  };
  return doorway.enter(principal, onApproval === undefined ? {} : { onApproval });
}
