/** The search as a service of plain data: questions in, lines out. It runs where it is told to, best in a worker. */

import type { SentenceSignal } from '../fuse/sentences.ts';
import type { HeldDocument } from '../index/documents.ts';
import type { Accepts, Selection } from '../index/memory.ts';
import {
  type FollowedTo,
  type IndexedText,
  type RankedChunk,
  SearchIndex,
} from '../index/search-index.ts';
import type { DocumentKind, StoredChunk } from '../index/store.ts';
import { askedField, fieldsEnd } from '../lookup/front-matter.ts';
import type { SightedLine, Sighting } from '../lookup/look-up.ts';
import { type LookedUp, lookUpQuestion } from '../lookup/question.ts';
import { tokensOf } from '../lookup/token.ts';
import type { WordTable } from '../static/table.ts';
import { readAs } from '../words/spelling.ts';
import { identifiersOf, wordsOf } from '../words/words.ts';
import { type Answer, rankedAnswers, sightedAnswers } from './answers.ts';
import { foreignNote, missingWords } from './missing.ts';
import { hasPhrases, parseQuestion, type Question } from './phrases.ts';
import { enoughIn, evidenceFor, isRelevant, worthShowing } from './relevance.ts';
import { type Line, tellingLine } from './telling-line.ts';

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

export interface SearchReply {
  answers: Answer[];
  /** Documents that were searched. */
  documents: number;
  /** What is to be said of how it was searched. */
  notes?: string[];
  /** Words of the question that no document has in any form; absent without any. */
  missing?: string[];
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

/** Candidates among which each kind of text finds its own. */
const SPARE = 300;
/** How many of the best are asked whether there is an answer. */
const JUDGED = 10;
/** How many of the best are read for the identifiers of the question. */
const READ_FOR_IDENTIFIERS = 60;
/** Passages of a document asked for by its name that are read. */
const READ_OF_A_NAMED = 20;
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
    if (!store.isOthers(name, point)) {
      const reached = store.followed(name, point);
      // The place is its own before anything of it is there.
      if (reached === 0) store.setFollowed(name, point, 0);
      return reached;
    }
    const within = scopeOf([point]);
    const elsewhere = scopeOf(spared.filter((path) => path !== point));
    this.#index.forget((path) => within(path) && !elsewhere(path));
    // It is this one's from now on: whoever still writes for the other one is refused.
    store.unfollow(point);
    store.setFollowed(name, point, 0);
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
    const { found, relevance } = this.#ranked(question, request, sentences);
    const looked = this.#lookUp(asked, selection, found);
    const answers = this.#answers(question, request.limit, looked, found);
    const missing = missingWords(question.text, this.#index, selection, looked);
    const notes = readings.map(({ typed, read }) => `${typed} was read as ${read}`);
    const foreign = foreignNote(asked.text, selection.languages, (word) => this.#isEnglish(word));
    if (foreign !== null) notes.push(foreign);
    if (answers.length === 0 && missing.length === 0 && this.#tellsNothing(question)) {
      notes.push('no word of it tells texts apart, grep -rn finds it as it stands');
    }
    const isLiteral = looked.decides || answers[0]?.evidence === undefined;
    return {
      answers,
      documents: selection.documents,
      ...(notes.length === 0 ? {} : { notes }),
      ...(missing.length === 0 ? {} : { missing }),
      ...(relevance === undefined || (isLiteral && answers.length > 0) ? {} : { relevance }),
    };
  }

  /** What the ranking finds, and whether that is an answer. */
  #ranked(
    question: Question,
    request: SearchRequest,
    sentences: SentenceSignal | null,
  ): { found: RankedChunk[]; relevance?: Relevance } {
    const accepts = this.#filter(request);
    const hasPhrase = question.phrases.length > 0;
    // What must occur is found by reading, so more candidates are read.
    const wanted = Math.max(hasPhrase ? 2_000 : SPARE, request.limit);
    const found = this.#index.find(question.text, accepts, wanted, sentences);
    if (hasPhrase) {
      const { phrases } = question;
      return {
        found: found.filter(({ chunk }) => chunk !== null && hasPhrases(chunk.text, phrases)),
      };
    }
    const judged = found.slice(0, JUDGED).map(({ evidence }) => evidence);
    const reached = evidenceFor(judged, this.#index.memory.select(accepts).chunks);
    const needed = enoughIn(this.#index.words(question.text).language);
    const relevance = { reached: Math.max(0, reached), needed };
    if (!isRelevant(reached, judged, sentences, needed)) return { found: [], relevance };
    // A model may know better what is near.
    const worthy = sentences === null ? found.filter(worthShowing(judged)) : found;
    const identifiers = identifiersOf(question.text);
    if (identifiers.length === 0) return { found: worthy, relevance };
    return { found: verbatimFirst(worthy, question.text, identifiers), relevance };
  }

  /** What is meant letter for letter: ids, names, and a phrase that no passage was found with. */
  #lookUp(asked: Question, selection: Selection, found: readonly RankedChunk[]): LookedUp {
    const lookUp = this.#index.lookUp(selection);
    const places = new Map<number, number>();
    for (const [place, { document }] of found.entries()) {
      if (!places.has(document.id)) places.set(document.id, place);
    }
    const order = ({ id }: HeldDocument): number => places.get(id) ?? found.length;
    const [phrase] = asked.phrases;
    // A single token in quotes is looked up as it would be without them.
    if (phrase === undefined || tokensOf(asked.text).length === 1) {
      return lookUpQuestion(asked.text, lookUp, order, found.length > 0);
    }
    const looked: LookedUp = { first: [], last: [], decides: false, missing: [], there: [] };
    if (found.length > 0) return looked;
    const sightings = lookUp
      .find(phrase, order)
      .filter(({ lines }) => lines.some(({ chunk }) => hasPhrases(chunk.text, asked.phrases)));
    return { ...looked, last: sightings, missing: sightings.length === 0 ? [`"${phrase}"`] : [] };
  }

  #answers(
    question: Question,
    limit: number,
    { first, last, decides }: LookedUp,
    found: readonly RankedChunk[],
  ): Answer[] {
    const memory = this.#index.memory;
    const tokens = tokensOf(question.text);
    const judge = {
      identifiers: [
        ...new Set([
          ...identifiersOf(question.text),
          ...tokens.filter(({ kind }) => kind === 'certain').map(({ text }) => text),
        ]),
      ],
      corpus: memory.corpus,
      stemmer: this.#index.stemmer,
      table: this.#table,
    };
    const lineOf = (chunk: StoredChunk): Line => tellingLine(chunk, question, judge);
    const fieldOf = ({ id }: HeldDocument): SightedLine | null => this.#field(id, question.text);
    const chunks = ({ first: from, end }: Sighting): StoredChunk[] =>
      Array.from({ length: Math.min(READ_OF_A_NAMED, end - from) }, (_, at) =>
        this.#index.chunk(from + at),
      ).filter((chunk) => chunk !== null);
    const rest = tokens
      .filter(({ kind }) => kind !== 'certain')
      .map(({ text }) => text)
      .join(' ');
    const besides = { ...question, text: rest };
    const isAll = tokens.length <= 1 || decides;
    const elseOf =
      isAll || this.#tellsNothing(besides)
        ? null
        : (chunk: StoredChunk) => tellingLine(chunk, besides, { ...judge, identifiers: [] });
    const view = { chunks, fieldOf, lineOf, elseOf, isAll };
    const sighted = sightedAnswers(first, limit, view);
    const ranked = decides
      ? []
      : rankedAnswers(found, limit - sighted.length, { lineOf, fieldOf }, sighted);
    if (sighted.length + ranked.length > 0) return [...sighted, ...ranked];
    return sightedAnswers(last, limit, view);
  }

