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

/** A text that turned up after fewer bytes than this is looked for here: a call to Buffer costs more. */
const NEAR = 512;

/** One text to look for, which may turn up anywhere or everywhere. */
class Needle {
  private readonly text: Buffer;
  /** How far to go on where a byte stands in the text's last place (Horspool). */
  private readonly skips: Uint8Array;
  /** Did it turn up near to where it was looked for last? */
  private dense = false;

  constructor(text: Buffer) {
    this.text = text;
    this.skips = new Uint8Array(256).fill(Math.min(text.length, 255));
    const last = text.length - 1;
    for (let at = Math.max(0, last - 255); at < last; at++)
      this.skips[text[at] as number] = Math.min(last - at, 255);
  }

  /** The first place at or after a position, -1 if there is none. */
  find(buf: Uint8Array, from: number): number {
    const near = from + NEAR;
    let after = from;
    if (this.dense) {
      const at = this.within(buf, from, near);
      if (at !== -1) return at;
      // In a text that ends here it may well be as common as before.
      if (near >= buf.length) return -1;
      after = near;
    }
    const at = Buffer.prototype.indexOf.call(buf, this.text, after);
    this.dense = at !== -1 && at < near;
    return at;
  }

  /** The first place that begins in a stretch, -1 if there is none. */
  private within(buf: Uint8Array, from: number, until: number): number {
    const { text, skips } = this;
    const last = text.length - 1;
    const end = Math.min(until + last, buf.length);
    const final = text[last];
    for (let at = from + last; at < end; ) {
      const byte = buf[at] as number;
      if (byte === final) {
        let same = 0;
        while (same < last && buf[at - last + same] === text[same]) same++;
        if (same === last) return at - last;
      }
      at += skips[byte] as number;
    }
    return -1;
  }
}

/** Finds the next place of any of several literals, remembering where each stands next. */
export class NeedleScan {
  private next: number[];
  private buf: Uint8Array | null = null;
  private readonly only: Needle | undefined;
  private readonly needles: readonly Needle[];

  constructor(texts: readonly Buffer[]) {
    this.needles = texts.map((text) => new Needle(text));
    this.next = texts.map(() => -2);
    this.only = texts.length === 1 ? this.needles[0] : undefined;
  }

  /** Another text, or the same one from its beginning. */
  reset(): void {
    this.buf = null;
  }

  /** The first place at or after a position, -1 if there is none. */
  find(buf: Uint8Array, from: number): number {
    if (this.only !== undefined) return this.only.find(buf, from);
    if (this.buf !== buf) {
      this.buf = buf;
      this.next.fill(-2);
    }
    let best = -1;
    for (let i = 0; i < this.needles.length; i++) {
      let at = this.next[i] as number;
      if (at !== -1 && at < from) {
        at = (this.needles[i] as Needle).find(buf, from);
        this.next[i] = at;
      }
      if (at !== -1 && (best === -1 || at < best)) best = at;
    }
    return best;
  }
}
