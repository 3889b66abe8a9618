/**
 * printf: the built-in one, save for conversions that it gets wrong in
 * silence (negative numbers as unsigned 64 bit ones, inf and nan, fractions
 * halfway between two, characters as numbers, quoted words). Those are
 * worked out here and handed on as text.
 */
import type { ExecResult } from 'just-bash';
import { bytesFromText, textFromBytes } from '../../src/shell/bytes.ts';
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
const WIDE = /^[-+]?(?:[1-9]\d{15,}|0[xX][0-9a-fA-F]{13,})$/;
const MAX_SIGNED = 2n ** 63n - 1n;
const MAX_UNSIGNED = 2n ** 64n - 1n;

/** A wide integer; what is beyond 64 bits is the last that there is. */
function wideInteger(type: string, text: string): bigint {
  const digits = BigInt(text.replace(/^[-+]/, ''));
  const value = text.startsWith('-') ? -digits : digits;
  if (type !== 'd' && type !== 'i')
    return value > MAX_UNSIGNED || -value > MAX_UNSIGNED ? MAX_UNSIGNED : value;
  if (value > MAX_SIGNED) return MAX_SIGNED;
  return value < -MAX_SIGNED ? -MAX_SIGNED - 1n : value;
}

/** The first bytes of a text. */
function firstBytes(text: string, count: number): string {
  return textFromBytes(bytesFromText(text).slice(0, count));
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
  if ('diuxXo'.includes(type) && WIDE.test(arg)) {
    return formatInteger(spec, wideInteger(type, arg));
  }
  if ('uxXo'.includes(type) && /^-\d+$/.test(arg)) return formatInteger(spec, BigInt(arg));
  if ('fFeEgG'.includes(type) && INFINITE.test(arg)) return formatFloat(spec, asNumber(arg));
  if ('fF'.includes(type)) {
    const { precision = -1 } = parseConversion(spec) ?? {};
    const digits = fixedDigits(arg, precision < 0 ? 6 : precision);
    return digits === undefined ? undefined : formatFixed(spec, arg.startsWith('-'), digits);
  }
  // %e is not rounded as C does it, and %g comes out with its exponent cut.
  if ('eEgG'.includes(type) && NUMBER.test(arg)) return formatFloat(spec, Number(arg));
  const [, side, room] = /^%(-?)(\d*)c$/.exec(spec) ?? [];
  if (room !== undefined && (room !== '' || BEYOND_ASCII.test(arg))) {
    const first = firstBytes(arg, 1);
    return side === '-' ? first.padEnd(Number(room)) : first.padStart(Number(room));
  }
  if (type === 'b' && /\\[eE]/.test(arg)) {
    return arg.replace(/\\(?:([eE])|[\s\S])/g, (whole, known) =>
      known === undefined ? whole : '\\033',
    );
  }
  // Widths and precisions count bytes, not characters.
  const [, left, width, precision] = /^%(-?)(\d*)(?:\.(\d*))?s$/.exec(spec) ?? [];
  if (width !== undefined && BEYOND_ASCII.test(arg)) {
    const text = precision === undefined ? arg : firstBytes(arg, Number(precision));
    const blanks = ' '.repeat(Math.max(0, Number(width) - bytesFromText(text).length));
    return left === '-' ? text + blanks : blanks + text;
  }
  return undefined;
}

function padded(spec: string, text: string): string {
  const [, left, width = '0'] = /^%(-?)(\d*)/.exec(spec) ?? [];
  return left === '-' ? text.padEnd(Number(width)) : text.padStart(Number(width));
}

/** A text that the built-in one would take for an option wherever it stands. */
const HELP = '--help';

/** Its conversion, as text of the format. */
function helpAsText(spec: string): string {
  const [, side, width = '', precision] =
    /^%(-?)[^\d.]*(\d*)(?:\.(\d*))?[a-zA-Z]$/.exec(spec) ?? [];
  const text = precision === undefined ? HELP : HELP.slice(0, Number(precision));
  return side === '-' ? text.padEnd(Number(width)) : text.padStart(Number(width));
}

/** Repeats the format over the arguments as printf does, with wrong conversions worked out. */
function unroll(format: string, args: readonly string[]): string[] | undefined {
  const specs = [...format.matchAll(CONVERSION)].map(([spec]) => spec);
  const taking = specs.filter((spec) => spec !== '%%');
  if (taking.length === 0) return args.includes(HELP) ? [format] : undefined;
  let changed = false;
  let next = 0;
  let text = '';
  const rest: string[] = [];
  do {
    text += format.replace(CONVERSION, (spec) => {
      if (spec === '%%' || (next >= args.length && !spec.endsWith('q'))) return spec;
      const arg = args[next++] ?? '';
      if (arg === HELP && /[sbq]$/.test(spec)) {
        changed = true;
        return helpAsText(spec);
      }
      const better = mended(spec, arg);
      changed ||= better !== undefined;
      rest.push(better ?? arg);
      // What %b takes stays its own to read.
      return better === undefined || spec.endsWith('b') ? spec : '%s';
    });
  } while (next < args.length);
  return changed ? [text, ...rest] : undefined;
}

