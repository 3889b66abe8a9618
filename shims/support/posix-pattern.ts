/**
 * A POSIX pattern over text, matched as POSIX wants it: the longest of the
 * leftmost matches. A pattern that backtracking decides the same way, and soon,
 * runs as a JavaScript RegExp; everything else on the engine of grep, which is
 * linear in the text for all but back-references, and gives those up in time.
 */

import { UsageError } from './getopt.ts';
import { PatternError, TooExpensiveError } from './literal/ast.ts';
import { posixRegex } from './regex.ts';
import { type Place, TextMatcher } from './text-matcher.ts';

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
  const pieces = /\[\^?\]?(?:\[[:.=].*?[:.=]\]|[^\]])*\]|\\./gs;
  return source.replace(pieces, (piece) => {
    if (piece[0] === '[') return piece.replace(/\\([ntfvra])/g, (_, c: string) => CONTROL[c] ?? c);
    return CONTROL[piece[1] ?? ''] ?? piece;
  });
}

export class PosixPattern {
  /** How many groups there are to refer to. */
  readonly groups: number;
  private readonly regex: RegExp;
  private readonly engine: TextMatcher | null;

  /** @throws UsageError in the words of regcomp(3) */
  constructor(source: string, style: PatternStyle) {
    const flags = `g${style.ignoreCase ? 'i' : ''}${style.multiline ? 'm' : ''}`;
    this.regex = posixRegex(source, style.extended ? 'strict' : 'basic', flags);
    const { source: own, flags: all } = this.regex;
    this.groups = (new RegExp(`${own}|`, all).exec('')?.length ?? 1) - 1;
    this.engine =
      isChain(source, style.extended) || style.multiline ? null : engineOf(source, style);
  }

  test(text: string): boolean {
    const { engine } = this;
    if (engine !== null) return guarded(() => engine.has(text));
    this.regex.lastIndex = 0;
    return this.regex.test(text);
  }

  /** The first match at or after a position, in code units. */
  find(text: string, from: number): PatternMatch | null {
    const { engine } = this;
    if (engine !== null) return guarded(() => found(engine, text, from));
    this.regex.lastIndex = from;
    const match = this.regex.exec(text);
    return match && { index: match.index, text: match[0], groups: match.slice(1) };
  }
}

function found(engine: TextMatcher, text: string, from: number): PatternMatch | null {
  const whole = engine.find(text, from);
  if (whole === null) return null;
  const cut = ({ start, end }: Place): string => text.slice(start, end);
  const groups = engine.groups().map((group) => (group === null ? undefined : cut(group)));
  return { index: whole.start, text: cut(whole), groups };
}

function engineOf(source: string, { extended, ignoreCase = false }: PatternStyle): TextMatcher {
  const rules = { extended, ignoreCase, rawWords: true, steps: STEPS };
  try {
    return new TextMatcher(withoutEscapes(source), rules);
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
