/** A syntax tree compiled to instructions, which the automaton and the backtracker both run. */
import {
  ASSERTIONS,
  assertionBit,
  type Node,
  nullable,
  PatternError,
  type RepeatMode,
  widths,
} from './ast.ts';
import type { CharSet } from './charset.ts';

export const OP = {
  /** Consumes the code point `a`. */
  char: 0,
  /** Consumes a member of set `a`. */
  set: 1,
  /** Tries `a`, then `b`. */
  split: 2,
  jump: 3,
  /** Notes the position in slot `a`. */
  save: 4,
  /** Goes on where assertion `a` holds. */
  assert: 5,
  /** Look-around: sub-program at `a`, described by looks[b]. */
  look: 6,
  /** Sub-program at `a` without a way back into it. */
  atomic: 7,
  /** The text of group `a` again, ignoring case if `b` is 1. */
  ref: 8,
  keep: 9,
  /** Notes the position in register `a`, before a loop's body that may be empty. */
  mark: 10,
  /** Leaves the loop for `b` if its body took nothing since mark `a`. */
  progress: 11,
  match: 12,
  fail: 13,
} as const;

export interface Look {
  ahead: boolean;
  negate: boolean;
  /** Characters to step back, for looking behind. */
  min: number;
  max: number;
}

export interface Program {
  ops: Uint8Array;
  a: Int32Array;
  b: Int32Array;
  sets: CharSet[];
  looks: Look[];
  groups: number;
  registers: number;
  /** Assertions in use, as a bit set over ASSERTIONS. */
  assertions: number;
}

/** GNU's limits are of this order; beyond it a pattern is refused rather than expanded. */
const MAX_INSTRUCTIONS = 200_000;

class Compiler {
  ops: number[] = [];
  a: number[] = [];
  b: number[] = [];
  sets: CharSet[] = [];
  setIndex = new Map<CharSet, number>();
  looks: Look[] = [];
  groups = 0;
  registers = 0;
  assertions = 0;

  emit(op: number, a = 0, b = 0): number {
    if (this.ops.length >= MAX_INSTRUCTIONS) throw new PatternError('Regular expression too big');
    this.ops.push(op);
    this.a.push(a);
    this.b.push(b);
    return this.ops.length - 1;
  }

  get here(): number {
    return this.ops.length;
  }

  node(node: Node): void {
    switch (node.kind) {
      case 'empty':
        return;
      case 'never':
        this.emit(OP.fail);
        return;
      case 'char':
        this.emit(OP.char, node.cp);
        return;
      case 'set':
        this.emit(OP.set, this.setOf(node.has));
        return;
      case 'cat':
        for (const item of node.items) this.node(item);
        return;
      case 'alt':
        this.alternatives(node.items);
        return;
      case 'repeat':
        if (node.mode === 'possessive') {
          this.sub(OP.atomic, { ...node, mode: 'greedy' }, 0);
        } else this.repeat(node.item, node.min, node.max, node.mode);
        return;
      case 'group':
        this.groups = Math.max(this.groups, node.index);
        this.emit(OP.save, node.index * 2);
        this.node(node.item);
        this.emit(OP.save, node.index * 2 + 1);
        return;
      case 'atomic':
        this.sub(OP.atomic, node.item, 0);
        return;
      case 'filled':
        this.filled(node.item);
        return;
      case 'assert':
        this.assertions |= assertionBit(node.at);
        this.emit(OP.assert, ASSERTIONS.indexOf(node.at));
        return;
      case 'look': {
        this.looks.push({ ahead: node.ahead, negate: node.negate, ...widths(node.item) });
        this.sub(OP.look, node.item, this.looks.length - 1);
        return;
      }
      case 'ref':
        this.emit(OP.ref, node.index, node.fold ? 1 : 0);
        return;
      case 'keep':
        this.emit(OP.keep);
        return;
    }
  }

  private setOf(has: CharSet): number {
    const known = this.setIndex.get(has);
    if (known !== undefined) return known;
    this.sets.push(has);
    this.setIndex.set(has, this.sets.length - 1);
    return this.sets.length - 1;
  }

  private alternatives(items: Node[]): void {
    const ends: number[] = [];
    items.forEach((item, i) => {
      if (i === items.length - 1) {
        this.node(item);
        return;
      }
      const split = this.emit(OP.split);
      this.a[split] = this.here;
      this.node(item);
      ends.push(this.emit(OP.jump));
      this.b[split] = this.here;
    });
    for (const end of ends) this.a[end] = this.here;
  }

  /** A body apart, entered by one instruction, which follows it. */
  private sub(op: number, item: Node, b: number): void {
    const over = this.emit(OP.jump);
    const start = this.here;
    this.node(item);
    this.emit(OP.match);
    this.a[over] = this.here;
    this.emit(op, start, b);
  }

  private filled(item: Node): void {
    const register = this.registers++;
    this.emit(OP.mark, register);
    this.node(item);
    const check = this.emit(OP.progress, register);
    const over = this.emit(OP.jump);
    this.b[check] = this.emit(OP.fail);
    this.a[over] = this.here;
  }

  private branch(split: number, body: number, exit: number, mode: RepeatMode): void {
    this.a[split] = mode === 'lazy' ? exit : body;
    this.b[split] = mode === 'lazy' ? body : exit;
  }

  private repeat(item: Node, min: number, max: number, mode: RepeatMode): void {
    for (let i = 0; i < min; i++) this.node(item);
    if (max === Number.POSITIVE_INFINITY) {
      const split = this.emit(OP.split);
      const guarded = nullable(item);
      const register = guarded ? this.registers++ : 0;
      if (guarded) this.emit(OP.mark, register);
      this.node(item);
      const check = guarded ? this.emit(OP.progress, register) : -1;
      this.emit(OP.jump, split);
      if (check >= 0) this.b[check] = this.here;
      this.branch(split, split + 1, this.here, mode);
      return;
    }
    const splits: number[] = [];
    for (let i = min; i < max; i++) {
      splits.push(this.emit(OP.split));
      this.node(item);
    }
    for (const split of splits) this.branch(split, split + 1, this.here, mode);
  }
}

/** Compiles a tree. @throws PatternError where the program would be too long. */
export function compile(tree: Node): Program {
  const compiler = new Compiler();
  compiler.node(tree);
  compiler.emit(OP.match);
  return {
    ops: Uint8Array.from(compiler.ops),
    a: Int32Array.from(compiler.a),
    b: Int32Array.from(compiler.b),
    sets: compiler.sets,
    looks: compiler.looks,
    groups: compiler.groups,
    registers: compiler.registers,
    assertions: compiler.assertions,
  };
}
