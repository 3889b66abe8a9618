/** What is known of the texts in one directory. */
import type { Listing } from '../../../../src/mount/contract/listing.ts';
import type { Identity } from '../../../../src/mount/contract/walked-file.ts';
import { excludes, type Required, sign, wordsFor } from './signature.ts';

/** What a text takes besides its signature, roughly. */
export const TEXT_BYTES = 250;

/** A text that was read before. */
interface Text {
  name: string;
  /** Of the bytes that were signed; null when none were. */
  identity: Identity | null;
  /** Where its signature begins among the words, and how many it has; 0 where it has none. */
  from: number;
  words: number;
}

/** Room for more words is made by a half. */
const GROWTH = 1.5;

export class Shelf {
  /** The search that used it last. */
  used = 0;
  #texts = new Map<string, Text>();
  #signatures = new Int32Array(0);
  /** How many of the words are given out, and how many of these belong to no text any more. */
  #end = 0;
  #waste = 0;
  #view: View | null = null;

  /** What it takes in memory, roughly. */
  get bytes(): number {
    return this.#texts.size * TEXT_BYTES + this.#signatures.byteLength;
  }

  /** What {@link learn} would add to that, at most, for a text of so many bytes. */
  costOf(bytes: number): number {
    return 4 * (this.#capacityFor(wordsFor(bytes)) - this.#signatures.length);
  }

  /** Was a text read before? */
  has(name: string): boolean {
    return this.#texts.has(name);
  }

  /** A text was read for the first time. */
  add(name: string): void {
    this.#texts.set(name, { name, identity: null, from: 0, words: 0 });
    this.#view = null;
  }

  /** The identity of a text that was learnt; null for any other. */
  identityOf(name: string): Identity | null {
    return this.#texts.get(name)?.identity ?? null;
  }

  /** Is it certain that a text that was learnt, as it was then, has nothing of what is required? */
  excludes(name: string, required: Required): boolean {
    const text = this.#texts.get(name);
    if (text === undefined || text.identity === null) return false;
    return excludes(this.#signatures, text.from, text.words, required);
  }

  /** Keeps the signature of a text that was added. */
  learn(name: string, bytes: Uint8Array, identity: Identity): void {
    const text = this.#texts.get(name);
    if (text === undefined) return;
    const words = wordsFor(bytes.length);
    if (text.words !== words) {
      this.#waste += text.words;
      // Whatever becomes of the others meanwhile, this one has no signature.
      Object.assign(text, { identity: null, from: 0, words: 0 });
      text.from = this.#take(words);
      text.words = words;
    } else this.#signatures.fill(0, text.from, text.from + words);
    sign(bytes, this.#signatures, text.from, words);
    text.identity = identity;
    this.#view = null;
  }

  /** A text is not as it was learnt any more. */
  forget(name: string): void {
    const text = this.#texts.get(name);
    if (text === undefined || text.identity === null) return;
    text.identity = null;
    this.#view = null;
  }

  /** Is nothing known but that texts were read? */
  get bare(): boolean {
    return this.#end === 0;
  }

  /** Is all in the order of a listing as it is now? */
  fits({ names, epoch }: Listing): boolean {
    return this.#view?.names === names && this.#view.epoch === epoch;
  }

  /** Has a file of a listing that this fits certainly nothing of what is required, as it is now? */
  misses(listing: Listing, index: number, required: Required): boolean {
    const view = this.#view;
    const from = view?.from[index] ?? NONE;
    if (view === null || from === NONE) return false;
    if (!excludes(this.#signatures, from, view.words[index] as number, required)) return false;
    // Asked last: on a disk it is by far the most expensive.
    return view.epoch !== undefined || listing.is(index, view.identities[index] as Identity);
  }

  /** Puts what is known of the files of a listing in their order. What is known of others is given up. */
  fit(listing: Listing): void {
    const { names, epoch } = listing;
    const from = new Int32Array(names.length).fill(NONE);
    const words = new Int32Array(names.length);
    const identities: (Identity | null)[] = [];
    const texts = new Map<string, Text>();
    let kept = 0;
    for (const [index, name] of names.entries()) {
      const text = this.#texts.get(name);
      // Where the directory tells of its changes all of it is looked at now, and then not before the next.
      if (text !== undefined && epoch !== undefined && text.identity !== null)
        if (!listing.is(index, text.identity)) text.identity = null;
      identities.push(text?.identity ?? null);
      if (text === undefined) continue;
      texts.set(name, text);
      kept += text.words;
      if (text.identity === null) continue;
      from[index] = text.from;
      words[index] = text.words;
    }
    this.#texts = texts;
    this.#waste = this.#end - kept;
    this.#view = { names, epoch, from, words, identities };
  }

  /** So many words more than there are; the place where they begin. */
  #take(words: number): number {
    if (this.#waste > this.#end / 2) this.#compact();
    const capacity = this.#capacityFor(words);
    if (capacity > this.#signatures.length) {
      const grown = new Int32Array(capacity);
      grown.set(this.#signatures);
      this.#signatures = grown;
    }
    const from = this.#end;
    this.#end += words;
    return from;
  }

  #capacityFor(words: number): number {
    const { length } = this.#signatures;
    const needed = this.#end + words;
    return needed <= length ? length : Math.max(needed, Math.ceil(length * GROWTH));
  }

  #compact(): void {
    const old = this.#signatures;
    const compacted = new Int32Array(old.length);
    let end = 0;
    for (const text of this.#texts.values()) {
      compacted.set(old.subarray(text.from, text.from + text.words), end);
      text.from = end;
      end += text.words;
    }
    this.#signatures = compacted;
    this.#end = end;
    this.#waste = 0;
  }
}

/** Stands for the place of a signature that there is none of. */
const NONE = -1;

/** What is known of the files of a listing, by their indices. */
interface View {
  names: readonly string[];
  epoch: unknown;
  from: Int32Array;
  words: Int32Array;
  identities: readonly (Identity | null)[];
}
