/** The search as a service of plain data: questions in, lines out. It runs where it is told to, best in a worker. */

import type { Parts } from '../fuse/parts.ts';
import type { Evidence } from '../fuse/ranking.ts';
import type { SentenceSignal } from '../fuse/sentences.ts';
import type { HeldDocument } from '../index/documents.ts';
import type { Accepts, Selection } from '../index/memory.ts';
import {
  type FollowedTo,
  type Found,
  type IndexedText,
  SearchIndex,
} from '../index/search-index.ts';
import type { DocumentKind } from '../index/store.ts';
import type { WordTable } from '../static/table.ts';
import { readAs } from '../words/spelling.ts';
import { identifiersOf, wordsOf } from '../words/words.ts';
import { hasPhrases, parseQuestion } from './phrases.ts';
import { type Place, placesOf } from './places.ts';
import { ENOUGH, evidenceFor, isRelevant, worthShowing } from './relevance.ts';
import { tellingLine } from './telling-line.ts';

/** What is asked, and of what. */
export interface SearchRequest {
  query: string;
  /** Absolute paths; what is at or below one of them is searched. */
  paths: readonly string[];
  limit: number;
  kind?: DocumentKind;
  /** ISO 8601: only what was changed at that time or later. */
  since?: string;
}

/** One answer. */
export interface Answer {
  path: string;
  /** 1-based. */
  line: number;
  text: string;
  /** Where in a long line the sentence begins that tells most, else 0. */
  from: number;
  score: number;
  /** What each part gave to the score, 0 to 1, and the raw evidence. */
  parts: Parts;
  evidence: Evidence;
  /** Where in the document: its title and headings. */
  crumb: string;
  /** The whole passage, and its first line. */
  passage: string;
  passageLine: number;
}

export interface SearchReply {
  answers: Answer[];
  /** Documents that were searched. */
  documents: number;
  /** What is to be said of how it was searched. */
  notes?: string[];
  /** What spoke for an answer by the words; absent where a phrase decides. */
  relevance?: Relevance;
}

/** How much spoke for an answer, and how much is needed. */
export interface Relevance {
  reached: number;
  needed: number;
}

/** What is indexed below some paths. */
export interface IndexStatus {
  documents: number;
  chunks: number;
}

/** Candidates for each answer that is wanted. */
const SPARE = 6;
/** How many of the best are asked whether there is an answer. */
const JUDGED = 10;
/** How many of the best are read for the identifiers of the question. */
const READ_FOR_IDENTIFIERS = 60;
/** Filters that are remembered. */
const FILTERS = 16;

export class SearchEngine {
  readonly #index: SearchIndex;
  readonly #table: WordTable | null;
  readonly #filters = new Map<string, Accepts>();

  /**
   * @param file index.sqlite, or ':memory:'
   * @param table the word table; null leaves that part out
   */
  constructor(file: string, table: WordTable | null) {
    this.#index = new SearchIndex(file, table);
    this.#table = table;
  }

  get index(): SearchIndex {
    return this.#index;
  }

  close(): void {
    this.#index.close();
  }

  update(texts: readonly IndexedText[], gone: readonly string[], followed?: FollowedTo): void {
    this.#index.update(texts, gone, followed);
  }

  /** See {@link SearchIndex.settle}. */
  settle(): void {
    this.#index.settle();
  }

  /** Forgets what is below a path, but not these paths, nor what is below one of `spared`. */
  prune(prefix: string, keep: readonly string[], spared: readonly string[]): void {
    const kept = new Set(keep);
    const within = scopeOf([prefix]);
    const elsewhere = scopeOf(spared.filter((path) => path !== prefix));
    this.#index.forget((path) => within(path) && !kept.has(path) && !elsewhere(path));
  }

  /** What the documents below a path looked like when they were read. */
  seen(prefix: string): [path: string, seen: string][] {
    return this.#index.store.seen(prefix);
  }

  /**
   * How far a source is followed that is shown at a mount point. What another one has left there,
   * such as another account's mount, is forgotten, but for what is below one of `spared`.
   */
  followed(name: string, point: string, spared: readonly string[]): number {
    const { store } = this.#index;
    if (!store.isOthers(name, point)) return store.followed(name, point);
    this.prune(point, [], spared);
    store.unfollow(point);
    return 0;
  }

  status(paths: readonly string[]): IndexStatus {
    const within = scopeOf(paths);
    const status = { documents: 0, chunks: 0 };
    for (const { document, first, end } of this.#index.memory.documents.all()) {
      if (!within(document.path)) continue;
      status.documents += 1;
      status.chunks += end - first;
    }
    return status;
  }

