/** How the vectors of a sentence model stand, and how that is said. */
import type { SentenceState } from '../contract.ts';

/** How the question at hand was put to a model. */
export interface AskedWith {
  model: string;
  /** Passages in scope that have no vector of it. */
  lacking: number;
  /** Passages in scope. */
  passages: number;
  /** Why its vectors were not used; null where they were. */
  trouble: string | null;
}

const count = (value: number): string => value.toLocaleString('en');

/** What stderr says of it after a question; empty where there is nothing to say. */
export function notesOf(asked: AskedWith | null, state: SentenceState): string[] {
  const notes: string[] = [];
  if (asked !== null && asked.trouble !== null) {
    notes.push(`ranked without ${asked.model}: ${asked.trouble}`);
  } else if (asked !== null && asked.lacking > 0) {
    const has = asked.lacking === 1 ? 'has' : 'have';
    notes.push(
      `${count(asked.lacking)} of ${count(asked.passages)} passages ${has} no vector of ${asked.model} yet`,
    );
  }
  if (state.replaces !== null) {
    const all = state.vectors + state.pending;
    notes.push(
      `${state.replaces} is in use until ${state.model} has all passages (${count(state.vectors)} of ${count(all)})`,
    );
  }
  if (state.trouble !== null && state.trouble !== asked?.trouble) notes.push(state.trouble);
  return notes;
}
