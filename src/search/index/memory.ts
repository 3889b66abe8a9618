/** The index in memory: what a search looks at, loaded from the store and kept in step with it. */

import type { Signals } from '../fuse/pool.ts';
import { fitLatentSpace, type LatentSpace } from '../latent/lsa.ts';
import { PlacedPoints } from '../latent/placed-points.ts';
import { Corpus } from '../lexical/corpus.ts';
import type { KeptParts } from '../lexical/parts.ts';
import { WholeDocuments } from '../lexical/whole.ts';
import type { WordTable } from '../static/table.ts';
import type { Language } from '../words/languages.ts';
import { type HeldDocument, HeldDocuments } from './documents.ts';

/** When the corpus has grown by so much, its latent space is fitted again. */
const GROWTH = 1.4;

/** And when it has grown by so much, a question waits for that. */
const OUTGROWN = 3;

/** Which documents may be answers. */
export type Accepts = (document: HeldDocument) => boolean;

/** The documents that are looked at. */
export interface Selection {
  /** A 1 for each slot of theirs. */
  slots: Uint8Array;
  documents: number;
  chunks: number;
  /** What their documents are written in. */
  languages: ReadonlySet<Language>;
}

export class IndexMemory {
  readonly corpus = new Corpus();
  readonly documents = new HeldDocuments();
  readonly #whole = new WholeDocuments(this.corpus, this.documents);
  readonly #table: WordTable | null;
  readonly #words: PlacedPoints | null;
  #latent: { space: LatentSpace; placed: PlacedPoints } | null = null;
  /** What was selected since anything changed, by what selected it. */
  #selections = new WeakMap<Accepts, Selection>();

  constructor(table: WordTable | null) {
    this.#table = table;
    this.#words = table === null ? null : new PlacedPoints(this.corpus, table);
  }

  add(document: HeldDocument): void {
    this.#selections = new WeakMap();
    this.documents.add(document);
  }

  /** Adds a chunk of the document that was added last. */
  addChunk(chunk: number, bag: Uint32Array): void {
    this.#selections = new WeakMap();
    this.corpus.add(bag);
    this.documents.addChunk(chunk);
  }

  remove(id: number): void {
    this.#selections = new WeakMap();
    for (const slot of this.documents.remove(id)) this.corpus.remove(slot);
  }

  /** True when most of what is held is of chunks that are gone: then it is better loaded anew. */
  get wasteful(): boolean {
    return this.corpus.size > 2_000 && this.corpus.size > 2 * this.corpus.living;
  }

  get latentSpace(): LatentSpace | null {
    return this.#latent?.space ?? null;
  }

  setLatent(space: LatentSpace | null): void {
    this.#latent = space === null ? null : { space, placed: new PlacedPoints(this.corpus, space) };
  }

  /** True when the latent space was fitted on a small part of the corpus. */
  get outgrown(): boolean {
    return this.corpus.living > OUTGROWN * (this.#latent?.space.fittedOn ?? 0);
  }

  /** Fits the latent space if the corpus has outgrown it; true when it was fitted. */
  refit(): boolean {
    const fitted = this.#latent?.space.fittedOn ?? 0;
    if (this.corpus.living < fitted * GROWTH && fitted > 0) return false;
    const space = fitLatentSpace(this.corpus);
    if (space !== null) this.setLatent(space);
    return space !== null;
  }

  /** The documents that this is true of; asked again in the same words, it remembers. */
  select(accepts: Accepts): Selection {
    const known = this.#selections.get(accepts);
    if (known !== undefined) return known;
    const languages = new Set<Language>();
    const slots = new Uint8Array(this.corpus.size);
    const selection = { slots, documents: 0, chunks: 0, languages };
    for (const { document, first, end } of this.documents.all()) {
      if (!accepts(document)) continue;
      selection.documents += 1;
      selection.chunks += end - first;
      languages.add(document.language);
      selection.slots.fill(1, first, end);
    }
    this.#selections.set(accepts, selection);
    return selection;
  }

  /** Gives every new chunk its points. */
  place(): void {
    this.#latent?.placed.catchUp();
    this.#words?.catchUp();
  }

  /** What a ranking looks at. */
  signals(): Omit<Signals, 'passage' | 'languageOf'> {
    this.place();
    const { corpus } = this;
    const latent = this.#latent && {
      space: this.#latent.space,
      points: this.#latent.placed.points,
    };
    const words =
      this.#table === null || this.#words === null
        ? null
        : { table: this.#table, points: this.#words.points };
    return { corpus, documents: this.#whole, latent, words };
  }

  /** All of it as parts, but the latent space, which {@link restore} must be given. */
  parts(): KeptParts {
    this.place();
    const parts = new Map([...this.corpus.parts(), ...this.documents.parts()]);
    if (this.#latent !== null) parts.set('latent points', this.#latent.placed.bytes());
    if (this.#words !== null) parts.set('word points', this.#words.bytes());
    return parts;
  }

  /** Puts parts in the place of what an empty memory holds. */
  restore(parts: KeptParts, space: LatentSpace | null): void {
    this.corpus.restore(parts);
    this.documents.restore(parts);
    this.setLatent(space);
    this.#latent?.placed.restore(parts.get('latent points'));
    this.#words?.restore(parts.get('word points'));
  }
}
