/** Where the sessions of a state directory are. */
import { join } from 'node:path';
import { Anchor } from './anchor.ts';
import { BlobStore } from './blobs.ts';
import type { SessionPlace } from './file.ts';

/** The sessions and blobs of a state directory. */
export function sessionPlace(state: string): SessionPlace {
  return {
    sessions: join(state, 'sessions'),
    blobs: new BlobStore(join(state, 'blobs')),
    anchor: new Anchor(state),
  };
}
