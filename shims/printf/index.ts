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

/** What is wrong with a number, and the part of it that counts. */
interface Wrong {
  complaint: string;
  isError: boolean;
  value?: string;
}

const REAL = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/;

/** What the built-in one takes in silence. */
function wrongNumber(type: string, arg: string): Wrong | undefined {
  if (arg === '' || /^['"]/.test(arg)) return undefined;
  if ('fFeEgG'.includes(type)) {
    const [start = '0'] = REAL.exec(arg) ?? [];
    if (start === arg || INFINITE.test(arg) || /^\s*[-+]?0[xX]/.test(arg)) return undefined;
    return { complaint: `${arg}: invalid number`, isError: true, value: start };
  }
  if (!'diuxXo'.includes(type)) return undefined;
  const [, sign = '', hex] = /^\s*([-+]?)0[xX]([\da-fA-F]*)/.exec(arg) ?? [];
  if (hex !== undefined) {
    if (hex !== '' && new RegExp(`0[xX]${hex}$`).test(arg)) return undefined;
    return {
      complaint: `${arg}: invalid hex number`,
      isError: true,
      value: `${sign}0x${hex || 0}`,
    };
  }
  const [octal] = /^\s*[-+]?0[0-7]*(?=[89])/.exec(arg) ?? [];
  if (octal !== undefined)
    return { complaint: `${arg}: invalid octal number`, isError: true, value: octal };
  if (!WIDE.test(arg)) return undefined;
  const digits = BigInt(arg.replace(/^[-+]/, ''));
  const most = type === 'd' || type === 'i' ? MAX_SIGNED : MAX_UNSIGNED;
  const isLeast = most === MAX_SIGNED && arg.startsWith('-') && digits === MAX_SIGNED + 1n;
  if (digits <= most || isLeast) return undefined;
  return { complaint: `warning: ${arg}: Numerical result out of range`, isError: false };
}

/** The escapes of `%b`, as its text; undefined where one ends it all. */
function unescaped(arg: string): string | undefined {
  if (/(?:^|[^\\])(?:\\\\)*\\c/.test(arg)) return undefined;
  const codes: Readonly<Record<string, string>> = {
    a: '\x07',
    b: '\b',
    e: '\x1b',
    E: '\x1b',
    f: '\f',
    n: '\n',
    r: '\r',
    t: '\t',
    v: '\v',
    '\\': '\\',
    '"': '"',
    "'": "'",
    '?': '?',
  };
  return arg.replace(/\\(?:(0?[0-7]{1,3})|([\s\S]))/g, (whole, octal, char) =>
    octal === undefined ? (codes[char] ?? whole) : String.fromCharCode(parseInt(octal, 8) & 255),
  );
}

function asNumber(text: string): number {
  if (/nan/i.test(text)) return Number.NaN;
  return text.startsWith('-') ? -Infinity : Infinity;
}

/** A character as its number, and a hexadecimal number, where a real one is wanted. */
function inDecimals(arg: string): string {
  if (/^['"]/.test(arg)) return String([...arg][1]?.codePointAt(0) ?? 0);
  const [, sign, hex] = /^\s*([-+]?)(0[xX][\da-fA-F]+)$/.exec(arg) ?? [];
  return hex === undefined ? arg : `${sign}${Number(hex)}`;
}

/** The text of a conversion that the built-in one would get wrong, else undefined. */
function mended(spec: string, given: string): string | undefined {
  const type = spec.at(-1) ?? '';
  const arg = 'fFeEgG'.includes(type) ? inDecimals(given) : given;
  if (type === 'q') return padded(spec, shellQuoted(arg));
  const [, bytes] = /^%-?\d*(?:\.(\d*))?b$/.exec(spec) ?? [];
  if (type === 'b' && spec !== '%b' && !BEYOND_ASCII.test(arg)) {
    const text = unescaped(arg);
    return text === undefined
      ? undefined
      : padded(spec, bytes === undefined ? text : text.slice(0, Number(bytes)));
  }
  if (type === 'Q') {
    const [, most] = /\.(\d*)Q$/.exec(spec) ?? [];
    return padded(spec, shellQuoted(most === undefined ? arg : arg.slice(0, Number(most))));
  }
  // `'a` is the number of the character.
  if ('diuxXo'.includes(type) && /^['"]/.test(arg)) {
    return formatInteger(spec, BigInt([...arg][1]?.codePointAt(0) ?? 0));
  }
  if ('diuxXo'.includes(type) && WIDE.test(arg)) {
    return formatInteger(spec, wideInteger(type, arg));
  }
  if ('uxXo'.includes(type) && /^-0[xX]/.test(arg))
    return formatInteger(spec, -BigInt(arg.slice(1)));
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
function unroll(format: string, args: readonly string[], wrong: Wrong[]): string[] | undefined {
  const specs = [...format.matchAll(CONVERSION)].map(([spec]) => spec);
  const taking = specs.filter((spec) => spec !== '%%');
  if (taking.length === 0) return args.includes(HELP) ? [format] : undefined;
  let changed = false;
  let next = 0;
  let text = '';
  const rest: string[] = [];
  do {
    text += format.replace(CONVERSION, (spec) => {
      if (spec === '%%' || (next >= args.length && !/[qQ]$/.test(spec))) return spec;
      const found = wrongNumber(spec.at(-1) ?? '', args[next] ?? '');
      if (found !== undefined) wrong.push(found);
      if (found?.value !== undefined) changed = true;
      const arg = found?.value ?? args[next] ?? '';
      next++;
      if (arg === HELP && /[sbq]$/.test(spec)) {
        changed = true;
        return helpAsText(spec);
      }
      const better = mended(spec, arg);
      changed ||= better !== undefined;
      rest.push(better ?? arg);
      // What %b takes stays its own to read.
      return better === undefined || spec === '%b' ? spec : '%s';
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

const USAGE = 'printf: usage: printf [-v var] format [arguments]';

function misused(what: string): ExecResult {
  return { stdout: '', stderr: `bash: printf: ${what}\n${USAGE}\n`, exitCode: 2 };
}

async function printf(tool: Tool): Promise<ExecResult> {
  const rest = [...tool.args];
  const lead: string[] = [];
  if (/^-[^-]/.test(rest[0] ?? '') && rest[0] !== '-v')
    return misused(`-${rest[0]?.[1]}: invalid option`);
  if (rest[0] === '-v' && rest.length === 1) return misused('-v: option requires an argument');
  if (rest[0] === '-v') lead.push(...rest.splice(0, 2));
  if (rest[0] === '--') lead.push(...rest.splice(0, 1));
  const [format, ...given] = [
    withTwoDigits(rest[0])?.replaceAll('%()T', '%(%X)T'),
    ...rest.slice(1),
  ];
  if (format === undefined) return { stdout: '', stderr: `${USAGE}\n`, exitCode: 2 };
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
    /%[^a-zA-Z%]*[qQ]/.test(format) ||
    args.includes(HELP) ||
    args.some((arg) => /^-\d+$/.test(arg) || WIDE.test(arg) || INFINITE.test(arg)) ||
    /%[^a-zA-Z]*[eEfFgG]|%-?\d+c/.test(format) ||
    /%-?\d*(?:\.\d*)?[bQ]/.test(format.replaceAll('%b', '')) ||
    args.some((arg) => /^["']|\\[eE]|^\s*[-+]?0./.test(arg)) ||
    (/%-?(?:\d*c|\d+s|\d*\.\d*s)/.test(format) && args.some((arg) => BEYOND_ASCII.test(arg)));
  const wrong: Wrong[] = [];
  const words = suspect ? unroll(format, args, wrong) : undefined;
  const result = await tool.original([...lead, ...(words ?? [format, ...args])]);
  const complaints = wrong.map(({ complaint }) => `bash: printf: ${complaint}\n`).join('');
  return {
    ...result,
    stderr: result.stderr.replace(/^(?=printf: (?!usage))/gm, 'bash: ') + complaints,
    exitCode: wrong.some(({ isError }) => isError) ? 1 : result.exitCode,
  };
}

/** printf. */
export const printfShims: ShimFactory = (host) => [
  defineTool(host, { name: 'printf', usage: 'Usage: printf FORMAT [ARGUMENT]...' }, printf),
];
