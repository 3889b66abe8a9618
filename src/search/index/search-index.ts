/**
 * The index: documents go in, ranked chunks come out. It is one SQLite file and
 * what is held of it in memory. Everything here is synchronous; it is meant to
 * run in a worker of its own.
 */
import { createHash } from 'node:crypto';
import { CHUNKER_VERSION, type Chunk } from '../chunks/chunk.ts';
import { chunksOf } from '../chunks/chunker.ts';
import { withParents } from '../fuse/parents.ts';
import type { Signals } from '../fuse/pool.ts';
import { type Evidence, type Ranked, rank } from '../fuse/ranking.ts';
import type { SentenceSignal } from '../fuse/sentences.ts';
import type { LatentSpace } from '../latent/lsa.ts';
import { LookUp } from '../lookup/look-up.ts';
import type { WordTable } from '../static/table.ts';
import { EVERYDAY_QUESTIONS } from '../words/everyday.ts';
import { type Language, languageOf } from '../words/languages.ts';
import { type QuestionWords, questionWords } from '../words/question-terms.ts';
import { type Reading, readings } from '../words/spelling.ts';
import { identifiersOf, Stemmer, WORDS_VERSION, wholesOf } from '../words/words.ts';
import type { HeldDocument } from './documents.ts';
import { type Accepts, IndexMemory, type Selection } from './memory.ts';
import { type DocumentKind, IndexStore, type StoredChunk } from './store.ts';

/** A text to be searched. */
export interface IndexedText {
  path: string;
  text: string;
  /** When it was last changed, ISO 8601; '' where that is not known. */
  updated?: string;
  kind?: DocumentKind;
  /** What it looks like without being read, such as a file's size and time; '' where that does not tell. */
  seen?: string;
  /** Title of what it belongs to, such as the issue of a comment; its words count as the text's own title. */
  context?: string;
}

/** How a source stands: what was taken in with a batch, in the same transaction. */
export interface FollowedTo {
  name: string;
  point: string;
  /** null: these texts are in no feed, and only the place must be the source's. */
  seq: number | null;
}

/** A chunk that answers, with its document. */
export interface RankedChunk extends Ranked {
  /** Looked at when it is asked for; so is the chunk. */
  readonly evidence: Evidence;
  document: HeldDocument;
  /** Read from the store; null where another process has just removed it. */
  readonly chunk: StoredChunk | null;
}

/** A word in a heading or title counts so often. */
const CRUMB_WEIGHT = 2;
/** What is held is kept again when so many documents came or went, or so large a share of all. */
const KEPT_AFTER = { documents: 100, share: 0.1 };
/** A name for the part that says which words and which space the others were made with. */
const MADE_WITH = 'made with';

export class SearchIndex {
  readonly #file: string;
  readonly #table: WordTable | null;
  readonly #store: IndexStore;
  readonly #stemmer = new Stemmer();
  readonly #everyday: ReadonlySet<string>;
  #memory: IndexMemory;
  #seen = -1;
  /** Documents that came or went since what is held was kept. */
  #unkept = 0;

