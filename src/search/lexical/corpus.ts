/**
 * The chunks of an index as bags of terms, in memory: forward (the terms of a
 * chunk) and inverted (the chunks of a term). Some 700 bytes a chunk. A chunk is
 * known by its slot, a small number that is never used again.
 */

import { GrowingFloat32, GrowingUint8, GrowingUint32 } from './growing.ts';
import {
  bytesOf,
  floatsPart,
  type KeptParts,
  part,
  stringsOf,
  stringsPart,
  wordsPart,
} from './parts.ts';
import { type LengthNorm, Postings } from './postings.ts';

const LARGEST_COUNT = 255;

export class Corpus {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];
  /** In how many living chunks a term occurs. */
  readonly #spread = new GrowingUint32();
  readonly #entries = new GrowingUint32();
  /** Where a chunk's entries begin; one more than there are chunks. */
  readonly #starts = new GrowingUint32();
  readonly #lengths = new GrowingFloat32();
  readonly #postings = new Postings();
  readonly #alive = new GrowingUint8();
  #living = 0;
  #totalLength = 0;

  constructor() {
    this.#starts.push(0);
  }

  /** Slots given out so far; those of removed chunks count. */
  get size(): number {
    return this.#lengths.length;
  }

  /** Chunks that are there. */
  get living(): number {
    return this.#living;
  }

  get averageLength(): number {
    return this.#living === 0 ? 1 : this.#totalLength / this.#living;
  }

  /** Terms known so far, those of removed chunks too. */
  get vocabulary(): readonly string[] {
    return this.#names;
  }

  alive(slot: number): boolean {
    return this.#alive.at(slot) === 1;
  }

  length(slot: number): number {
    return this.#lengths.at(slot);
  }

  termNumber(term: string): number | undefined {
    return this.#numbers.get(term);
  }

  /** The number of a term, a new one where it is new. */
  intern(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#names.length;
    this.#numbers.set(term, number);
    this.#names.push(term);
    this.#spread.push(0);
    return number;
  }

  /** In how many living chunks a term occurs. */
  spread(term: number): number {
    return this.#spread.at(term);
  }

  /** The weight that BM25 gives to a term for being rare. */
  idf(term: number): number {
    const spread = this.#spread.at(term);
    return Math.log(1 + (this.#living - spread + 0.5) / (spread + 0.5));
  }

  /** Packs counted terms for {@link add}. */
  pack(counts: ReadonlyMap<string, number>): Uint32Array {
    const packed = new Uint32Array(counts.size);
    let at = 0;
    for (const [term, count] of counts) {
      packed[at++] =
        this.intern(term) * 256 + Math.min(LARGEST_COUNT, Math.max(1, Math.round(count)));
    }
    return packed.sort();
  }

  /** Adds a chunk; its slot. */
  add(packed: Uint32Array): number {
    const slot = this.size;
    let length = 0;
    for (const entry of packed) {
      this.#entries.push(entry);
      length += entry & 255;
      const term = entry >>> 8;
      this.#spread.set(term, this.#spread.at(term) + 1);
      this.#postings.add(term, slot, entry & 255);
    }
    this.#starts.push(this.#entries.length);
    this.#lengths.push(length);
    this.#alive.push(1);
    this.#living += 1;
    this.#totalLength += length;
    this.#postings.settle(this.#names.length, this.#entries, this.#starts);
    return slot;
  }

  remove(slot: number): void {
    if (!this.alive(slot)) return;
    this.#alive.set(slot, 0);
    this.#living -= 1;
    this.#totalLength -= this.#lengths.at(slot);
    for (const entry of this.bag(slot)) {
      const term = entry >>> 8;
      this.#spread.set(term, this.#spread.at(term) - 1);
    }
  }

  /** The terms of a chunk, by number; not to be changed or kept. */
  bag(slot: number): Uint32Array {
    return this.#entries.slice(this.#starts.at(slot), this.#starts.at(slot + 1));
  }

  /** Has a chunk a term? */
  has(slot: number, term: number): boolean {
    // A bag is in the order of its terms.
    const bag = this.bag(slot);
    let low = 0;
    let high = bag.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const there = (bag[middle] as number) >>> 8;
      if (there === term) return true;
      if (there < term) low = middle + 1;
      else high = middle - 1;
    }
    return false;
  }

  /** True when a term is in a chunk that `allowed` has a 1 for. */
  occurs(term: number, allowed: Uint8Array): boolean {
    return this.#postings.occurs(term, allowed);
  }

  /** Visits the chunks of a term by slot, removed ones too, with how often each has it. */
  each(term: number, visit: (slot: number, count: number) => void): void {
    this.#postings.each(term, visit);
  }

  /** Adds a term's worth to the scores of the chunks that it is in, of removed ones too. */
  score(term: number, worth: number, norm: LengthNorm, scores: Float32Array): void {
    this.#postings.score(term, worth, norm, this.#lengths.slice(0, this.size), scores);
  }

  /** All of it as parts, not copied: valid until it is changed. */
  parts(): KeptParts {
    return new Map([
      ['terms', stringsPart(this.#names)],
      ['spread', bytesOf(this.#spread.slice(0, this.#spread.length))],
      ['entries', bytesOf(this.#entries.slice(0, this.#entries.length))],
      ['starts', bytesOf(this.#starts.slice(0, this.#starts.length))],
      ['lengths', bytesOf(this.#lengths.slice(0, this.#lengths.length))],
      ['alive', this.#alive.slice(0, this.#alive.length)],
      ...this.#postings.parts(this.#names.length, this.#entries, this.#starts),
    ]);
  }

  /** Puts parts in the place of what an empty corpus holds. */
  restore(parts: KeptParts): void {
    for (const name of stringsOf(parts, 'terms')) this.intern(name);
    this.#spread.restore(wordsPart(parts, 'spread'));
    this.#entries.restore(wordsPart(parts, 'entries'));
    this.#starts.restore(wordsPart(parts, 'starts'));
    this.#lengths.restore(floatsPart(parts, 'lengths'));
    this.#alive.restore(part(parts, 'alive'));
    for (let slot = 0; slot < this.size; slot++) {
      if (!this.alive(slot)) continue;
      this.#living += 1;
      this.#totalLength += this.#lengths.at(slot);
    }
    if (!this.#postings.restore(parts)) {
      this.#postings.rebuild(this.#names.length, this.#entries, this.#starts);
    }
  }
}
