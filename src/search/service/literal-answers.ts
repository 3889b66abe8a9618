/** Lines of documents that are not indexed yet, found by the words of the question as they stand. */

import type { SearchQuestion, Unsearched } from '../contract.ts';
import { isStopWord, Stemmer, wordsOf } from '../words/words.ts';
import { isAskedFor } from './described.ts';
import { hasPhrases, parseQuestion } from './phrases.ts';
import type { Pending } from './source.ts';

/** A line of a document, 1-based. */
export interface LiteralAnswer {
  path: string;
  line: number;
  text: string;
  /** Share of the question's words that the line has. */
  share: number;
}

/** What was found, in how many texts, and what was not looked through. */
export interface LiteralSearch {
  answers: LiteralAnswer[];
  searched: number;
  unsearched: Unsearched[];
}

/** A line is shown when it has so many of the words; of a few, all. */
const ENOUGH = { share: 0.5, few: 3 };
/** Documents that are searched for one question, at most. */
const MOST_SEARCHED = 5_000;

/** The best line of each document, best first. */
export function literalAnswers(
  documents: readonly Pending[],
  question: Pick<SearchQuestion, 'query' | 'limit' | 'kind' | 'since'>,
): LiteralSearch {
  const { text: asked, phrases } = parseQuestion(question.query);
  const words = new AskedWords(asked);
  const answers: LiteralAnswer[] = [];
  const some = documents.slice(0, MOST_SEARCHED);
  let searched = 0;
  for (const document of some) {
    const content = document.text();
    if (content === null || !isAskedFor(document, content, question)) continue;
    searched += 1;
    if (!hasPhrases(content, phrases)) continue;
    const found = words.bestLine(content);
    if (found !== null && found.share >= words.enough)
      answers.push({ path: document.path, ...found });
  }
  answers.sort((a, b) => b.share - a.share);
  const [next] = documents.slice(some.length);
  const unsearched = next === undefined ? [] : [waiting(next.path, documents.length - some.length)];
  return { answers: answers.slice(0, question.limit), searched, unsearched };
}

const waiting = (example: string, count: number): Unsearched => ({
  count,
  example,
  what: 'files',
  why: ['it is not indexed yet', 'they are not indexed yet'],
  how: '`index --wait` waits until they are',
  fails: true,
});

/** The words of a question that tell something. */
class AskedWords {
  readonly #stemmer = new Stemmer();
  readonly #terms: ReadonlySet<string>;
  /** Where a line may have one of them: none is without the beginning of its stem, letters without accents aside. */
  readonly #hint: RegExp;

  constructor(text: string) {
    const words = wordsOf(text).filter((word) => !isStopWord(word));
    this.#terms = new Set(words.map((word) => this.#stemmer.stem(word)));
    const beginnings = Array.from(this.#terms, beginningOf);
    this.#hint = new RegExp(`[^\\x00-\\x7f]|${beginnings.join('|')}`, 'gi');
  }

  /** The share that a line must have. */
  get enough(): number {
    return this.#terms.size <= ENOUGH.few ? 1 : ENOUGH.share;
  }

  bestLine(content: string): Omit<LiteralAnswer, 'path'> | null {
    if (this.#terms.size === 0) return null;
    let best: { at: number; text: string; share: number } | null = null;
    this.#hint.lastIndex = 0;
    for (let hit = this.#hint.exec(content); hit !== null; hit = this.#hint.exec(content)) {
      const at = content.lastIndexOf('\n', hit.index) + 1;
      const next = content.indexOf('\n', hit.index);
      const end = next === -1 ? content.length : next;
      const text = content.slice(at, end);
      const share = this.#shareIn(text);
      if (share > (best?.share ?? 0)) best = { at, text, share };
      if (best?.share === 1) break;
      this.#hint.lastIndex = end;
    }
    return best === null
      ? null
      : { line: lineAt(content, best.at), text: best.text.replace(/\r$/, ''), share: best.share };
  }

  #shareIn(line: string): number {
    const there = new Set(this.#stemmer.terms(line));
    let held = 0;
    for (const term of this.#terms) if (there.has(term)) held += 1;
    return held / this.#terms.size;
  }
}

/** What all words have in common that are stemmed to this. */
const beginningOf = (stem: string): string =>
  stem.slice(0, Math.min(2, Math.max(1, stem.length - 1)));

function lineAt(content: string, position: number): number {
  let line = 1;
  for (
    let at = content.indexOf('\n');
    at !== -1 && at < position;
    at = content.indexOf('\n', at + 1)
  )
    line += 1;
  return line;
}