  /**
   * @param file the index's file, made if it is missing, or ':memory:'
   * @param table the word table; null leaves that part out
   */
  constructor(file: string, table: WordTable | null) {
    this.#file = file;
    this.#table = table;
    this.#everyday = new Set(EVERYDAY_QUESTIONS.flatMap((each) => this.#stemmer.terms(each)));
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
    try {
      this.#store.transaction(() => {
        this.#catchUp();
        // Another account's mount has the place meanwhile, by another process.
        if (followed !== undefined && this.#store.isOthers(followed.name, followed.point)) return;
        for (const path of gone) this.#forget(path);
        for (const text of texts) this.#put(text);
        if (followed !== undefined && followed.seq !== null)
          this.#store.setFollowed(followed.name, followed.point, followed.seq);
      });
    } catch (error) {
      // What is held may be ahead of what was kept.
      this.#memory = this.#load();
      throw error;
    }
    this.#memory.place();
  }

  /** Forgets the documents that this is true of. */
  forget(isGone: (path: string) => boolean): void {
    const gone: string[] = [];
    for (const { document } of this.memory.documents.all()) {
      if (isGone(document.path)) gone.push(document.path);
    }
    if (gone.length > 0) this.update([], gone);
  }

  /**
   * Fits the latent space anew where it is time, which costs a second or so for ten
   * thousand chunks, and keeps what is held in memory, so that it need not be put
   * together again by the next process. To be called when there is nothing else to do.
   */
  settle(): void {
    const memory = this.memory;
    const refitted = memory.refit();
    const { documents, share } = KEPT_AFTER;
    const enough = Math.max(documents, share * memory.documents.living);
    if (!refitted && this.#unkept < enough) return;
    this.#store.transaction(() => {
      const space = memory.latentSpace;
      if (space !== null) this.#store.setLatent(space);
      const parts = memory.parts();
      parts.set(MADE_WITH, new TextEncoder().encode(this.#madeWith(space)));
      this.#store.setHeld(parts);
    });
    this.#unkept = 0;
  }

  /** The words of a question that occur nowhere, and what they are slips of. */
  readings(query: string): Reading[] {
    const { corpus, documents } = this.memory;
    const languages = [...new Set<Language>(['en', ...documents.languages])];
    const spread = (term: string): number => {
      const number = corpus.termNumber(term);
      return number === undefined ? 0 : corpus.spread(number);
    };
    return readings(query, {
      spread: (word) =>
        Math.max(...languages.map((language) => spread(this.#stemmer.stem(word, language)))),
      isWord: (word) => (this.#table?.rowOf(this.#stemmer.stem(word)) ?? -1) >= 0,
    });
  }

  /** The terms of a question, in the language that fits what is held. */
  words(query: string): QuestionWords {
    const { corpus, documents } = this.memory;
    return questionWords(query, documents.languages, this.#stemmer, (term) => {
      const number = corpus.termNumber(term);
      return number !== undefined && corpus.spread(number) > 0;
    });
  }

  /** The chunk of a slot; null where another process has just removed it. */
  chunk(slot: number): StoredChunk | null {
    return this.#store.chunk(this.memory.documents.chunkId(slot));
  }

  /** Looks tokens up in what is selected. */
  lookUp(selection: Selection): LookUp {
    const memory = this.memory;
    const { documents, corpus } = memory;
    const store = this.#store;
    return new LookUp(
      {
        memory,
        stemmer: this.#stemmer,
        chunk: (slot) => store.chunk(documents.chunkId(slot)),
        *scan(text) {
          const ids = new Set(store.chunksWith(text));
          for (let slot = 0; ids.size > 0 && slot < corpus.size; slot++) {
            if (ids.has(documents.chunkId(slot)) && corpus.alive(slot)) yield slot;
          }
        },
      },
      selection,
    );
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
  ): RankedChunk[] {
    const memory = this.memory;
    if (memory.latentSpace === null || memory.outgrown) this.settle();
    const allowed = memory.select(accepts).slots;
    const question = {
      terms: this.words(query).terms,
      identifiers: identifiersOf(query).map((each) => this.#stemmer.terms(each)),
    };
    const signals = this.signals(sentences);
    const { ranked: candidates, evidence } = rank(signals, question, allowed, {
      stemmer: this.#stemmer,
      everyday: this.#everyday,
    });
    const ranked = withParents(candidates, (slot) => memory.documents.owner(slot).path);
    const reader = { evidence, chunk: (slot: number) => this.#chunkAt(slot) };
    return ranked
      .slice(0, limit)
      .map((each) => new FoundChunk(each, memory.documents.owner(each.slot), reader));
  }

  /**
   * What a ranking looks at, for one question.
   * @param sentences what a sentence model says of the question; null where none was asked
   */
  signals(sentences: SentenceSignal | null): Signals {
    const { documents } = this.memory;
    // Several votes read the same passages.
    const read = new Map<number, StoredChunk | null>();
    const passage = (slot: number): StoredChunk | null => {
      const held = read.get(slot);
      if (held !== undefined) return held;
      const chunk = this.#chunkAt(slot);
      read.set(slot, chunk);
      return chunk;
    };
    return {
      ...this.memory.signals(),
      passage,
      languageOf: (slot) => documents.owner(slot).language,
      sentences,
    };
  }

  #chunkAt(slot: number): StoredChunk | null {
    return this.#store.chunk(this.#memory.documents.chunkId(slot));
  }

  #put({ path, text, updated = '', kind = 'file', context = '', seen = '' }: IndexedText): void {
    const hash = hashOf(text);
    const held = this.#store.documentAt(path);
    if (held?.hash === hash && held.updated === updated && held.kind === kind) {
      if (held.seen !== seen) this.#store.setSeen(held.id, seen);
      return;
    }
    this.#forget(path);
    this.#unkept += 1;
    const language = languageOf(text);
    const document = { path, hash, updated, kind, language, seen };
    const id = this.#store.addDocument(document);
    this.#memory.add({ ...document, id });
    // What a document is called, and the directory that it is in, say what it is.
    let called = nameWords(path);
    for (const chunk of chunksOf(path, text)) {
      this.#putChunk(id, under(context, chunk), language, called);
      called = '';
    }
  }

  #putChunk(document: number, chunk: Chunk, language: Language, called: string): void {
    const { corpus } = this.#memory;
    const known = corpus.vocabulary.length;
    const bag = corpus.pack(this.#counts(chunk, language, called));
    for (let number = known; number < corpus.vocabulary.length; number++) {
      this.#store.addTerm(number, corpus.vocabulary[number] ?? '');
    }
    const stored = { ...chunk, hash: hashOf(`${chunk.crumb}\n${chunk.text}`) };
    const id = this.#store.addChunk(document, stored, bag);
    this.#memory.addChunk(id, bag);
  }

  #counts({ crumb, text }: Chunk, language: Language, called: string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const term of this.#stemmer.terms(text, language)) {
      counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    // What stands in the text as well is not counted as often again.
    for (const term of new Set(this.#stemmer.terms(crumb, language))) {
      counts.set(term, (counts.get(term) ?? 0) + CRUMB_WEIGHT - 1);
    }
    const wholes = wholesOf(text).map((word) => this.#stemmer.stem(word));
    for (const term of [...this.#stemmer.terms(called), ...wholes]) {
      if (!counts.has(term)) counts.set(term, 1);
    }
    return counts;
  }

  #forget(path: string): void {
    const held = this.#store.documentAt(path);
    if (held === null) return;
    this.#unkept += 1;
    this.#store.removeDocument(held.id);
    this.#memory.remove(held.id);
  }

  /** What is held, as it was kept and what came since; or, where that cannot be, from all rows. */
  #load(): IndexMemory {
    this.#seen = this.#store.foreignWrites();
    const memory = new IndexMemory(this.#table);
    const space = this.#store.latent();
    const parts = this.#store.held();
    const madeWith = new TextDecoder().decode(parts.get(MADE_WITH));
    if (madeWith === this.#madeWith(space)) memory.restore(parts, space);
    else memory.setLatent(space);
    this.#unkept = this.#follow(memory);
    return memory.wasteful ? this.#loadRows() : memory;
  }

  #loadRows(): IndexMemory {
    const memory = new IndexMemory(this.#table);
    memory.setLatent(this.#store.latent());
    this.#unkept = this.#follow(memory);
    return memory;
  }

  /** Decides whether points that were kept are the ones that would be placed. */
  #madeWith(space: LatentSpace | null): string {
    const words = this.#table?.fingerprint ?? 'no words';
    return `${words} ${space?.fittedOn ?? 0} ${space?.terms.length ?? 0}`;
  }

  #catchUp(): void {
    if (this.#memory.wasteful) this.#memory = this.#loadRows();
    const writes = this.#file === ':memory:' ? this.#seen : this.#store.foreignWrites();
    if (writes === this.#seen) return;
    this.#seen = writes;
    this.#unkept += this.#follow(this.#memory);
  }

  /** Brings a memory in step with the store; how many documents came or went. */
  #follow(memory: IndexMemory): number {
    for (const term of this.#store.terms(memory.corpus.vocabulary.length)) {
      memory.corpus.intern(term);
    }
    const before = memory.documents.lastId;
    let followed = 0;
    // A document's chunks come right after it.
    const bags = this.#store.bags(before)[Symbol.iterator]();
    let next = bags.next();
    for (const document of this.#store.documents(before)) {
      memory.add(document);
      followed += 1;
      for (; !next.done && next.value.document === document.id; next = bags.next()) {
        memory.addChunk(next.value.id, next.value.bag);
      }
    }
    // Documents are never given an id again: as many as there are, are the same.
    if (memory.documents.living !== this.#store.documentCount()) {
      const there = new Set(this.#store.documentIds());
      for (const { document } of memory.documents.all()) {
        if (there.has(document.id)) continue;
        memory.remove(document.id);
        followed += 1;
      }
    }
    return followed;
  }
}

/** Where a found chunk reads what is asked of it, by its slot. */
interface FoundReader {
  evidence(slot: number): Evidence;
  chunk(slot: number): StoredChunk | null;
}

class FoundChunk implements RankedChunk {
  readonly slot: number;
  score: number;
  readonly parts: Ranked['parts'];
  readonly document: HeldDocument;
  readonly #reader: FoundReader;

  constructor({ slot, score, parts }: Ranked, document: HeldDocument, reader: FoundReader) {
    this.slot = slot;
    this.score = score;
    this.parts = parts;
    this.document = document;
    this.#reader = reader;
  }

  get evidence(): Evidence {
    return this.#reader.evidence(this.slot);
  }

  get chunk(): StoredChunk | null {
    return this.#reader.chunk(this.slot);
  }
}

function under(context: string, chunk: Chunk): Chunk {
  return context === '' ? chunk : { ...chunk, crumb: `${context} › ${chunk.crumb}` };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** A document's name without its ending, and the directory that it is in; numbers say nothing. */
function nameWords(path: string): string {
  const [directory = '', name = ''] = path.split('/').slice(-2);
  return `${directory} ${name.replace(/\.[^.]*$/, '')}`.replace(/\b\d+\b/g, ' ');
}
