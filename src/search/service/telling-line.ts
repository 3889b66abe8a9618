/** The one line of a chunk that is shown for it. */

import type { Chunk } from '../chunks/chunk.ts';
import type { Corpus } from '../lexical/corpus.ts';
import { fieldsEnd, isAskedFor, keyOf } from '../lookup/front-matter.ts';
import type { WordTable } from '../static/table.ts';
import type { Stemmer } from '../words/words.ts';
import { hasPhrases, type Question } from './phrases.ts';

/** What a line is judged by. */
export interface LineJudge {
  /** Those of the question, as they stand. */
  identifiers: readonly string[];
  corpus: Corpus;
  stemmer: Stemmer;
  table: WordTable | null;
}

/** A line of a document. */
export interface Line {
  /** 1-based. */
  line: number;
  text: string;
  /** Where in it the sentence begins that tells most; 0 in a line that can be shown whole. */
  from: number;
  /** How much of the question it has in it; about 0 to 2. */
  score: number;
}

/** Marks that stand around text but are none. */
const EMPTY = /^[\s\-=~`*_#>|{}()[\];,]*$/;
/** Fields of the front matter that say something; the others are only shown for their words. */
const SPEAKING_FIELD = /^(?:title|name|description|summary):/;
const FIELD = /^[\w-]+:(?: |$)/;
/** What the words count that stand in another field, and what it costs to have none. */
const FIELD_COUNTS = 0.6;
const FIELD_COSTS = 0.3;
/** What it is worth that a field is asked for by its name. */
const FIELD_ASKED = 1;
/** A heading, or a line that stands as one: of what is below it, it says nothing. */
const HEADING = /^ {0,3}(?:#{1,6} +.*|\*\*[^*]+\*\*:?|__[^_]+__:?)$/;
/** A line that says more is worth a little more. */
const LONG_ENOUGH = 80;
/** Of a longer line one sentence is looked for. Characters. */
const WHOLE_LINE = 250;
const SENTENCES = /(?<=[.!?;])\s+(?=\S)|\s\|\s/g;

/** A line among others. */
interface Rated {
  index: number;
  text: string;
  score: number;
  isHeading: boolean;
}

/**
 * The line with most of the question in it, by its terms and by the word table; the first
 * of equals. Where that is a heading, it is the line below it that has most.
 */
export function tellingLine(chunk: Chunk, question: Question, judge: LineJudge): Line {
  const score = scorer(question, judge);
  const lines = chunk.text.split('\n');
  const fields = fieldsEnd(chunk, lines);
  const rated = lines.flatMap((text, index): Rated[] => {
    if (EMPTY.test(text)) return [];
    const isField = index < fields && FIELD.test(text) && !SPEAKING_FIELD.test(text);
    const isHeading = index >= fields && HEADING.test(text);
    return [{ index, text, score: score(text, isField), isHeading }];
  });
  const first = { index: 0, text: lines[0] ?? '', score: 0, isHeading: false };
  const most = best(rated) ?? first;
  const { index, text } = most.isHeading ? (below(most, rated) ?? most) : most;
  const line = chunk.firstLine + index;
  return { line, text, from: tellingSentence(text, score), score: most.score };
}

function best(lines: readonly Rated[]): Rated | undefined {
  return lines.reduce<Rated | undefined>(
    (most, each) => (most === undefined || each.score > most.score ? each : most),
    undefined,
  );
}

/** The best line of what stands below a heading; where that is nothing, of what else is no heading. */
function below({ index }: Rated, lines: readonly Rated[]): Rated | undefined {
  const after = lines.filter((each) => each.index > index);
  const next = after.findIndex(({ isHeading }) => isHeading);
  const section = next === -1 ? after : after.slice(0, next);
  return best(section) ?? best(lines.filter(({ isHeading }) => !isHeading));
}

type Score = (text: string, isField: boolean) => number;

function scorer(question: Question, { identifiers, stemmer, corpus, table }: LineJudge): Score {
  const asked = new Set(stemmer.terms(question.text));
  const point = table?.point([...asked].map((term) => [term, 1] as const)) ?? null;
  const total = [...asked].reduce((sum, term) => sum + telling(term, corpus), 0) || 1;
  return (text, isField) => {
    const terms = new Set(stemmer.terms(text));
    let held = 0;
    for (const term of terms) if (asked.has(term)) held += telling(term, corpus) / total;
    const field = isField ? keyOf(text) : null;
    const asksFor = field !== null && isAskedFor(field, question.text);
    let score = isField && !asksFor ? FIELD_COUNTS * held : held;
    if (asksFor) score += FIELD_ASKED;
    else if (isField && held === 0) score -= FIELD_COSTS;
    if (point !== null && terms.size > 0 && !isField) score += 0.5 * cosine(point, terms, table);
    score += 0.1 * Math.min(1, text.trim().length / LONG_ENOUGH);
    if (identifiers.some((each) => text.includes(each))) score += 1;
    if (question.phrases.length > 0 && hasPhrases(text, question.phrases)) score += 2;
    return score;
  };
}

/** Where in a long line the sentence begins that tells most. */
function tellingSentence(text: string, score: Score): number {
  if (text.length <= WHOLE_LINE) return 0;
  const starts = [
    0,
    ...Array.from(text.matchAll(SENTENCES), ({ 0: { length }, index }) => index + length),
  ];
  let from = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (const [index, start] of starts.entries()) {
    const own = score(text.slice(start, starts[index + 1]), false);
    if (own > most) {
      most = own;
      from = start;
    }
  }
  return from;
}

function telling(term: string, corpus: Corpus): number {
  const number = corpus.termNumber(term);
  return number === undefined ? 0 : corpus.idf(number);
}

function cosine(point: Float32Array, terms: Iterable<string>, table: WordTable | null): number {
  const own = table?.point([...terms].map((term) => [term, 1] as const));
  if (own === undefined) return 0;
  let sum = 0;
  for (let k = 0; k < point.length; k++) sum += (point[k] ?? 0) * (own[k] ?? 0);
  return sum;
}
