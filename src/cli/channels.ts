/** The channels of a deployment, for the command line. */
import type { ChannelPlaces } from '../serve/channels/load.ts';
import type { CheckedConfig } from '../world/config.ts';
import { channelModules, type Host } from '../world/plan.ts';
import type { Installation } from './installation.ts';
import { openWorld } from './open-world.ts';
import type { WorldArguments } from './options.ts';
import type { Output } from './output.ts';

/** A deployment as its harness is found by. */
interface Deployed {
  checked: CheckedConfig;
  host: Host;
  directories: { own: string | null };
}

/**
 * Where they are looked for. A module that an agent could have written is refused before it is
 * loaded, as a world would refuse it.
 * @throws ConfigError
 */
export async function channelPlaces(
  { checked, host, directories }: Deployed,
  options: WorldArguments,
  output: Output,
  installation: Installation,
): Promise<ChannelPlaces> {
  const modules = channelModules(checked, host);
  if (modules.length > 0) {
    const world = await openWorld(options, installation, undefined, output);
    await world.close();
  }
  return { own: directories.own, modules, kinds: await installation.channels() };
}
