/** Functions of numbers. */
import { type Builtins, numberArgument, ofNumber, textArgument } from './calls.ts';
import { all, map, map2 } from './code.ts';
import { FatalError } from './errors.ts';
import type { Runtime } from './runtime.ts';
import { leadingNumber, type Value } from './values.ts';

/** Whole, not negative, and as exact as a double is. */
function bits(name: string, value: number): bigint {
  if (!(value >= 0) || value > Number.MAX_SAFE_INTEGER) {
    throw new FatalError(
      `${name}: argument ${value} is not allowed: a whole number from 0 to 2^53 - 1 is`,
    );
  }
  return BigInt(Math.trunc(value));
}

/** Of more bits than a double holds the lowest are kept, beside the zeros at their end. */
function fitted(value: bigint): number {
  const wide = BigInt.asUintN(64, value);
  let zeros = 0;
  while (zeros < 64 && wide !== 0n && ((wide >> BigInt(zeros)) & 1n) === 0n) zeros++;
  return Number(BigInt.asUintN(53 + zeros, wide));
}

function joined(name: string, join: (a: bigint, b: bigint) => bigint): Builtins[string] {
  return {
    least: 2,
    most: 100,
    compile: (call) =>
      map(all(call.args.map((_, i) => numberArgument(call, i))), (values) =>
        fitted(values.map((value) => bits(name, value)).reduce(join)),
      ),
  };
}

function shift(name: string, move: (a: bigint, b: bigint) => bigint): Builtins[string] {
  return {
    least: 2,
    most: 2,
    compile: (call) =>
      map2(numberArgument(call, 0), numberArgument(call, 1), (value, by) =>
        fitted(move(bits(name, value), bits(name, by))),
      ),
  };
}

/** Hexadecimal with 0x, octal with 0, else decimal. */
function strtonum(text: string): number {
  const hex = /^\s*0[xX]([0-9a-fA-F]+)/.exec(text);
  if (hex !== null) return Number.parseInt(hex[1] ?? '', 16);
  const octal = /^\s*0([0-7]+)(?![0-9.eE])/.exec(text);
  if (octal !== null) return Number.parseInt(octal[1] ?? '', 8);
  return leadingNumber(text);
}

function warnNegative(runtime: Runtime, name: string, value: number): void {
  if (value < 0) {
    runtime.tool.warn(
      `cmd. line:${runtime.line}: warning: ${name}: received negative argument ${value}`,
    );
  }
}

export const numberFunctions: Builtins = {
  sin: ofNumber(Math.sin),
  cos: ofNumber(Math.cos),
  exp: ofNumber(Math.exp),
  int: ofNumber((value) => Math.trunc(value)),
  log: {
    least: 1,
    most: 1,
    compile: (call) =>
      map(numberArgument(call, 0), (value): Value => {
        warnNegative(call.compiler.runtime, 'log', value);
        return Math.log(value);
      }),
  },
  sqrt: {
    least: 1,
    most: 1,
    compile: (call) =>
      map(numberArgument(call, 0), (value): Value => {
        warnNegative(call.compiler.runtime, 'sqrt', value);
        return Math.sqrt(value);
      }),
  },
  atan2: {
    least: 2,
    most: 2,
    compile: (call) => map2(numberArgument(call, 0), numberArgument(call, 1), Math.atan2),
  },
  rand: {
    least: 0,
    most: 0,
    compile: ({ compiler }) => map(all([]), (): Value => compiler.runtime.random.next()),
  },
  srand: {
    least: 0,
    most: 1,
    compile: (call) =>
      map(numberArgument(call, 0), (seed): Value => {
        const chosen = call.args.length === 0 ? Math.floor(Date.now() / 1000) : seed;
        return call.compiler.runtime.random.begin(chosen);
      }),
  },
  and: joined('and', (a, b) => a & b),
  or: joined('or', (a, b) => a | b),
  xor: joined('xor', (a, b) => a ^ b),
  lshift: shift('lshift', (a, b) => a << b),
  rshift: shift('rshift', (a, b) => a >> b),
  compl: ofNumber((value) => fitted(~bits('compl', value))),
  strtonum: {
    least: 1,
    most: 1,
    compile: (call) => map(textArgument(call, 0), (text): Value => strtonum(text)),
  },
};
