/** What a turn needs of a session: to append durably, to tell front ends, and the branch it stands on. */
import type { ModelMessage } from 'ai';
import type { Entry, EntryDraft } from '../session/entry.ts';

/** Something that front ends are told and the log does not keep, such as a delta of a text. */
export interface TurnEvent {
  type: string;
  [field: string]: unknown;
}

/** The session as a turn sees it. */
export interface Transcript {
  readonly id: string;
  /** Durable before it returns. */
  append(draft: EntryDraft): Entry;
  /**
   * For an entry that nothing which lasts is done on: written at once, durable
   * with the next {@link append} or some ms later. Where it could not be
   * written, the next call of `append`, `appendLater` or `view` throws.
   */
  appendLater(draft: EntryDraft): void;
  emit(event: TurnEvent): void;
  /** Signs what was written so far; see `SessionLog.sign`. */
  sign(): void;
  /** The entries of the active branch that are still in view, first to last. */
  context(): Entry[];
  /** What the model is sent: compacted, pruned, every call answered. */
  view(): { messages: ModelMessage[]; tokens: number };
}
