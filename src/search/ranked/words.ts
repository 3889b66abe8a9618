/** From a question in words to an FTS5 query, and from a document to its most telling line. */

/** Words that tell nothing apart. */
const COMMON: ReadonlySet<string> = new Set(
  'a an and are as at be but by can do does for from has have how i if in into is it its me my not of on or so that the their then there these this to was we what when where which who why will with you your'.split(
    ' ',
  ),
);

/** Words of a text: letters, digits and marks of any script, lower case. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];
}

/** The telling words of a question; all of them when none is. */
export function queryWords(query: string): string[] {
  const words = [...new Set(wordsOf(query))];
  const telling = words.filter((word) => !COMMON.has(word));
  return telling.length > 0 ? telling : words;
}

/** Any of the words; long ones also as a beginning. Quoted, so that no word is read as syntax. */
export function ftsQuery(words: readonly string[]): string {
  return words
    .map((word) => (word.length > 3 ? `"${word}" OR "${word}" *` : `"${word}"`))
    .join(' OR ');
}

/** A line of a document, 1-based. */
export interface Line {
  line: number;
  text: string;
}

/** The line with the most of the words in it, the first of equals; the first line with text when none has any. */
export function tellingLine(text: string, words: readonly string[]): Line {
  let best: Line | null = null;
  let most = 0;
  let first: Line | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    if (first === null && line.trim() !== '' && line !== '---')
      first = { line: index + 1, text: line };
    const score = lineScore(line, words);
    if (score > most) {
      most = score;
      best = { line: index + 1, text: line };
    }
  }
  return best ?? first ?? { line: 1, text: '' };
}

function lineScore(line: string, words: readonly string[]): number {
  const there = wordsOf(line);
  let score = 0;
  for (const word of words) {
    const stem = stemOf(word);
    if (there.includes(word)) score += 2;
    else if (there.some((one) => one.startsWith(stem))) score += 1;
  }
  return score;
}

/** A word without the endings that English adds; rough, and only for choosing a line. */
function stemOf(word: string): string {
  return word.length > 4 ? word.replace(/(?:ings?|ed|es|s|e)$/, '') : word;
}
