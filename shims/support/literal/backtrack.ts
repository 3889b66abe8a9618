/**
 * A backtracking matcher over the same program as the automaton: it gives
 * groups, priorities (leftmost-first) and what is no regular expression at all
 * (back-references, look-around, atomic groups), and counts its steps.
 */
import { TooExpensiveError } from './ast.ts';
import { type Budget, TOO_EXPENSIVE } from './budget.ts';
import { fold } from './charset.ts';
import { type CharClasses, holds, KIND } from './classes.ts';
import { OP, type Program } from './program.ts';
import { type Encoding, INVALID } from './utf8.ts';

/** Steps of one attempt, as PCRE limits them. */
const ATTEMPT = 3_000_000;
/** After so many steps a strictly regular program remembers where it has been. */
const PATIENCE = 20_000;
const MAX_VISITED_BITS = 1 << 26;

export class Backtracker {
  /** Slots 2i and 2i+1: start and end of group i, -1 where it took no part. */
  readonly groups: Int32Array;
  /** Where the last `\K` stood, -1 without. */
  kept = -1;
  private readonly program: Program;
  private readonly encoding: Encoding;
  private readonly saved: Int32Array;
  private stack: number[] = [];
  private buf: Uint8Array = new Uint8Array(0);
  private base = 0;
  private end = 0;
  private cut = false;
  private steps = 0;
  private limit = ATTEMPT;
  private visited: Uint32Array | null = null;
  private visitedFrom = 0;

  private readonly classes: CharClasses;
  private readonly longest: boolean;
  private readonly regular: boolean;
  private readonly budget: Budget;

  /**
   * @param longest try everything and report the longest match (POSIX)
   * @param regular may visits be remembered? Only without references and look-around.
   */
  constructor(classes: CharClasses, longest: boolean, regular: boolean, budget: Budget) {
    this.classes = classes;
    this.longest = longest;
    this.regular = regular;
    this.budget = budget;
    this.program = classes.program;
    this.encoding = classes.encoding;
    this.groups = new Int32Array((this.program.groups + 1) * 2).fill(-1);
    this.saved = new Int32Array(this.groups.length + this.program.registers + 1);
  }

  /**
   * The end of the match that begins at a position, -1 for none.
   * The text is `buf[base, to)`; what is before `base` does not exist.
   * @param target where it has to end, if that is known: then the groups are those of that match
   * @param cut does the text go on after `to`, where then no line ends?
   */
  match(buf: Uint8Array, base: number, at: number, to: number, target = -1, cut = false): number {
    this.buf = buf;
    this.cut = cut;
    this.base = base;
    this.end = to;
    this.visited = null;
    this.limit = this.regular ? PATIENCE : ATTEMPT;
    let end = this.attempt(at, target);
    if (end === -2) {
      const bits = this.program.ops.length * (to - at + 1);
      if (!this.regular || bits > MAX_VISITED_BITS) throw this.exhausted();
      this.visited = new Uint32Array((bits >> 5) + 1);
      this.visitedFrom = at;
      this.limit = bits + ATTEMPT;
      end = this.attempt(at, target);
      if (end === -2) throw this.exhausted();
    }
    return end;
  }

  private exhausted(): TooExpensiveError {
    return new TooExpensiveError(
      this.longest ? TOO_EXPENSIVE : "exceeded PCRE's backtracking limit",
    );
  }

  private attempt(at: number, target: number): number {
    this.steps = 0;
    this.saved.fill(-1);
    this.stack = [];
    const end = this.run(0, at, this.longest && target < 0, target);
    this.budget.spend(this.steps);
    if (end >= 0) {
      this.groups.set(this.saved.subarray(0, this.groups.length));
      this.groups[0] = at;
      this.groups[1] = end;
      this.kept = this.saved[this.saved.length - 1] as number;
    }
    return end;
  }

  private kindBefore(at: number): number {
    if (at <= this.base) return KIND.edge;
    const found = this.encoding.decodeBefore(this.buf, at, this.base);
    return this.kindOf(found, at - 1);
  }

