/** tr over bytes, as GNU's, with ranges, classes, repeats and octal escapes. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool, toBytes } from '../support/tool.ts';

const bytes = (test: (code: number) => boolean): number[] =>
  Array.from({ length: 256 }, (_, code) => code).filter(test);
const between = (low: number, high: number): number[] =>
  bytes((code) => code >= low && code <= high);
const UPPER = between(65, 90);
const LOWER = between(97, 122);
const DIGIT = between(48, 57);

const CLASSES: Readonly<Record<string, readonly number[]>> = {
  upper: UPPER,
  lower: LOWER,
  digit: DIGIT,
  alpha: [...UPPER, ...LOWER],
  alnum: [...DIGIT, ...UPPER, ...LOWER],
  blank: [9, 32],
  space: [9, 10, 11, 12, 13, 32],
  cntrl: bytes((code) => code < 32 || code === 127),
  print: between(32, 126),
  graph: between(33, 126),
  punct: bytes((code) => code > 32 && code < 127 && !/[A-Za-z0-9]/.test(String.fromCharCode(code))),
  xdigit: [...DIGIT, ...between(65, 70), ...between(97, 102)],
};

const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
};

/** A set, and what in it needs the other one to be understood. */
interface CharSet {
  codes: number[];
  /** Where `[c*]` stands and how often it repeats; undefined count fills up. */
  fill: { at: number; code: number } | undefined;
  /** Positions at which `[:upper:]` or `[:lower:]` begins. */
  cases: Map<number, 'upper' | 'lower'>;
}

class SetReader {
  readonly #text: string;
  #at = 0;
  readonly #out: CharSet = { codes: [], fill: undefined, cases: new Map() };

  constructor(text: string) {
    this.#text = text;
  }

  read(): CharSet {
    while (this.#at < this.#text.length) {
      if (!this.#bracket()) this.#range();
    }
    return this.#out;
  }

  #one(): number {
    const char = this.#text[this.#at++] ?? '';
    if (char !== '\\' || this.#at >= this.#text.length) return char.charCodeAt(0);
    const octal = /^[0-7]{1,3}/.exec(this.#text.slice(this.#at))?.[0];
    if (octal !== undefined) {
      const taken = parseInt(octal, 8) > 255 ? octal.slice(0, 2) : octal;
      this.#at += taken.length;
      return parseInt(taken, 8);
    }
    const next = this.#text[this.#at++] ?? '';
    return ESCAPES[next] ?? next.charCodeAt(0);
  }

  #bracket(): boolean {
    const rest = this.#text.slice(this.#at);
    const named = /^\[:([a-z]*):\]/.exec(rest);
    if (named !== null) {
      const name = named[1] ?? '';
      const codes = CLASSES[name];
      if (codes === undefined) {
        throw new UsageError(`invalid character class '${name}'`, { hint: false });
      }
      if (name === 'upper' || name === 'lower') this.#out.cases.set(this.#out.codes.length, name);
      this.#out.codes.push(...codes);
      this.#at += named[0].length;
      return true;
    }
    const equal = /^\[=([\s\S])=\]/.exec(rest);
    if (equal !== null) {
      this.#out.codes.push((equal[1] ?? '').charCodeAt(0));
      this.#at += equal[0].length;
      return true;
    }
    const repeat = /^\[(\\[0-7]{1,3}|\\[\s\S]|[^\\])\*(\d*)\]/.exec(rest);
    if (repeat === null) return false;
    this.#at++;
    const code = this.#one();
    const text = repeat[2] ?? '';
    const count = parseInt(text || '0', text.startsWith('0') ? 8 : 10);
    if (count === 0) this.#out.fill = { at: this.#out.codes.length, code };
    for (let i = 0; i < count; i++) this.#out.codes.push(code);
    this.#at += repeat[0].length - 1 - (repeat[1]?.length ?? 0);
    return true;
  }

  #range(): void {
    const from = this.#one();
    if (this.#text[this.#at] !== '-' || this.#at + 1 >= this.#text.length) {
      this.#out.codes.push(from);
      return;
    }
    this.#at++;
    const to = this.#one();
    if (to < from) {
      const shown = (code: number) => String.fromCharCode(code);
      throw new UsageError(
        `range-endpoints of '${shown(from)}-${shown(to)}' are in reverse collating sequence order`,
        { hint: false },
      );
    }
    for (let code = from; code <= to; code++) this.#out.codes.push(code);
  }
}

