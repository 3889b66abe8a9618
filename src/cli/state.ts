/** Where the state of the world is kept that a command is about. */
import { checkConfig } from '../world/config.ts';
import { stateDirectory } from '../world/plan.ts';
import type { Installation } from './installation.ts';
import type { WorldArguments } from './options.ts';
import { setUpWorld } from './setup.ts';

/** The state directory, on the host. @throws ConfigError */
export async function stateOf(
  options: WorldArguments,
  installation: Installation,
): Promise<string> {
  const cwd = process.cwd();
  const { config, deployment } = await setUpWorld(options, installation, cwd);
  return stateDirectory(checkConfig(await installation.sources(), config), {
    deployment,
    cwd,
    env: process.env,
  });
}
