/** How a session comes to be open: begun, or found in its file and gone on with. */
import { FsError } from '../errors.ts';
import { createUlidFactory } from '../ulid.ts';
import { type Entry, type Header, LOG_VERSION } from './entry.ts';
import { hasSession, SessionFile, type SessionPlace } from './file.ts';
import { Log, type OpenOptions } from './log.ts';

/** What a new session begins with. */
export interface NewSession extends OpenOptions {
  /** The session and the entry that it goes on from. */
  parent?: { session: string; entry: Entry };
  /** The root of the snapshot that its `/workspace` begins with. */
  workspace?: string;
}

/** Starts a session. Nothing is kept before its first entry, or {@link Log.begin}. */
export function createSession(place: SessionPlace, options: NewSession = {}): Log {
  const now = options.now ?? Date.now;
  const nextId = createUlidFactory(now);
  const id = nextId();
  const { parent, workspace } = options;
  const header: Omit<Header, 'hash'> = {
    type: 'session',
    version: LOG_VERSION,
    id,
    created: new Date(now()).toISOString(),
    parentSession: parent?.session ?? null,
    ...(parent === undefined ? {} : { parentEntry: parent.entry.id }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(parent === undefined ? {} : { prev: parent.entry.hash }),
  };
  return new Log(new SessionFile(place, id), nextId, options, header);
}

/**
 * Opens a session to go on with it.
 * @throws FsError EBUSY when another process writes it, ENOENT when there is none
 */
export function resumeSession(place: SessionPlace, id: string, options: OpenOptions = {}): Log {
  if (!hasSession(place, id)) {
    throw new FsError('ENOENT', {
      path: place.store.where(id),
      op: 'open',
      reason: `there is no session ${id}`,
    });
  }
  const held = place.store.write(id);
  const session = new SessionFile(place, id);
  try {
    const { end, size } = session.refresh();
    const torn = size > end ? held.cut(end) : null;
    // A session without a header has nothing in it to go on with.
    void session.header;
    const nextId = createUlidFactory(options.now ?? Date.now, session.tree.leaf ?? id);
    const log = new Log(session, nextId, options, null, held, torn);
    log.adopt();
    return log;
  } catch (error) {
    session.close();
    held.release();
    throw error;
  }
}
