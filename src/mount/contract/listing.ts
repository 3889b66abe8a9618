/**
 * What a directory holds, kept from walk to walk by a mount that can tell
 * whether it has changed, so that whoever searches can pass over files of which
 * it knows enough without an object being made for each of them.
 */
import { type Identity, type WalkedContent, WalkedFile } from './walked-file.ts';

/** The regular files and the directories in one directory at one time. */
export interface Listing {
  /** Stands for the directory; the same object from walk to walk, as long as the mount keeps it. */
  readonly key: object;
  /** The regular files, in the order of a walk. */
  readonly names: readonly string[];
  readonly directories: readonly Subdirectory[];
  /** Another one after any change of the files, where the mount sees to that; undefined where it cannot. */
  readonly epoch?: unknown;
  /** Has the file at an index of {@link names} certainly this identity now? Found out without reading it. */
  is(index: number, identity: Identity): boolean;
}

/** A directory in a listing. */
export interface Subdirectory {
  name: string;
  /** How many of the listing's files come before it. */
  after: number;
}

/** Which files of a walk whoever walks has a use for. A walk may give others, too. */
export interface Sieve {
  /**
   * Asked when the walk comes to a directory.
   * @returns indices of the listing's names, in order; null for all
   */
  wanted(listing: Listing, directory: string): readonly number[] | null;
  /** Is anything wanted of what is in a directory or below it? */
  enters(directory: string): boolean;
}

/** What a walk asks of the mount whose listings it goes through. */
export interface Listings<L extends Listing> {
  /** The listing of a directory in another one, as it is now. @param path of the directory, in the mount */
  below(listing: L, path: string, directory: L['directories'][number]): L;
  /** @param path of the listing's directory, in the mount */
  content(listing: L, path: string, index: number): WalkedContent;
}

/** A directory in which a walk is. */
interface Level<L extends Listing> {
  listing: L;
  path: string;
  /** What is to be given of the names, null for all. */
  wanted: readonly number[] | null;
  /** How much of that was given, and how many of the directories were gone into. */
  given: number;
  entered: number;
}

/** The files below a directory, depth first, in the order of the names, apart from those that a sieve keeps back. */
export function* walkListings<L extends Listing>(
  listings: Listings<L>,
  root: L,
  path: string,
  sieve: Sieve | null,
): Generator<WalkedFile> {
  const levels = [levelOf(root, path, sieve)];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const { listing, wanted } = level;
    const next = listing.directories[level.entered];
    const until = next === undefined ? listing.names.length : next.after;
    const count = wanted === null ? until : wanted.length;
    for (; level.given < count; level.given++) {
      const index = wanted === null ? level.given : (wanted[level.given] as number);
      if (index >= until) break;
      const content = listings.content(listing, level.path, index);
      yield new WalkedFile(level.path, listing.names[index] as string, content);
    }
    if (next === undefined) {
      levels.pop();
      continue;
    }
    level.entered += 1;
    const below = level.path === '/' ? `/${next.name}` : `${level.path}/${next.name}`;
    if (sieve !== null && !sieve.enters(below)) continue;
    levels.push(levelOf(listings.below(listing, below, next), below, sieve));
  }
}

function levelOf<L extends Listing>(listing: L, path: string, sieve: Sieve | null): Level<L> {
  const wanted = sieve === null ? null : sieve.wanted(listing, path);
  return { listing, path, wanted, given: 0, entered: 0 };
}
