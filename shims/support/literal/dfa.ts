/**
 * A deterministic automaton built while it runs: linear in the text whatever
 * the pattern, on bytes read as UTF-8. It decides whether and how far a regular
 * expression matches; it knows nothing of groups and priorities.
 */
import type { Budget } from './budget.ts';
import { type CharClasses, CLASS, holds, KIND } from './classes.ts';
import { OP, type Program } from './program.ts';
import { INVALID } from './utf8.ts';

/** Transitions not computed yet. */
const UNKNOWN = -1;
/** A transition at or below this says that a match ended. */
const MATCHED = -2;
/** States kept before all are forgotten and built anew. */
const MAX_STATES = 4000;

/**
 * States are numbered by where their row begins in the table. A transition is
 * the target, or, if a match ended before the character that was read, the
 * target counted down from MATCHED.
 */
export class Dfa {
  private table: Int32Array;
  private stride: number;
  private kernels: Int32Array[] = [];
  private before: number[] = [];
  private rest = -1;
  /** The states before the first character, by the kind of what stands before it; -1 where not known. */
  private readonly starts = new Int32Array(Object.keys(KIND).length).fill(-1);
  private readonly leaves = new Uint8Array(256).fill(1);
  private ids = new Map<string, number>();
  private readonly seen: Int32Array;
  private mark = 0;
  private readonly program: Program;

  private readonly classes: CharClasses;
  private readonly anchored: boolean;
  private readonly budget: Budget;

  /** @param anchored must a match begin where the run begins? */
  constructor(classes: CharClasses, anchored: boolean, budget: Budget) {
    this.classes = classes;
    this.anchored = anchored;
    this.budget = budget;
    this.program = classes.program;
    this.seen = new Int32Array(this.program.ops.length);
    // All classes of ASCII characters exist from the start, so they always fit in a row.
    this.stride = 16;
    while (this.stride < classes.size) this.stride *= 2;
    this.table = new Int32Array(this.stride * 64).fill(UNKNOWN);
  }

  /**
   * Is there a match between two positions? Gives the end of the one that ends
   * first, -1 if there is none. `base` is where the text (or line) begins.
   */
  search(buf: Uint8Array, base: number, from: number, to: number): number {
    const ascii = this.classes.ascii;
    let state = this.start(this.kindBefore(buf, base, from));
    let rest = this.restState(state);
    const { leaves } = this;
    let table = this.table;
    let at = from;
    while (at < to) {
      if (state === rest) {
        while (at < to && leaves[buf[at] as number] === 0) at++;
        if (at === to) break;
      }
      const byte = buf[at] as number;
      let width = 1;
      let next: number;
      if (byte < 128) next = table[state + (ascii[byte] as number)] as number;
      else {
        const found = this.classes.encoding.decode(buf, at, to);
        width = found === INVALID ? 1 : found & 7;
        next = this.move(state, found, byte);
        table = this.table;
        rest = this.rest;
      }
      if (next < 0) {
        if (next === UNKNOWN) {
          next = this.step(state, ascii[byte] as number);
          table = this.table;
          rest = this.rest;
        }
        if (next < 0) return at;
      }
      state = next;
      at += width;
    }
    return this.after(state, CLASS.edge) < 0 ? to : -1;
  }

  /**
   * The state in which nothing has begun, if the pattern has no assertions and
   * so but one such state; -1 otherwise. Then `leaves` says which bytes leave it.
   */
  private restState(start: number): number {
    if (this.program.assertions !== 0 || this.rest !== -1) return this.rest;
    const { ascii } = this.classes;
    for (let byte = 0; byte < 128; byte++) {
      this.leaves[byte] = this.step(start, ascii[byte] as number) === start ? 0 : 1;
    }
    this.rest = start;
    return start;
  }

  /** The transition for what was decoded at a byte, computed if need be. */
  private move(state: number, found: number, byte: number): number {
    return this.after(state, this.classes.at(found, byte));
  }

  /** The transition for a class, computed if need be. */
  private after(state: number, cls: number): number {
    const next = cls < this.stride ? (this.table[state + cls] as number) : UNKNOWN;
    return next === UNKNOWN ? this.step(state, cls) : next;
  }

  /**
   * The end of the longest match that begins at a position, -1 for none.
   * `cut`: the text goes on after `to`, where no line ends.
   */
  longest(buf: Uint8Array, base: number, from: number, to: number, cut = false): number {
    const ascii = this.classes.ascii;
    let state = this.start(this.kindBefore(buf, base, from));
    let best = -1;
    let at = from;
    while (at < to) {
      const byte = buf[at] as number;
      let width = 1;
      let next: number;
      if (byte < 128) next = this.table[state + (ascii[byte] as number)] as number;
      else {
        const found = this.classes.encoding.decode(buf, at, to);
        width = found === INVALID ? 1 : found & 7;
        next = this.move(state, found, byte);
      }
      if (next === UNKNOWN) next = this.step(state, ascii[byte] as number);
      if (next < 0) {
        best = at;
        next = MATCHED - next;
      }
      state = next;
      if (state === 0) {
        this.budget.spend(at - from + 1);
        return best;
      }
      at += width;
    }
    this.budget.spend(at - from + 1);
    return this.after(state, cut ? CLASS.invalid : CLASS.edge) < 0 ? to : best;
  }

