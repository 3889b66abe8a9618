/** Documents as one bag of terms each: what a document says counts together, however it is cut. */
import { K1, lengthNorm, type WeightedTerms } from './bm25.ts';
import type { Corpus } from './corpus.ts';
import { GrowingFloat32 } from './growing.ts';

/** Which chunks make which document. A document is known by its row; its slots follow one another. */
export interface DocumentRows {
  /** Rows given out so far; those of removed documents count. */
  readonly size: number;
  /** Documents that are there. */
  readonly living: number;
  /** The row of each slot; valid until a chunk is added. */
  readonly owners: Uint32Array;
  /** A 1 for each row that is there; valid until a document is added. */
  readonly alive: Uint8Array;
  /** The first slot of a row, and the one after its last. */
  firstSlot(row: number): number;
  endSlot(row: number): number;
}

export class WholeDocuments {
  readonly rows: DocumentRows;
  readonly #corpus: Corpus;
  readonly #lengths = new GrowingFloat32();
  /** Slots below this are in the lengths. */
  #counted = 0;
  /** The documents of one term, and how often each has it. */
  #found: Uint32Array = new Uint32Array(1024);
  #counts: Uint32Array = new Uint32Array(1024);

  constructor(corpus: Corpus, rows: DocumentRows) {
    this.#corpus = corpus;
    this.rows = rows;
  }

  /** BM25 of each document, by row; 0 where no term occurs. Removed ones may have a score. */
  bm25(query: WeightedTerms): Float32Array {
    this.#catchUp();
    const scores = new Float32Array(this.rows.size);
    const living = Math.max(1, this.rows.living);
    const average = (this.#corpus.averageLength * this.#corpus.living) / living || 1;
    const { base, slope } = lengthNorm(average);
    const lengths = this.#lengths.slice(0, this.rows.size);
    for (const [term, weight] of query) {
      const size = this.#documentsOf(term);
      const worth = weight * this.#idf(size, living) * (K1 + 1);
      for (let at = 0; at < size; at++) {
        const row = this.#found[at] as number;
        const count = this.#counts[at] as number;
        const norm = base + slope * (lengths[row] as number);
        scores[row] = (scores[row] as number) + (worth * count) / (count + norm);
      }
    }
    return scores;
  }

  /** How rare a term is among documents that are there, as BM25 counts. */
  #idf(size: number, living: number): number {
    const { alive } = this.rows;
    let spread = 0;
    for (let at = 0; at < size; at++) spread += alive[this.#found[at] as number] as number;
    return Math.log(1 + (living - spread + 0.5) / (spread + 0.5));
  }

  /** Puts a term's documents and counts where they are read from; how many they are. */
  #documentsOf(term: number): number {
    const { owners } = this.rows;
    let last = -1;
    let size = 0;
    this.#corpus.each(term, (slot, count) => {
      const row = owners[slot] as number;
      if (row === last) {
        this.#counts[size - 1] = (this.#counts[size - 1] as number) + count;
        return;
      }
      last = row;
      if (size === this.#found.length) this.#grow();
      this.#found[size] = row;
      this.#counts[size] = count;
      size += 1;
    });
    return size;
  }

  #grow(): void {
    const larger = (array: Uint32Array): Uint32Array => {
      const grown = new Uint32Array(2 * array.length);
      grown.set(array);
      return grown;
    };
    this.#found = larger(this.#found);
    this.#counts = larger(this.#counts);
  }

  /** Counts the lengths of chunks that came since it was last asked. */
  #catchUp(): void {
    while (this.#lengths.length < this.rows.size) this.#lengths.push(0);
    const { owners } = this.rows;
    for (; this.#counted < this.#corpus.size; this.#counted++) {
      const row = owners[this.#counted] as number;
      this.#lengths.set(row, this.#lengths.at(row) + this.#corpus.length(this.#counted));
    }
  }
}
