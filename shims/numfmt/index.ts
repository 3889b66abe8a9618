/** numfmt: numbers to and from what people read. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError, wrongWord } from '../support/getopt.ts';
import { defineTool, splitLines, type Tool, toBytes, toText } from '../support/tool.ts';
import {
  formatNumber,
  InvalidNumber,
  parseNumber,
  parseUnit,
  type Reading,
  ROUNDINGS,
  SCALES,
  type Writing,
} from './scale.ts';

const INVALIDS = ['abort', 'fail', 'warn', 'ignore'] as const;

/** What `--format` gives: text around, width, and digits after the point. */
interface Layout {
  before: string;
  after: string;
  width: number;
  left: boolean;
  zeros: boolean;
}

interface Settings {
  reading: Reading;
  writing: Writing;
  layout: Layout | undefined;
  padding: number;
  delimiter: string | undefined;
  fields: (field: number) => boolean;
  invalid: (typeof INVALIDS)[number];
  header: number;
  separator: string;
}

const unhinted = (message: string): UsageError => new UsageError(message, { hint: false });

function oneOf<T extends string>(name: string, text: string, known: readonly T[]): T {
  const found = known.find((one) => one === text) ?? known.filter((one) => one.startsWith(text))[0];
  if (found !== undefined) return found;
  throw wrongWord(`--${name}`, text, known);
}

