/** dc's stack machine: numbers of any length and strings, registers that are stacks themselves. */
import {
  add,
  compare,
  type Decimal,
  divide,
  format,
  integer,
  multiply,
  negate,
  parse,
  raise,
  remainder,
  rescaled,
  squareRoot,
} from '../bc/decimal.ts';

type Value = Decimal | string;

/** A register: its own stack, and an array at each level of it. */
interface Register {
  stack: Value[];
  arrays: Map<string, Value>[];
}

/** What ends a program at once. */
class Quit extends Error {
  override readonly name = 'Quit';
}

/** Deeper than this no macro is called. */
const MOST_DEPTH = 5000;
const WIDTH = 70;

const NO_LEVELS = 'Q command requires a number >= 1';
const NO_INDEX = 'array index must be a nonnegative integer';
/** What is said of a setting that cannot be. */
const SETTINGS: Readonly<Record<string, string>> = {
  k: 'scale must be a nonnegative number',
  i: 'input base must be a number between 2 and 16 (inclusive)',
  o: 'output base must be a number greater than 1',
};

const ONE = integer(1);
const isZero = (value: Decimal): boolean => value.digits === 0n;
const whole = (value: Decimal): Decimal => rescaled(value, 0);

/** Breaks long numbers as dc does: 69 digits and a backslash. */
function folded(text: string): string {
  if (text.length < WIDTH) return text;
  const lines: string[] = [];
  for (let at = 0; at < text.length; at += WIDTH - 1) lines.push(text.slice(at, at + WIDTH - 1));
  return lines.join('\\\n');
}

export class Machine {
  readonly #print: (text: string) => void;
  readonly #say: (text: string) => void;
  readonly #pulse: () => Promise<void> | undefined;
  /** Lines that `?` takes. */
  readonly #lines: string[];
  readonly #registers = new Map<string, Register>();
  #stack: Value[] = [];
  #scale = 0;
  #input = 10;
  #output = 10;
  /** Macro levels that a `q` or `Q` still has to leave. */
  #leaving = 0;

  constructor(
    print: (text: string) => void,
    say: (text: string) => void,
    pulse: () => Promise<void> | undefined,
    lines: string[],
  ) {
    this.#print = print;
    this.#say = say;
    this.#pulse = pulse;
    this.#lines = lines;
  }

  /** Runs a program; false if it quit. */
  async run(source: string): Promise<boolean> {
    try {
      await this.#execute(source, 0);
      this.#leaving = 0;
      return true;
    } catch (error) {
      if (error instanceof Quit) return false;
      throw error;
    }
  }

