/** Tokens of a question that name something and are meant letter for letter: ids, dates, hashes, paths, code symbols. */
import { folded } from '../words/folded.ts';

/**
 * - certain: an id, a date, a hash, an address, a version; where it is nowhere, nothing else is meant
 * - symbol: of code or a file's name; its words may be meant, too
 * - number: as certain, where it is the whole question
 * - word: a plain one
 */
export type TokenKind = 'certain' | 'symbol' | 'number' | 'word';

export interface Token {
  /** As it was typed, without the punctuation around it. */
  text: string;
  kind: TokenKind;
}

const RECORD_KEY = /^[A-Z][A-Z0-9]{1,9}[-_]\d+$/;
const CERTAIN: readonly RegExp[] = [
  // An address, and what it is an address of.
  /^[^\s@/]+@[\w-]+(?:\.[\w-]+)+$/,
  /^[a-z][a-z0-9+.-]*:\/\/\S+$/i,
  // A date, with or without a time; a UUID.
  /^\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?(?:[T_]\d[\d:.Z+-]*)?$/,
  /^\d{1,2}[./]\d{1,2}[./]\d{4}$/,
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  // A hash or the beginning of one: digits and letters.
  /^(?=.*\d)(?=.*[a-f])[0-9a-f]{6,128}$/i,
  /^(?:sha\d+|md5)[:-](?=.*\d)[0-9a-z+/=]{8,}$/i,
  // A version, an address of a machine.
  /^v?\d+(?:\.\d+){1,3}(?:[-+][\w.]+)?(?::\d+)?$/i,
  // A record's key; the code of an error.
  RECORD_KEY,
  /^[A-Z]{1,6}-?\d{3,}$/,
  // A number of a record.
  /^#\d+$/,
  // A path of several steps, or from a root, or with an ending.
  /^(?:~|\.{1,2})?\/\S+$/,
  /^[^\s/]+\/[^\s/]+\/\S+$/,
  /^[^\s/]+\/[^\s/]*\.[a-z0-9]{1,5}(?::\d+)*$/i,
];
const NUMBER = /^[+-]?\d[\d.,_:]*%?$/;
const SYMBOLS: readonly RegExp[] = [
  // aB, a_b, a-b, a.b, a::b, a/b, a#b, C++, .env; a digit among letters; all capitals.
  /\p{Ll}\p{Lu}|[\p{L}\p{N}][-._:/#@\\]+[\p{L}\p{N}]/u,
  /^\p{L}+(?:\+\+|#)$/u,
  /^[._$@-]+\p{L}/u,
  /\p{L}\p{N}|\p{N}\p{L}/u,
  /^\p{Lu}{2,}$/u,
];
/** Punctuation around a token that is none of it. */
const AROUND = /^[\s"'`“”„«»‘’([{<,;:!?¿¡*]+|[\s"'`“”„«»‘’()\]}>,;:!?.*…]+$/gu;

/** The tokens of a question, in their order. */
export function tokensOf(question: string): Token[] {
  return question
    .split(/\s+/)
    .map((token) => token.normalize('NFKC').replace(AROUND, ''))
    .filter((text) => text !== '')
    .map((text) => ({ text, kind: kindOf(text) }));
}

function kindOf(text: string): TokenKind {
  if (NUMBER.test(text) && !/^\d{4}-\d/.test(text) && !/^v?\d+(?:\.\d+){2,}/.test(text)) {
    return 'number';
  }
  if (CERTAIN.some((shape) => shape.test(text))) return 'certain';
  return SYMBOLS.some((shape) => shape.test(text)) ? 'symbol' : 'word';
}

/** Could it be a record's key, as PLT-12 is? SHP-2 is a protein, and a text that mentions it is not about it. */
export function isKey({ text }: Token): boolean {
  return RECORD_KEY.test(text);
}

/** A token as it is looked up: a version without its v, a path without the line that is named in it. */
export function lookedUpAs(token: string): { text: string; line: number | null } {
  const found = /^(.*\.[a-z0-9]{1,5}):(\d+)(?::\d+)?$/i.exec(token);
  if (found !== null) return { text: found[1] ?? token, line: Number(found[2]) };
  return { text: token.replace(/^v(?=\d+\.\d)/i, ''), line: null };
}

/** A token, put so that texts can be compared with it: see {@link matcherOf}. */
export interface Matcher {
  /** The token folded, in lower case. */
  plain: string;
  /** As it stands, by itself, in the same letters. */
  sameCase: RegExp;
  /** The same, whatever the letter case. */
  whole: RegExp;
  /** With other signs, or none, between its parts: `sha-256` is SHA256, `10ms` is 10 ms. */
  loose: RegExp;
  /** Whatever comes before or after it, in a path; a record's number stands there without its sign. */
  inPath: RegExp;
  /** Anywhere, but not so that a number is cut. */
  part: RegExp;
}

/** Nothing that would make another token of it stands before it, or after it. */
const BEFORE = '(?<![\\p{L}\\p{N}_]|[\\p{L}\\p{N}][-@.])';
const AFTER = '(?![\\p{L}\\p{N}_]|[-@.:/][\\p{L}\\p{N}])';

const escaping = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** All is compared with folded text. */
export function matcherOf(token: string): Matcher {
  const text = folded(token);
  const escaped = escaping(text).replace(/\s+/g, '\\s+');
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  const isVersion = /^\d+(?:\.\d+)+/.test(text);
  const opens = /^[\p{L}\p{N}_]/u.test(text);
  const closes = /[\p{L}\p{N}_]$/u.test(text);
  // A time follows its date, and a version may be called v1.2.
  const before = opens ? (isVersion ? `(?:${BEFORE}|(?<![\\p{L}\\p{N}_])v)` : BEFORE) : '';
  const after = closes ? (isDate ? '(?![\\p{L}\\p{N}_](?<!T)|-\\d)' : AFTER) : '';
  const parts = text.match(/\p{L}+|\p{N}+/gu) ?? [];
  const loosely = parts.map((each) => escaping(each)).join('[-_./\\s:]?');
  const whole = (pattern: string, flags: string): RegExp =>
    new RegExp(`${before}(?:${pattern})${after}`, flags);
  const uncut = `${/^\p{N}/u.test(text) ? '(?<!\\p{N})' : ''}${escaped}${/\p{N}$/u.test(text) ? '(?!\\p{N})' : ''}`;
  return {
    plain: text.toLowerCase(),
    inPath: new RegExp(escaping(text.replace(/^#(?=\d)/, '')), 'i'),
    sameCase: whole(escaped, 'gu'),
    whole: whole(escaped, 'giu'),
    loose: parts.length > 1 ? whole(loosely, 'giu') : whole(escaped, 'giu'),
    part: new RegExp(/[a-f]/i.test(text) && /^[0-9a-f]+$/i.test(text) ? escaped : uncut, 'giu'),
  };
}