  /** May a match begin at a position? Only for an automaton that is anchored there. */
  begins(buf: Uint8Array, base: number, from: number, to: number): boolean {
    const { ascii, encoding } = this.classes;
    let state = this.start(this.kindBefore(buf, base, from));
    for (let at = from; at < to; ) {
      const byte = buf[at] as number;
      let width = 1;
      if (byte < 128) {
        const cls = ascii[byte] as number;
        const known = this.table[state + cls] as number;
        state = known === UNKNOWN ? this.step(state, cls) : known;
      } else {
        const found = encoding.decode(buf, at, to);
        width = found === INVALID ? 1 : found & 7;
        state = this.move(state, found, byte);
      }
      if (state <= 0) {
        this.budget.spend(at - from + 1);
        return state < 0;
      }
      at += width;
    }
    this.budget.spend(to - from + 1);
    return this.after(state, CLASS.edge) < 0;
  }

  private kindBefore(buf: Uint8Array, base: number, at: number): number {
    if (this.program.assertions === 0 || at <= base) return KIND.edge;
    const found = this.classes.encoding.decodeBefore(buf, at, base);
    const cp = found >> 3;
    return this.classes.kinds[
      found !== INVALID && cp < 128
        ? (this.classes.ascii[cp] as number)
        : this.classes.at(found, buf[at - 1] as number)
    ] as number;
  }

  /** The state before the first character. Row 0 is the state from which nothing matches. */
  private start(before: number): number {
    const kind = this.program.assertions === 0 ? KIND.edge : before;
    const known = this.starts[kind] as number;
    if (known !== -1) return known;
    if (this.kernels.length === 0) this.intern(new Int32Array(0), -1);
    const id = this.intern(Int32Array.of(0), kind);
    this.starts[kind] = id;
    return id;
  }

  private intern(kernel: Int32Array, before: number): number {
    const key = `${before}:${kernel.join(',')}`;
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    const id = this.kernels.length * this.stride;
    if (id + this.stride > this.table.length) {
      const grown = new Int32Array(this.table.length * 2).fill(UNKNOWN);
      grown.set(this.table);
      this.table = grown;
    }
    this.kernels.push(kernel);
    this.before.push(before);
    this.ids.set(key, id);
    return id;
  }

  private forget(): void {
    this.rest = -1;
    this.starts.fill(-1);
    this.kernels = [];
    this.before = [];
    this.ids.clear();
    this.table = new Int32Array(this.stride * 64).fill(UNKNOWN);
    this.intern(new Int32Array(0), -1);
  }

  private step(state: number, cls: number): number {
    const row = state / this.stride;
    const kernel = this.kernels[row] as Int32Array;
    const before = this.before[row] as number;
    let keep = row;
    if (this.classes.size > this.stride || this.kernels.length > MAX_STATES) {
      while (this.stride < this.classes.size) this.stride *= 2;
      this.forget();
      keep = row === 0 ? 0 : this.intern(kernel, before) / this.stride;
    }
    const after = this.classes.kinds[cls] as number;
    const { matched, next } = this.advance(kernel, before, after, cls, row === 0);
    let target = 0;
    if (next.length > 0 || !this.anchored) {
      const kernelNext = this.anchored ? next : withStart(next);
      target = this.intern(kernelNext, this.program.assertions === 0 ? KIND.edge : after);
    }
    const code = matched ? MATCHED - target : target;
    this.table[keep * this.stride + cls] = code;
    return code;
  }

  /** Follows all that needs no character, then reads one. */
  private advance(
    kernel: Int32Array,
    before: number,
    after: number,
    cls: number,
    dead: boolean,
  ): { matched: boolean; next: Int32Array } {
    const { ops, a, b } = this.program;
    const char = this.classes.chars[cls] as number;
    const member = this.classes.members[cls] as Uint8Array;
    const mark = ++this.mark;
    const stack: number[] = dead ? [] : Array.from(kernel);
    const next: number[] = [];
    let matched = false;
    let work = 8;
    while (stack.length > 0) {
      const pc = stack.pop() as number;
      if (this.seen[pc] === mark) continue;
      this.seen[pc] = mark;
      work++;
      switch (ops[pc]) {
        case OP.char:
          if (a[pc] === char) next.push(pc + 1);
          break;
        case OP.set:
          if (member[a[pc] as number] === 1) next.push(pc + 1);
          break;
        case OP.split:
          stack.push(a[pc] as number, b[pc] as number);
          break;
        case OP.jump:
          stack.push(a[pc] as number);
          break;
        case OP.assert:
          if (holds(a[pc] as number, before, after)) stack.push(pc + 1);
          break;
        case OP.match:
          matched = true;
          break;
        case OP.progress:
          stack.push(pc + 1, b[pc] as number);
          break;
        case OP.fail:
          break;
        default:
          stack.push(pc + 1);
      }
    }
    this.budget.spend(work);
    next.sort((x, y) => x - y);
    return { matched, next: Int32Array.from(next) };
  }
}

/** A search may begin anew at every position: instruction 0 is always alive. */
function withStart(next: Int32Array): Int32Array {
  if (next[0] === 0) return next;
  const all = new Int32Array(next.length + 1);
  all.set(next, 1);
  return all;
}
