/** The points of all chunks of a corpus in one space, kept up with it. */
import type { Corpus } from '../lexical/corpus.ts';
import { bytesOf } from '../lexical/parts.ts';
import { Placer, type Vectors } from './place.ts';
import { Points } from './points.ts';

export class PlacedPoints {
  readonly points: Points;
  readonly #corpus: Corpus;
  readonly #placer: Placer;
  /** Slots below this have their points. */
  #placed = 0;

  constructor(corpus: Corpus, vectors: Vectors) {
    this.points = new Points(vectors.dimensions);
    this.#corpus = corpus;
    this.#placer = new Placer(corpus, vectors);
  }

  /** Places the chunks that came since it was last asked. */
  catchUp(): void {
    for (; this.#placed < this.#corpus.size; this.#placed++) {
      this.points.set(this.#placed, this.#placer.place(this.#placed));
    }
  }

  /** The points placed so far, not copied. */
  bytes(): Uint8Array {
    return bytesOf(this.points.bytes(this.#placed));
  }

  /** Puts back what {@link bytes} gave for these chunks; without it, all are placed anew. */
  restore(bytes: Uint8Array | undefined): void {
    if (bytes !== undefined) this.#placed = this.points.restore(bytes);
  }
}