  #fail(text: string): void {
    this.#say(text);
  }

  #pop(): Value | undefined {
    const value = this.#stack.pop();
    if (value === undefined) this.#fail('stack empty');
    return value;
  }

  /** The numbers on top, the lowest first; undefined after a message, with the stack as it was. */
  #numbers(count: number): Decimal[] | undefined {
    if (this.#stack.length < count) {
      this.#fail('stack empty');
      return undefined;
    }
    const taken = this.#stack.slice(-count);
    const numbers = taken.filter((value): value is Decimal => typeof value !== 'string');
    if (numbers.length < count) {
      this.#fail('non-numeric value');
      return undefined;
    }
    this.#stack.length -= count;
    return numbers;
  }

  /** The number on top. What is no number is gone all the same, after a message if there is one for it. */
  #number(message?: string): Decimal | undefined {
    const value = this.#pop();
    if (typeof value !== 'string') return value;
    if (message !== undefined) this.#fail(message);
    return undefined;
  }

  #register(name: string): Register {
    let found = this.#registers.get(name);
    if (found === undefined) {
      found = { stack: [], arrays: [new Map()] };
      this.#registers.set(name, found);
    }
    return found;
  }

  async #execute(given: string, depth: number): Promise<void> {
    if (depth > MOST_DEPTH) {
      this.#fail('macros are nested too deeply');
      return;
    }
    let source = given;
    for (let at = 0; at < source.length; ) {
      const rest = this.#pulse();
      if (rest !== undefined) await rest;
      const number = /_?(?:[0-9A-F]+\.?[0-9A-F]*|\.[0-9A-F]*)/y;
      number.lastIndex = at;
      const digits = number.exec(source)?.[0];
      if (digits !== undefined && digits !== '_') {
        const value = parse(digits.replace('_', ''), this.#input);
        this.#stack.push(digits.startsWith('_') ? negate(value) : value);
        at += digits.length;
        continue;
      }
      const char = source[at++] ?? '';
      if (/\s/.test(char)) continue;
      if (char === '#') {
        const end = source.indexOf('\n', at);
        at = end < 0 ? source.length : end + 1;
        continue;
      }
      if (char === '[') {
        const end = closing(source, at);
        this.#stack.push(source.slice(at, end));
        at = end + 1;
        continue;
      }
      if ('slSL:;'.includes(char)) {
        this.#useRegister(char, source[at++] ?? '');
        continue;
      }
      const jump = this.#jump(char, source, at);
      if (jump !== undefined) {
        at = jump.at;
        if (jump.macro === undefined) continue;
        // A call at the very end of a macro takes no further level, so that loops can go on for ever.
        if (at >= source.length && depth > 0) {
          source = jump.macro;
          at = 0;
          continue;
        }
        await this.#execute(jump.macro, depth + 1);
        if (this.#leaving > 0) {
          this.#leaving--;
          return;
        }
        continue;
      }
      if (char === 'q') {
        if (depth < 2) throw new Quit();
        this.#leaving = 1;
        return;
      }
      if (char === 'Q') {
        const levels = this.#number(NO_LEVELS);
        const count = Number(levels === undefined ? 0n : whole(levels).digits);
        if (levels !== undefined && count < 1) this.#fail(NO_LEVELS);
        else if (levels !== undefined && depth > 0) {
          this.#leaving = Math.min(count, depth) - 1;
          return;
        }
        continue;
      }
      this.#command(char);
    }
  }

  /** `x`, `?`, `<r`, `!=r` …: what runs other text. */
  #jump(char: string, source: string, at: number): { at: number; macro?: string } | undefined {
    if (char === '?') return { at, macro: this.#lines.shift() ?? '' };
    if (char === 'x') {
      const value = this.#pop();
      if (typeof value === 'string') return { at, macro: value };
      if (value !== undefined) this.#stack.push(value);
      return { at };
    }
    const negated = char === '!' && /[<>=]/.test(source[at] ?? '');
    const sign = negated ? (source[at] ?? '') : char;
    if (char === '!' && !negated) {
      this.#fail('commands of the system cannot be run from here');
      const end = source.indexOf('\n', at);
      return { at: end < 0 ? source.length : end };
    }
    if (!/[<>=]/.test(sign)) return undefined;
    const name = source[at + (negated ? 1 : 0)] ?? '';
    const next = at + (negated ? 2 : 1);
    const pair = this.#numbers(2);
    if (pair === undefined) return { at: next };
    // What is on top stands on the left.
    const order = compare(pair[1] as Decimal, pair[0] as Decimal);
    const holds = sign === '<' ? order < 0 : sign === '>' ? order > 0 : order === 0;
    if (holds === negated) return { at: next };
    const macro = this.#register(name).stack.at(-1);
    if (typeof macro === 'string') return { at: next, macro };
    if (macro === undefined)
      this.#fail(`register '${name}' (0${name.charCodeAt(0).toString(8)}) is empty`);
    return { at: next };
  }

  #useRegister(char: string, name: string): void {
    const register = this.#register(name);
    const shown = `register '${name}' (0${name.charCodeAt(0).toString(8)}) is empty`;
    if (char === 's' || char === 'S') {
      const value = this.#pop();
      if (value === undefined) return;
      if (char === 's') {
        register.stack.pop();
      } else register.arrays.push(new Map());
      register.stack.push(value);
    } else if (char === 'l') {
      // A register that was never set holds nothing, which reads as 0.
      this.#stack.push(register.stack.at(-1) ?? integer(0));
    } else if (char === 'L') {
      const value = register.stack.pop();
      if (register.arrays.length > 1) register.arrays.pop();
      if (value === undefined) this.#fail(`stack ${shown}`);
      else this.#stack.push(value);
    } else {
      const index = this.#number(NO_INDEX);
      if (index === undefined) return;
      if (index.digits < 0n) return this.#fail(NO_INDEX);
      const key = String(whole(index).digits);
      const cells = register.arrays.at(-1);
      if (char === ';') {
        this.#stack.push(cells?.get(key) ?? integer(0));
        return;
      }
      const value = this.#pop();
      if (value !== undefined) cells?.set(key, value);
    }
  }

  #text(value: Value): string {
    return typeof value === 'string' ? value : folded(format(value, this.#output));
  }

  #command(char: string): void {
    if ('+-*/%~^|v'.includes(char)) return this.#arithmetic(char);
    switch (char) {
      case 'p':
        if (this.#stack.length === 0) return this.#fail('stack empty');
        return this.#print(`${this.#text(this.#stack.at(-1) as Value)}\n`);
      case 'n': {
        const value = this.#pop();
        return value === undefined ? undefined : this.#print(this.#text(value));
      }
      case 'P': {
        const value = this.#pop();
        if (value !== undefined) this.#print(typeof value === 'string' ? value : bytesOf(value));
        return;
      }
      case 'f':
        for (const value of [...this.#stack].reverse()) this.#print(`${this.#text(value)}\n`);
        return;
      case 'c':
        this.#stack = [];
        return;
      case 'd':
        if (this.#stack.length === 0) return this.#fail('stack empty');
        this.#stack.push(this.#stack.at(-1) as Value);
        return;
      case 'r': {
        if (this.#stack.length < 2) return this.#fail('stack empty');
        const [a, b] = this.#stack.splice(-2);
        this.#stack.push(b as Value, a as Value);
        return;
      }
      case 'R':
        return this.#rotate();
      case 'z':
        this.#stack.push(integer(this.#stack.length));
        return;
      case 'Z':
      case 'X':
      case 'a':
        return this.#about(char);
      default:
        return this.#settings(char);
    }
  }

  #rotate(): void {
    const count = Number(whole(this.#number() ?? integer(0)).digits);
    const size = Math.min(Math.abs(count), this.#stack.length);
    if (size < 2) return;
    const top = this.#stack.splice(-size);
    if (count > 0) top.push(top.shift() as Value);
    else top.unshift(top.pop() as Value);
    this.#stack.push(...top);
  }

  #about(char: string): void {
    const value = this.#pop();
    if (value === undefined) return;
    if (char === 'X') this.#stack.push(integer(typeof value === 'string' ? 0 : value.scale));
    else if (char === 'Z') {
      const digits =
        typeof value === 'string'
          ? value
          : String(value.digits < 0n ? -value.digits : value.digits);
      this.#stack.push(integer(digits.length));
    } else
      this.#stack.push(typeof value === 'string' ? value.slice(0, 1) : bytesOf(value).slice(-1));
  }

  #settings(char: string): void {
    if (char === 'K') this.#stack.push(integer(this.#scale));
    else if (char === 'I') this.#stack.push(integer(this.#input));
    else if (char === 'O') this.#stack.push(integer(this.#output));
    else if ('kio'.includes(char)) {
      const complaint = SETTINGS[char] ?? '';
      const value = this.#number(complaint);
      if (value === undefined) return;
      const number = Number(whole(value).digits);
      if (number < (char === 'k' ? 0 : 2) || (char === 'i' && number > 16)) {
        return this.#fail(complaint);
      }
      if (char === 'k') this.#scale = number;
      else if (char === 'i') this.#input = number;
      else this.#output = number;
    } else this.#fail(`'${char}' (0${char.charCodeAt(0).toString(8)}) unimplemented`);
  }

  #root(): Decimal[] | undefined {
    const value = this.#number('square root of nonnumeric attempted');
    return value === undefined ? undefined : [value];
  }

  #arithmetic(char: string): void {
    const count = char === 'v' ? 1 : char === '|' ? 3 : 2;
    const taken = count === 1 ? this.#root() : this.#numbers(count);
    if (taken === undefined) return;
    const [a = ONE, b = ONE, c = ONE] = taken;
    const back = (text: string): void => {
      this.#fail(text);
      this.#stack.push(...taken);
    };
    switch (char) {
      case '+':
        this.#stack.push(add(a, b));
        return;
      case '-':
        this.#stack.push(add(a, negate(b)));
        return;
      case '*':
        this.#stack.push(multiply(a, b, this.#scale));
        return;
      case '/':
      case '%':
      case '~':
        if (isZero(b)) return back(char === '%' ? 'remainder by zero' : 'divide by zero');
        if (char !== '%') this.#stack.push(divide(a, b, this.#scale));
        if (char !== '/') this.#stack.push(remainder(a, b, this.#scale));
        return;
      case '^':
        if (isZero(a) && b.digits < 0n) return back('divide by zero');
        this.#stack.push(raise(a, Number(whole(b).digits), this.#scale));
        return;
      case 'v':
        if (a.digits < 0n) return back('square root of negative number');
        this.#stack.push(squareRoot(a, this.#scale));
        return;
      default:
        if (isZero(c)) return back('remainder by zero');
        this.#stack.push(power(a, b, c));
    }
  }
}

/** a to the power of b, modulo c, in whole numbers. */
function power(a: Decimal, b: Decimal, c: Decimal): Decimal {
  const modulus = whole(c).digits;
  let base = whole(a).digits % modulus;
  let result = 1n;
  for (let rest = whole(b).digits; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * base) % modulus;
    base = (base * base) % modulus;
  }
  return integer(result);
}

/** A number's bytes, the highest first, as `P` prints them. */
function bytesOf(value: Decimal): string {
  let rest = whole(value).digits;
  if (rest < 0n) rest = -rest;
  let out = '';
  for (; rest > 0n; rest >>= 8n) out = String.fromCharCode(Number(rest & 255n)) + out;
  return out;
}

function closing(source: string, from: number): number {
  let depth = 1;
  for (let at = from; at < source.length; at++) {
    if (source[at] === '[') depth++;
    if (source[at] === ']' && --depth === 0) return at;
  }
  return source.length;
}
