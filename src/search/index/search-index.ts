/**
 * The index: documents go in, ranked chunks come out. It is one SQLite file and
 * what is held of it in memory. Everything here is synchronous; it is meant to
 * run in a worker of its own.
 */
import { createHash } from 'node:crypto';
import { CHUNKER_VERSION, type Chunk } from '../chunks/chunk.ts';
import { chunksOf } from '../chunks/chunker.ts';
import { withParents } from '../fuse/company.ts';
import { type Ranked, rank } from '../fuse/ranking.ts';
import type { SentenceSignal } from '../fuse/sentences.ts';
import type { WordTable } from '../static/table.ts';
import { Stemmer, WORDS_VERSION } from '../words/words.ts';
import { type HeldDocument, IndexMemory } from './memory.ts';
import { type DocumentKind, IndexStore, type StoredChunk } from './store.ts';

/** A text to be searched. */
export interface IndexedText {
  path: string;
  text: string;
  /** When it was last changed, ISO 8601; '' where that is not known. */
  updated?: string;
  kind?: DocumentKind;
  /** Title of what it belongs to, such as the issue of a comment; its words count as the text's own title. */
  context?: string;
}

/** How a source stands: what was taken in with a batch, in the same transaction. */
export interface FollowedTo {
  name: string;
  point: string;
  seq: number;
}

/** Which documents may be answers. */
export type Accepts = (document: HeldDocument) => boolean;

/** A chunk that answers, with its document. */
export interface Found extends Ranked {
  document: HeldDocument;
  chunk: StoredChunk;
}

/** Chunks among which a comment finds what it belongs to. */
const CANDIDATES = 1_000;
/** A word in a heading or title counts so often. */
const CRUMB_WEIGHT = 2;

export class SearchIndex {
  readonly #file: string;
  readonly #table: WordTable | null;
  readonly #store: IndexStore;
  readonly #stemmer = new Stemmer();
  #memory: IndexMemory;
  #seen = -1;

  /**
   * @param file the index's file, made if it is missing, or ':memory:'
   * @param table the word table; null leaves that part out
   */
  constructor(file: string, table: WordTable | null) {
    this.#file = file;
    this.#table = table;
    this.#store = new IndexStore(file, `chunker ${CHUNKER_VERSION}, words ${WORDS_VERSION}`);
    this.#memory = this.#load();
  }

  get store(): IndexStore {
    return this.#store;
  }

  /** What is held, in step with what other processes have written. */
  get memory(): IndexMemory {
    this.#catchUp();
    return this.#memory;
  }

  get stemmer(): Stemmer {
    return this.#stemmer;
  }

  close(): void {
    this.#store.close();
  }

