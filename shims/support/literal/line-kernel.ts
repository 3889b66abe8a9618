/**
 * The quick way for what most searches are: lines that hold one literal, printed
 * as they are, or counted. It does in WebAssembly what the matcher, the line
 * search and the printer do together, some five times as fast.
 */
import { compileKernel, newMemory, PAGE } from '../../../src/webassembly.ts';
import { AT, LINE_CODE } from './line-code.ts';

/** What is searched for, and how it is printed. */
export interface LineQuery {
  /** Without the byte that ends lines; see {@link LineKernel.takes}. */
  literal: Uint8Array;
  eol: number;
  print: boolean;
  /** Are lines printed with their numbers? */
  numbered: boolean;
}

/** Gets output in the kernel's own memory: to be copied before the next call. */
export type TakeOutput = (memory: Uint8Array, from: number, to: number) => void;

/** See `PARAMETERS` of the code. */
type Run = (
  at: number,
  end: number,
  number: number,
  literal: number,
  head: number,
  most: number,
  eol: number,
  to: number,
  limit: number,
  print: number,
) => number;

/** Longer texts are searched in pieces, and longer lines not at all. Bytes. */
const TEXT_BYTES = 16 * PAGE;
/** The longest line must fit, with what stands before it. */
const OUTPUT_BYTES = TEXT_BYTES + PAGE;
/** Bytes that may be read behind a text. */
const MARGIN = PAGE;
const OUTPUT_AT = AT.text + TEXT_BYTES + MARGIN;
const LIMIT = OUTPUT_AT + OUTPUT_BYTES;
const MOST = 0x7fffffff;

export class LineKernel {
  readonly #memory = newMemory(LIMIT / PAGE);
  readonly #bytes = Buffer.from(this.#memory.buffer);
  readonly #left = new Int32Array(this.#memory.buffer, AT.left, 3);
  readonly #run = compileKernel(this.#memory, LINE_CODE) as Run;

  /** Can it look for a text? */
  static takes(literal: Uint8Array, eol: number): boolean {
    const { length } = literal;
    return length > 0 && length <= AT.head - AT.literal && literal.indexOf(eol) === -1;
  }

  /**
   * Searches a text, and gives the number of lines that hold the literal.
   * @param head stands before each line that is printed
   * @returns null where it cannot: nothing is printed then
   */
  search(text: Uint8Array, query: LineQuery, head: string, take: TakeOutput): number | null {
    const { literal, eol } = query;
    const whole = text.length > 0 && text[text.length - 1] === eol ? text.length - 1 : text.length;
    const pieces = piecesOf(text, whole, eol);
    // A character has at most three bytes for each of its code units.
    if (pieces === null || head.length * 3 > AT.text - AT.head) return null;
    this.#bytes.set(literal, AT.literal);
    const headLength = this.#bytes.write(head, AT.head, 'utf8');
    let number = query.numbered ? 1 : 0;
    let selected = 0;
    let from = 0;
    for (const to of pieces) {
      this.#bytes.set(from === 0 && to === text.length ? text : text.subarray(from, to), AT.text);
      const end = AT.text + to - from;
      for (let at: number = AT.text; at <= end; ) {
        const print = query.print ? 1 : 0;
        selected += this.#run(
          ...([at, end, number, literal.length, headLength] as const),
          ...([MOST, eol, OUTPUT_AT, LIMIT, print] as const),
        );
        const [stopped = 0, next = 0, written = 0] = this.#left;
        if (written > OUTPUT_AT) take(this.#bytes, OUTPUT_AT, written);
        at = stopped;
        number = next;
      }
      from = to + 1;
    }
    return selected;
  }
}

/** Gives a kernel for a text of so many bytes; null where that does not pay. */
export type KernelFor = (bytes: number) => LineKernel | null;

/** Making a kernel takes about as long as searching so many bytes without it. */
const WORTH = 1024 * 1024;

/** A kernel that is made once there has been enough to search. */
export function madeWhenWorth(make: () => LineKernel): KernelFor {
  let kernel: LineKernel | null = null;
  let wanted = 0;
  return (bytes) => {
    wanted += bytes;
    if (wanted >= WORTH) kernel ??= make();
    return kernel;
  };
}

/** Where the pieces of a text end, each at the end of a line; null where a line is too long. */
function piecesOf(text: Uint8Array, whole: number, eol: number): number[] | null {
  const ends: number[] = [];
  for (let from = 0; whole - from > TEXT_BYTES; ) {
    const end = text.lastIndexOf(eol, from + TEXT_BYTES);
    if (end < from) return null;
    ends.push(end);
    from = end + 1;
  }
  ends.push(whole);
  return ends;
}
