/** The waiting for a person's answer, given here or in another process. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Asked, AskedJournal } from './asked-journal.ts';

/** How often another process's answer is looked for, ms. */
const POLL_MS = 250;

/** How somebody waits. */
export interface Waiting {
  /** Ends the waiting. */
  signal?: AbortSignal | undefined;
  pollMs?: number | undefined;
}

/**
 * Waits until a request is pending no more.
 * @returns what it is then; as it still is, `pending`, where the signal came first; null where it is gone
 */
export async function untilAnswered<Each extends Asked>(
  journal: AskedJournal<Each>,
  id: string,
  { signal, pollMs = POLL_MS }: Waiting,
): Promise<Each | null> {
  const answered = new AbortController();
  const stop = journal.onStep((step) => {
    if (step.id === id) answered.abort();
  });
  const wake = AbortSignal.any([answered.signal, ...(signal === undefined ? [] : [signal])]);
  try {
    for (;;) {
      const now = journal.get(id);
      if (now === null || now.state === 'expired') return now;
      if (now.state !== 'pending') {
        if (!answered.signal.aborted) journal.noticed(now);
        return now;
      }
      if (signal?.aborted === true) return now;
      // An abort is an answer, or the end of whoever waits: both are looked at above.
      await delay(pollMs, undefined, { signal: wake }).catch(() => undefined);
    }
  } finally {
    stop();
  }
}
