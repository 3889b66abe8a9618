/** Words of texts and of questions, as every part of the search counts them. */
import { american } from './american.ts';
import { folded, isPlain } from './folded.ts';
import { type Language, stemIn, stopsOf } from './languages.ts';
import { porterStem } from './porter.ts';

/** Changes whenever the same text would give other terms. */
export const WORDS_VERSION = 4;

export function isStopWord(word: string, language: Language = 'en'): boolean {
  return stopsOf(language).has(word);
}

const RUNS = /[\p{L}\p{M}\p{N}]+/gu;
/** Between parts of an identifier: aB, ABc. */
const HUMPS = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const CAPITAL_WITHIN = /\p{L}\p{Lu}/u;
/** Longer runs are hashes or encoded data. */
const LONGEST_WORD = 40;

/** Scripts that put no space between words. */
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
const SEGMENTS = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu');
/** A number and its unit are two words, as where a space is between them. */
const WITH_UNIT =
  /^(\d+)(ns|µs|μs|us|ms|s|sec|secs|min|mins|h|hrs?|bytes?|[kmgtp]i?b|[kmg]?bit|[kmgt]?hz|[kmg]?w|[kmg]?v|px|em|rem|pt|dpi|[nµμmck]m|[mk]g|ml|°?c|°?f|[km]bps|gbps|rpm|rps|qps|eur|usd)$/i;

/**
 * The words of a text in lower case and in their order. An identifier gives its
 * parts: `writeBoolean` is write, boolean; `snake_case` is snake, case. Of scripts
 * without spaces each two neighbouring signs are a word.
 */
export function wordsOf(text: string): string[] {
  return runsOf(text).flatMap(wordsIn);
}

/** Letters and figures with nothing between them, in their order. */
function runsOf(text: string): string[] {
  return (isPlain(text) ? text : text.normalize('NFKC')).match(RUNS) ?? [];
}

function wordsIn(run: string): string[] {
  const words: string[] = [];
  if (isPlain(run) || !HAS_UNSPACED.test(run)) pushWords(run, words);
  else {
    for (const part of run.match(SEGMENTS) ?? []) {
      if (HAS_UNSPACED.test(part)) words.push(...pairsOf(part));
      else pushWords(part, words);
    }
  }
  return words;
}

function pushWords(run: string, words: string[]): void {
  if (run.length > LONGEST_WORD) return;
  const measured = /^\d/.test(run) ? WITH_UNIT.exec(run) : null;
  if (measured !== null) words.push(measured[1] ?? '', (measured[2] ?? '').toLowerCase());
  else if (CAPITAL_WITHIN.test(run)) {
    for (const part of run.split(HUMPS)) words.push(part.toLowerCase());
  } else words.push(run.toLowerCase());
}

/** Each two neighbours; a sign that stands alone is a word. */
function pairsOf(run: string): string[] {
  const signs = Array.from(run);
  if (signs.length === 1) return signs;
  return signs.slice(1).map((sign, index) => `${signs[index]}${sign}`);
}

const HUMPED = /[\p{L}\p{N}]*\p{Ll}\p{Lu}[\p{L}\p{N}]*/gu;

/** Words with a capital inside, in lower case, each once: `PostgreSQL` is often typed postgresql. */
export function wholesOf(text: string): string[] {
  return [...new Set(text.match(HUMPED)?.map((word) => word.toLowerCase()))].filter(
    (word) => word.length <= LONGEST_WORD,
  );
}

/** Joined without a space: aB, a_b, a.b, a::b. */
const JOINED = /\p{Ll}\p{Lu}|[\p{L}\p{N}][._:]+[\p{L}\p{N}]/u;

/** Identifiers in a text as they stand, file names and the like included: those of two words and more, and not `e.g` or initials. */
export function identifiersOf(text: string): string[] {
  return text
    .split(/[\s/()"'`,;]+/)
    .filter((token) => JOINED.test(token))
    .map((token) => token.replace(/^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu, ''))
    .filter((token) => {
      const words = wordsOf(token);
      return words.length > 1 && words.some((word) => word.length > 1);
    });
}

/** So many words are remembered of a language; past it that begins anew. */
const MOST_KNOWN = 100_000;
/** A part of a text that is longer may hold on to all of it. Characters. */
const LONGEST_KNOWN = 12;

/** Stems words, and remembers what it has stemmed: texts repeat themselves. */
export class Stemmer {
  readonly #known = new Map<Language, Map<string, string>>();
  /** Of each run of letters as it is written. */
  readonly #terms = new Map<Language, Map<string, readonly string[]>>();

  /** Without accents; of an English word in its American spelling. */
  stem(word: string, language: Language = 'en'): string {
    const known = heldIn(this.#known, language);
    let stem = known.get(word);
    if (stem === undefined) {
      if (known.size > MOST_KNOWN) known.clear();
      stem = language === 'en' ? porterStem(american(folded(word))) : stemIn(language, word);
      known.set(word, stem);
    }
    return stem;
  }

  /**
   * The terms of a text: stems of its words, without stop words. A text in another
   * language than English has each word's stem in both: much is called by English names.
   */
  terms(text: string, language: Language = 'en'): string[] {
    const terms: string[] = [];
    const known = heldIn(this.#terms, language);
    for (const run of runsOf(text)) {
      let own = known.get(run);
      if (own === undefined) {
        if (known.size > MOST_KNOWN) known.clear();
        own = this.#termsOf(wordsIn(run), language);
        if (run.length <= LONGEST_KNOWN) known.set(run, own);
      }
      for (const term of own) terms.push(term);
    }
    return terms;
  }

  #termsOf(words: readonly string[], language: Language): string[] {
    const terms: string[] = [];
    const stops = stopsOf(language);
    for (const word of words) {
      if (stops.has(word)) continue;
      const stem = this.stem(word, language);
      terms.push(stem);
      if (language === 'en') continue;
      const english = this.stem(word);
      if (english !== stem) terms.push(english);
    }
    return terms;
  }
}

function heldIn<T>(all: Map<Language, Map<string, T>>, language: Language): Map<string, T> {
  let held = all.get(language);
  if (held === undefined) {
    held = new Map();
    all.set(language, held);
  }
  return held;
}
