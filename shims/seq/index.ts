/** seq: exact over decimal steps, equal widths that count the sign, -f and -s. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { formatFloat } from '../support/format.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool } from '../support/tool.ts';

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function decimals(text: string): number {
  // As it is written: `1.0e-4` has five.
  const [digits = '', power = '0'] = text.split(/[eE]/);
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(power));
}

/** Can a double count by it, exactly? */
function holds(text: string): boolean {
  return Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER;
}

/** Options end at the first thing that is a number, so that -2 is one. */
function divide(args: readonly string[]): { options: string[]; numbers: string[] } {
  let i = 0;
  while (i < args.length && !NUMBER.test(args[i] ?? '')) {
    const arg = args[i] ?? '';
    if (!arg.startsWith('-') || arg === '-') break;
    if (arg === '--') {
      i++;
      break;
    }
    i += /^-w*[sf]$|^--(?:separator|format)$/.test(arg) ? 2 : 1;
  }
  return { options: args.slice(0, i), numbers: args.slice(i) };
}

/** How wide a number is with so many places; zeros that were typed before it count. */
function widthOf(text: string, places: number): number {
  const plain = Number(text).toFixed(places).length;
  const [, sign = '', whole = ''] = /^([-+]?)(\d*)(?![\d.]*[eE])/.exec(text) ?? [];
  const typed = (sign === '-' ? 1 : 0) + whole.length + (places > 0 ? places + 1 : 0);
  return Math.max(plain, typed);
}

/** A format prints one number, and nothing else that could be one. */
function checkFormat(format: string | undefined): void {
  if (format === undefined) return;
  const specs = format.replaceAll('%%', '').match(/%[-+ 0#']*\d*(?:\.\d*)?L?[\s\S]?/g) ?? [];
  const [first] = specs;
  if (first === undefined)
    throw new UsageError(`format '${format}' has no % directive`, { hint: false });
  if (/^%[-+ 0#']*\d*(?:\.\d*)?L?$/.test(first))
    throw new UsageError(`format '${format}' ends in %`, { hint: false });
  if (!/[aefgAEFG]$/.test(first)) {
    throw new UsageError(`format '${format}' has unknown %${first.slice(-1)} directive`, {
      hint: false,
    });
  }
  if (specs.length > 1)
    throw new UsageError(`format '${format}' has too many % directives`, { hint: false });
}

async function seq(tool: Tool): Promise<undefined> {
  const { options: flags, numbers } = divide(tool.args);
  const options = tool.options(
    { short: 'f:s:w', long: { format: 'f:', separator: 's:', 'equal-width': 'w' } },
    flags,
  );
  if (numbers.length === 0) throw new UsageError('missing operand');
  if (numbers.length > 3) throw new UsageError(`extra operand '${numbers[3]}'`);
  const bad = numbers.find((text) => !NUMBER.test(text));
  if (bad !== undefined) throw new UsageError(`invalid floating point argument: '${bad}'`);
  const first = numbers.length > 1 ? (numbers[0] ?? '1') : '1';
  const step = numbers.length > 2 ? (numbers[1] ?? '1') : '1';
  const last = numbers.at(-1) ?? '1';
  if (options.has('w') && options.has('f')) {
    throw new UsageError('format string may not be specified when printing equal width strings');
  }
  if (Number(step) === 0) throw new UsageError(`invalid Zero increment value: '${step}'`);
  if ([first, step, last].some((text) => !holds(text))) {
    throw new UsageError('numbers beyond 9007199254740991 are not counted exactly here', {
      hint: false,
    });
  }
  checkFormat(options.get('f'));
  const places = Math.max(decimals(first), decimals(step));
  const scale = 10 ** Math.max(places, decimals(last));
  const [from, by, to] = [first, step, last].map((text) => Math.round(Number(text) * scale));
  await emit(
    tool,
    { from: from ?? 0, by: by ?? 1, to: to ?? 0, scale, places },
    {
      format: options.get('f'),
      separator: options.get('s') ?? '\n',
      width: options.has('w') ? Math.max(widthOf(first, places), widthOf(last, places)) : 0,
    },
  );
}

interface Range {
  from: number;
  by: number;
  to: number;
  scale: number;
  places: number;
}

async function emit(
  tool: Tool,
  { from, by, to, scale, places }: Range,
  style: { format: string | undefined; separator: string; width: number },
): Promise<void> {
  const show = (value: number): string => {
    if (style.format !== undefined) {
      return style.format.replace(/%(?:%|[-+ 0#']*\d*(?:\.\d*)?L?[aefgAEFG])/g, (spec) =>
        spec === '%%' ? '%' : formatFloat(spec, value),
      );
    }
    const text = (Object.is(value, -0) ? '-' : '') + value.toFixed(places);
    if (text.length >= style.width) return text;
    return text.startsWith('-')
      ? `-${text.slice(1).padStart(style.width - 1, '0')}`
      : text.padStart(style.width, '0');
  };
  const plain =
    !Object.is(from, -0) &&
    style.format === undefined &&
    style.width === 0 &&
    places === 0 &&
    scale === 1;
  let out = '';
  for (let i = 0, at = from; by > 0 ? at <= to : at >= to; i++, at = from + i * by) {
    out += (i === 0 ? '' : style.separator) + (plain ? String(at) : show(at / scale));
    if (out.length > 65536) {
      tool.print(out);
      out = '';
    }
    const rest = tool.pulse();
    if (rest !== undefined) await rest;
  }
  tool.print(out);
  if (by > 0 ? from <= to : from >= to) tool.print('\n');
}

/** seq. */
export const seqShims: ShimFactory = (host) => [
  defineTool(host, { name: 'seq', usage: 'Usage: seq [OPTION]... [FIRST [INCREMENT]] LAST' }, seq),
];
