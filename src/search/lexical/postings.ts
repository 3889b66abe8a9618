/**
 * The inverted side of a corpus. Most of it is one array sorted by term, made in
 * one pass over the forward side; what came since is in a short list a term. When
 * that grows past a tenth of the whole, the array is made anew: amortised, a
 * chunk costs the same however many there are.
 */
import type { GrowingUint32 } from './growing.ts';
import { bytesOf, type KeptParts, wordsPart } from './parts.ts';

const SMALLEST_REBUILD = 20_000;

/** What a chunk's length takes away: `base + slope × length`. */
export interface LengthNorm {
  base: number;
  slope: number;
}

export class Postings {
  /** Slot × 256 + count, the chunks of one term after another. */
  #packed: Uint32Array = new Uint32Array(0);
  #offsets: Uint32Array = new Uint32Array(1);
  readonly #recent = new Map<number, number[]>();
  #recentSize = 0;

  add(term: number, slot: number, count: number): void {
    const list = this.#recent.get(term);
    if (list === undefined) this.#recent.set(term, [slot * 256 + count]);
    else list.push(slot * 256 + count);
    this.#recentSize += 1;
  }

  /** Makes the array anew where too much is in the lists. */
  settle(terms: number, entries: GrowingUint32, starts: GrowingUint32): void {
    if (this.#recentSize < Math.max(SMALLEST_REBUILD, this.#packed.length / 10)) return;
    this.rebuild(terms, entries, starts);
  }

  /** Makes the array anew of all entries. */
  rebuild(terms: number, entries: GrowingUint32, starts: GrowingUint32): void {
    const offsets = new Uint32Array(terms + 1);
    const all = entries.slice(0, entries.length);
    for (const entry of all) offsets[(entry >>> 8) + 1] = (offsets[(entry >>> 8) + 1] ?? 0) + 1;
    for (let term = 0; term < terms; term++) {
      offsets[term + 1] = (offsets[term + 1] ?? 0) + (offsets[term] ?? 0);
    }
    const next = offsets.slice();
    const packed = new Uint32Array(all.length);
    for (let slot = 0; slot + 1 < starts.length; slot++) {
      for (let at = starts.at(slot); at < starts.at(slot + 1); at++) {
        const entry = all[at] ?? 0;
        const to = next[entry >>> 8] ?? 0;
        next[entry >>> 8] = to + 1;
        packed[to] = slot * 256 + (entry & 255);
      }
    }
    this.#packed = packed;
    this.#offsets = offsets;
    this.#recent.clear();
    this.#recentSize = 0;
  }

  /** Whole, with nothing in the lists: as parts, not copied, valid until it is changed. */
  parts(terms: number, entries: GrowingUint32, starts: GrowingUint32): KeptParts {
    if (this.#recentSize > 0) this.rebuild(terms, entries, starts);
    return new Map([
      ['postings', bytesOf(this.#packed)],
      ['postings of terms', bytesOf(this.#offsets)],
    ]);
  }

  /** Puts back what {@link parts} gave; false where that is not among them. */
  restore(parts: KeptParts): boolean {
    if (!parts.has('postings') || !parts.has('postings of terms')) return false;
    this.#packed = wordsPart(parts, 'postings');
    this.#offsets = wordsPart(parts, 'postings of terms');
    return true;
  }

  /** True when a chunk of a term has a 1 in `allowed`. */
  occurs(term: number, allowed: Uint8Array): boolean {
    const end = this.#offsets[term + 1] ?? 0;
    const start = term + 1 < this.#offsets.length ? (this.#offsets[term] ?? 0) : end;
    for (let at = start; at < end; at++) {
      if (allowed[(this.#packed[at] as number) >>> 8] === 1) return true;
    }
    return (this.#recent.get(term) ?? []).some((value) => allowed[value >>> 8] === 1);
  }

  /** Visits the chunks of a term by slot, removed ones too. */
  each(term: number, visit: (slot: number, count: number) => void): void {
    const packed = this.#packed;
    const end = this.#offsets[term + 1] ?? 0;
    const start = term + 1 < this.#offsets.length ? (this.#offsets[term] ?? 0) : end;
    for (let at = start; at < end; at++) {
      const value = packed[at] as number;
      visit(value >>> 8, value & 255);
    }
    for (const value of this.#recent.get(term) ?? []) visit(value >>> 8, value & 255);
  }

  /** Adds to the score of each chunk of a term what its count makes of the term's worth. */
  score(
    term: number,
    worth: number,
    { base, slope }: LengthNorm,
    lengths: Float32Array,
    scores: Float32Array,
  ): void {
    const packed = this.#packed;
    const end = this.#offsets[term + 1] ?? 0;
    const start = term + 1 < this.#offsets.length ? (this.#offsets[term] ?? 0) : end;
    const add = (value: number): void => {
      const slot = value >>> 8;
      const count = value & 255;
      const norm = base + slope * (lengths[slot] as number);
      scores[slot] = (scores[slot] as number) + (worth * count) / (count + norm);
    };
    for (let at = start; at < end; at++) add(packed[at] as number);
    for (const value of this.#recent.get(term) ?? []) add(value);
  }
}
