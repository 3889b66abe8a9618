/** The terms of a question, where texts are in several languages and its few words hardly tell which one it is in. */
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
 * as its stop words, or by their stems in the texts. English is the first of equals.
 * A word whose stem does not occur is looked for by its English stem.
 * @param occurs tells whether a term does, anywhere
 */
export function questionWords(
  text: string,
  languages: readonly Language[],
  stemmer: Stemmer,
  occurs: (term: string) => boolean,
): QuestionWords {
  const words = wordsOf(text);
  const knownIn = (language: Language): number =>
    words.filter((word) => isStopWord(word, language) || occurs(stemmer.stem(word, language)))
      .length;
  let language: Language = 'en';
  let most = languages.some((each) => each !== 'en') ? knownIn('en') : words.length;
  for (const each of languages) {
    const count = most < words.length ? knownIn(each) : 0;
    if (count <= most) continue;
    most = count;
    language = each;
  }
  const terms = askedWords(words, language, stemmer).map(
    ({ stems }) => stems.find(occurs) ?? stems[0] ?? '',
  );
  return { language, terms };
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