function layoutOf(text: string, writing: Writing): Layout {
  const match = /^((?:[^%]|%%)*)%(['0 ]*)(-?)(\d*)(?:\.(-?\d*))?f((?:[^%]|%%)*)$/.exec(text);
  if (match === null) {
    const directives = text.replaceAll('%%', '').split('%').length - 1;
    if (directives === 0) throw unhinted(`format '${text}' has no % directive`);
    if (directives > 1 && /%['0 ]*-?\d*(?:\.\d*)?f/.test(text))
      throw unhinted(`format '${text}' has too many % directives`);
    if (/^(?:[^%]|%%)*%['0 ]*-?\d*(?:\.\d*)?$/.test(text))
      throw unhinted(`format '${text}' ends in %`);
    throw unhinted(`invalid format '${text}', directive must be %[0]['][-][N][.][N]f`);
  }
  const [, before = '', flags = '', minus = '', width = '', precision, after = ''] = match;
  if (precision !== undefined) {
    if (precision.startsWith('-')) throw unhinted(`invalid precision in format '${text}'`);
    writing.precision = Number(precision);
  }
  writing.grouping ||= flags.includes("'");
  return {
    before: before.replaceAll('%%', '%'),
    // It is read as a format, but shown as it is.
    after,
    width: Number(width),
    left: minus !== '',
    zeros: flags.includes('0'),
  };
}

/** `1,3-5,7-`, `-4`, `-`: which fields are numbers. */
function fieldsOf(text: string): (field: number) => boolean {
  const ranges = text.split(/[, ]/).map((part): [number, number] => {
    const match = /^(\d*)(-)?(\d*)$/.exec(part);
    if (part === '') throw new UsageError('fields are numbered from 1');
    if (/^\d*-\d*-/.test(part)) throw new UsageError('invalid field range');
    if (match === null) throw new UsageError(`invalid field value '${part}'`);
    const first = match[1] === '' ? 1 : Number(match[1]);
    const last = match[2] === undefined ? first : match[3] === '' ? Infinity : Number(match[3]);
    if (first === 0) throw new UsageError('fields are numbered from 1');
    if (last < first) throw new UsageError('invalid decreasing range');
    return [first, last];
  });
  return (field) => ranges.some(([first, last]) => field >= first && field <= last);
}

function numberOf(options: Options, key: string, what: string): number | undefined {
  const text = options.get(key);
  if (text === undefined) return undefined;
  if (!/^-?\d+$/.test(text) || (key === 'padding' && Number(text) === 0))
    throw unhinted(`invalid ${what} '${text}'`);
  return Number(text);
}

function settingsOf(options: Options): Settings {
  const suffix = options.get('suffix') ?? '';
  const reading: Reading = {
    from: oneOf('from', options.get('from') ?? 'none', SCALES),
    fromUnit: parseUnit(options.get('from-unit') ?? '1'),
    suffix,
  };
  const writing: Writing = {
    to: oneOf(
      'to',
      options.get('to') ?? 'none',
      SCALES.filter((scale) => scale !== 'auto'),
    ),
    toUnit: parseUnit(options.get('to-unit') ?? '1'),
    round: oneOf('round', options.get('round') ?? 'from-zero', ROUNDINGS),
    suffix,
    grouping: options.has('grouping'),
    precision: undefined,
  };
  const format = options.get('format');
  if (format !== undefined && writing.grouping)
    throw unhinted('--grouping cannot be combined with --format');
  const layout = format === undefined ? undefined : layoutOf(format, writing);
  if (writing.grouping && writing.to !== 'none')
    throw unhinted('grouping cannot be combined with --to');
  const header = options.get('header');
  const lines = header === undefined ? 0 : Number(header === '' ? 1 : header);
  if (!Number.isInteger(lines) || (header !== undefined && lines < 1))
    throw unhinted(`invalid header value '${header}'`);
  const delimiter = options.get('d');
  if (delimiter !== undefined && [...delimiter].length > 1)
    throw unhinted('the delimiter must be a single character');
  return {
    reading,
    writing,
    layout,
    padding: numberOf(options, 'padding', 'padding value') ?? 0,
    delimiter,
    fields: fieldsOf(options.get('field') ?? '1'),
    invalid: oneOf('invalid', options.get('invalid') ?? 'abort', INVALIDS),
    header: lines,
    separator: options.has('z') ? '\0' : '\n',
  };
}

/** One number, with its suffix, padding and what stands around it. */
function convert(field: string, settings: Settings, width: number): string {
  const parsed = parseNumber(field, settings.reading);
  const { writing, layout, padding } = settings;
  let text = formatNumber(parsed, writing);
  if (layout?.zeros === true && !layout.left) {
    const sign = text.startsWith('-') ? '-' : '';
    text = sign + text.slice(sign.length).padStart(layout.width - sign.length, '0');
  }
  text += writing.suffix;
  if (layout !== undefined && layout.width > 0)
    text = layout.left ? text.padEnd(layout.width) : text.padStart(layout.width);
  else if (padding !== 0) text = padding < 0 ? text.padEnd(-padding) : text.padStart(padding);
  else text = text.padStart(width);
  return `${layout?.before ?? ''}${text}${layout?.after ?? ''}`;
}

class Converter {
  readonly #tool: Tool;
  readonly #settings: Settings;

  constructor(tool: Tool, settings: Settings) {
    this.#tool = tool;
    this.#settings = settings;
  }

  /** A line with its numbers converted; undefined where it is to end. */
  line(text: string): string | undefined {
    const { delimiter, fields } = this.#settings;
    const out: string[] = [];
    // Without a delimiter the blanks before a field are part of it, so that columns stay.
    const parts =
      delimiter === undefined
        ? (text.match(/[ \t]*[^ \t]+|[ \t]+$/g) ?? [''])
        : text.split(delimiter);
    for (const [index, part] of parts.entries()) {
      const converted = fields(index + 1)
        ? this.#field(part, delimiter === undefined, index)
        : part;
      if (converted === undefined) {
        // What came before the number that cannot be read is printed by then.
        const gap = index === 0 ? '' : (delimiter ?? ' ');
        this.#tool.write(toBytes(out.join(delimiter ?? '') + gap));
        return undefined;
      }
      out.push(converted);
    }
    return out.join(delimiter ?? '');
  }

  #field(part: string, blanks: boolean, index: number): string | undefined {
    const { invalid, padding, layout } = this.#settings;
    const bare = blanks ? part.trimStart() : part;
    const lead = part.length - bare.length;
    // The first blank only parts the fields.
    const gap = lead > 0 && index > 0 ? ' ' : '';
    const fixed = padding !== 0 || (layout?.width ?? 0) > 0;
    const width = blanks && lead > gap.length && !fixed ? part.length - gap.length : 0;
    try {
      const text = convert(bare, this.#settings, width);
      return gap + text;
    } catch (error) {
      if (!(error instanceof InvalidNumber)) throw error;
      if (invalid !== 'ignore') this.#tool.warn(error.message);
      if (invalid === 'abort' || invalid === 'fail') this.#tool.status = 2;
      return invalid === 'abort' ? undefined : part;
    }
  }
}

async function numfmt(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'd:z',
    long: {
      debug: 'debug',
      delimiter: 'd:',
      'dev-debug': 'debug',
      field: 'field:',
      format: 'format:',
      from: 'from:',
      'from-unit': 'from-unit:',
      grouping: 'grouping',
      header: 'header::',
      invalid: 'invalid:',
      padding: 'padding:',
      round: 'round:',
      suffix: 'suffix:',
      to: 'to:',
      'to-unit': 'to-unit:',
      'zero-terminated': 'z',
    },
  });
  const settings = settingsOf(options);
  const converter = new Converter(tool, settings);
  const given = options.operands.length > 0;
  const lines = given ? options.operands : splitLines(tool.stdin, settings.separator).map(toText);
  if (options.has('debug') && settings.reading.from === 'none' && settings.writing.to === 'none')
    if (!settings.writing.grouping && settings.padding === 0 && settings.layout === undefined)
      tool.warn('no conversion option specified');
  // A last line that does not end is not ended.
  const isOpen = !given && !tool.stdin.endsWith(settings.separator);
  for (const [index, line] of lines.entries()) {
    const converted = !given && index < settings.header ? line : converter.line(line);
    if (converted === undefined) return;
    tool.write(toBytes(converted));
    if (!isOpen || index < lines.length - 1) tool.write(settings.separator);
    const rest = tool.pulse();
    if (rest !== undefined) await rest;
  }
}

/** numfmt. */
export const numfmtShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'numfmt',
      usage: `Usage: numfmt [OPTION]... [NUMBER]...\nReformat NUMBERs, or the numbers from standard input.

      --from=UNIT, --to=UNIT    none, si (1K = 1000), iec (1K = 1024), iec-i (1Ki = 1024); from: auto
      --from-unit=N, --to-unit=N
      --field=FIELDS            those fields (default 1)
  -d, --delimiter=X             instead of whitespace
      --format=FORMAT           a printf floating-point format
      --header[=N]              print the first N lines as they are
      --padding=N, --suffix=SUFFIX, --grouping
      --round=METHOD            up, down, from-zero (default), towards-zero, nearest
      --invalid=MODE            abort (default), fail, warn, ignore
  -z, --zero-terminated`,
    },
    numfmt,
  ),
];
