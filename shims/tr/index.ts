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
  /** How many `[c*]` there are: only one has a meaning. */
  fills: number;
  /** Positions at which a class begins, and its name. */
  classes: Map<number, string>;
  hasEquivalence: boolean;
}

const wrong = (message: string): UsageError => new UsageError(message, { hint: false });

/** Repetitions of a byte beyond these are nothing that a first set could be as long as. */
const MOST = 65536;

class SetReader {
  readonly #text: string;
  #at = 0;
  readonly #warn: (text: string) => void;
  readonly #out: CharSet = {
    codes: [],
    fill: undefined,
    fills: 0,
    classes: new Map(),
    hasEquivalence: false,
  };

  constructor(text: string, warn: (text: string) => void) {
    this.#text = text;
    this.#warn = warn;
  }

  read(): CharSet {
    while (this.#at < this.#text.length) {
      if (!this.#bracket()) this.#range();
    }
    return this.#out;
  }

  #one(): number {
    const char = this.#text[this.#at++] ?? '';
    const isLast = this.#at >= this.#text.length;
    if (char === '\\' && isLast)
      this.#warn('warning: an unescaped backslash at end of string is not portable');
    if (char !== '\\' || isLast) return char.charCodeAt(0);
    const octal = /^[0-7]{1,3}/.exec(this.#text.slice(this.#at))?.[0];
    if (octal !== undefined) {
      const taken = parseInt(octal, 8) > 255 ? octal.slice(0, 2) : octal;
      if (taken !== octal)
        this.#warn(
          `warning: the ambiguous octal escape \\${octal} is being\n\tinterpreted as the 2-byte sequence \\0${taken}, ${octal.slice(2)}`,
        );
      this.#at += taken.length;
      return parseInt(taken, 8);
    }
    const next = this.#text[this.#at++] ?? '';
    return ESCAPES[next] ?? next.charCodeAt(0);
  }

  #bracket(): boolean {
    const rest = this.#text.slice(this.#at);
    const named = /^\[:([\s\S]*?):\]/.exec(rest);
    if (named !== null) {
      const name = named[1] ?? '';
      if (name === '') throw wrong("missing character class name '[::]'");
      const codes = CLASSES[name];
      if (codes === undefined) throw wrong(`invalid character class '${name}'`);
      this.#out.classes.set(this.#out.codes.length, name);
      this.#out.codes.push(...codes);
      this.#at += named[0].length;
      return true;
    }
    const equal = /^\[=([\s\S]+?|)=\]/.exec(rest);
    if (equal !== null) {
      const [, char = ''] = equal;
      if (char === '') throw wrong("missing equivalence class character '[==]'");
      if (char.length > 1)
        throw wrong(`${char}: equivalence class operand must be a single character`);
      this.#out.hasEquivalence = true;
      this.#out.codes.push(char.charCodeAt(0));
      this.#at += equal[0].length;
      return true;
    }
    const repeat = /^\[(\\[0-7]{1,3}|\\[\s\S]|[^\\])\*([^\]\\]*)\]/.exec(rest);
    if (repeat === null) return false;
    this.#at++;
    const code = this.#one();
    const text = repeat[2] ?? '';
    const count = parseInt(text || '0', text.startsWith('0') ? 8 : 10);
    if (!/^(0[0-7]*|[1-9]\d*|)$/.test(text) || count > Number.MAX_SAFE_INTEGER)
      throw wrong(`invalid repeat count '${text}' in [c*n] construct`);
    if (count === 0) {
      this.#out.fill = { at: this.#out.codes.length, code };
      this.#out.fills++;
    }
    // No first set is longer than all the bytes there are, several times over.
    for (let i = 0; i < Math.min(count, MOST); i++) this.#out.codes.push(code);
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
      const shown = (code: number) =>
        code >= 32 && code < 127
          ? String.fromCharCode(code)
          : `\\${code.toString(8).padStart(3, '0')}`;
      throw wrong(
        `range-endpoints of '${shown(from)}-${shown(to)}' are in reverse collating sequence order`,
      );
    }
    for (let code = from; code <= to; code++) this.#out.codes.push(code);
  }
}

function complement(set: CharSet): CharSet {
  const has = new Set(set.codes);
  return { ...set, codes: bytes((code) => !has.has(code)) };
}

const isCase = (name: string | undefined): boolean => name === 'upper' || name === 'lower';

/** What the second set may hold only where nothing is translated, or at the places of the first one. */
function checkTranslation(one: CharSet, two: CharSet, isComplement: boolean): void {
  if (two.hasEquivalence)
    throw wrong('[=c=] expressions may not appear in string2 when translating');
  if (![...two.classes.values()].every(isCase))
    throw wrong(
      "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'",
    );
  if (isComplement) return;
  const filled = Math.max(0, one.codes.length - two.codes.length);
  for (const at of two.classes.keys()) {
    const moved = two.fill !== undefined && two.fill.at <= at ? at + filled : at;
    if (!isCase(one.classes.get(moved)))
      throw wrong('misaligned [:upper:] and/or [:lower:] construct');
  }
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
  if (truncate || codes.length >= one.codes.length) return codes;
  if (last === undefined) throw wrong('when not truncating set1, string2 must be non-empty');
  if ([...two.classes.keys()].at(-1) === two.codes.length - UPPER.length)
    throw wrong(
      'when translating with string1 longer than string2,\nthe latter string must not end with a character class',
    );
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
  const warn = (text: string): void => tool.warn(text);
  const read = new SetReader(first, warn).read();
  const isComplement = options.has('c') || options.has('C');
  const one = isComplement ? complement(read) : read;
  const two = second === undefined ? undefined : new SetReader(second, warn).read();
  if (one.fills > 0) throw wrong('the [c*] repeat construct may not appear in string1');
  if (two !== undefined && two.fills > 1)
    throw wrong('only one [c*] repeat construct may appear in string2');
  let to: number[] | undefined;
  if (two !== undefined && !deletes) {
    checkTranslation(one, two, isComplement);
    to = matchLengths(one, two, options.has('t'));
    if (isComplement && one.classes.size > 0 && new Set(to).size > 1)
      throw wrong(
        'when translating with complemented character classes,\nstring2 must map all characters in the domain to one',
      );
  } else if (two?.fill !== undefined) {
    throw wrong('the [c*] construct may appear in string2 only when translating');
  }
  await translate(tool, {
    map: table(one, to ?? []),
    remove: marks(deletes ? one.codes : []),
    squeeze: marks(squeezes ? (to ?? (two ?? one).codes) : []),
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
