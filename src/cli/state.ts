/** Where the state of the world is kept that a command is about. */

import type { PartSpec } from '../parts/config.ts';
import { checkConfig } from '../world/config.ts';
import { type Host, stateDirectory } from '../world/plan.ts';
import { storePart } from '../world/session-place.ts';
import type { Installation } from './installation.ts';
import type { WorldArguments } from './options.ts';
import { setUpWorld } from './setup.ts';

/** The state directory, on the host. @throws ConfigError */
export const stateOf = async (
  options: WorldArguments,
  installation: Installation,
): Promise<string> => (await keptOf(options, installation)).state;

/** The state directory, and the store of the deployment's own in which its sessions are. @throws ConfigError */
export async function keptOf(
  options: WorldArguments,
  installation: Installation,
): Promise<{ state: string; store: PartSpec | undefined }> {
  const cwd = process.cwd();
  const { config, deployment } = await setUpWorld(options, installation, cwd);
  const checked = checkConfig(await installation.sources(), config);
  const host: Host = { deployment, cwd, env: process.env };
  const state = stateDirectory(checked, host);
  return { state, store: storePart(checked, host, state) };
}
