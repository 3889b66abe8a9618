/** Whose a session is: whoever came in for it first, or the person in charge. */
import { USER } from '../policy/context.ts';
import { hasSession, SessionFile, type SessionPlace } from './file.ts';

/** The name of the entry that says who came in, through which door. */
export const ENTERED = 'door/entered';

/** Who began a session, and with which agent's rights. */
export interface SessionOwner {
  actor: string;
  agent?: string;
}

export function ownerOf(file: SessionFile): SessionOwner {
  for (const entry of file.own()) {
    if (entry.type !== 'custom' || entry['name'] !== ENTERED) continue;
    const { actor, agent } = entry['data'] as SessionOwner;
    return { actor, ...(agent === undefined ? {} : { agent }) };
  }
  return { actor: USER };
}

/** Tells whether sessions are an actor's, by their ids; one that is not there is nobody's. */
export function ownedBy(place: SessionPlace, actor: string): (session: string) => boolean {
  const known = new Map<string, boolean>();
  return (session) => {
    const isKnown = known.get(session);
    if (isKnown !== undefined) return isKnown;
    if (!hasSession(place, session)) return false;
    const file = new SessionFile(place, session);
    try {
      const isOwn = ownerOf(file.refresh()).actor === actor;
      known.set(session, isOwn);
      return isOwn;
    } finally {
      file.close();
    }
  };
}
