/** The documents that may answer one question, and what is known of them before they are judged. */
import type { LatentSpace } from '../latent/lsa.ts';
import { foldIn } from '../latent/lsa.ts';
import type { Points } from '../latent/points.ts';
import { bm25, queryTerms, type WeightedTerms } from '../lexical/bm25.ts';
import type { Corpus } from '../lexical/corpus.ts';
import { expansion } from '../lexical/feedback.ts';
import type { WholeDocuments } from '../lexical/whole.ts';
import type { WordTable } from '../static/table.ts';
import type { Language } from '../words/languages.ts';
import { best } from './best.ts';
import type { SentenceSignal } from './sentences.ts';
import { trustInTerms } from './trust.ts';

/** What a ranking looks at; null where a part is missing. */
export interface Signals {
  corpus: Corpus;
  documents: WholeDocuments;
  latent: { space: LatentSpace; points: Points } | null;
  words: { table: WordTable; points: Points } | null;
  /** The passage of a slot as it is written; null where it is gone. */
  passage(slot: number): { crumb: string; text: string } | null;
  /** What the passage is written in. */
  languageOf(slot: number): Language;
  /** What a sentence model says of the question at hand; without one, nothing. */
  sentences?: SentenceSignal | null;
}

/** A document that may answer. */
export interface Candidate {
  row: number;
  /** BM25 of the whole of it. */
  whole: number;
  /** BM25 of its best passage. */
  passage: number;
  /** Its best passages, best first: slots, {@link MOST_PASSAGES} at most. */
  passages: readonly number[];
  /** What each of those is worth, beside the others of the same question. */
  worth: readonly number[];
}

/** The candidates of one question. */
export interface Pool {
  /** The terms of the question in their order, as often as they are said. */
  terms: readonly string[];
  query: WeightedTerms;
  /** What each word of it tells: the rarer, the more, most where it is nowhere. */
  telling: ReadonlyMap<string, number>;
  candidates: readonly Candidate[];
  /** Indices of the candidates that BM25 finds first, at most ten, best first. */
  feedback: readonly number[];
  /** How far its terms are to be believed, 0 to 1. */
  trust: number;
  /** BM25 of terms that are telling in what BM25 finds first, by row. */
  byExpansion: Float32Array;
  /** Cosines of all passages with the question, by slot. */
  latent: Float32Array | null;
  words: Float32Array | null;
}

/** Documents, or passages whose documents are meant, that each part names. */
const NAMED = { whole: 200, expansion: 80, latent: 80, sentences: 80, words: 50 };
const FEEDBACK = 10;
/** Of a document so many passages at most are looked at. */
const MOST_PASSAGES = 16;
/** What nearness counts when the passages of a document are put in order, beside the best BM25 of any. */
const NEARNESS_COUNTS = 0.3;

/** @param allowed has a 1 for each slot that may be an answer */
export function gather(signals: Signals, terms: readonly string[], allowed: Uint8Array): Pool {
  const { corpus, documents, sentences = null } = signals;
  const { rows } = documents;
  const query = queryTerms(corpus, terms);
  const telling = tellingOf(corpus, terms);
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  const { latent: space, words: table } = signals;
  const latent =
    space === null ? null : space.points.cosines(foldIn(space.space, counts), corpus.size, allowed);
  // What a word tells in this corpus, the table cannot know; the passages are placed without it, since it changes.
  const words =
    table === null
      ? null
      : table.points.cosines(table.table.direction(telling), corpus.size, allowed);
  const whole = documents.bm25(query);
  const passages = bm25(corpus, query);
  const open = allowedRows(documents, allowed);
  const first = best(whole, NAMED.whole, open, 0);
  const feedback = first.slice(0, FEEDBACK);
  const leading = (row: number): number =>
    bestSlot(passages, rows.firstSlot(row), rows.endSlot(row));
  const expanded = expansion(
    corpus,
    feedback.map((row) => ({ slot: leading(row), score: whole[row] ?? 0 })),
  );
  const byExpansion = documents.bm25(expanded);
  const pool = new Set(first);
  for (const row of best(byExpansion, NAMED.expansion, open, 0)) pool.add(row);
  const name = (slots: Iterable<number>): void => {
    for (const slot of slots) pool.add(rows.owners[slot] as number);
  };
  if (latent !== null) name(best(latent, NAMED.latent, allowed, 0));
  if (words !== null) name(best(words, NAMED.words, allowed, 0));
  name(sentences?.nearest(allowed, NAMED.sentences) ?? []);
  const most = Math.max(1e-9, ...feedback.map((row) => passages[leading(row)] ?? 0));
  const worth = (slot: number): number =>
    (passages[slot] ?? 0) / most +
    NEARNESS_COUNTS *
      ((latent?.[slot] ?? 0) + (words?.[slot] ?? 0) + (sentences?.cosine(slot) ?? 0));
  const candidates = Array.from(pool, (row): Candidate => {
    const found = bestPassages(rows.firstSlot(row), rows.endSlot(row), worth);
    return {
      row,
      whole: whole[row] ?? 0,
      passage: Math.max(0, ...found.map(({ slot }) => passages[slot] as number)),
      passages: found.map(({ slot }) => slot),
      worth: found.map((each) => each.worth),
    };
  });
  // The first of the pool are those that BM25 finds first.
  const believed = feedback.map((_, index) => index);
  const trust = trustInTerms({
    score: Math.max(0, ...candidates.map(({ passage }) => passage)),
    covered: Math.max(0, ...feedback.map((row) => toldIn(corpus, leading(row), telling))),
    total: [...telling.values()].reduce((sum, tells) => sum + tells, 0),
    living: corpus.living,
  });
  return {
    ...{ terms, query, telling, candidates, feedback: believed },
    ...{ trust, byExpansion, latent, words },
  };
}

/** What those words tell that a passage has. */
function toldIn(corpus: Corpus, slot: number, telling: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const entry of corpus.bag(slot))
    sum += telling.get(corpus.vocabulary[entry >>> 8] ?? '') ?? 0;
  return sum;
}

function tellingOf(corpus: Corpus, terms: readonly string[]): Map<string, number> {
  return new Map(
    terms.map((term) => {
      const number = corpus.termNumber(term);
      const known = number !== undefined && corpus.spread(number) > 0;
      return [term, known ? corpus.idf(number) : Math.log(2 * corpus.living + 2)];
    }),
  );
}

function allowedRows({ rows }: WholeDocuments, allowed: Uint8Array): Uint8Array {
  const open = new Uint8Array(rows.size);
  const { owners } = rows;
  for (let slot = 0; slot < allowed.length; slot++) {
    if (allowed[slot] === 1) open[owners[slot] as number] = 1;
  }
  return open;
}

function bestSlot(scores: Float32Array, from: number, end: number): number {
  let found = from;
  for (let slot = from + 1; slot < end; slot++) {
    if ((scores[slot] as number) > (scores[found] as number)) found = slot;
  }
  return found;
}

function bestPassages(
  from: number,
  end: number,
  worth: (slot: number) => number,
): { slot: number; worth: number }[] {
  const judged = Array.from({ length: end - from }, (_, index) => ({
    slot: from + index,
    worth: worth(from + index),
  }));
  judged.sort((a, b) => b.worth - a.worth || a.slot - b.slot);
  return judged.slice(0, MOST_PASSAGES);
}
