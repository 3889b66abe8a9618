/**
 * The shortest edit script of two sequences of lines, in time that is bounded:
 * past a cost that grows with the square root of the input it takes a good
 * split instead of the best one.
 */

/** Lines `[startA, endA)` of the one become lines `[startB, endB)` of the other. */
export interface Change {
  startA: number;
  endA: number;
  startB: number;
  endB: number;
}

const LEAST_COST = 256;

/** Where a box of the edit graph is divided. */
interface Split {
  x: number;
  y: number;
}

class Differ {
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  readonly #forward: Int32Array;
  readonly #backward: Int32Array;
  readonly #offset: number;
  readonly #limit: number;
  readonly #changedA: Uint8Array;
  readonly #changedB: Uint8Array;
  readonly #pulse: () => Promise<void> | undefined;

  constructor(a: Int32Array, b: Int32Array, pulse: () => Promise<void> | undefined) {
    this.#a = a;
    this.#b = b;
    const size = a.length + b.length + 3;
    this.#forward = new Int32Array(size);
    this.#backward = new Int32Array(size);
    this.#offset = b.length + 1;
    this.#limit = Math.max(LEAST_COST, Math.ceil(Math.sqrt(size)));
    this.#changedA = new Uint8Array(a.length);
    this.#changedB = new Uint8Array(b.length);
    this.#pulse = pulse;
  }

