/**
 * What counts as the same text. Texts are folded before they are compared:
 * runs of white space are one blank, typographic quotation marks and dashes are
 * the plain ones, ligatures are their letters. Letters, digits and the order of
 * words are never touched, so what is equal when folded says the same.
 */
import { markupOf } from './markup.ts';

/** A folded text, and where each of its units came from. */
export interface FoldedText {
  readonly text: string;
  /** For each UTF-16 unit of `text` its offset in the source, and one more for the end. */
  readonly at: Uint32Array;
  readonly source: string;
}

/** How a text is folded. */
export interface Folding {
  /** Are signs of Markdown (emphasis, links, list markers) left out? */
  markup: boolean;
  /** What becomes of a hyphen that ends a line within a word; absent: it is followed by a blank. */
  lineEndHyphen?: 'kept' | 'dropped';
  /** Do characters without a shape (soft hyphens, zero-width spaces) count? */
  invisible: boolean;
}

const SINGLE = "'";
const FOLDED: ReadonlyMap<string, string> = new Map([
  ...[...'"“”„‟«»‘’‚‛‹›〝〞'].map((mark) => [mark, SINGLE] as const),
  ...[...'‐‑‒–—―−'].map((dash) => [dash, '-'] as const),
  ['…', '...'],
  ['ﬀ', 'ff'],
  ['ﬁ', 'fi'],
  ['ﬂ', 'fl'],
  ['ﬃ', 'ffi'],
  ['ﬄ', 'ffl'],
  ['ﬅ', 'st'],
  ['ﬆ', 'st'],
]);

const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/;
const SPACE = /\s/;
/** A hyphen at the end of a line, within a word. */
const LINE_END_HYPHEN = /(?<=\p{L})[-\u2010](\r?\n[ \t]*)(?=\p{L})/gu;

/** Has it characters that nobody sees? */
export const hasInvisible = (text: string): boolean => INVISIBLE.test(text);

/** Does a word of it go on in the next line? */
export const hasLineEndHyphens = (text: string): boolean => text.search(LINE_END_HYPHEN) !== -1;

/** @param source in the composed form of Unicode (NFC) */
export function fold(source: string, folding: Folding): FoldedText {
  const skipped = skippedBy(source, folding);
  const at = new Uint32Array(source.length * 3 + 1);
  const pieces: string[] = [];
  let length = 0;
  let blank = false;
  for (let i = 0; i < source.length; i++) {
    if (skipped?.[i] === 1) continue;
    const unit = source.charAt(i);
    const isBlank = unit === ' ' || (!(unit > ' ' && unit < '\x7f') && SPACE.test(unit));
    if (isBlank && blank) continue;
    blank = isBlank;
    const piece = isBlank ? ' ' : (FOLDED.get(unit) ?? unit);
    at.fill(i, length, length + piece.length);
    length += piece.length;
    pieces.push(piece);
  }
  at[length] = source.length;
  return { text: pieces.join(''), at: at.subarray(0, length + 1), source };
}

/** The units of a text that its folding leaves out; null where there are none. */
function skippedBy(
  source: string,
  { markup, lineEndHyphen, invisible }: Folding,
): Uint8Array | null {
  const spans = markup ? markupOf(source) : [];
  if (lineEndHyphen !== undefined) {
    for (const match of source.matchAll(LINE_END_HYPHEN)) {
      const end = match.index + match[0].length;
      spans.push([lineEndHyphen === 'kept' ? match.index + 1 : match.index, end]);
    }
  }
  if (!invisible) {
    for (let i = 0; i < source.length; i++) {
      if (source.charCodeAt(i) > 0x7f && INVISIBLE.test(source.charAt(i))) spans.push([i, i + 1]);
    }
  }
  if (spans.length === 0) return null;
  const skipped = new Uint8Array(source.length);
  for (const [from, to] of spans) skipped.fill(1, from, to);
  return skipped;
}
