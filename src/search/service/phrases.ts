/**
 * Phrases in inner quotes: `"error 502" refund` asks for what has error 502 in it, and is
 * about refunds. In prose, quotes are marks of speech, and nothing must occur.
 */

export interface Question {
  /** All words, those of the phrases too. */
  text: string;
  /** What must occur, in lower case, spaces made one. */
  phrases: string[];
}

/** A question with more words than this beside its phrases is prose. */
const LONGEST_SEARCH = 4;

export function parseQuestion(query: string): Question {
  const phrases: string[] = [];
  for (const [, phrase = ''] of query.matchAll(/"([^"]+)"/g)) {
    const flat = flattened(phrase).trim();
    if (flat !== '') phrases.push(flat);
  }
  const beside = query.replaceAll(/"[^"]*"/g, ' ').match(/\S+/g)?.length ?? 0;
  return { text: query.replaceAll('"', ' '), phrases: beside > LONGEST_SEARCH ? [] : phrases };
}

/** True when a text has every phrase, letter case and line ends aside. */
export function hasPhrases(text: string, phrases: readonly string[]): boolean {
  if (phrases.length === 0) return true;
  const flat = flattened(text);
  return phrases.every((phrase) => flat.includes(phrase));
}

function flattened(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ');
}
