/** The index in memory: what a search looks at, loaded from the store and kept in step with it. */

import type { Signals } from '../fuse/ranking.ts';
import { fitLatentSpace, type LatentSpace } from '../latent/lsa.ts';
import { Placer } from '../latent/place.ts';
import { Points } from '../latent/points.ts';
import { Corpus } from '../lexical/corpus.ts';
import type { WordTable } from '../static/table.ts';
import type { StoredDocument } from './store.ts';

/** When the corpus has grown by so much, its latent space is fitted again. */
const GROWTH = 1.4;

/** A document and the slots of its chunks. */
export interface HeldDocument extends StoredDocument {
  slots: number[];
}

export class IndexMemory {
  readonly corpus = new Corpus();
  readonly #table: WordTable | null;
  readonly #byId = new Map<number, HeldDocument>();
  readonly #byPath = new Map<string, HeldDocument>();
  /** Of each slot, the id of its chunk and its document. */
  readonly #chunks: number[] = [];
  readonly #owners: HeldDocument[] = [];
  readonly #words: Points | null;
  #latent: { space: LatentSpace; points: Points } | null = null;
  /** Slots below this have their points. */
  #placedLatent = 0;
  #placedWords = 0;

  constructor(table: WordTable | null) {
    this.#table = table;
    this.#words = table === null ? null : new Points(table.dimensions);
  }

  get documents(): Iterable<HeldDocument> {
    return this.#byId.values();
  }

  get documentCount(): number {
    return this.#byId.size;
  }

  byPath(path: string): HeldDocument | undefined {
    return this.#byPath.get(path);
  }

  has(id: number): boolean {
    return this.#byId.has(id);
  }

  owner(slot: number): HeldDocument | undefined {
    return this.#owners[slot];
  }

  chunkId(slot: number): number {
    return this.#chunks[slot] ?? 0;
  }

  add(document: StoredDocument): void {
    const held = { ...document, slots: [] };
    this.#byId.set(document.id, held);
    this.#byPath.set(document.path, held);
  }

  addChunk(document: number, chunk: number, bag: Uint32Array): void {
    const held = this.#byId.get(document);
    if (held === undefined) return;
    const slot = this.corpus.add(bag);
    held.slots.push(slot);
    this.#chunks[slot] = chunk;
    this.#owners[slot] = held;
  }

  remove(id: number): void {
    const held = this.#byId.get(id);
    if (held === undefined) return;
    for (const slot of held.slots) this.corpus.remove(slot);
    this.#byId.delete(id);
    if (this.#byPath.get(held.path) === held) this.#byPath.delete(held.path);
  }

  /** True when most of what is held is of chunks that are gone: then it is better loaded anew. */
  get wasteful(): boolean {
    return this.corpus.size > 2_000 && this.corpus.size > 2 * this.corpus.living;
  }

  setLatent(space: LatentSpace | null): void {
    this.#latent = space === null ? null : { space, points: new Points(space.dimensions) };
    this.#placedLatent = 0;
  }

  /** Fits the latent space if the corpus has outgrown it; the new one, or null. */
  refit(): LatentSpace | null {
    const fitted = this.#latent?.space.fittedOn ?? 0;
    if (this.corpus.living < fitted * GROWTH && fitted > 0) return null;
    const space = fitLatentSpace(this.corpus);
    if (space !== null) this.setLatent(space);
    return space;
  }

  /** Gives every new chunk its points, and hands out what a ranking looks at. */
  signals(): Signals {
    const { corpus } = this;
    const latent = this.#latent;
    if (latent !== null && this.#placedLatent < corpus.size) {
      const { dimensions, terms } = latent.space;
      const placer = new Placer(corpus, dimensions, (term) => terms.get(term) ?? null);
      for (; this.#placedLatent < corpus.size; this.#placedLatent++) {
        latent.points.set(this.#placedLatent, placer.place(this.#placedLatent));
      }
    }
    const table = this.#table;
    if (table !== null && this.#placedWords < corpus.size) {
      const placer = new Placer(corpus, table.dimensions, (term) => table.vector(term));
      for (; this.#placedWords < corpus.size; this.#placedWords++) {
        this.#words?.set(this.#placedWords, placer.place(this.#placedWords));
      }
    }
    const words =
      this.#table === null || this.#words === null
        ? null
        : { table: this.#table, points: this.#words };
    return { corpus, latent: this.#latent, words };
  }
}
