/** Where the sessions of a deployment are kept, by its config. */
import { type PartSpec, planParts } from '../parts/config.ts';
import type { SessionPlace } from '../session/file.ts';
import type { Log } from '../session/log.ts';
import { createSession, resumeSession } from '../session/open.ts';
import { sessionPlace } from '../session/place.ts';
import type { CheckedConfig } from './config.ts';
import { type Host, planMounts } from './plan.ts';
import { refuseWritableTrust } from './trust/index.ts';

/** The store that a config names; undefined for the state directory. @throws ConfigError where its module is not there */
export const storePart = (
  { parts }: Pick<CheckedConfig, 'parts'>,
  host: Host,
): PartSpec | undefined => planParts(parts, host.deployment ?? host.cwd, host.env).sessions;

/** The place of the sessions of a deployment. @throws ConfigError */
export const placeOf = (
  config: Pick<CheckedConfig, 'parts'>,
  host: Host,
  state: string,
): SessionPlace => sessionPlace(state, storePart(config, host));

/**
 * The session of a world, with its place: begun, or gone on with. It is opened before the mounts
 * are known whole: so the module of a store is held against those of the config before any of it runs.
 * @param id of the session to go on with
 * @throws ConfigError, FsError
 */
export function openSession(
  config: CheckedConfig,
  host: Host,
  state: string,
  id: string | undefined,
): { place: SessionPlace; session: Log } {
  if (config.parts?.sessions !== undefined) {
    const mounts = planMounts(config, host, state, { id: '', past: false, workspace: null });
    refuseWritableTrust({ config, host, state, mounts });
  }
  const place = placeOf(config, host, state);
  try {
    return { place, session: id === undefined ? createSession(place) : resumeSession(place, id) };
  } catch (error) {
    place.store.close?.();
    throw error;
  }
}
