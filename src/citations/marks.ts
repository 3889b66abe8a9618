/** Quotation marks: where a quotation in an answer begins and ends. */

/** What closes a quotation that a mark opens. */
const CLOSERS: Readonly<Record<string, string>> = {
  '"': '"',
  '“': '”“"',
  '„': '“”"',
  '”': '”',
  '«': '»',
  '»': '«',
  '‘': '’',
  "'": "'",
  '`': '`',
};

/** Marks that open a quotation wherever they stand; an apostrophe may be something else. */
const OPENERS = '"“„«';

/** A quotation in an answer, with its marks. */
export interface Quoted {
  from: number;
  to: number;
  text: string;
}

const ESCAPED = /\\(["'`\\])/g;
const unescaped = (text: string): string => text.replace(ESCAPED, '$1');

export const isOpener = (unit: string): boolean => unit !== '' && OPENERS.includes(unit);

/**
 * The quotation that a mark opens, up to the first mark of its kind behind
 * which it can end.
 * @param ends what must follow the closing mark
 */
export function quotedFrom(text: string, from: number, ends: RegExp): Quoted | null {
  const closers = CLOSERS[text.charAt(from)];
  if (closers === undefined) return null;
  for (let at = from + 1; at < text.length; at++) {
    if (text.startsWith('\n\n', at)) return null;
    if (text.charAt(at) === '\\') {
      at++;
      continue;
    }
    if (!closers.includes(text.charAt(at))) continue;
    ends.lastIndex = at + 1;
    if (!ends.test(text)) continue;
    return { from, to: at + 1, text: unescaped(text.slice(from + 1, at)) };
  }
  return null;
}

const CLOSING_MARK = /[*_]{0,3}(?<mark>["”“»«’`])[.,;]?[*_]{0,3}$/;

/** What opens a quotation that a mark closes. */
const OPENED_BY: Readonly<Record<string, string>> = {
  '"': '"',
  '”': '“„”',
  '“': '„',
  '»': '«',
  '«': '»',
  '’': '‘',
  '`': '`',
};

/**
 * The quotation that ends where a text does; null where none does. What is
 * quoted may hold quotations, and of these one end alone.
 */
export function quotedUpTo(text: string): Quoted | null {
  const closing = CLOSING_MARK.exec(text);
  const mark = closing?.groups?.['mark'];
  if (closing === null || mark === undefined) return null;
  const close = closing.index + closing[0].indexOf(mark);
  const first = openingOf(text, close, mark);
  if (first === -1) return null;
  return { from: first, to: text.length, text: unescaped(text.slice(first + 1, close)) };
}

/** The mark that a closing one belongs to; where the marks before it do not come out even, the first one; -1 where there is none. */
function openingOf(text: string, close: number, mark: string): number {
  const openers = OPENED_BY[mark] ?? '';
  // Of straight marks it cannot be told which one is left open.
  const isStraight = openers === mark;
  let depth = 1;
  let least = 1;
  let first = -1;
  let farthest = -1;
  for (let at = close - 1; at >= 0; at--) {
    if (text.charAt(at - 1) === '\\') continue;
    const unit = text.charAt(at);
    if (openers.includes(unit) && canOpen(text, at)) {
      depth--;
      farthest = at;
      if (depth <= 0 && depth < least) {
        least = depth;
        first = at;
        if (isStraight) break;
      }
    } else if (unit === mark && canClose(text, at)) depth++;
  }
  return first === -1 ? farthest : first;
}

const canOpen = (text: string, at: number): boolean =>
  !/[\p{L}\p{N}]/u.test(text.charAt(at - 1)) && !/\s/.test(text.charAt(at + 1) || ' ');

const canClose = (text: string, at: number): boolean =>
  !/\s/.test(text.charAt(at - 1) || ' ') && !/[\p{L}\p{N}]/u.test(text.charAt(at + 1));

/** Every quotation of a text, in order, none within another. */
export function quotationsIn(text: string): Quoted[] {
  const found: Quoted[] = [];
  for (let at = 0; at < text.length; at++) {
    if (!isOpener(text.charAt(at)) || /[\p{L}\p{N}\\]/u.test(text.charAt(at - 1))) continue;
    const quoted = quotedFrom(text, at, /(?![\p{L}\p{N}])/uy);
    if (quoted === null) continue;
    found.push(quoted);
    at = quoted.to - 1;
  }
  return found;
}

/** A text without the marks around it, where it has them. */
export function unquoted(text: string): string {
  const trimmed = text.trim();
  const quoted = quotedFrom(trimmed, 0, /[.,;]?$/y);
  return quoted === null ? trimmed : quoted.text;
}
