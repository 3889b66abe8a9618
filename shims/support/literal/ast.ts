/** The syntax tree that every pattern dialect is parsed into, and its small helpers. */
import type { CharSet } from './charset.ts';

/** Zero-width conditions. `line*` look at line ends, `text*` at the ends of the whole text. */
export const ASSERTIONS = [
  'lineStart',
  'lineEnd',
  'textStart',
  'textEnd',
  'wordEdge',
  'notWordEdge',
  'wordStart',
  'wordEnd',
  'noWordBefore',
  'noWordAfter',
  /** The end of the text, or before a newline that ends it: PCRE's `\Z`. */
  'textEndish',
] as const;
export type Assertion = (typeof ASSERTIONS)[number];

/** An assertion's bit in a set of assertions. */
export function assertionBit(at: Assertion): number {
  return 1 << ASSERTIONS.indexOf(at);
}

export type RepeatMode = 'greedy' | 'lazy' | 'possessive';

export type Node =
  | { kind: 'empty' }
  | { kind: 'never' }
  | { kind: 'char'; cp: number }
  | { kind: 'set'; has: CharSet }
  | { kind: 'cat'; items: Node[] }
  | { kind: 'alt'; items: Node[] }
  | { kind: 'repeat'; item: Node; min: number; max: number; mode: RepeatMode }
  | { kind: 'group'; item: Node; index: number }
  | { kind: 'atomic'; item: Node }
  /** The item where it matches more than nothing. */
  | { kind: 'filled'; item: Node }
  | { kind: 'assert'; at: Assertion }
  | { kind: 'look'; item: Node; ahead: boolean; negate: boolean }
  | { kind: 'ref'; index: number; fold: boolean }
  /** PCRE's `\K`: what is reported begins here. */
  | { kind: 'keep' };

export const EMPTY: Node = { kind: 'empty' };

/** A pattern that cannot be used. The message is what the tool prints after its name. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
  /** Where in the pattern, in characters, if that is known. */
  readonly at: number | undefined;

  constructor(message: string, at?: number) {
    super(message);
    this.at = at;
  }
}

/** A pattern whose search would take too long on this text. */
export class TooExpensiveError extends Error {
  override readonly name = 'TooExpensiveError';
}

export function cat(items: Node[]): Node {
  const only = items[0];
  if (only === undefined) return EMPTY;
  return items.length === 1 ? only : { kind: 'cat', items };
}

export function alt(items: Node[]): Node {
  const only = items[0];
  if (only === undefined) return { kind: 'never' };
  return items.length === 1 ? only : { kind: 'alt', items };
}

export function assertion(at: Assertion): Node {
  return { kind: 'assert', at };
}

/** Can it match the empty string? Errs on the side of yes. */
export function nullable(node: Node): boolean {
  switch (node.kind) {
    case 'char':
    case 'set':
    case 'never':
    case 'filled':
      return false;
    case 'cat':
      return node.items.every(nullable);
    case 'alt':
      return node.items.some(nullable);
    case 'repeat':
      return node.min === 0 || nullable(node.item);
    case 'group':
    case 'atomic':
      return nullable(node.item);
    default:
      return true;
  }
}

/** The least and the greatest number of characters a match can have. */
export function widths(node: Node): { min: number; max: number } {
  switch (node.kind) {
    case 'char':
    case 'set':
      return { min: 1, max: 1 };
    case 'cat': {
      const all = node.items.map(widths);
      return {
        min: all.reduce((sum, w) => sum + w.min, 0),
        max: all.reduce((sum, w) => sum + w.max, 0),
      };
    }
    case 'alt': {
      const all = node.items.map(widths);
      return { min: Math.min(...all.map((w) => w.min)), max: Math.max(...all.map((w) => w.max)) };
    }
    case 'repeat': {
      const inner = widths(node.item);
      return {
        min: inner.min * node.min,
        max: inner.max === 0 || node.max === 0 ? 0 : inner.max * node.max,
      };
    }
    case 'group':
    case 'atomic':
    case 'filled':
      return widths(node.item);
    case 'ref':
      return { min: 0, max: Number.POSITIVE_INFINITY };
    default:
      return { min: 0, max: 0 };
  }
}

/** Is it a regular expression in the strict sense, which the automaton decides exactly? */
export function isRegular(node: Node): boolean {
  switch (node.kind) {
    case 'cat':
    case 'alt':
      return node.items.every(isRegular);
    case 'repeat':
      return node.mode !== 'possessive' && isRegular(node.item);
    case 'group':
      return isRegular(node.item);
    case 'atomic':
    case 'filled':
    case 'look':
    case 'ref':
    case 'keep':
      return false;
    default:
      return true;
  }
}

const ANYTHING: Node = {
  kind: 'repeat',
  item: { kind: 'set', has: () => true },
  min: 0,
  max: Number.POSITIVE_INFINITY,
  mode: 'greedy',
};

/**
 * A regular expression that matches wherever the given one does, and maybe
 * elsewhere: it finds the candidates that the backtracker then decides.
 */
export function relaxed(node: Node): Node {
  switch (node.kind) {
    case 'cat':
    case 'alt':
      return { kind: node.kind, items: node.items.map(relaxed) };
    case 'repeat':
      return { ...node, item: relaxed(node.item), mode: 'greedy' };
    case 'group':
    case 'atomic':
    case 'filled':
      return relaxed(node.item);
    case 'look':
    case 'keep':
      return EMPTY;
    case 'ref':
      return ANYTHING;
    default:
      return node;
  }
}
