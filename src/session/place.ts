/** Where the sessions of a state directory are. */
import { join } from 'node:path';
import { Anchor } from './anchor.ts';
import { BlobStore } from './blobs.ts';
import { SessionDirectory } from './directory.ts';
import type { SessionPlace } from './file.ts';

/** The sessions and blobs of a state directory. */
export function sessionPlace(state: string): SessionPlace {
  const files = join(state, 'sessions');
  return {
    store: new SessionDirectory(files),
    files,
    blobs: new BlobStore(join(state, 'blobs')),
    anchor: new Anchor(state),
  };
}
