/** The one line of a chunk that is shown for it. */

import type { Chunk } from '../chunks/chunk.ts';
import type { Corpus } from '../lexical/corpus.ts';
import type { WordTable } from '../static/table.ts';
import type { Stemmer } from '../words/words.ts';
import { hasPhrases, type Question } from './phrases.ts';

/** What a line is judged by. */
export interface LineJudge {
  corpus: Corpus;
  stemmer: Stemmer;
  table: WordTable | null;
}

/** A line of a document, 1-based. */
export interface Line {
  line: number;
  text: string;
}

/** Marks that stand around text but are none. */
const EMPTY = /^[\s\-=~`*_#>|{}()[\];,]*$/;
/** Fields of the front matter that say something; the others are only shown for their words. */
const SPEAKING_FIELD = /^(?:title|name|description|summary):/;
const FIELD = /^[\w-]+:(?: |$)/;
/** A line that says more is worth a little more. */
const LONG_ENOUGH = 80;

/** The line with most of the question in it, by its terms and by the word table; the first of equals. */
export function tellingLine(chunk: Chunk, question: Question, judge: LineJudge): Line {
  const asked = new Set(judge.stemmer.terms(question.text));
  const point = judge.table?.point([...asked].map((term) => [term, 1] as const)) ?? null;
  const total = [...asked].reduce((sum, term) => sum + telling(term, judge.corpus), 0) || 1;
  const lines = chunk.text.split('\n');
  const fields = chunk.firstLine === 1 && lines[0] === '---' ? lines.indexOf('---', 1) : 0;
  let found: Line = { line: chunk.firstLine, text: lines[0] ?? '' };
  let most = Number.NEGATIVE_INFINITY;
  for (const [index, text] of lines.entries()) {
    if (EMPTY.test(text)) continue;
    const terms = new Set(judge.stemmer.terms(text));
    let score = 0;
    for (const term of terms) if (asked.has(term)) score += telling(term, judge.corpus) / total;
    if (point !== null && terms.size > 0) score += 0.5 * cosine(point, terms, judge.table);
    score += 0.1 * Math.min(1, text.trim().length / LONG_ENOUGH);
    if (question.phrases.length > 0 && hasPhrases(text, question.phrases)) score += 2;
    if (index < fields && FIELD.test(text) && !SPEAKING_FIELD.test(text)) score -= 0.3;
    if (score > most) {
      most = score;
      found = { line: chunk.firstLine + index, text };
    }
  }
  return found;
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
