/** What the log of a session says became of a message. */
import type { Delivery } from '../../agent/delivery.ts';
import { isFsError } from '../../errors.ts';
import { type Entry, isMessage, textOf } from '../../session/entry.ts';
import { hasSession, SessionFile, type SessionPlace } from '../../session/file.ts';
import type { TurnOutcome } from './turn.ts';

/** `absent`: nothing was done for it; `begun`: its turn began, and did not end. */
export type Delivered = 'absent' | 'begun' | TurnOutcome;

/** Looks up what became of a message, or of the part of its turn that is named. */
export function deliveredIn(place: SessionPlace, session: string, wanted: Delivery): Delivered {
  if (!hasSession(place, session)) return 'absent';
  const file = new SessionFile(place, session);
  try {
    return lookUp(file.refresh(), wanted);
  } catch (error) {
    // The first write to it was interrupted.
    if (isFsError(error, 'EINVAL')) return 'absent';
    throw error;
  } finally {
    file.close();
  }
}

function lookUp(file: SessionFile, wanted: Delivery): Delivered {
  let begun = false;
  let said = '';
  for (const entry of file.own()) {
    const isEnd = entry.type === 'custom' && entry['name'] === 'turn/end';
    const data = isEnd ? (entry['data'] as Record<string, unknown>) : entry;
    const delivery = data['delivery'] as Delivery | undefined;
    const isIt = delivery?.message === wanted.message && delivery.part === wanted.part;
    if (isIt && !isEnd) begun = true;
    if (begun && isAnswer(entry)) said = textOf(entry.message);
    // What was said to a turn that ran ends with that turn.
    if (isEnd && begun) {
      const { delivery: _, ...outcome } = data;
      return { ...(outcome as unknown as TurnOutcome), text: said };
    }
  }
  return begun ? 'begun' : 'absent';
}

const isAnswer = (entry: Entry): entry is Entry & { message: Parameters<typeof textOf>[0] } =>
  isMessage(entry) && entry.message.role === 'assistant';