/** A conversion with everything that may stand in it; one that ends too early has no letter. */
const FULL =
  /%(?:%|\([^)]*\)T|([-+ 0#']*)(\*|\d+)?(?:\.(\*|-?\d*))?(?:hh|h|ll|l|L|q|j|z|t)*([\s\S])?)/gu;
const LETTERS = 'diouxXeEfFgGaAcsbqQ';

/** Format and arguments without `*` and without sizes such as the l of `%ld`. */
interface Plain {
  format: string;
  args: readonly string[];
  /** What ended it: a conversion that is none. */
  problem?: string;
}

/** A format in which nothing has to be taken out. */
const PLAIN = /^(?:[^%]|%%|%\([^)]*\)T|%[-+ 0#']*\d*(?:\.\d*)?[diouxXeEfFgGaAcsbqQ])*$/;

const countOf = (arg: string | undefined): number => Math.trunc(Number(arg)) || 0;

/** Takes widths and precisions from the arguments; the format is repeated as long as there are any. */
function plainOf(format: string, given: readonly string[]): Plain {
  const args: string[] = [];
  let next = 0;
  let text = '';
  let problem: string | undefined;
  do {
    const before = next;
    let end = 0;
    for (const match of format.matchAll(FULL)) {
      const [whole, flags = '', width, precision, letter] = match;
      text += format.slice(end, match.index);
      end = match.index + whole.length;
      if (whole === '%%' || whole.endsWith(')T')) {
        if (whole !== '%%' && next < given.length) args.push(given[next++] ?? '');
        text += whole;
        continue;
      }
      if (letter === undefined || !LETTERS.includes(letter)) {
        problem =
          letter === undefined
            ? `\`${whole}': missing format character`
            : `\`${letter}': invalid format character`;
        return { format: text, args, problem };
      }
      const wide = width === '*' ? countOf(given[next++]) : width;
      const exact = precision === '*' ? countOf(given[next++]) : precision;
      const left = typeof wide === 'number' && wide < 0 ? '-' : '';
      const size = typeof wide === 'number' ? Math.abs(wide) || '' : (wide ?? '');
      // A precision below zero counts as none.
      const point = exact === undefined || String(exact).startsWith('-') ? '' : `.${exact}`;
      text += `%${flags}${left}${size}${point}${letter}`;
      if (next < given.length) args.push(given[next] ?? '');
      next++;
    }
    text += format.slice(end);
    if (next === before) break;
  } while (next < given.length);
  return { format: text, args };
}

/** One hexadecimal digit is enough for an escape; the built-in one wants two. */
function withTwoDigits(format: string | undefined): string | undefined {
  return format?.replace(/\\(?:x([0-9A-Fa-f])(?![0-9A-Fa-f])|[\s\S])/g, (whole, digit) =>
    digit === undefined ? whole : `\\x0${digit}`,
  );
}

async function printf(tool: Tool): Promise<ExecResult> {
  const rest = [...tool.args];
  const lead: string[] = [];
  if (rest[0] === '-v') lead.push(...rest.splice(0, 2));
  if (rest[0] === '--') lead.push(...rest.splice(0, 1));
  const [format, ...given] = [withTwoDigits(rest[0]), ...rest.slice(1)];
  if (format === undefined) return tool.original();
  const plain = PLAIN.test(format) ? { format, args: given } : plainOf(format, given);
  const result = await printed(tool, lead, plain);
  if (plain.problem === undefined) return result;
  return { ...result, stderr: `${result.stderr}bash: printf: ${plain.problem}\n`, exitCode: 1 };
}

async function printed(
  tool: Tool,
  lead: readonly string[],
  { format, args }: Plain,
): Promise<ExecResult> {
  const suspect =
    /%[^a-zA-Z%]*q/.test(format) ||
    args.includes(HELP) ||
    args.some((arg) => /^-\d+$/.test(arg) || WIDE.test(arg) || INFINITE.test(arg)) ||
    /%[^a-zA-Z]*[eEfFgG]|%-?\d+c/.test(format) ||
    args.some((arg) => /^["']|\\[eE]/.test(arg)) ||
    (/%-?(?:\d*c|\d+s|\d*\.\d*s)/.test(format) && args.some((arg) => BEYOND_ASCII.test(arg)));
  const words = suspect ? unroll(format, args) : undefined;
  return tool.original([...lead, ...(words ?? [format, ...args])]);
}

/** printf. */
export const printfShims: ShimFactory = (host) => [
  defineTool(host, { name: 'printf', usage: 'Usage: printf FORMAT [ARGUMENT]...' }, printf),
];