  async run(): Promise<{ a: Uint8Array; b: Uint8Array }> {
    const boxes: Array<[number, number, number, number]> = [[0, this.#a.length, 0, this.#b.length]];
    for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
      let [x0, x1, y0, y1] = box;
      while (x0 < x1 && y0 < y1 && this.#a[x0] === this.#b[y0]) {
        x0++;
        y0++;
      }
      while (x0 < x1 && y0 < y1 && this.#a[x1 - 1] === this.#b[y1 - 1]) {
        x1--;
        y1--;
      }
      if (x0 === x1) this.#changedB.fill(1, y0, y1);
      else if (y0 === y1) this.#changedA.fill(1, x0, x1);
      else {
        const { x, y } = await this.#split(x0, x1, y0, y1);
        boxes.push([x0, x, y0, y], [x, x1, y, y1]);
      }
    }
    return { a: this.#changedA, b: this.#changedB };
  }

  /** Searches from both ends until the paths meet, on diagonals x - y. */
  async #split(x0: number, x1: number, y0: number, y1: number): Promise<Split> {
    const [F, B, a, b, o] = [this.#forward, this.#backward, this.#a, this.#b, this.#offset];
    const low = x0 - y1;
    const high = x1 - y0;
    const [start, end] = [x0 - y0, x1 - y1];
    const odd = ((start - end) & 1) !== 0;
    let [fLow, fHigh, bLow, bHigh] = [start, start, end, end];
    F[o + start] = x0;
    B[o + end] = x1;
    for (let cost = 1; ; cost++) {
      if (fLow > low) F[o + --fLow - 1] = -1;
      else fLow++;
      if (fHigh < high) F[o + ++fHigh + 1] = -1;
      else fHigh--;
      for (let d = fHigh; d >= fLow; d -= 2) {
        const [below, above] = [F[o + d - 1] ?? 0, F[o + d + 1] ?? 0];
        let x = below < above ? above : below + 1;
        let y = x - d;
        while (x < x1 && y < y1 && a[x] === b[y]) {
          x++;
          y++;
        }
        F[o + d] = x;
        if (odd && bLow <= d && d <= bHigh && (B[o + d] ?? 0) <= x) return { x, y };
      }
      if (bLow > low) B[o + --bLow - 1] = 0x7fffffff;
      else bLow++;
      if (bHigh < high) B[o + ++bHigh + 1] = 0x7fffffff;
      else bHigh--;
      for (let d = bHigh; d >= bLow; d -= 2) {
        const [below, above] = [B[o + d - 1] ?? 0, B[o + d + 1] ?? 0];
        let x = below < above ? below : above - 1;
        let y = x - d;
        while (x > x0 && y > y0 && a[x - 1] === b[y - 1]) {
          x--;
          y--;
        }
        B[o + d] = x;
        if (!odd && fLow <= d && d <= fHigh && x <= (F[o + d] ?? 0)) return { x, y };
      }
      if (cost >= this.#limit) return this.#furthest([fLow, fHigh, bLow, bHigh], [x0, x1, y0, y1]);
      await this.#pulse();
    }
  }

  /** The end of the path that came furthest from either side. */
  #furthest(diagonals: readonly number[], box: readonly [number, number, number, number]): Split {
    const [fLow = 0, fHigh = 0, bLow = 0, bHigh = 0] = diagonals;
    const [x0, x1, y0, y1] = box;
    let best: Split = { x: x0, y: y0 };
    let gain = -1;
    for (let d = fHigh; d >= fLow; d -= 2) {
      const x = Math.min(this.#forward[this.#offset + d] ?? 0, x1);
      const y = Math.min(x - d, y1);
      if (x - x0 + (y - y0) > gain && y >= y0) {
        gain = x - x0 + (y - y0);
        best = { x: y + d, y };
      }
    }
    for (let d = bHigh; d >= bLow; d -= 2) {
      const x = Math.max(this.#backward[this.#offset + d] ?? 0, x0);
      const y = Math.max(x - d, y0);
      if (x1 - x + (y1 - y) > gain && y <= y1) {
        gain = x1 - x + (y1 - y);
        best = { x: y + d, y };
      }
    }
    return best;
  }
}

/** Numbers the lines of both sides, the same number for the same line. */
function number(a: readonly string[], b: readonly string[]): [Int32Array, Int32Array] {
  const known = new Map<string, number>();
  const ids = (lines: readonly string[]): Int32Array =>
    Int32Array.from(lines, (line) => {
      const id = known.get(line) ?? known.size;
      known.set(line, id);
      return id;
    });
  return [ids(a), ids(b)];
}

/** Indices of the lines that the other side has too: the others are changed in any case. */
function common(ids: Int32Array, other: ReadonlySet<number>): Int32Array {
  return Int32Array.from([...ids.keys()].filter((i) => other.has(ids[i] ?? -1)));
}

/** Moves runs of changes down as far as equal lines allow, as GNU's diff does. */
function slide(ids: Int32Array, changed: Uint8Array, other: Uint8Array): void {
  let i = 0;
  let j = 0;
  while (i < changed.length) {
    if (changed[i] === 0) {
      while (other[j] === 1) j++;
      i++;
      j++;
      continue;
    }
    const start = i;
    let end = i;
    while (changed[end] === 1) end++;
    let from = start;
    while (other[j] !== 1 && end < ids.length && ids[from] === ids[end]) {
      changed[from++] = 0;
      changed[end++] = 1;
      j++;
      while (changed[end] === 1) end++;
    }
    i = end;
    while (other[j] === 1) j++;
  }
}

/** The changes that make `b` of `a`, in their order. */
export async function changes(
  a: readonly string[],
  b: readonly string[],
  pulse: () => Promise<void> | undefined = () => undefined,
): Promise<Change[]> {
  const [idsA, idsB] = number(a, b);
  const keptA = common(idsA, new Set(idsB));
  const keptB = common(idsB, new Set(idsA));
  const differ = new Differ(
    keptA.map((i) => idsA[i] ?? 0),
    keptB.map((i) => idsB[i] ?? 0),
    pulse,
  );
  const found = await differ.run();
  const changedA = new Uint8Array(a.length).fill(1);
  const changedB = new Uint8Array(b.length).fill(1);
  for (const [at, i] of keptA.entries()) changedA[i] = found.a[at] ?? 0;
  for (const [at, i] of keptB.entries()) changedB[i] = found.b[at] ?? 0;
  slide(idsA, changedA, changedB);
  slide(idsB, changedB, changedA);
  const out: Change[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (changedA[i] !== 1 && changedB[j] !== 1) {
      i++;
      j++;
      continue;
    }
    const [startA, startB] = [i, j];
    while (changedA[i] === 1) i++;
    while (changedB[j] === 1) j++;
    out.push({ startA, endA: i, startB, endB: j });
  }
  return out;
}
