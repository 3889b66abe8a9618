/** Escapes of GNU sed that stand for characters: by a number, by a letter, by a control key. */
import { isUtf8 } from 'node:buffer';

const CONTROLS: Readonly<Record<string, string>> = {
  a: '\x07',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** What an escape stands for, from behind its backslash, and how long it is. */
export function escapeAt(source: string, at: number): { text: string; length: number } {
  const rest = source.slice(at, at + 4);
  const coded = /^(?:x([0-9A-Fa-f]{1,2})|d(\d{1,3})|o([0-7]{1,3}))/.exec(rest);
  if (coded !== null) {
    const [whole, hex, decimal, octal] = coded;
    const code =
      hex !== undefined
        ? parseInt(hex, 16)
        : decimal !== undefined
          ? Number(decimal)
          : parseInt(octal ?? '', 8);
    return { text: String.fromCharCode(code & 0xff), length: whole.length };
  }
  const control = /^c([\x20-\x7e])/.exec(rest)?.[1];
  if (control !== undefined) {
    return { text: String.fromCharCode(control.toUpperCase().charCodeAt(0) ^ 64), length: 2 };
  }
  const char = String.fromCodePoint(source.codePointAt(at) ?? 0);
  return { text: CONTROLS[char] ?? char, length: char.length };
}

/** Bytes beyond ASCII, each an escape, or any other escape. */
const HIGH = /((?:\\(?:x[89a-f][0-9a-f]|d(?:12[89]|1[3-9]\d|2\d\d)|o[23][0-7]{2}))+)|\\[\s\S]/gi;

/** Bytes that are written one by one as the characters that they make together; others stay as they are. */
export function withWholeCharacters(script: string): string {
  return script.replace(HIGH, (whole, run: string | undefined) => {
    if (run === undefined) return whole;
    const bytes = Buffer.from([...run.matchAll(/\\\w+/g)].map(([each]) => codeOf(each)));
    return isUtf8(bytes) ? bytes.toString() : whole;
  });
}

const codeOf = (written: string): number => escapeAt(written, 1).text.charCodeAt(0);

/** A bracket expression, or an escape. */
const PIECES =
  /\[\^?\]?(?:\[[:.=].*?[:.=]\]|[^\]])*\]|\\(?:x[0-9A-Fa-f]{1,2}|d\d{1,3}|o[0-7]{1,3}|c[ -~]|[\s\S])/gs;
const NUMBERED = /\\(?:x[0-9A-Fa-f]{1,2}|d\d{1,3}|o[0-7]{1,3}|c[ -~])/g;

/** A pattern in which escapes by number are their characters, which then mean what they mean there. */
export function withCharacters(pattern: string, isBytes: boolean): string {
  return pattern.replace(PIECES, (piece) => {
    if (piece[0] === '[') return piece.replace(NUMBERED, (each) => escapeAt(each, 1).text);
    if (!/^\\[xdoc]./s.test(piece)) return piece;
    const code = codeOf(piece);
    // No text has half a character, so that nothing matches it.
    return String.fromCharCode(code < 0x80 || isBytes ? code : 0xdc00 + code);
  });
}