  private kindAfter(at: number): number {
    if (at >= this.end) return this.cut ? KIND.other : KIND.edge;
    return this.kindOf(this.encoding.decode(this.buf, at, this.end), at);
  }

  private kindOf(found: number, byte: number): number {
    const cls =
      found === INVALID
        ? this.classes.at(found, this.buf[byte] as number)
        : this.classOf(found >> 3);
    return this.classes.kinds[cls] as number;
  }

  private classOf(cp: number): number {
    return cp < 128 ? (this.classes.ascii[cp] as number) : this.classes.of(cp);
  }

  private keepOld(slot: number): void {
    this.stack.push(-slot - 1, this.saved[slot] as number);
  }

  private beenAt(pc: number, at: number): boolean {
    const visited = this.visited;
    if (visited === null) return false;
    const bit = pc * (this.end - this.visitedFrom + 1) + (at - this.visitedFrom);
    const mask = 1 << (bit & 31);
    if (((visited[bit >> 5] as number) & mask) !== 0) return true;
    visited[bit >> 5] = (visited[bit >> 5] as number) | mask;
    return false;
  }

  /**
   * Runs from an instruction until the program (or sub-program) matches.
   * Gives the end, -1 for no match, -2 where the steps ran out. Choices made
   * inside are on the stack above the height at entry; they are removed.
   * @param target an end that is asked for (looking behind), or -1
   */
  private run(start: number, from: number, longest: boolean, target: number): number {
    const { ops, a, b } = this.program;
    const slots = this.groups.length;
    const floor = this.stack.length;
    let best = -1;
    let pc = start;
    let at = from;
    for (;;) {
      if (++this.steps > this.limit) {
        this.stack.length = floor;
        return -2;
      }
      let ok = true;
      switch (ops[pc]) {
        case OP.char:
        case OP.set: {
          const width = this.consumes(pc, at);
          ok = width > 0;
          at += width;
          pc++;
          break;
        }
        case OP.split:
          if (this.beenAt(pc, at)) ok = false;
          else {
            this.stack.push(b[pc] as number, at);
            pc = a[pc] as number;
          }
          break;
        case OP.jump:
          pc = a[pc] as number;
          break;
        case OP.save:
          this.keepOld(a[pc] as number);
          this.saved[a[pc] as number] = at;
          pc++;
          break;
        case OP.mark:
          this.keepOld(slots + (a[pc] as number));
          this.saved[slots + (a[pc] as number)] = at;
          pc++;
          break;
        case OP.keep:
          this.keepOld(this.saved.length - 1);
          this.saved[this.saved.length - 1] = at;
          pc++;
          break;
        case OP.progress:
          pc = this.saved[slots + (a[pc] as number)] === at ? (b[pc] as number) : pc + 1;
          break;
        case OP.assert:
          ok = holds(a[pc] as number, this.kindBefore(at), this.kindAfter(at));
          pc++;
          break;
        case OP.look: {
          const seen = this.look(pc, at);
          if (seen === -2) return -2;
          ok = seen === 1;
          pc++;
          break;
        }
        case OP.atomic: {
          const end = this.atomic(a[pc] as number, at);
          if (end === -2) return -2;
          ok = end >= 0;
          at = end;
          pc++;
          break;
        }
        case OP.ref: {
          const end = this.again(a[pc] as number, b[pc] === 1, at);
          ok = end >= 0;
          at = end;
          pc++;
          break;
        }
        case OP.match:
          if (target >= 0 && at !== target) ok = false;
          else if (longest) {
            if (at > best) best = at;
            ok = at === this.end;
            if (ok) return this.leave(floor, at);
          } else return start === 0 ? this.leave(floor, at) : at;
          break;
        default:
          ok = false;
      }
      if (ok) continue;
      for (;;) {
        if (this.stack.length === floor) return best;
        const value = this.stack.pop() as number;
        const head = this.stack.pop() as number;
        if (head >= 0) {
          pc = head;
          at = value;
          break;
        }
        this.saved[-head - 1] = value;
      }
    }
  }

  private leave(floor: number, end: number): number {
    this.stack.length = floor;
    return end;
  }

