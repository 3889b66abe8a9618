/**
 * Slips of the keyboard. A word that occurs nowhere is read as one that does, if
 * a single slip makes the one of the other: a letter too many, too few, wrong, or
 * two in the wrong order. The first letter is taken to be right.
 */
import { isStopWord } from './words.ts';

/** Longer ones are no words. */
const LONGEST = 24;
/** Of shorter words too many are one slip apart; with one letter in the place of another, of words up to six. */
const SHORTEST = 5;
const SHORTEST_WITH_WRONG_LETTER = 7;
/** So many words are looked at, at most: what has more that occur nowhere was not typed, but pasted. */
const MOST = 16;
/** Of words with the same stem the first is shown: y before i, since a stem has i for it. */
const LETTERS = 'abcdefghyijklmnopqrstuvwxz';
/** A word by itself, all of it letters; what has humps is an identifier, and meant as it stands. */
const PLAIN_WORD = /(?<![\p{L}\p{M}\p{N}_])\p{Script=Latin}[\p{Ll}\p{M}]+(?![\p{L}\p{M}\p{N}_])/gu;

/** What is known of words. */
export interface KnownWords {
  /** In how many passages a word or a form of it occurs. */
  spread(word: string): number;
  /** Is it a word of the language, whether it occurs or not? Such a one is left alone. */
  isWord(word: string): boolean;
}

/** A word that was read as another one. */
export interface Reading {
  typed: string;
  read: string;
}

/** The words of a question that are read as others, each once. */
export function readings(question: string, known: KnownWords): Reading[] {
  const words = new Set((question.match(PLAIN_WORD) ?? []).map((word) => word.toLowerCase()));
  const nowhere = [...words].filter(
    (word) =>
      word.length >= SHORTEST &&
      word.length <= LONGEST &&
      !isStopWord(word) &&
      known.spread(word) === 0 &&
      !known.isWord(word),
  );
  return nowhere.slice(0, MOST).flatMap((typed) => {
    const read = likeliest(typed, known);
    return read === null ? [] : [{ typed, read }];
  });
}

/** The question with its words read so. */
export function readAs(question: string, readings: readonly Reading[]): string {
  const by = new Map(readings.map(({ typed, read }) => [typed, read]));
  return question.replace(PLAIN_WORD, (word) => by.get(word.toLowerCase()) ?? word);
}

/** Of the words that a slip would explain the one that occurs most, words of the language first. */
function likeliest(typed: string, known: KnownWords): string | null {
  let found: string | null = null;
  let most = 0;
  for (const word of slipsOf(typed)) {
    const spread = known.spread(word);
    if (spread === 0) continue;
    const likely = spread + (known.isWord(word) ? Number.MAX_SAFE_INTEGER / 2 : 0);
    if (likely > most) {
      most = likely;
      found = word;
    }
  }
  return found;
}

/** Every word that is one slip away. */
function* slipsOf(word: string): Iterable<string> {
  for (let at = 1; at + 1 < word.length; at++) {
    yield `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
  }
  for (let at = 1; at <= word.length; at++) {
    for (const letter of LETTERS) yield word.slice(0, at) + letter + word.slice(at);
  }
  for (let at = 1; at < word.length; at++) yield word.slice(0, at) + word.slice(at + 1);
  if (word.length < SHORTEST_WITH_WRONG_LETTER) return;
  for (let at = 1; at < word.length; at++) {
    for (const letter of LETTERS) yield word.slice(0, at) + letter + word.slice(at + 1);
  }
}
