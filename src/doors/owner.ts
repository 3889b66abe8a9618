/** Whose a session is: the first who came in for it through a door, or the person in charge. */
import { FsError } from '../errors.ts';
import type { DoorName } from '../policy/gate.ts';
import type { EntryDraft } from '../session/entry.ts';
import { hasSession, SessionFile, type SessionPlace } from '../session/file.ts';
import { ENTERED, ownerOf } from '../session/owner.ts';
import type { Principal } from './principal.ts';

/** What the log says when a principal's world is opened. */
export const entered = (door: DoorName, { actor, agent }: Principal): EntryDraft => ({
  type: 'custom',
  name: ENTERED,
  data: { door, actor, ...(agent === undefined ? {} : { agent }) },
});

/**
 * Is a session there, and the actor's own? To whoever may not have it, one of somebody else is none.
 * @throws FsError ENOENT
 */
export function requireOwnSession(place: SessionPlace, id: string, actor: string): void {
  const none = new FsError('ENOENT', {
    path: `/session/${id}`,
    op: 'open',
    rule: 'a session is its actor’s',
    reason: `${actor} has no session ${id}`,
  });
  if (!hasSession(place, id)) throw none;
  const file = new SessionFile(place, id).refresh();
  try {
    if (ownerOf(file).actor !== actor) throw none;
  } finally {
    file.close();
  }
}
