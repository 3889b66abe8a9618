/** A question is asked again where only the way failed: it changes nothing, so it does no harm twice. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceFailure } from './failure.ts';

/** Before the second and the third try, in ms. */
const PAUSES_MS = [100, 400];
/** What stands between us and the service says that it did not answer. */
const PASSING_STATUSES: ReadonlySet<number | undefined> = new Set([502, 503, 504]);

/**
 * Asks; after 502, 503, 504 or a broken connection twice more. Only for what changes nothing.
 *
 * @throws what the last try threw; at once a failure of any other kind, or one that says when to
 *   come back
 */
export async function askAgain<T>(ask: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ServiceFailure) || !isPassing(error)) throw error;
    }
    await delay(pause);
  }
  return ask();
}

/** Nobody listening is no accident of one connection, and a time-out has been waited for already. */
function isPassing({ kind, status, retryAt, unsent }: ServiceFailure): boolean {
  if (retryAt !== undefined) return false;
  return (kind === 'network' && !unsent) || (kind === 'server' && PASSING_STATUSES.has(status));
}
