/** Where the sessions of a deployment are kept, by its config. */
import { type PartSpec, planParts } from '../parts/config.ts';
import type { SessionPlace } from '../session/file.ts';
import type { Log } from '../session/log.ts';
import { createSession, resumeSession } from '../session/open.ts';
import { sessionPlace } from '../session/place.ts';
import type { CheckedConfig } from './config.ts';
import { type Host, planMounts } from './plan.ts';
import { refuseWritableTrust } from './trust/index.ts';

/**
 * The store that a config names; undefined for the state directory. Sessions are looked at before
 * the mounts of a world are known whole: so its module is held against those of the config, by
 * whoever would load it, before any of it runs.
 * @throws ConfigError where its module is not there, or an agent could write it
 */
export function storePart(config: CheckedConfig, host: Host, state: string): PartSpec | undefined {
  if (config.parts?.sessions === undefined) return undefined;
  const mounts = planMounts(config, host, state, { id: '', past: false, workspace: null });
  refuseWritableTrust({ config, host, state, mounts });
  return planParts(config.parts, host.deployment ?? host.cwd, host.env).sessions;
}

/** The place of the sessions of a deployment. @throws ConfigError */
export const placeOf = (config: CheckedConfig, host: Host, state: string): SessionPlace =>
  sessionPlace(state, storePart(config, host, state));

/**
 * The session of a world, with its place: begun, or gone on with.
 * @param id of the session to go on with
 * @throws ConfigError, FsError
 */
export function openSession(
  config: CheckedConfig,
  host: Host,
  state: string,
  id: string | undefined,
): { place: SessionPlace; session: Log } {
  const place = placeOf(config, host, state);
  try {
    return { place, session: id === undefined ? createSession(place) : resumeSession(place, id) };
  } catch (error) {
    place.store.close?.();
    throw error;
  }
}