  private consumes(pc: number, at: number): number {
    if (at >= this.end) return 0;
    const { ops, a } = this.program;
    const byte = this.buf[at] as number;
    let cp = byte;
    let width = 1;
    if (byte >= 128) {
      const found = this.encoding.decode(this.buf, at, this.end);
      if (found === INVALID) return this.rawByte(pc, byte) ? 1 : 0;
      cp = found >> 3;
      width = found & 7;
    }
    const cls = this.classOf(cp);
    if (ops[pc] === OP.char) return this.classes.chars[cls] === a[pc] ? width : 0;
    return (this.classes.members[cls] as Uint8Array)[a[pc] as number] === 1 ? width : 0;
  }

  /** Does an instruction ask for just this byte, which is no text? */
  private rawByte(pc: number, byte: number): boolean {
    const { ops, a } = this.program;
    return ops[pc] === OP.char && this.classes.chars[this.classes.at(INVALID, byte)] === a[pc];
  }

  /** Removes the choices made since a height, keeping what restores older groups. */
  private commit(floor: number): void {
    let to = floor;
    for (let i = floor; i < this.stack.length; i += 2) {
      if ((this.stack[i] as number) >= 0) continue;
      this.stack[to] = this.stack[i] as number;
      this.stack[to + 1] = this.stack[i + 1] as number;
      to += 2;
    }
    this.stack.length = to;
  }

  private undo(floor: number): void {
    while (this.stack.length > floor) {
      const value = this.stack.pop() as number;
      const head = this.stack.pop() as number;
      if (head < 0) this.saved[-head - 1] = value;
    }
  }

  private atomic(start: number, at: number): number {
    const floor = this.stack.length;
    const end = this.run(start, at, false, -1);
    if (end >= 0) this.commit(floor);
    return end;
  }

  /** 1 where the look-around allows to go on, 0 where not, -2 where the steps ran out. */
  private look(pc: number, at: number): number {
    const look = this.program.looks[this.program.b[pc] as number];
    if (look === undefined) return 0;
    const start = this.program.a[pc] as number;
    const floor = this.stack.length;
    let end = -1;
    if (look.ahead) end = this.run(start, at, false, -1);
    else {
      let from = at;
      for (let back = 0; back <= look.max; back++) {
        if (back >= look.min) end = this.run(start, from, false, at);
        if (end !== -1 || from <= this.base) break;
        const found = this.encoding.decodeBefore(this.buf, from, this.base);
        from -= found === INVALID ? 1 : found & 7;
      }
    }
    if (end === -2) return -2;
    if (end < 0) return look.negate ? 1 : 0;
    if (look.negate) this.undo(floor);
    else this.commit(floor);
    return look.negate ? 0 : 1;
  }

  /** The end of a repeated group's text at a position, -1 where it is not there. */
  private again(group: number, ignoreCase: boolean, at: number): number {
    const start = this.saved[group * 2] as number;
    const end = this.saved[group * 2 + 1] as number;
    if (start < 0 || end < start) return -1;
    let to = at;
    let from = start;
    while (from < end) {
      if (to >= this.end) return -1;
      this.steps++;
      const width = this.encoding.widthAt(this.buf, from, end);
      const other = this.encoding.widthAt(this.buf, to, this.end);
      if (!this.same(from, width, to, other, ignoreCase)) return -1;
      from += width;
      to += other;
    }
    return to;
  }

  private fold(cp: number): number {
    return this.encoding.unibyte && cp >= 128 ? cp : fold(cp);
  }

  private same(x: number, xWidth: number, y: number, yWidth: number, ignoreCase: boolean): boolean {
    if (ignoreCase) {
      const one = this.encoding.decode(this.buf, x, this.end);
      const two = this.encoding.decode(this.buf, y, this.end);
      if (one !== INVALID && two !== INVALID) return this.fold(one >> 3) === this.fold(two >> 3);
    }
    if (xWidth !== yWidth) return false;
    for (let i = 0; i < xWidth; i++) if (this.buf[x + i] !== this.buf[y + i]) return false;
    return true;
  }
}
