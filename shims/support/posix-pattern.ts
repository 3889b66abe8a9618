/**
 * A POSIX pattern over text, matched as POSIX wants it: the longest of the
 * leftmost matches. A pattern that backtracking decides the same way, and soon,
 * runs as a JavaScript RegExp; everything else on the engine of grep, which is
 * linear in the text for all but back-references, and gives those up in time.
 */
import { PatternError, TooExpensiveError } from '../../src/search/literal/ast.ts';
import { Budget } from '../../src/search/literal/budget.ts';
import { posixWord } from '../../src/search/literal/charset.ts';
import { Matcher } from '../../src/search/literal/matcher.ts';
import { parsePosix } from '../../src/search/literal/posix.ts';
import { UTF8 } from '../../src/search/literal/utf8.ts';
import { bytesFromText, textFromBytes } from '../../src/shell/bytes.ts';
import { UsageError } from './getopt.ts';
import { posixRegex } from './regex.ts';

/** Elementary steps for one text, some seconds' worth. */
const STEPS = 200_000_000;

/** A match and its groups; a group that took no part is undefined. */
export interface PatternMatch {
  /** In code units. */
  index: number;
  text: string;
  groups: readonly (string | undefined)[];
}

export interface PatternStyle {
  extended: boolean;
  ignoreCase?: boolean;
  /** Do `^` and `$` look at the lines within a text? */
  multiline?: boolean;
}

/** Escapes and bracket expressions taken out, groups and operators are left. */
function skeleton(source: string, extended: boolean): string {
  const bare = source.replace(/\[\^?\]?(?:\[[:.=].*?[:.=]\]|[^\]])*\]/gs, 'x');
  if (extended) return bare.replace(/\\./gs, 'x');
  // What a basic pattern writes with a backslash stands bare in an extended one.
  return bare.replace(/\\?./gs, (piece) => {
    if (/^\\[(){}|+?]$/.test(piece)) return piece.slice(1);
    return /^[(){}|+?]$|^\\/.test(piece) ? 'x' : piece;
  });
}

/** Does backtracking find the longest match, and without going over the text again and again? */
function isChain(source: string, extended: boolean): boolean {
  const text = skeleton(source, extended);
  const unbounded = text.match(/[*+]|\{\d*,\}/g)?.length ?? 0;
  return !/\||\)[*+?{]|\{\d*,?\d{3,}/.test(text) && unbounded <= 2;
}

const CONTROL: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  f: '\f',
  v: '\v',
  r: '\r',
  a: '\x07',
};

/** The escapes of GNU's tools that are no part of POSIX's syntax, as the characters they stand for. */
function withoutEscapes(source: string): string {
  const pieces =
    /\[\^?\]?(?:\[[:.=].*?[:.=]\]|[^\]])*\]|\\(?:x[0-9a-fA-F]{1,2}|d\d{3}|o[0-7]{3}|.)/gs;
  return source.replace(pieces, (piece) => {
    if (piece[0] === '[') return piece.replace(/\\([ntfvra])/g, (_, c: string) => CONTROL[c] ?? c);
    const letter = piece[1] ?? '';
    const digits = piece.slice(2);
    if (digits === '') return CONTROL[letter] ?? piece;
    const base = letter === 'x' ? 16 : letter === 'd' ? 10 : 8;
    const char = String.fromCharCode(Number.parseInt(digits, base));
    return /[\w\s]/.test(char) ? char : `[${char === '^' ? '\\^' : char}]`;
  });
}

class ByEngine {
  private readonly matcher: Matcher;
  private text = '';
  private buffer = Buffer.alloc(0);
  private plain = true;

  constructor(source: string, { extended, ignoreCase = false }: PatternStyle) {
    const { tree } = parsePosix(withoutEscapes(source), {
      extended,
      ignoreCase,
      unibyte: false,
      firstGroup: 0,
      warn: () => undefined,
    });
    const rules = { eol: -1, crossLines: true, encoding: UTF8, rawWords: true };
    const pattern = { ...rules, tree, longest: true, word: posixWord() };
    this.matcher = new Matcher(pattern, new Budget(STEPS));
  }

  find(text: string, from: number): PatternMatch | null {
    this.take(text);
    const { buffer, matcher } = this;
    if (!matcher.extent(buffer, 0, buffer.length, this.toByte(from))) return null;
    const { start, end } = matcher;
    const slots = matcher.groups(buffer, 0, buffer.length);
    const groups: (string | undefined)[] = [];
    for (let i = 2; i + 1 < slots.length; i += 2) {
      const [a = -1, b = -1] = [slots[i], slots[i + 1]];
      groups.push(a < 0 || b < a ? undefined : this.piece(a, b));
    }
    return { index: this.piece(0, start).length, text: this.piece(start, end), groups };
  }

  has(text: string): boolean {
    this.take(text);
    return this.matcher.extent(this.buffer, 0, this.buffer.length, 0);
  }

  private take(text: string): void {
    if (text === this.text) return;
    this.text = text;
    this.buffer = Buffer.from(bytesFromText(text), 'latin1');
    this.plain = this.buffer.length === text.length;
    this.matcher.begin(this.buffer.length);
  }

  private toByte(unit: number): number {
    return this.plain ? unit : bytesFromText(this.text.slice(0, unit)).length;
  }

  private piece(start: number, end: number): string {
    const bytes = this.buffer.toString('latin1', start, end);
    return this.plain ? bytes : textFromBytes(bytes);
  }
}

export class PosixPattern {
  /** How many groups there are to refer to. */
  readonly groups: number;
  private readonly regex: RegExp;
  private readonly engine: ByEngine | null;

  /** @throws UsageError in the words of regcomp(3) */
  constructor(source: string, style: PatternStyle) {
    const flags = `g${style.ignoreCase ? 'i' : ''}${style.multiline ? 'm' : ''}`;
    this.regex = posixRegex(source, style.extended ? 'extended' : 'basic', flags);
    const { source: own, flags: all } = this.regex;
    this.groups = (new RegExp(`${own}|`, all).exec('')?.length ?? 1) - 1;
    this.engine =
      isChain(source, style.extended) || style.multiline ? null : engineOf(source, style);
  }

  test(text: string): boolean {
    if (this.engine !== null) return guarded(() => this.engine?.has(text) ?? false);
    this.regex.lastIndex = 0;
    return this.regex.test(text);
  }

  /** The first match at or after a position, in code units. */
  find(text: string, from: number): PatternMatch | null {
    if (this.engine !== null) return guarded(() => this.engine?.find(text, from) ?? null);
    this.regex.lastIndex = from;
    const found = this.regex.exec(text);
    return found && { index: found.index, text: found[0], groups: found.slice(1) };
  }
}

function engineOf(source: string, style: PatternStyle): ByEngine {
  try {
    return new ByEngine(source, style);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new UsageError(error.message, { hint: false });
  }
}

/** @throws UsageError where the pattern would take too long on this text */
function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof TooExpensiveError)) throw error;
    throw new UsageError('pattern too expensive for this text', { hint: false });
  }
}
