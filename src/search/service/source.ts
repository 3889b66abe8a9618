/** Where documents come from. */
import type { WalkedFile } from '../../mount/contract/walked-file.ts';
import type { FeedEntry } from '../../replica/replica.ts';

/** A service mount that the index follows by its feed. */
export interface FollowedSource {
  /** Distinguishes it from other sources of the same index. */
  readonly name: string;
  feed(afterSeq: number): FeedEntry[];
  document(path: string): { text: string } | null;
  /** Does a path stand for a document, whether there is one or not? */
  isDocument?(path: string): boolean;
  /** The files at hand below a directory that are no documents, as the service has them; it asks nothing. */
  otherFiles?(path: string): Iterable<WalkedFile>;
  /** Another number after any change of what is at hand; null where that is not known. */
  revision?(): number | null;
  /** What it says of how fresh and how complete it is below a path of its own, for stderr. */
  coverage?(path: string): string | null;
  /** When the service last confirmed the oldest of what is there, ms; null where that is not known. */
  heldSince?(path: string): number | null;
}

/** A document that the index does not have yet, as it is now; `text` is null where it is gone. */
export interface Pending {
  path: string;
  /** Null where it is gone, or is nothing to be searched. */
  text(): string | null;
  /** Nothing is to be done for it: only its place in a feed counts. */
  passed?: true;
  /** It is never indexed: its text is another one whenever it is read. */
  momentary?: true;
  /** Title of what it belongs to, such as the issue of a comment. */
  context(): string;
  /** When it was changed, ISO 8601, where it does not say so itself. */
  changed?: string;
  /** What it looks like without being read; absent where that does not tell. */
  seen?: string;
  /** The place in a feed that is reached with it. */
  followed?: { name: string; point: string; seq: number };
}
