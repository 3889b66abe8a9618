/**
 * Dot products of one vector with many rows of bytes, sixteen bytes at a time.
 * Such instructions are only to be had in WebAssembly; the module is put together
 * here by name, since it is thirty instructions long.
 */

import { compileKernel, newMemory, PAGE, signed, TYPE, unsigned } from '../../webassembly.ts';

/** Where in the kernel's memory the query lies, 16 bits a coordinate. */
const QUERY_AT = 0;
/** Where it leaves its results, four bytes each, and how many at most in one call. */
const RESULTS_AT = 16_384;
const RESULTS = 8_192;
/** Where the rows begin. */
const ROWS_AT = 65_536;
/** Bytes that are taken at once: rows are as long as a multiple of this. */
export const LANE_BYTES = 16;
/** Coordinates that a query can have. */
const MOST_DIMENSIONS = (RESULTS_AT - QUERY_AT) / 2;

/** What the module exports: see {@link body}. */
type Dots = (row: number, count: number, divisor: number) => void;

/** Rows of bytes in a memory of their own, and their products with a query. */
export class DotKernel {
  readonly #memory = newMemory(2);
  readonly #stride: number;
  readonly #dots: Dots;
  #rows = new Int8Array(this.#memory.buffer, ROWS_AT);

  /** @param stride bytes of a row, a multiple of {@link LANE_BYTES} */
  constructor(stride: number) {
    if (stride % LANE_BYTES !== 0 || stride > MOST_DIMENSIONS)
      throw new RangeError(`rows of ${stride} bytes cannot be multiplied`);
    this.#stride = stride;
    this.#dots = compileKernel(this.#memory, {
      parameters: [TYPE.i32, TYPE.i32, TYPE.f32],
      results: [],
      locals: [
        [2, TYPE.i32],
        [2, TYPE.v128],
      ],
      body: body(stride),
    }) as Dots;
  }

  /** All rows one after another, room beyond the last one set included; valid until {@link reserve}. */
  get rows(): Int8Array {
    return this.#rows;
  }

  /** Makes room for so many rows. */
  reserve(count: number): void {
    const missing = ROWS_AT + count * this.#stride - this.#memory.buffer.byteLength;
    if (missing <= 0) return;
    const spare = this.#memory.buffer.byteLength >>> 3;
    this.#memory.grow(Math.ceil((missing + spare) / PAGE));
    this.#rows = new Int8Array(this.#memory.buffer, ROWS_AT);
  }

  /**
   * Products of the first `count` rows with a query, each divided by `divisor`.
   * @param among has a 1 for each row that is asked about, null for all; of the others it is 0
   */
  products(
    query: Int16Array,
    count: number,
    divisor: number,
    among: Uint8Array | null = null,
  ): Float32Array {
    const { buffer } = this.#memory;
    const held = new Int16Array(buffer, QUERY_AT, this.#stride);
    held.fill(0);
    held.set(query);
    const out = new Float32Array(count);
    for (const [first, end] of runsOf(among, count)) {
      for (let from = first; from < end; from += RESULTS) {
        const some = Math.min(RESULTS, end - from);
        this.#dots(ROWS_AT + from * this.#stride, some, divisor);
        out.set(new Float32Array(buffer, RESULTS_AT, some), from);
      }
    }
    return out;
  }
}

/** Where rows that are asked about follow one another: the first of them, and the one after the last. */
function* runsOf(among: Uint8Array | null, count: number): Iterable<[first: number, end: number]> {
  if (among === null) {
    yield [0, count];
    return;
  }
  for (let first = among.indexOf(1); first !== -1 && first < count; ) {
    const next = among.indexOf(0, first);
    const end = next === -1 ? count : Math.min(next, count);
    yield [first, end];
    first = among.indexOf(1, end);
  }
}

/** WebAssembly's instructions, as its binary format has them. */
const NOTHING = 0x40;
const op = {
  block: [0x02, NOTHING],
  loop: [0x03, NOTHING],
  end: [0x0b],
  br: (depth: number) => [0x0c, depth],
  brIf: (depth: number) => [0x0d, depth],
  get: (local: number) => [0x20, local],
  set: (local: number) => [0x21, local],
  i32: (value: number) => [0x41, ...signed(value)],
  i32Eqz: [0x45],
  i32LessUnsigned: [0x49],
  i32Add: [0x6a],
  i32Sub: [0x6b],
  i32ShiftLeft: [0x74],
  f32OfI32: [0xb2],
  f32Div: [0x95],
  f32Store: [0x38, 0x02, 0x00],
  load: (offset: number) => [0xfd, 0x00, 0x00, ...unsigned(offset)],
  zeros: [0xfd, 0x0c, ...new Array<number>(16).fill(0)],
  lane: (lane: number) => [0xfd, 0x1b, lane],
  i32x4Add: [0xfd, 0xae, 0x01],
  lowToI16: [0xfd, 0x87, 0x01],
  highToI16: [0xfd, 0x88, 0x01],
  /** Sums of the products of neighbours, of 16 bits each. */
  i32x4Dot: [0xfd, 0xba, 0x01],
} as const;

/** Parameters and locals of the function. */
const [row, count, divisor, k, result, bytes, sum] = [0, 1, 2, 3, 4, 5, 6] as const;

/**
 * For each row the sum over its bytes of byte × query, divided, to the results:
 *
 *     while (count != 0) {
 *       sum = 0; k = 0
 *       do { bytes = row[k..]; sum += low(bytes)·query[k..] + high(bytes)·query[k+8..]; k += 16 } while (k < stride)
 *       *result = (sum[0] + sum[1] + sum[2] + sum[3]) / divisor
 *       row += stride; result += 4; count -= 1
 *     }
 */
function body(stride: number): number[] {
  const add = (local: number, amount: number): number[] =>
    [op.get(local), op.i32(amount), op.i32Add, op.set(local)].flat();
  return [
    [...op.i32(RESULTS_AT), ...op.set(result)],
    [...op.block, ...op.loop, ...op.get(count), ...op.i32Eqz, ...op.brIf(1)],
    [...op.zeros, ...op.set(sum), ...op.i32(0), ...op.set(k)],
    [...op.loop, ...op.get(row), ...op.get(k), ...op.i32Add, ...op.load(0), ...op.set(bytes)],
    [...op.get(sum), ...op.get(bytes), ...op.lowToI16],
    [...op.get(k), ...op.i32(1), ...op.i32ShiftLeft, ...op.load(QUERY_AT)],
    [...op.i32x4Dot, ...op.i32x4Add, ...op.get(bytes), ...op.highToI16],
    [...op.get(k), ...op.i32(1), ...op.i32ShiftLeft, ...op.load(QUERY_AT + LANE_BYTES)],
    [...op.i32x4Dot, ...op.i32x4Add, ...op.set(sum), ...add(k, LANE_BYTES)],
    [...op.get(k), ...op.i32(stride), ...op.i32LessUnsigned, ...op.brIf(0), ...op.end],
    [...op.get(result), ...op.get(sum), ...op.lane(0)],
    [1, 2, 3].flatMap((lane) => [...op.get(sum), ...op.lane(lane), ...op.i32Add]),
    [...op.f32OfI32, ...op.get(divisor), ...op.f32Div, ...op.f32Store],
    [...add(row, stride), ...add(result, 4), ...add(count, -1)],
    [...op.br(0), ...op.end, ...op.end, ...op.end],
  ].flat();
}
