/**
 * printf: the built-in one, save for conversions that it gets wrong in
 * silence (negative numbers as unsigned 64 bit ones, inf and nan, fractions
 * halfway between two, characters as numbers, quoted words). Those are
 * worked out here and handed on as text.
 */
import type { ShimFactory } from '../../src/shell/command.ts';
import { formatFixed, formatFloat, formatInteger, parseConversion } from '../support/format.ts';
import { defineTool, type Tool } from '../support/tool.ts';
import { fixedDigits } from './long-double.ts';
import { shellQuoted } from './quoted.ts';

const CONVERSION = /%(?:%|\([^)]*\)T|[-+ 0#']*(?:\d+)?(?:\.\d*)?[a-zA-Z])/g;
const INFINITE = /^[+-]?(?:inf(?:inity)?|nan)$/i;

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

const BEYOND_ASCII = /[^\x00-\x7f]/;

/** Integers that a double may not hold. */
const WIDE = /^-?[1-9]\d{15,18}$/;

function inRange(text: string): boolean {
  return BigInt(text) === BigInt.asIntN(64, BigInt(text));
}

function asNumber(text: string): number {
  if (/nan/i.test(text)) return Number.NaN;
  return text.startsWith('-') ? -Infinity : Infinity;
}

/** The text of a conversion that the built-in one would get wrong, else undefined. */
function mended(spec: string, arg: string): string | undefined {
  const type = spec.at(-1) ?? '';
  if (type === 'q') return padded(spec, shellQuoted(arg));
  // `'a` is the number of the character.
  if ('diuxXo'.includes(type) && /^['"]/.test(arg)) {
    return formatInteger(spec, BigInt([...arg][1]?.codePointAt(0) ?? 0));
  }
  if ('uxXo'.includes(type) && /^-\d+$/.test(arg)) return formatInteger(spec, BigInt(arg));
  if ('diuxXo'.includes(type) && WIDE.test(arg) && inRange(arg)) {
    return formatInteger(spec, BigInt(arg));
  }
  if ('fFeEgG'.includes(type) && INFINITE.test(arg)) return formatFloat(spec, asNumber(arg));
  if ('fF'.includes(type)) {
    const { precision = -1 } = parseConversion(spec) ?? {};
    const digits = fixedDigits(arg, precision < 0 ? 6 : precision);
    return digits === undefined ? undefined : formatFixed(spec, arg.startsWith('-'), digits);
  }
  // %e is not rounded as C does it, and %g comes out with its exponent cut.
  if ('eEgG'.includes(type) && NUMBER.test(arg)) return formatFloat(spec, Number(arg));
  // Widths count bytes, not characters.
  const [, left, width] = /^%(-?)(\d+)s$/.exec(spec) ?? [];
  if (width !== undefined && BEYOND_ASCII.test(arg)) {
    const blanks = ' '.repeat(Math.max(0, Number(width) - Buffer.byteLength(arg)));
    return left === '-' ? arg + blanks : blanks + arg;
  }
  return undefined;
}

function padded(spec: string, text: string): string {
  const [, left, width = '0'] = /^%(-?)(\d*)/.exec(spec) ?? [];
  return left === '-' ? text.padEnd(Number(width)) : text.padStart(Number(width));
}

/** Repeats the format over the arguments as printf does, with wrong conversions worked out. */
function unroll(format: string, args: readonly string[]): string[] | undefined {
  const specs = [...format.matchAll(CONVERSION)].map(([spec]) => spec);
  const taking = specs.filter((spec) => spec !== '%%');
  if (taking.length === 0) return undefined;
  let changed = false;
  let next = 0;
  let text = '';
  const rest: string[] = [];
  do {
    text += format.replace(CONVERSION, (spec) => {
      if (spec === '%%' || (next >= args.length && !spec.endsWith('q'))) return spec;
      const arg = args[next++] ?? '';
      const better = mended(spec, arg);
      changed ||= better !== undefined;
      rest.push(better ?? arg);
      return better === undefined ? spec : '%s';
    });
  } while (next < args.length);
  return changed ? [text, ...rest] : undefined;
}

async function printf(tool: Tool) {
  const args = [...tool.args];
  const lead: string[] = [];
  if (args[0] === '-v') lead.push(...args.splice(0, 2));
  if (args[0] === '--') lead.push(...args.splice(0, 1));
  const [format = '', ...rest] = args;
  const suspect =
    /%[^a-zA-Z%]*q/.test(format) ||
    rest.some((arg) => /^(?:-\d+$|['"])/.test(arg) || WIDE.test(arg) || INFINITE.test(arg)) ||
    /%[^a-zA-Z]*[eEfFgG]/.test(format) ||
    (/%-?\d+s/.test(format) && rest.some((arg) => BEYOND_ASCII.test(arg)));
  if (!suspect || /%[^a-zA-Z%(]*\*/.test(format)) return tool.original();
  return tool.original([...lead, ...(unroll(format, rest) ?? args)]);
}

/** printf. */
export const printfShims: ShimFactory = (host) => [
  defineTool(host, { name: 'printf', usage: 'Usage: printf FORMAT [ARGUMENT]...' }, printf),
];
