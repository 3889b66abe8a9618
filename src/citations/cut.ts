/**
 * Does a quotation begin or end inside of a word or a number? "reversible" is
 * not what "irreversible" says, nor "5 ms" what "2.5 ms" does.
 */
import type { FoldedText } from './folded-text.ts';

const WORD = /[\p{L}\p{N}\p{M}_]/u;
const DIGIT = /\p{Nd}/u;
/** Scripts that put no blanks between words. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Mymr}]/u;
/** What joins two digits to one number, date or fraction. */
const IN_NUMBER = /[.,:/']/;
/** What belongs to the number before it. */
const AFTER_NUMBER = /[%‰°]/;
/** A dash between words is no hyphen. */
const DASH = /[—―]/;

/**
 * @param start where the quotation begins in the folded text
 * @param mayCut does an ellipsis say that something is before it? A number is whole even then
 */
export function cutsAtStart(
  { text, at, source }: FoldedText,
  start: number,
  mayCut: boolean,
): boolean {
  const first = text.charAt(start);
  const before = text.charAt(start - 1);
  const farther = text.charAt(start - 2);
  if (IN_NUMBER.test(first)) return DIGIT.test(before) && DIGIT.test(text.charAt(start + 1));
  if (!WORD.test(first) || (mayCut && !DIGIT.test(first))) return false;
  if (WORD.test(before)) return !isBetweenWords(before, first);
  if (DIGIT.test(first)) {
    if (IN_NUMBER.test(before) && DIGIT.test(farther)) return true;
    // `.5`
    if (before === '.' && !WORD.test(farther) && farther !== '.') return true;
    // A sign, or the second half of a range or a date.
    return before === '-' && farther !== '-' && !DASH.test(source.charAt(at[start - 1] ?? 0));
  }
  if (before === "'") return WORD.test(farther);
  return before === '-' && WORD.test(farther) && !isDash(source.charAt(at[start - 1] ?? 0));
}

/** @param mayCut does an ellipsis say that it goes on? */
export function cutsAtEnd({ text, at, source }: FoldedText, end: number, mayCut: boolean): boolean {
  if (mayCut) return false;
  const last = text.charAt(end - 1);
  const after = text.charAt(end);
  const farther = text.charAt(end + 1);
  if (IN_NUMBER.test(last)) return DIGIT.test(after) && DIGIT.test(text.charAt(end - 2));
  if (!WORD.test(last)) return false;
  if (WORD.test(after)) return !isBetweenWords(last, after);
  if (DIGIT.test(last)) {
    if (AFTER_NUMBER.test(after)) return true;
    if (IN_NUMBER.test(after) && DIGIT.test(farther)) return true;
  }
  // "can" of "can't"; what is owned may be quoted without its 's.
  if (after === "'") {
    const owned = farther === 's' && !WORD.test(text.charAt(end + 2));
    return WORD.test(farther) && !owned;
  }
  return after === '-' && WORD.test(farther) && !isDash(source.charAt(at[end] ?? 0));
}

const isBetweenWords = (a: string, b: string): boolean => UNSPACED.test(a) || UNSPACED.test(b);

const isDash = (unit: string): boolean => DASH.test(unit) || unit === '–';
