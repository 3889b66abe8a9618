/** Lines of documents that are not indexed yet, found by the words of the question as they stand. */

import { isStopWord, Stemmer, wordsOf } from '../words/words.ts';
import { hasPhrases, type Question } from './phrases.ts';
import type { Pending } from './source.ts';

/** A line of a document, 1-based. */
export interface LiteralAnswer {
  path: string;
  line: number;
  text: string;
  /** Share of the question's words that the line has. */
  share: number;
}

/** A line is shown when it has so many of the words. */
const ENOUGH = 0.5;

/** The best line of each document, best first. */
export function literalAnswers(
  documents: readonly Pending[],
  question: Question,
  limit: number,
): LiteralAnswer[] {
  const stemmer = new Stemmer();
  const asked = new Set(
    wordsOf(question.text)
      .filter((word) => !isStopWord(word))
      .map((word) => stemmer.stem(word)),
  );
  if (asked.size === 0) return [];
  const answers: LiteralAnswer[] = [];
  for (const { path, text } of documents) {
    const content = text();
    if (content === null || !hasPhrases(content, question.phrases)) continue;
    const found = bestLine(content, asked, stemmer);
    if (found !== null && found.share >= ENOUGH) answers.push({ path, ...found });
  }
  return answers.sort((a, b) => b.share - a.share).slice(0, limit);
}

function bestLine(
  content: string,
  asked: ReadonlySet<string>,
  stemmer: Stemmer,
): Omit<LiteralAnswer, 'path'> | null {
  let best: Omit<LiteralAnswer, 'path'> | null = null;
  for (const [index, text] of content.split('\n').entries()) {
    const there = new Set(stemmer.terms(text));
    let held = 0;
    for (const term of asked) if (there.has(term)) held += 1;
    const share = held / asked.size;
    if (share > (best?.share ?? 0)) best = { line: index + 1, text, share };
  }
  return best;
}