  /** The field of a document that a question asks for. */
  #field(document: number, question: string): SightedLine | null {
    const { first, end } = this.#index.memory.documents.slots(document);
    const chunk = first === end ? null : this.#index.chunk(first);
    if (chunk === null) return null;
    const lines = chunk.text.split('\n');
    const at = askedField(lines, fieldsEnd(chunk, lines), question);
    if (at === -1) return null;
    return { chunk, line: chunk.firstLine + at, text: lines[at] ?? '', rank: 0 };
  }

  #tellsNothing({ text, phrases }: Question): boolean {
    return phrases.length === 0 && this.#index.words(text).terms.length === 0;
  }

  #isEnglish(word: string): boolean {
    return (this.#table?.rowOf(this.#index.stemmer.stem(word)) ?? 0) >= 0;
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

/**
 * A passage with the question's identifiers as they stand comes before those with
 * their parts, the sooner, the more of the question they are: each counts as its share
 * of the question's words. Only the best are read for it.
 */
function verbatimFirst(
  found: readonly RankedChunk[],
  question: string,
  identifiers: readonly string[],
): RankedChunk[] {
  const said = wordsOf(question).length;
  const bonus = ({ chunk }: RankedChunk): number =>
    identifiers
      .filter((each) => chunk?.text.includes(each))
      .reduce((sum, each) => sum + wordsOf(each).length / said, 0);
  for (const each of found.slice(0, READ_FOR_IDENTIFIERS)) each.score += bonus(each);
  return [...found].sort((a, b) => b.score - a.score);
}

/** True for paths at or below one of these. */
function scopeOf(paths: readonly string[]): (path: string) => boolean {
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
