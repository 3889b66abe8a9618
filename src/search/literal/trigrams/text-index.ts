/**
 * What is known of texts that were read before, so that a search need not read
 * them again to know that they have no match. It is kept in memory and comes
 * about by reading: a file that is read for the second time gets a signature,
 * so that a search that is never repeated pays nothing. A signature counts as
 * long as the file's identity is the same; everything else is read.
 */
import {
  type IdentifiedBytes,
  type Identity,
  sameIdentity,
  type WalkedFile,
} from '../../../mount/walked-file.ts';
import { excludes, type Required, requiredOf, type Signature, signatureOf } from './signature.ts';

/** What the signatures may take unless it is said, in bytes. */
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
/** What an entry takes besides its signature, roughly. */
const ENTRY_BYTES = 250;
/** Texts above this are not indexed: they have all trigrams. Bytes. */
const LARGEST_TEXT = 8 * 1024 * 1024;

/** What stands for a text that cannot match. */
const NOTHING = new Uint8Array();

interface Entry {
  /** Null before the second reading. */
  known: { identity: Identity; signature: Signature } | null;
  /** The search that looked at it last. */
  used: number;
}

/** The signatures of one world's files. */
export class TextIndex {
  readonly #maxBytes: number;
  readonly #directories = new Map<string, Map<string, Entry>>();
  #bytes = 0;
  #search = 0;
  #passed = 0;
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
    let directory = '';
    let entries: Map<string, Entry> | undefined;
    return {
      bytes: (file) => {
        if (!file.identifiable) return file.bytes();
        if (file.directory !== directory || entries === undefined) {
          directory = file.directory;
          entries = this.#entriesOf(directory);
        }
        return this.#read(file, entries, required);
      },
    };
  }

  #entriesOf(directory: string): Map<string, Entry> {
    let entries = this.#directories.get(directory);
    if (entries === undefined) {
      entries = new Map();
      this.#directories.set(directory, entries);
    }
    return entries;
  }

  #read(file: WalkedFile, entries: Map<string, Entry>, required: Required): Uint8Array | null {
    const entry = entries.get(file.name);
    if (entry === undefined) {
      const bytes = file.bytes();
      if (bytes !== null && this.#hasRoom(ENTRY_BYTES, file)) {
        entries.set(file.name, { known: null, used: this.#search });
        this.#bytes += ENTRY_BYTES;
      }
      return bytes;
    }
    entry.used = this.#search;
    if (entry.known !== null) {
      const identity = file.identity();
      if (identity !== null && sameIdentity(identity, entry.known.identity)) {
        if (!excludes(entry.known.signature, required)) return file.bytes();
        this.#passed += 1;
        return NOTHING;
      }
    }
    const read = file.identified();
    this.#learn(entry, read, file);
    return read?.bytes ?? null;
  }

  #learn(entry: Entry, read: IdentifiedBytes | null, file: WalkedFile): void {
    this.#bytes -= entry.known?.signature.byteLength ?? 0;
    entry.known = null;
    if (read === null || read.identity === null || read.bytes.length > LARGEST_TEXT) return;
    const signature = signatureOf(read.bytes);
    if (!this.#hasRoom(signature.byteLength, file)) return;
    entry.known = { identity: read.identity, signature };
    this.#bytes += signature.byteLength;
  }

  /** Is there room, at the cost of what this search has not looked at? */
  #hasRoom(bytes: number, { directory: current }: WalkedFile): boolean {
    if (this.#bytes + bytes <= this.#maxBytes) return true;
    if (this.#swept === this.#search) return false;
    this.#swept = this.#search;
    for (const [directory, entries] of this.#directories) {
      for (const [name, { known, used }] of entries) {
        if (used === this.#search) continue;
        entries.delete(name);
        this.#bytes -= ENTRY_BYTES + (known?.signature.byteLength ?? 0);
      }
      if (entries.size === 0 && directory !== current) this.#directories.delete(directory);
    }
    return this.#bytes + bytes <= this.#maxBytes;
  }
}

/** Reads the files of one search. */
export interface TextSearch {
  /**
   * The bytes of a file, or those of an empty one where it is certain that no
   * line of it matches; null where they cannot be had at once.
   */
  bytes(file: WalkedFile): Uint8Array | null;
}
