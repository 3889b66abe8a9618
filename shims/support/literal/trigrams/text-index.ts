/**
 * What is known of texts that were read before, so that a search need not read
 * them again to know that they have no match. It is kept in memory and comes
 * about by reading: a file that is read for the second time gets a signature,
 * so that a search that is never repeated pays nothing. A signature counts as
 * long as the file's identity is the same; everything else is read.
 */
import type { Listing } from '../../../../src/mount/contract/listing.ts';
import { sameIdentity, type WalkedFile } from '../../../../src/mount/contract/walked-file.ts';
import { Shelf, TEXT_BYTES } from './shelf.ts';
import { type Required, requiredOf } from './signature.ts';

/** What the signatures may take unless it is said, in bytes. */
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
/** Texts above this are not indexed: they have all trigrams. Bytes. */
const LARGEST_TEXT = 8 * 1024 * 1024;
/** Signing takes several times as long as searching, so a search does so many bytes of it, and the next one goes on. */
const SIGNED_AT_ONCE = 12 * 1024 * 1024;

/** What stands for a text that cannot match. */
const NOTHING = new Uint8Array();

/** What tells a directory from others: the key of its listing, or its path where it has none. */
type DirectoryKey = object | string;

const directoryOf = (file: WalkedFile): DirectoryKey => file.directoryKey ?? file.directory;

/** The signatures of one world's files. */
export class TextIndex {
  readonly #maxBytes: number;
  readonly #shelves = new Map<DirectoryKey, Shelf>();
  #bytes = 0;
  #search = 0;
  #passed = 0;
  /** What may still be signed in this search, in bytes. */
  #toSign = 0;
  /** The search for which room was made last. */
  #swept = 0;

  constructor(maxBytes: number = DEFAULT_MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** What it takes in memory, roughly. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many times a file was not read because it could not match. */
  get passedOver(): number {
    return this.#passed;
  }

  /**
   * Begins a search; its files are to be read through what is given.
   * @param texts every line that matches has at least one of them; null where there are none such
   * @returns null where the texts are too short to be asked for
   */
  search(texts: readonly Uint8Array[] | null): TextSearch | null {
    const required = requiredOf(texts);
    if (required === null) return null;
    this.#search += 1;
    this.#toSign = SIGNED_AT_ONCE;
    // One directory after the other, each with many files.
    let directory: DirectoryKey | null = null;
    let shelf = new Shelf();
    const enter = (next: DirectoryKey): void => {
      directory = next;
      shelf = this.#shelfOf(next);
    };
    return {
      bytes: (file) => {
        if (!file.identifiable) return file.bytes();
        const next = directoryOf(file);
        if (next !== directory) enter(next);
        return this.#read(file, shelf, required);
      },
      misses: (listing, index) => {
        if (listing.key !== directory) enter(listing.key);
        if (shelf.bare) return false;
        if (!shelf.fits(listing)) this.#change(shelf, () => shelf.fit(listing));
        const missed = shelf.misses(listing, index, required);
        if (missed) this.#passed += 1;
        return missed;
      },
    };
  }

  #shelfOf(directory: DirectoryKey): Shelf {
    let shelf = this.#shelves.get(directory);
    if (shelf === undefined) {
      shelf = new Shelf();
      this.#shelves.set(directory, shelf);
    }
    shelf.used = this.#search;
    return shelf;
  }

  #read(file: WalkedFile, shelf: Shelf, required: Required): Uint8Array | null {
    const { name } = file;
    if (!shelf.has(name)) {
      const bytes = file.bytes();
      if (bytes !== null && this.#hasRoom(TEXT_BYTES)) {
        shelf.add(name);
        this.#bytes += TEXT_BYTES;
      }
      return bytes;
    }
    const known = shelf.identityOf(name);
    if (known !== null) {
      // What may match is read, whatever its identity.
      if (!shelf.excludes(name, required)) return file.bytes();
      const identity = file.identity();
      if (identity !== null && sameIdentity(identity, known)) {
        this.#passed += 1;
        return NOTHING;
      }
    }
    return this.#learn(file, shelf);
  }

  #learn(file: WalkedFile, shelf: Shelf): Uint8Array | null {
    shelf.forget(file.name);
    if (this.#toSign <= 0) return file.bytes();
    const read = file.identified();
    if (read === null) return null;
    const { bytes, identity } = read;
    if (identity !== null && bytes.length <= LARGEST_TEXT) {
      this.#toSign -= bytes.length;
      if (this.#hasRoom(shelf.costOf(bytes.length)))
        this.#change(shelf, () => shelf.learn(file.name, bytes, identity));
    }
    return bytes;
  }

  #change(shelf: Shelf, change: () => void): void {
    this.#bytes -= shelf.bytes;
    change();
    this.#bytes += shelf.bytes;
  }

  /** Is there room, at the cost of the directories that this search has not looked at? */
  #hasRoom(bytes: number): boolean {
    if (this.#bytes + bytes <= this.#maxBytes) return true;
    if (this.#swept === this.#search) return false;
    this.#swept = this.#search;
    for (const [directory, shelf] of this.#shelves) {
      if (shelf.used === this.#search) continue;
      this.#shelves.delete(directory);
      this.#bytes -= shelf.bytes;
    }
    return this.#bytes + bytes <= this.#maxBytes;
  }
}

/** Reads the files of one search, or finds that they need not be read. */
export interface TextSearch {
  /**
   * The bytes of a file, or those of an empty one where it is certain that no
   * line of it matches; null where they cannot be had at once.
   */
  bytes(file: WalkedFile): Uint8Array | null;
  /** Is it certain that no line of a file matches, as it is now? Told without reading it. */
  misses(listing: Listing, index: number): boolean;
}
