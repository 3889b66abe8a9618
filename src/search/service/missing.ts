/** What of a question no document has, so that whoever asked can tell an answer from a near one. */

import type { Selection } from '../index/memory.ts';
import type { SearchIndex } from '../index/search-index.ts';
import { rootOf } from '../lookup/front-matter.ts';
import type { LookedUp } from '../lookup/question.ts';
import { tokensOf } from '../lookup/token.ts';
import { type Language, languageOfQuestion, nameOf } from '../words/languages.ts';
import { askedWords } from '../words/question-terms.ts';
import { wordsOf } from '../words/words.ts';

/** So many are named. */
const MOST = 8;

/**
 * The words of a question that no document has in any form, as they were typed, each once.
 * @param looked what its tokens came to that were looked up
 */
export function missingWords(
  query: string,
  index: SearchIndex,
  selection: Selection,
  looked: Pick<LookedUp, 'missing' | 'there'>,
): string[] {
  const { corpus } = index.memory;
  const { language } = index.words(query);
  const isHeld = (term: number): boolean => corpus.occurs(term, selection.slots);
  const occurs = (stem: string): boolean => {
    const number = corpus.termNumber(stem);
    return number !== undefined && isHeld(number);
  };
  const hasKin = (word: string): boolean => {
    const kin = rootOf(word);
    if (kin.length < SHORTEST_ROOT) return false;
    return corpus.vocabulary.some(
      (term, number) =>
        term.startsWith(kin) && term.length <= kin.length + LONGEST_ENDING && isHeld(number),
    );
  };
  const missing = new Set(looked.missing);
  for (const { text } of tokensOf(query)) {
    if (missing.size >= MOST) break;
    if (missing.has(text) || looked.there.includes(text)) continue;
    const words = askedWords(wordsOf(text), language, index.stemmer);
    const nowhere = words.filter(({ word, stems }) => !stems.some(occurs) && !hasKin(word));
    // A run of signs without spaces is as good as found where two of them are.
    if (nowhere.length === 0 || (isUnspaced(text) && nowhere.length < words.length)) continue;
    const isOne = words.length === nowhere.length || /\p{Ll}\p{Lu}|[_.:/@#]/u.test(text);
    for (const word of isOne ? [text] : nowhere.map((each) => each.word)) missing.add(word);
  }
  return [...missing].slice(0, MOST);
}

/** Words of one root are forms of each other, though their stems differ: assigned, assignee. Letters. */
const SHORTEST_ROOT = 5;
const LONGEST_ENDING = 2;

const isUnspaced = (text: string): boolean =>
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u.test(text);

/** Says that a question is in a language that no document is in; null where one is, or where that is not clear. */
export function foreignNote(
  query: string,
  languages: ReadonlySet<Language>,
  isEnglish: (word: string) => boolean,
): string | null {
  if (languages.size === 0) return null;
  const language = languageOfQuestion(query, { present: [...languages], isEnglish });
  if (language === null || languages.has(language)) return null;
  return `the question is in ${nameOf(language)}, and no document is`;
}
