/** What a thread no longer uses is given back when somebody asks for it. */
import { Session } from 'node:inspector/promises';

/**
 * Collects all garbage of this thread, which takes a moment. The engine does so by itself only where
 * something is allocated: a thread that waits keeps the garbage of what ran before.
 */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
