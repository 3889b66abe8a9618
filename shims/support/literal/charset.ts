/** Sets of characters as predicates on code points, and simple case folding. */

/** Does the set hold this code point? */
export type CharSet = (cp: number) => boolean;

function single(text: string, otherwise: number): number {
  const cp = text.codePointAt(0) ?? otherwise;
  return text.length === (cp > 0xffff ? 2 : 1) ? cp : otherwise;
}

/** The upper case of one character, itself where that is no single character. */
export function upper(cp: number): number {
  if (cp < 128) return cp >= 97 && cp <= 122 ? cp - 32 : cp;
  return single(String.fromCodePoint(cp).toUpperCase(), cp);
}

/** The lower case of one character, itself where that is no single character. */
function lower(cp: number): number {
  if (cp < 128) return cp >= 65 && cp <= 90 ? cp + 32 : cp;
  return single(String.fromCodePoint(cp).toLowerCase(), cp);
}

/** One representative for all characters that differ in case alone. */
export function fold(cp: number): number {
  return lower(upper(cp));
}

/** Does the character have a counterpart in the other case? */
export function hasCase(cp: number): boolean {
  return upper(cp) !== cp || lower(cp) !== cp;
}

/** The set of all characters that equal one of the set's, but for case. */
export function foldSet(has: CharSet): CharSet {
  return (cp) => {
    if (has(cp)) return true;
    const up = upper(cp);
    const low = lower(cp);
    return has(up) || has(low) || has(lower(up)) || has(upper(low));
  };
}

/** The same for ASCII letters alone, for text without an encoding. */
export function foldAsciiSet(has: CharSet): CharSet {
  const folded = foldSet(has);
  return (cp) => (cp < 128 ? folded(cp) : has(cp));
}

export const ANY: CharSet = () => true;

/** The complement. Invalid bytes are in no set at all. */
export function not(has: CharSet): CharSet {
  return (cp) => !has(cp);
}

/** Union. */
export function anyOf(sets: readonly CharSet[]): CharSet {
  const only = sets[0];
  if (sets.length === 1 && only !== undefined) return only;
  return (cp) => sets.some((has) => has(cp));
}

export function range(from: number, to: number): CharSet {
  return (cp) => cp >= from && cp <= to;
}

/** The characters for which a one-character RegExp holds, ASCII only if so asked. */
export function byRegExp(source: string, ascii = false): CharSet {
  const test = new RegExp(`^${source}$`, 'u');
  return (cp) => (!ascii || cp < 128) && test.test(String.fromCodePoint(cp));
}

/** The POSIX classes' content for ASCII, and what the C.UTF-8 locale adds to it. */
const POSIX: Record<string, [ascii: string, unicode: string]> = {
  alpha: ['[A-Za-z]', '[\\p{Alphabetic}\\p{Nd}--[0-9]]'],
  digit: ['[0-9]', '[0-9]'],
  alnum: ['[A-Za-z0-9]', '[\\p{Alphabetic}\\p{Nd}]'],
  upper: ['[A-Z]', '[\\p{Uppercase}\\p{Lt}]'],
  lower: ['[a-z]', '\\p{Lowercase}'],
  space: ['[ \\t-\\r]', '[\\s--[\\u00a0\\u2007\\u202f\\ufeff]]'],
  blank: ['[ \\t]', '[\\t\\p{Zs}--[\\u00a0\\u2007\\u202f]]'],
  punct: ['[!-\\/:-@\\[-`\\{-~]', '[\\p{Graphic}--[\\p{Alphabetic}\\p{Nd}]]'],
  print: ['[ -~]', '[\\p{Graphic}\\p{Zs}]'],
  graph: ['[!-~]', '\\p{Graphic}'],
  cntrl: ['[\\0-\\x1f\\x7f]', '[\\0-\\x1f\\x7f-\\x9f\\u2028\\u2029]'],
  xdigit: ['[0-9A-Fa-f]', '[0-9A-Fa-f]'],
};
const GRAPHIC =
  '[[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Cf}\\p{Co}\\p{Zs}\\p{Zl}\\p{Zp}]--[\\s--[\\u00a0\\u2007\\u202f]]]';

/** The set of a POSIX class by its name, undefined for a name that is none. */
export function posixClass(name: string, unicode: boolean): CharSet | undefined {
  const sources = Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
  if (sources === undefined) return undefined;
  const source = sources[unicode ? 1 : 0].replaceAll('\\p{Graphic}', GRAPHIC);
  return byRegExpSets(source, !unicode);
}

function byRegExpSets(source: string, ascii: boolean): CharSet {
  const nested = source.replaceAll(/\[((?:\\p\{\w+\}|\\[tr])+)--/g, '[[$1]--');
  const test = new RegExp(`^${nested}$`, 'v');
  return (cp) => (!ascii || cp < 128) && test.test(String.fromCodePoint(cp));
}

/** Letters, digits and `_`: what `\w` is to GNU tools in a UTF-8 locale. */
export function posixWord(): CharSet {
  const alnum = byRegExp('[\\p{Alphabetic}\\p{Nd}]');
  return (cp) => {
    if (cp >= 128) return alnum(cp);
    return cp === 95 || (cp >= 97 && cp <= 122) || (cp >= 65 && cp <= 90) || (cp >= 48 && cp <= 57);
  };
}

/** `\w` without Unicode properties, as PCRE has it by default. */
export const asciiWord: CharSet = (cp) =>
  cp === 95 || (cp >= 97 && cp <= 122) || (cp >= 65 && cp <= 90) || (cp >= 48 && cp <= 57);