  /** The documents that a request is about. */
  select(request: SearchRequest): Selection {
    return this.#index.memory.select(this.#filter(request));
  }

  /** @param sentences what a sentence model says of the question; null where none was asked */
  search(request: SearchRequest, sentences: SentenceSignal | null = null): SearchReply {
    const asked = parseQuestion(request.query);
    const readings = this.#index.readings(asked.text);
    const question = { ...asked, text: readAs(asked.text, readings) };
    const accepts = this.#filter(request);
    const selection = this.#index.memory.select(accepts);
    // What must occur is found by reading, so more candidates are read.
    const wanted = question.phrases.length > 0 ? 2_000 : Math.max(JUDGED, request.limit * SPARE);
    let found = this.#index.find(question.text, accepts, wanted, sentences);
    let relevance: Relevance | undefined;
    if (question.phrases.length > 0) {
      found = found.filter(
        ({ chunk }) => chunk !== null && hasPhrases(chunk.text, question.phrases),
      );
    } else {
      const judged = found.slice(0, JUDGED).map(({ evidence }) => evidence);
      const reached = evidenceFor(judged, selection.chunks);
      relevance = { reached: Math.max(0, reached), needed: ENOUGH };
      if (!isRelevant(reached, judged, sentences)) found = [];
      // A model may know better what is near.
      else if (sentences === null) found = found.filter(worthShowing(judged));
    }
    const identifiers = identifiersOf(question.text);
    if (identifiers.length > 0) found = verbatimFirst(found, question.text, identifiers);
    const judge = {
      identifiers,
      corpus: this.#index.memory.corpus,
      stemmer: this.#index.stemmer,
      table: this.#table,
    };
    const answers = placesOf(found, request.limit, (chunk) =>
      tellingLine(chunk, question, judge),
    ).map(answerOf);
    const notes = readings.map(({ typed, read }) => `${typed} was read as ${read}`);
    if (question.phrases.length === 0 && this.#index.stemmer.terms(question.text).length === 0) {
      notes.push('no word of it tells texts apart, grep -rn finds it as it stands');
    }
    return {
      answers,
      documents: selection.documents,
      ...(notes.length === 0 ? {} : { notes }),
      ...(relevance === undefined ? {} : { relevance }),
    };
  }

  /** The filter of a request; of requests that are alike the same, so that its selection is remembered. */
  #filter({ paths, kind, since }: SearchRequest): Accepts {
    const key = JSON.stringify([paths, kind, since]);
    const known = this.#filters.get(key);
    if (known !== undefined) return known;
    if (this.#filters.size >= FILTERS) this.#filters.clear();
    const accepts = filterOf({ paths, kind, since });
    this.#filters.set(key, accepts);
    return accepts;
  }
}

function answerOf({ found, chunk, line: { line, text, from } }: Place): Answer {
  const { document, score, parts, evidence } = found;
  const { crumb, text: passage, firstLine: passageLine } = chunk;
  const { path } = document;
  return { path, line, text, from, score, parts, evidence, crumb, passage, passageLine };
}

/**
 * A passage with the question's identifiers as they stand comes before those with
 * their parts, the sooner, the more of the question they are: each counts as its share
 * of the question's words. Only the best are read for it.
 */
function verbatimFirst(
  found: readonly Found[],
  question: string,
  identifiers: readonly string[],
): Found[] {
  const said = wordsOf(question).length;
  const bonus = ({ chunk }: Found): number =>
    identifiers
      .filter((each) => chunk?.text.includes(each))
      .reduce((sum, each) => sum + wordsOf(each).length / said, 0);
  for (const each of found.slice(0, READ_FOR_IDENTIFIERS)) each.score += bonus(each);
  return [...found].sort((a, b) => b.score - a.score);
}

/** True for paths at or below one of these. */
export function scopeOf(paths: readonly string[]): (path: string) => boolean {
  const places = paths.map((path) => ({ path, below: path.endsWith('/') ? path : `${path}/` }));
  return (candidate) =>
    places.some(({ path, below }) => candidate === path || candidate.startsWith(below));
}

type Filter = Pick<SearchRequest, 'paths'> & {
  kind: SearchRequest['kind'] | undefined;
  since: string | undefined;
};

function filterOf({ paths, kind, since }: Filter): (document: HeldDocument) => boolean {
  const within = scopeOf(paths);
  return (document) =>
    (kind === undefined || document.kind === kind) &&
    (since === undefined || (document.updated !== '' && document.updated >= since)) &&
    within(document.path);
}
