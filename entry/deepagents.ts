/**
 * A world as a backend of `deepagents`.
 *
 * @module dirigent/deepagents
 */
import { sourceTable } from '../mounts/index.ts';
import { WorldBackend } from '../src/doors/sandbox/deepagents-backend.ts';
import { enterSandbox, openSandboxDoorway, type SandboxPlace } from '../src/doors/sandbox/place.ts';
import { createWorld, type WorldConfig } from './index.ts';

export type { WorldBackend } from '../src/doors/sandbox/deepagents-backend.ts';
export type { SandboxPlace } from '../src/doors/sandbox/place.ts';

/** A backend, for the `backend` of `createDeepAgent`. @throws ConfigError, FsError */
export async function dirigentBackend(
  place: SandboxPlace<WorldConfig> = {},
): Promise<WorldBackend> {
  const doorway = openSandboxDoorway(place, { createWorld, sources: sourceTable });
  doorway.announce('in this process');
  return new WorldBackend(await enterSandbox(doorway, place, 'new'), () => doorway.close());
}