function complement(set: CharSet): CharSet {
  const has = new Set(set.codes);
  return { codes: bytes((code) => !has.has(code)), fill: undefined, cases: new Map() };
}

/** Brings the second set to the length of the first one. */
function matchLengths(one: CharSet, two: CharSet, truncate: boolean): number[] {
  const codes = [...two.codes];
  if (two.fill !== undefined) {
    const { at, code } = two.fill;
    const missing = Math.max(0, one.codes.length - codes.length);
    codes.splice(at, 0, ...new Array<number>(missing).fill(code));
  }
  const last = codes.at(-1);
  if (truncate || last === undefined) return codes;
  while (codes.length < one.codes.length) codes.push(last);
  return codes;
}

function table(one: CharSet, to: readonly number[]): Uint8Array {
  const map = Uint8Array.from({ length: 256 }, (_, code) => code);
  for (const [i, code] of one.codes.entries()) {
    const target = to[i];
    if (target !== undefined) map[code] = target;
  }
  return map;
}

function check(tool: Tool, sets: readonly string[], deletes: boolean, squeezes: boolean): void {
  const [one, two, extra] = sets;
  if (one === undefined) throw new UsageError('missing operand');
  if (two === undefined && deletes === squeezes) {
    const why = deletes
      ? 'Two strings must be given when both deleting and squeezing repeats.'
      : 'Two strings must be given when translating.';
    tool.stderr = '';
    throw new UsageError(`missing operand after '${one}'\n${why}`);
  }
  const over = deletes && !squeezes ? two : extra;
  if (over === undefined) return;
  const why =
    deletes && !squeezes
      ? '\nOnly one string may be given when deleting without squeezing repeats.'
      : '';
  throw new UsageError(`extra operand '${over}'${why}`);
}

async function tr(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'cCdst',
    long: { complement: 'c', delete: 'd', 'squeeze-repeats': 's', 'truncate-set1': 't' },
    stopAtOperand: true,
  });
  const [deletes, squeezes] = [options.has('d'), options.has('s')];
  check(tool, options.operands, deletes, squeezes);
  const [first = '', second] = options.operands.map(toBytes);
  const read = new SetReader(first).read();
  const one = options.has('c') || options.has('C') ? complement(read) : read;
  const two = second === undefined ? undefined : new SetReader(second).read();
  const translates = !deletes && two !== undefined;
  if (translates && two.codes.length === 0 && two.fill === undefined && one.codes.length > 0) {
    throw new UsageError('when not truncating set1, string2 must be non-empty', { hint: false });
  }
  const map = translates ? table(one, matchLengths(one, two, options.has('t'))) : table(one, []);
  await translate(tool, {
    map,
    remove: marks(deletes ? one.codes : []),
    squeeze: marks(squeezes ? (two ?? one).codes : []),
  });
}

/** By byte: what each becomes, whether it goes, whether it stands only once in a row. */
interface Translation {
  map: Uint8Array;
  remove: Uint8Array;
  squeeze: Uint8Array;
}

function marks(codes: readonly number[]): Uint8Array {
  const marked = new Uint8Array(256);
  for (const code of codes) marked[code] = 1;
  return marked;
}

/** Bytes between two looks at the clock. */
const STRETCH = 1024 * 1024;

async function translate(tool: Tool, { map, remove, squeeze }: Translation): Promise<void> {
  const input = Buffer.from(tool.stdin, 'latin1');
  const output = Buffer.allocUnsafe(input.length);
  let length = 0;
  let last = -1;
  for (let from = 0; from < input.length; from += STRETCH) {
    const to = Math.min(input.length, from + STRETCH);
    for (let at = from; at < to; at++) {
      const code = input[at] as number;
      if (remove[code] === 1) continue;
      const made = map[code] as number;
      if (made === last && squeeze[made] === 1) continue;
      last = made;
      output[length++] = made;
    }
    await tool.rest();
  }
  tool.write(output.toString('latin1', 0, length));
}

/** tr. */
export const trShims: ShimFactory = (host) => [
  defineTool(host, { name: 'tr', usage: 'Usage: tr [OPTION]... STRING1 [STRING2]' }, tr),
];
