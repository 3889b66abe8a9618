/** Where a fork comes from. */
import { SessionFile, type SessionPlace } from './file.ts';
import { isSessionId } from './session-id.ts';

/**
 * The sessions that one was forked from, the nearest first. It ends at one that
 * cannot be read any more: the log of the fork says so.
 */
export function ancestorsOf(place: SessionPlace, parent: string | null): string[] {
  const found: string[] = [];
  let next = parent;
  while (next !== null && isSessionId(next) && !found.includes(next)) {
    found.push(next);
    const file = new SessionFile(place, next);
    try {
      next = file.refresh().hasHeader ? file.header.parentSession : null;
    } finally {
      file.close();
    }
  }
  return found;
}
