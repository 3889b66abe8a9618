/** The vectors of one model in memory, chunk by chunk, and which chunks have none yet. */
import type { IndexMemory } from '../index/memory.ts';
import { type Nearness, nearnessOf } from './backdrop.ts';
import { ByteVectors } from './byte-vectors.ts';
import type { StoredModel, StoredVector, VectorStore } from './vector-store.ts';

/** With so many more chunks, the nearest one to any question is nearer. */
const GROWTH = 1.4;

/** Which slots carry a text that has no vector yet, by the text's hash. */
type Waiting = Map<string, number[]>;

export class ModelVectors {
  readonly model: StoredModel;
  readonly memory: IndexMemory;
  readonly vectors: ByteVectors;
  readonly #store: VectorStore;
  readonly #waiting: Waiting = new Map();
  /** Slots in it. */
  #pending = 0;
  /** Chunks that were gone when it was last looked through. */
  #gone = 0;
  /** Slots below it are known. */
  #placed: number;
  /** The last vector of the store that is known. */
  #last: number;
  /** Living chunks whose text the model does not take. */
  readonly #refused = new Set<number>();
  /** How near the nearest chunk is to a question about nothing, and of how many chunks that was found out. */
  #backdrop: { nearness: Nearness; count: number } | null = null;

  /** Reads all vectors of the chunks that are held. */
  constructor(store: VectorStore, model: StoredModel, memory: IndexMemory) {
    this.#store = store;
    this.model = model;
    this.memory = memory;
    this.vectors = new ByteVectors(model.dimensions);
    this.#last = store.last();
    this.#placed = memory.corpus.size;
    this.#gone = this.#placed - memory.corpus.living;
    const slots = new Map<number, number>();
    for (let slot = 0; slot < this.#placed; slot++) {
      if (memory.corpus.alive(slot)) slots.set(memory.documents.chunkId(slot), slot);
    }
    for (const { chunk, hash, known } of store.ofChunks(model.id)) {
      const slot = slots.get(chunk);
      if (slot !== undefined) this.#place(slot, hash, known);
    }
  }

  /** Chunks that have no vector, those whose text is not taken aside. */
  get pending(): number {
    return this.#pending;
  }

  /** Chunks that have a vector. */
  get count(): number {
    return this.memory.corpus.living - this.pending - this.refused;
  }

  get refused(): number {
    return this.#refused.size;
  }

  /** How near the nearest chunk comes to a question that has no answer; found out anew as there are more of them. */
  get backdrop(): Nearness {
    const { count } = this;
    if (this.#backdrop === null || count > GROWTH * this.#backdrop.count) {
      const nearness = nearnessOf(this.model.backdrop, this.vectors, this.memory.corpus.size);
      this.#backdrop = { nearness, count };
    }
    return this.#backdrop.nearness;
  }

  /** True for a chunk that waits for its vector. */
  lacks(slot: number): boolean {
    return !this.vectors.has(slot) && !this.#refused.has(slot);
  }

  /** Gets in step with the chunks that came and went, and with what others have embedded. */
  catchUp(foreign: boolean): void {
    const { corpus } = this.memory;
    for (; this.#placed < corpus.size; this.#placed++) {
      const slot = this.#placed;
      const hash = corpus.alive(slot)
        ? this.#store.hashOf(this.memory.documents.chunkId(slot))
        : null;
      if (hash !== null) this.#place(slot, hash, this.#store.ofHash(this.model.id, hash));
    }
    if (corpus.size - corpus.living !== this.#gone) this.#forgetGone();
    if (!foreign) return;
    const { vectors, last } = this.#store.since(this.model.id, this.#last);
    this.#last = last;
    this.#take(vectors);
  }

  /** Keeps what was embedded. */
  put(vectors: readonly StoredVector[], tokens: number): void {
    this.#store.put(this.model.id, vectors, tokens);
    this.#take(vectors);
  }

  /** What a model is given for a chunk that waits for its vector; null for any other. */
  waitingText(hash: string): string | null {
    const slot = this.#waiting.get(hash)?.[0];
    return slot === undefined ? null : this.#store.textOf(this.memory.documents.chunkId(slot));
  }

  /** Hashes of texts that have no vector, those aside that are being worked on. */
  *waiting(underWay: ReadonlySet<string>): Iterable<string> {
    for (const hash of this.#waiting.keys()) if (!underWay.has(hash)) yield hash;
  }

  #forgetGone(): void {
    const { corpus } = this.memory;
    this.#gone = corpus.size - corpus.living;
    for (const [hash, slots] of this.#waiting) {
      const alive = slots.filter((slot) => corpus.alive(slot));
      this.#pending -= slots.length - alive.length;
      if (alive.length === 0) this.#waiting.delete(hash);
      else this.#waiting.set(hash, alive);
    }
    for (const slot of this.#refused) if (!corpus.alive(slot)) this.#refused.delete(slot);
  }

  #take(vectors: readonly StoredVector[]): void {
    for (const known of vectors) {
      const slots = this.#waiting.get(known.hash) ?? [];
      this.#waiting.delete(known.hash);
      this.#pending -= slots.length;
      for (const slot of slots) this.#place(slot, known.hash, known);
    }
  }

  #place(slot: number, hash: string, known: StoredVector | undefined): void {
    if (known === undefined) {
      const slots = this.#waiting.get(hash);
      this.#pending += 1;
      if (slots === undefined) this.#waiting.set(hash, [slot]);
      else slots.push(slot);
    } else if (known.vector === null) this.#refused.add(slot);
    else this.vectors.set(slot, known.vector);
  }
}
