/** What a service's mount offers beside the contract of every mount: its documents, and its changes as a feed. */
import type { FeedEntry } from '../../replica/replica.ts';
import type { Mount, MountUsage } from '../contract/contract.ts';
import type { WalkedFile } from '../contract/walked-file.ts';
import type { SearchDocument } from '../reading/held-files.ts';

/** A service mount, and what an index needs to follow it. */
export interface ServiceMount extends Mount {
  /** Its name in the replica, the journal and the feed. */
  readonly name: string;
  /** Every document the replica holds; asks nothing. */
  documents(): Iterable<SearchDocument>;
  /** One document, or null when it is gone or is none. */
  document(path: string): SearchDocument | null;
  /** Does a path stand for a document, whether there is one or not? */
  isDocument(path: string): boolean;
  /** The files at hand below a directory that are no documents, as the service has them; it asks nothing. */
  otherFiles(path: string): Iterable<WalkedFile>;
  /** Another number after any change of what is at hand; null where the texts depend on more than that. */
  revision(): number | null;
  /** What changed after a step, oldest first. Staged text is not in it. */
  feed(afterSeq: number): FeedEntry[];
  prefetch(path: string): Promise<void>;
  /**
   * How fresh and how complete the last {@link prefetch} of this very path left
   * it: `Tracker as of 12:03:04 UTC, complete`. null when there was none.
   */
  coverage(path: string): string | null;
  /** When the service last confirmed the oldest of what it covered, ms; null when there was none. */
  heldSince(path: string): number | null;
  walk(path: string): Iterable<WalkedFile> | null;
  costly(path: string): boolean;
  usage(): MountUsage;
}

/** The same with all of the contract that a table answers: whoever passes it on leaves nothing out. */
export type TableOfRoutes = Required<
  Omit<
    ServiceMount,
    | 'directory'
    | 'authored'
    | 'endless'
    | 'capacity'
    | 'local'
    | 'sizedByRead'
    | 'lacks'
    | 'rmdir'
    | 'symlink'
    | 'link'
    | 'chmod'
    | 'utimes'
    | 'within'
    | 'watch'
  >
>;
