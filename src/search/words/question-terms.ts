/** The terms of a question, where texts are in several languages and its few words hardly tell which one it is in. */
import { isPlain } from './folded.ts';
import type { Language } from './languages.ts';
import { isStopWord, type Stemmer, wordsOf } from './words.ts';

/** What a question is looked for by. */
export interface QuestionWords {
  /** The language whose stems and stop words were taken. */
  language: Language;
  /** In their order, as often as they are said. */
  terms: string[];
}

/** A word of a question that tells something, and the terms that it may be found by. */
export interface AskedWord {
  word: string;
  /** Its stem in the question's language; then, where that is another one, its English stem. */
  stems: readonly string[];
}

/**
 * The language is the one of those that texts are in which knows most of the words:
 * as its stop words, or by their stems in the texts. Another one than English must not
 * have fewer stop words there than English; without any, it must know what English does not.
 * @param occurs tells whether a term does, anywhere
 */
export function questionWords(
  text: string,
  languages: readonly Language[],
  stemmer: Stemmer,
  occurs: (term: string) => boolean,
): QuestionWords {
  const words = wordsOf(text);
  const english = knownIn('en', words, stemmer, occurs);
  let best = { language: 'en' as Language, ...english };
  for (const language of languages) {
    if (language === 'en' || best.all === words.length) continue;
    const own = knownIn(language, words, stemmer, occurs);
    const isMore = own.all > best.all && own.stops >= english.stops;
    if (isMore && (own.stops > 0 || english.all === 0 || !isPlain(text)))
      best = { language, ...own };
  }
  const { language } = best;
  const terms = askedWords(words, language, stemmer).map(
    ({ stems }) => stems.find(occurs) ?? stems[0] ?? '',
  );
  return { language, terms };
}

/** How many of the words are stop words of a language, and how many these and known by their stems. */
function knownIn(
  language: Language,
  words: readonly string[],
  stemmer: Stemmer,
  occurs: (term: string) => boolean,
): { stops: number; all: number } {
  const stops = words.filter((word) => isStopWord(word, language));
  const others = words.filter(
    (word) => !isStopWord(word, language) && occurs(stemmer.stem(word, language)),
  );
  return { stops: stops.length, all: stops.length + others.length };
}

/** The words that tell something. */
export function askedWords(
  words: readonly string[],
  language: Language,
  stemmer: Stemmer,
): AskedWord[] {
  return words
    .filter((word) => !isStopWord(word, language))
    .map((word) => ({
      word,
      stems: [...new Set([stemmer.stem(word, language), stemmer.stem(word)])],
    }));
}
