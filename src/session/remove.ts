/** Removes a session that nobody needs any more. What only it referred to goes with the next `collectBlobs`. */
import fs from 'node:fs';
import { join } from 'node:path';
import { FsError } from '../errors.ts';
import { SessionFile, type SessionPlace } from './file.ts';
import { sessionIds } from './mount.ts';

/**
 * @param also sessions that go, too: a fork of this one may be among them
 * @throws FsError EBUSY while a process writes it, or where another session goes on from it
 */
export function removeSession(
  place: SessionPlace,
  id: string,
  also: ReadonlySet<string> = new Set(),
): void {
  const forks = forksOf(place, id).filter((each) => !also.has(each));
  if (forks.length > 0) {
    throw new FsError('EBUSY', {
      path: place.store.where(id),
      op: 'unlink',
      rule: 'a fork needs the session that it goes on from',
      reason: `session ${id} is where ${forks.join(', ')} goes on from; remove that first, or both at once`,
    });
  }
  const held = place.store.write(id);
  try {
    // The person in charge wants it gone: nobody is to miss it.
    place.anchor?.forget(id);
    held.remove();
  } catch (error) {
    held.release();
    throw error;
  }
  fs.rmSync(join(place.files, id), { recursive: true, force: true });
}

function forksOf(place: SessionPlace, id: string): string[] {
  return sessionIds(place, id).filter((each) => {
    const file = new SessionFile(place, each);
    try {
      return file.refresh().hasHeader && file.header.parentSession === id;
    } finally {
      file.close();
    }
  });
}
