/** What is done to the text of a script before just-bash parses it. */
import { markArithmetic, withoutMarks } from './arithmetic/marks.ts';
import { spellAssignmentWords, withoutEmpties } from './assignment-words.ts';
import { textFromBytes } from './bytes.ts';
import { spellExclusions, withExclusions } from './exclusions.ts';
import { escapeHereDocuments, joinMarks } from './here-documents.ts';
import { markQuotedCommas } from './quoted-commas.ts';
import { spellSelects } from './select-loop.ts';

/**
 * The script in the spelling that just-bash takes for what bash would do. Lines stay where they are.
 * @param extglob is that option set?
 */
export function prepareSource(script: string, extglob: boolean): string {
  const escaped = keepQuotedBytes(escapeHereDocuments(joinMarks(script)));
  const spelled = spellExclusions(markArithmetic(spellSelects(escaped)), extglob);
  return spellAssignmentWords(markQuotedCommas(spelled));
}

/** Text of a script that was prepared, as it was typed: for who reads it. */
export function asTyped(text: string): string {
  return withoutEmpties(withExclusions(withoutMarks(text)));
}

/** Makes one argument of those of `eval`: its script, which is returned. */
export function prepareEval(args: string[], extglob: boolean): string {
  const [first, ...rest] = args;
  const script = prepareSource((first === '--' ? rest : args).join(' '), extglob);
  args.splice(0, args.length, script);
  return script;
}

/** Quoted text as a whole, an escaped character, a comment, or `$'…'` with its content. */
const QUOTED = /\\.|(?<=^|\s)#[^\n]*|"(?:[^"\\]|\\.)*"|\$'((?:[^'\\]|\\.)*)'|'[^']*'/gs;
/** A run of bytes in `$'…'`, or a character by its number; an escaped backslash begins none. */
const BYTES = /\\\\|(?:\\x[0-9a-fA-F]{1,2}|\\[0-7]{1,3})+|\\U[0-9a-fA-F]{1,8}/g;
const ONE = /\\x([0-9a-fA-F]{1,2})|\\([0-7]{1,3})/g;

/** An escaped character, or a wildcard. */
const WILD = /\\.|([*?[])/gs;

/**
 * `$'\xff'` is one byte: just-bash takes it for the character of that number.
 * And `$'*'` is quoted, which just-bash forgets, so it is put in plain quotes.
 */
function keepQuotedBytes(script: string): string {
  if (!/\$'(?:'|[^']*(?:\\[x0-7uU]|[*?[]))/.test(script)) return script;
  return script.replace(QUOTED, (whole, ansi: string | undefined) => {
    if (ansi === undefined) return whole;
    const kept = beforeNul(ansi);
    // Of an empty one just-bash makes no word.
    if (kept === '') return "''";
    const bytes = kept.replace(BYTES, (run) => (run === '\\\\' ? run : bytesOf(run)));
    return `$'${bytes.replace(WILD, (all, char) => (char === undefined ? all : `''${char}'$'`))}'`;
  });
}

/** A NUL ends the text that it is in. */
function beforeNul(ansi: string): string {
  const [before = ''] =
    /^(?:\\(?!x(?:00|0(?![0-9a-fA-F]))|0(?:00|0?(?![0-7]))|[uU]0+(?![0-9a-fA-F]))[\s\S]|[^\\])*/.exec(
      ansi,
    ) ?? [];
  return before;
}

function bytesOf(run: string): string {
  if (run.startsWith('\\U')) return characterOf(Number.parseInt(run.slice(2), 16), run);
  const bytes = Array.from(run.matchAll(ONE), ([, hex, octal]) =>
    String.fromCharCode(
      hex === undefined ? Number.parseInt(octal ?? '0', 8) & 0xff : Number.parseInt(hex, 16),
    ),
  ).join('');
  // ASCII stays an escape: it may be a quote. Of its digits just-bash wants two.
  return Array.from(textFromBytes(bytes), (char) =>
    char < '\x80' ? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}` : char,
  ).join('');
}

/** A character by its number, unless it is ASCII, or there is none. */
function characterOf(number: number, written: string): string {
  if (number < 0x80) return `\\x${number.toString(16).padStart(2, '0')}`;
  return number > 0x10ffff ? written : String.fromCodePoint(number);
}
