/** Where the sessions of a state directory are. */
import { join } from 'node:path';
import { concealing } from '../conceal.ts';
import type { PartSpec } from '../parts/config.ts';
import { loadPartNow } from '../parts/load.ts';
import { Anchor } from './anchor.ts';
import { BlobStore } from './blobs.ts';
import { SessionDirectory } from './directory.ts';
import type { SessionPlace } from './file.ts';
import { guardedStore } from './foreign-store.ts';
import type { SessionStore } from './store.ts';

/**
 * The sessions and blobs of a state directory.
 * @param part the store of the deployment's own that has the logs; files of the state directory without
 * @throws ConfigError where that cannot be loaded
 */
export function sessionPlace(state: string, part?: PartSpec): SessionPlace {
  const files = join(state, 'sessions');
  return {
    store: part === undefined ? new SessionDirectory(files) : storeOf(part),
    files,
    blobs: new BlobStore(join(state, 'blobs')),
    anchor: new Anchor(state),
  };
}

const storeOf = (part: PartSpec): SessionStore =>
  guardedStore(loadPartNow<SessionStore>(part), concealing(Object.values(part.env)));
