/** Literals that every match must contain: what makes a search skip most of the text. */
import type { Node } from './ast.ts';
import type { Encoding } from './utf8.ts';

/** More alternatives than this are no help over running the automaton. */
const MAX_LITERALS = 12;
const MAX_LENGTH = 64;

interface Info {
  /** The complete set of strings that the node matches, or null if it is not a small finite set. */
  exact: string[] | null;
  /** A set of strings one of which is in every match, or null. */
  required: string[] | null;
}

const NOTHING: Info = { exact: null, required: null };

function worth(set: string[] | null): number {
  if (set === null || set.length === 0) return 0;
  const shortest = Math.min(...set.map((s) => s.length));
  // A single byte turns up in every other line: the automaton is faster than looking for it.
  return shortest < 2 ? 0 : shortest * 4 - set.length;
}

function better(one: string[] | null, two: string[] | null): string[] | null {
  if (worth(one) <= 0 && worth(two) <= 0) return null;
  return worth(two) > worth(one) ? two : one;
}

function product(one: string[], two: string[]): string[] | null {
  if (one.length * two.length > MAX_LITERALS) return null;
  const all = one.flatMap((a) => two.map((b) => a + b));
  return all.some((s) => s.length > MAX_LENGTH) ? null : all;
}

function ofCat(items: Node[]): Info {
  let run: string[] | null = [''];
  let whole = true;
  let required: string[] | null = null;
  for (const item of items) {
    const info = analyse(item);
    const joined: string[] | null = run && info.exact ? product(run, info.exact) : null;
    if (joined !== null) {
      run = joined;
      continue;
    }
    whole = false;
    required = better(better(required, run), info.required);
    run = info.exact ?? [''];
  }
  return { exact: whole ? run : null, required: better(required, run) };
}

function ofAlt(items: Node[]): Info {
  if (items.length > MAX_LITERALS) return NOTHING;
  const infos = items.map(analyse);
  const exact = infos.every((i) => i.exact !== null) ? infos.flatMap((i) => i.exact ?? []) : null;
  const needed = infos.map((i) => better(i.exact, i.required));
  const required = needed.every((n) => n !== null) ? needed.flatMap((n) => n ?? []) : null;
  return {
    exact: exact !== null && exact.length <= MAX_LITERALS ? exact : null,
    required: required !== null && required.length <= MAX_LITERALS ? required : null,
  };
}

function analyse(node: Node): Info {
  switch (node.kind) {
    case 'char': {
      const text = String.fromCodePoint(node.cp);
      return { exact: [text], required: [text] };
    }
    case 'empty':
      return { exact: [''], required: null };
    case 'assert':
    case 'keep':
    case 'look':
      // Takes no text, so literals may run on through it; what it demands comes on top.
      return { exact: [''], required: null };
    case 'cat':
      return ofCat(node.items);
    case 'alt':
      return ofAlt(node.items);
    case 'group':
    case 'atomic':
    case 'filled':
      return analyse(node.item);
    case 'repeat': {
      const inner = analyse(node.item);
      if (node.min === 0) return NOTHING;
      if (node.min === 1 && node.max === 1) return inner;
      return { exact: null, required: better(inner.exact, inner.required) };
    }
    default:
      return NOTHING;
  }
}

/** Does the tree match its literals and nothing else, with no condition on their surroundings? */
function plain(node: Node): boolean {
  switch (node.kind) {
    case 'char':
      return true;
    case 'cat':
    case 'alt':
      return node.items.every(plain);
    case 'group':
      return plain(node.item);
    default:
      return false;
  }
}

/** The literals to look for first. `complete`: where one stands, there is a match, and only there. */
export interface Needles {
  texts: Buffer[];
  complete: boolean;
}

/** The literals of a pattern, null where it has none that help. */
export function needlesOf(node: Node, encoding: Encoding): Needles | null {
  const info = analyse(node);
  const whole = plain(node) && info.exact?.every((text) => text !== '') ? info.exact : null;
  const set = whole ?? better(info.exact, info.required);
  // Text with bytes that are none is left to the automaton.
  if (set === null || !set.every((text) => text.isWellFormed())) return null;
  const complete = whole !== null;
  const unique = [...new Set(set)];
  return {
    texts: unique.map((text) => Buffer.from(text, encoding.unibyte ? 'latin1' : 'utf8')),
    complete,
  };
}

/** Finds the next place of any of several literals, remembering where each stands next. */
export class NeedleScan {
  private next: number[];
  private buf: Uint8Array | null = null;
  private readonly only: Buffer | undefined;

  private readonly texts: Buffer[];

  constructor(texts: Buffer[]) {
    this.texts = texts;
    this.next = texts.map(() => -2);
    this.only = texts.length === 1 ? texts[0] : undefined;
  }

  /** Another text, or the same one from its beginning. */
  reset(): void {
    this.buf = null;
  }

  /** The first place at or after a position, -1 if there is none. */
  find(buf: Uint8Array, from: number): number {
    if (this.only !== undefined) return Buffer.prototype.indexOf.call(buf, this.only, from);
    if (this.buf !== buf) {
      this.buf = buf;
      this.next.fill(-2);
    }
    let best = -1;
    for (let i = 0; i < this.texts.length; i++) {
      let at = this.next[i] as number;
      if (at !== -1 && at < from) {
        at = Buffer.prototype.indexOf.call(buf, this.texts[i] as Buffer, from);
        this.next[i] = at;
      }
      if (at !== -1 && (best === -1 || at < best)) best = at;
    }
    return best;
  }
}
