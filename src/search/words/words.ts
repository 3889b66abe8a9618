/** Words of texts and of questions, as every part of the search counts them. */
import { porterStem } from './porter.ts';

/** Changes whenever the same text would give other terms. */
export const WORDS_VERSION = 1;

/** English words that tell nothing apart. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about above after again against all also am an and any are as at be because been before being ' +
    'below between both but by can cannot could did do does doing down during each few for from further ' +
    'get gets had has have having he her here hers him his how i if in into is it its itself just me more ' +
    'most my no nor not of off on once only or other our out over own same she should so some such than ' +
    'that the their them then there these they this those through to too under until up very was we were ' +
    'what when where which while who whom why will with would you your yours'
  ).split(' '),
);

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

const RUNS = /[\p{L}\p{M}\p{N}]+/gu;
/** Between parts of an identifier: aB, ABc. */
const HUMPS = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const CAPITAL_WITHIN = /\p{L}\p{Lu}/u;
/** Longer runs are hashes or encoded data. */
const LONGEST_WORD = 40;

/**
 * The words of a text in lower case and in their order. An identifier gives its
 * parts: `writeBoolean` is write, boolean; `snake_case` is snake, case.
 */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const run of text.match(RUNS) ?? []) {
    if (run.length > LONGEST_WORD) continue;
    if (CAPITAL_WITHIN.test(run)) {
      for (const part of run.split(HUMPS)) words.push(part.toLowerCase());
    } else {
      words.push(run.toLowerCase());
    }
  }
  return words;
}

/** Joined without a space: aB, a_b, a.b, a::b. */
const JOINED = /\p{Ll}\p{Lu}|[\p{L}\p{N}][._:]+[\p{L}\p{N}]/u;

/** Identifiers in a text as they stand, file names and the like included: those of two words and more. */
export function identifiersOf(text: string): string[] {
  return text
    .split(/[\s/()"'`,;]+/)
    .filter((token) => JOINED.test(token))
    .map((token) => token.replace(/^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu, ''))
    .filter((token) => wordsOf(token).length > 1);
}

/** Stems words, and remembers what it has stemmed: texts repeat themselves. */
export class Stemmer {
  readonly #known = new Map<string, string>();

  stem(word: string): string {
    let stem = this.#known.get(word);
    if (stem === undefined) {
      if (this.#known.size > 100_000) this.#known.clear();
      stem = porterStem(word);
      this.#known.set(word, stem);
    }
    return stem;
  }

  /** The terms of a text: stems of its words, without stop words. */
  terms(text: string): string[] {
    const terms: string[] = [];
    for (const word of wordsOf(text)) if (!STOP_WORDS.has(word)) terms.push(this.stem(word));
    return terms;
  }
}
