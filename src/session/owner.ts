/** Whose a session is: whoever came in for it first, or the person in charge. */
import { USER } from '../policy/context.ts';
import type { SessionFile } from './file.ts';

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