  /** Takes texts in and forgets paths, all or nothing; an unchanged text costs a look-up. */
  update(texts: readonly IndexedText[], gone: readonly string[], followed?: FollowedTo): void {
    this.#catchUp();
    try {
      this.#store.transaction(() => {
        this.#learnTerms();
        for (const path of gone) this.#forget(path);
        for (const text of texts) this.#put(text);
        if (followed !== undefined)
          this.#store.setFollowed(followed.name, followed.point, followed.seq);
      });
    } catch (error) {
      // What is held may be ahead of what was kept.
      this.#memory = this.#load();
      throw error;
    }
  }

  /** Forgets the documents that this is true of. */
  forget(isGone: (path: string) => boolean): void {
    const gone = [...this.memory.documents].map(({ path }) => path).filter(isGone);
    if (gone.length > 0) this.update([], gone);
  }

  /** The hash of the text that is indexed at a path, or null. */
  hashAt(path: string): string | null {
    return this.memory.byPath(path)?.hash ?? null;
  }

  /** Fits the latent space anew where it is time; costs a second or so for ten thousand chunks. */
  settle(): void {
    const memory = this.memory;
    const space = memory.refit();
    if (space !== null) this.#store.transaction(() => this.#store.setLatent(space));
  }

  /**
   * The best chunks for a question, best first.
   * @param sentences what a sentence model says of it; null where none was asked
   */
  find(
    query: string,
    accepts: Accepts,
    limit: number,
    sentences: SentenceSignal | null = null,
  ): Found[] {
    this.settle();
    const memory = this.#memory;
    const allowed = new Uint8Array(memory.corpus.size);
    for (const document of memory.documents) {
      if (accepts(document)) for (const slot of document.slots) allowed[slot] = 1;
    }
    const terms = this.#stemmer.terms(query);
    const candidates = rank(
      { ...memory.signals(), sentences },
      terms,
      allowed,
      Math.max(limit, CANDIDATES),
    );
    const ranked = withParents(candidates, (slot) => memory.owner(slot)?.path ?? '');
    return ranked.slice(0, limit).flatMap((each) => {
      const document = memory.owner(each.slot);
      const chunk = this.#store.chunk(memory.chunkId(each.slot));
      return document === undefined || chunk === null ? [] : [{ ...each, document, chunk }];
    });
  }

  #put({ path, text, updated = '', kind = 'file', context = '' }: IndexedText): void {
    const hash = hashOf(text);
    const held = this.#memory.byPath(path);
    if (held?.hash === hash && held.updated === updated && held.kind === kind) return;
    this.#forget(path);
    const document = { path, hash, updated, kind };
    const id = this.#store.addDocument(document);
    this.#memory.add({ ...document, id });
    for (const chunk of chunksOf(path, text)) this.#putChunk(id, under(context, chunk));
  }

  #putChunk(document: number, chunk: Chunk): void {
    const { corpus } = this.#memory;
    const known = corpus.vocabulary.length;
    const bag = corpus.pack(this.#counts(chunk));
    for (let number = known; number < corpus.vocabulary.length; number++) {
      this.#store.addTerm(number, corpus.vocabulary[number] ?? '');
    }
    const stored = { ...chunk, hash: hashOf(`${chunk.crumb}\n${chunk.text}`) };
    const id = this.#store.addChunk(document, stored, bag);
    this.#memory.addChunk(document, id, bag);
  }

  #counts({ crumb, text }: Chunk): Map<string, number> {
    const counts = new Map<string, number>();
    for (const term of this.#stemmer.terms(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
    // What stands in the text as well is not counted as often again.
    for (const term of new Set(this.#stemmer.terms(crumb))) {
      counts.set(term, (counts.get(term) ?? 0) + CRUMB_WEIGHT - 1);
    }
    return counts;
  }

  #forget(path: string): void {
    const held = this.#memory.byPath(path);
    if (held === undefined) return;
    this.#store.removeDocument(held.id);
    this.#memory.remove(held.id);
  }

  /** Terms that another process has added: all number them alike. */
  #learnTerms(): void {
    const { corpus } = this.#memory;
    for (const term of this.#store.terms(corpus.vocabulary.length)) corpus.intern(term);
  }

  #load(): IndexMemory {
    this.#seen = this.#store.foreignWrites();
    const memory = new IndexMemory(this.#table);
    for (const term of this.#store.terms(0)) memory.corpus.intern(term);
    for (const document of this.#store.documents()) memory.add(document);
    for (const { id, document, bag } of this.#store.bags()) memory.addChunk(document, id, bag);
    memory.setLatent(this.#store.latent());
    return memory;
  }

  #catchUp(): void {
    if (this.#memory.wasteful) this.#memory = this.#load();
    const writes = this.#file === ':memory:' ? this.#seen : this.#store.foreignWrites();
    if (writes === this.#seen) return;
    this.#seen = writes;
    this.#learnTerms();
    const there = new Set(this.#store.documentIds());
    for (const { id } of [...this.#memory.documents]) if (!there.has(id)) this.#memory.remove(id);
    for (const id of there) {
      if (this.#memory.has(id)) continue;
      const document = this.#store.document(id);
      if (document === null) continue;
      this.#memory.add(document);
      for (const each of this.#store.bags(id)) this.#memory.addChunk(id, each.id, each.bag);
    }
  }
}

function under(context: string, chunk: Chunk): Chunk {
  return context === '' ? chunk : { ...chunk, crumb: `${context} › ${chunk.crumb}` };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
