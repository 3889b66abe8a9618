/** The doorway of a command that opens a door. */
import type { Worker } from 'node:worker_threads';
import type { Doorway } from '../doors/door.ts';
import { type DoorwayOptions, openDoorway } from '../doors/doorway.ts';
import type { DoorName } from '../policy/gate.ts';
import type { SpareWorkers } from '../world/spare-workers.ts';
import type { Installation } from './installation.ts';
import { openWorld } from './open-world.ts';
import type { WorldArguments } from './options.ts';
import type { Output } from './output.ts';
import { hostOf } from './run-turn.ts';
import { keptOf } from './state.ts';

/**
 * Makes the doorway of the world that the arguments describe. The session that they name is
 * the first client's.
 * @param worker has started; the first world takes it, if it is there
 * @param more files that say who may come in, whether agents do in their own name, how many worlds may be open
 * at once, which are kept, and where other workers come from
 * @throws ConfigError
 */
export async function doorwayOf(
  door: DoorName,
  options: WorldArguments & { session?: string | undefined },
  output: Output,
  installation: Installation,
  worker: Worker | undefined,
  {
    clientFiles = [],
    workers,
    ...more
  }: {
    clientFiles?: readonly string[];
    workers?: Pick<SpareWorkers, 'take'>;
  } & Pick<DoorwayOptions, 'ownAgents' | 'worlds' | 'kept'> = {},
): Promise<Doorway> {
  let started: Worker | undefined = worker;
  return openDoorway({
    door,
    ...(await keptOf(options, installation)),
    open: async (session, actor, buffered) => {
      const first = started;
      started = undefined;
      const named = first === undefined ? undefined : options.session;
      const asked = { ...options, session: session ?? named };
      const taken = first ?? (await workers?.take());
      try {
        return await openWorld(asked, installation, taken, output, {
          clientFiles,
          ...(buffered === undefined ? {} : { buffered }),
          ...(actor === undefined ? {} : { actor }),
        });
      } catch (error) {
        // It has no world that would end it.
        await taken?.terminate();
        throw error;
      }
    },
    host: hostOf(options, output),
    ...more,
  });
}
