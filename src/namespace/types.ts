/** What the namespace offers to the shell and its commands, beyond just-bash's file system. */
import type { IFileSystem } from 'just-bash';
import type { FsError } from '../errors.ts';
import type { Sieve } from '../mount/contract/listing.ts';
import type { ProgramInput, ProgramOutput } from '../mount/contract/program.ts';
import type { WalkedFile } from '../mount/contract/walked-file.ts';
import type { Inspection, Location } from './inspect.ts';

/** A row of a listing, with its type: what walkers need so as not to stat each entry. */
export type DirentEntry = Awaited<
  ReturnType<NonNullable<IFileSystem['readdirWithFileTypes']>>
>[number];

/**
 * The root file system. Everything that a front end, the shell or a command
 * does to a file goes through it, and through its one gate.
 */
export interface NamespaceFs extends IFileSystem {
  readdirWithFileTypes(path: string): Promise<DirentEntry[]>;
  /**
   * Lets the mounts under a directory fetch in bulk. What could not be fetched
   * is the answer: a walk's reads tell it themselves, others must say it.
   */
  prefetch(path: string): Promise<readonly FsError[]>;
  /**
   * All regular files under a directory, over mounts, links not followed,
   * depth first, names in code-unit order, without awaiting. null where some
   * mount cannot promise a complete answer at once: then walk with `readdir`.
   *
   * The path is taken as it stands, so follow its links with `realpath` first:
   * where it is missing, no directory, or leads over a link, the answer is null
   * too, never files that are not there. What fails on the way (a directory of
   * the host that may not be read) is thrown by the iteration and kept among
   * the errors.
   * @param sieve knows of files that they need not be given; it is told paths of the namespace
   */
  walk(path: string, sieve?: Sieve | null): Iterable<WalkedFile> | null;
  /**
   * Calls the program that a mount has at a path; null where the file is none, and is run as a script.
   * @param signal ends the call
   * @throws FsError EACCES where it may not be called
   */
  call?(path: string, input: ProgramInput, signal: AbortSignal): Promise<ProgramOutput | null>;
  /** May this path be searched by meaning? */
  searchable(path: string): boolean;
  /** Runs a job beside others: marks, errors and held writes of what it awaits are its own. */
  separately<T>(run: () => T): T;
  /** Errors since the command began, oldest first; commands that mask errors are mended with them. */
  errorsSince(mark: number): readonly FsError[];
  /** The mark that {@link errorsSince} takes. */
  errorMark(): number;
  /** The path of an endless file, or the command without an end, of which only the beginning was given. */
  endlessRead(): string | null;
  /** Of what a command prints without an end only the beginning is given. */
  noteEndless(command: string): void;
  /** What was given of an endless file is all that is wanted. */
  enough(): void;
  /**
   * Would reading this file cost a request of its own? A recursive walk skips
   * it and says so, unless it is named. The path is taken as it stands.
   */
  costly(path: string): boolean;
  /**
   * Fails as removing a directory with all below it would fail because the
   * mount removes no directories, or the gate allows it not: asked before the
   * first of its files is removed.
   * @returns true where it is to be removed by one call: the mount makes one change of it, or a
   *   person is asked, once about all of it
   */
  checkRemoval(directory: string): Promise<boolean>;
  /**
   * Writes the files that were opened for writing since a mark and got no data:
   * the end of a command. Each is tried; the first failure is thrown at the end.
   */
  flush(since?: number): Promise<void>;
  /** The mark that {@link flush} takes. */
  heldMark(): number;
}

/** What doors to real programs ask besides: the kernel's questions. */
export interface DoorFs {
  /** The entry itself, and never what a link points to. */
  inspect(path: string): Promise<Inspection>;
  /** Where a path lies; it need not be there. */
  locate(path: string): Promise<Location>;
  /**
   * Of the mount at a point: a text that is the same as long as all that {@link inspect} and a listing
   * tell there is the same to whoever acts. null where that is not known.
   */
  stamp(point: string): Promise<string | null>;
}

/** A root file system that shows the texts of documents. */
export interface DocumentFs extends NamespaceFs {
  /**
   * The text of a document, whatever lies beside it.
   * @throws FsError EINVAL and others, where it has none
   */
  documentText(path: string): Promise<string>;
}
