/** pr: pages with headers, and columns. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { strftime, zoned } from '../support/time.ts';
import { defineTool, splitLines, type Tool, toBytes } from '../support/tool.ts';

const HEAD = 5;
const FOOT = 5;

interface Style {
  columns: number;
  across: boolean;
  merge: boolean;
  joins: boolean;
  /** Lines of a page, header and footer included. */
  length: number;
  width: number;
  /** Lines are cut to the width, as all columns are. */
  cuts: boolean;
  headers: boolean;
  formFeeds: boolean;
  double: boolean;
  indent: string;
  separator: string | undefined;
  numbers: { separator: string; digits: number; first: number } | undefined;
  pages: [first: number, last: number];
}

const OUT_OF_RANGE = ': Numerical result out of range';

/** @param least what it may be @param what as messages call it, with the option */
function count(
  options: Options,
  key: string,
  fallback: number,
  least: number,
  what: string,
): number {
  const text = options.get(key);
  if (text === undefined) return fallback;
  const isNumber = /^\d+$/.test(text);
  if (!isNumber || Number(text) < least)
    throw new UsageError(`'-${key} ${what}: '${text}'${isNumber ? OUT_OF_RANGE : ''}`, {
      hint: false,
    });
  return Number(text);
}

/** How many columns are asked for. The digits of -2 -3 are those of one number, as in -23. */
function columnsOf(options: Options): number | undefined {
  const key = options.seen.findLast(([each]) => each === 'columns' || each === 'digits')?.[0];
  if (key === undefined) return undefined;
  const text = key === 'columns' ? (options.get(key) ?? '') : options.all(key).join('');
  const isNumber = /^\d+$/.test(text);
  if (!isNumber || Number(text) < 1)
    throw new UsageError(`invalid number of columns: '${text}'${isNumber ? OUT_OF_RANGE : ''}`, {
      hint: false,
    });
  return Number(text);
}

function styleOf(options: Options, pages: string | undefined): Style {
  const asked = columnsOf(options);
  const columns = asked ?? 1;
  const merge = options.has('m');
  if (merge && asked !== undefined)
    throw new UsageError('cannot specify number of columns when printing in parallel', {
      hint: false,
    });
  if (merge && options.has('a'))
    throw new UsageError('cannot specify both printing across and printing in parallel', {
      hint: false,
    });
  const number = /^([^\d])?(\d+)?$/.exec(options.get('n') ?? '');
  if (options.has('n') && number === null)
    throw new UsageError(
      `'-n' extra characters or invalid number in the argument: '${options.get('n')?.replace(/^\D/, '')}'`,
    );
  const length = count(options, 'l', 66, 1, "PAGE_LENGTH' invalid number of lines");
  const several = columns > 1 || merge;
  const given = options.has('s')
    ? options.get('s') || '\t'
    : options.has('S')
      ? options.get('S')
      : options.has('J')
        ? '\t'
        : undefined;
  return {
    columns,
    across: options.has('a'),
    merge,
    joins: options.has('J'),
    length,
    width: count(
      options,
      options.has('W') ? 'W' : 'w',
      72,
      1,
      "PAGE_WIDTH' invalid number of characters",
    ),
    cuts:
      (several &&
        !options.has('J') &&
        !(options.has('s') && !options.has('w') && !options.has('W'))) ||
      options.has('W'),
    headers: !options.has('t') && !options.has('T') && length > HEAD + FOOT,
    formFeeds: options.has('f') || options.has('F'),
    double: options.has('d'),
    indent: ' '.repeat(count(options, 'o', 0, 0, "MARGIN' invalid line offset")),
    separator: given === undefined ? undefined : toBytes(given),
    numbers: options.has('n')
      ? {
          separator: number?.[1] ?? '\t',
          digits: Number(number?.[2] ?? 5),
          first: Number(options.get('N') ?? 1),
        }
      : undefined,
    pages: pagesOf(options.get('pages') ?? pages ?? '1'),
  };
}

/** The first page and the last one, of `--pages`, or of an operand `+FIRST`. */
function pagesOf(text: string): [first: number, last: number] {
  const [, from, to] = /^(\d+)(?::(\d+))?$/.exec(text) ?? [];
  const [first, last] = [Number(from), to === undefined ? Number.POSITIVE_INFINITY : Number(to)];
  if (from === undefined)
    throw new UsageError(`invalid --pages argument '${text}'`, { hint: false });
  if (first < 1 || last < first)
    throw new UsageError(`invalid page range '${text}'`, { hint: false });
  return [first, last];
}

const TAB = 8;

/** Blanks up to a column are written as tabs, as far as these reach. */
function blanks(from: number, to: number): string {
  let [at, out] = [from, ''];
  for (let next = at + TAB - (at % TAB); to - at > 1 && next <= to; next += TAB) {
    out += '\t';
    at = next;
  }
  return out + ' '.repeat(to - at);
}

/** Only what is printable ASCII takes a column. */
const widthOf = (text: string): number => text.replaceAll(/[^ -~]/g, '').length;

function cutTo(text: string, width: number): string {
  return new RegExp(`^(?:[^ -~]*[ -~]){0,${width}}[^ -~]*`).exec(text)?.[0] ?? '';
}

/** Pieces of a line from a column on: of the last one, what is blank at its end is left out. */
function tabbed(pieces: readonly string[], from: number): string {
  let [out, column] = ['', from];
  const upTo = (end: number): void => {
    out += blanks(column, end);
    column = end;
  };
  let end = from;
  for (const [i, piece] of pieces.entries()) {
    for (const [word] of piece.matchAll(/ +|[^ ]+/g)) {
      const width = widthOf(word);
      end += width;
      if (word.startsWith(' ')) continue;
      upTo(end - width);
      out += word;
      column = end;
    }
    if (i < pieces.length - 1) upTo(end);
  }
  return out;
}

/** Columns of text, filled with blanks up to the next one. @param from where they begin in their line */
function row(cells: readonly string[], style: Style, columns: number, from = 0): string {
  if (columns === 1) return style.cuts ? cutTo(cells[0] ?? '', style.width) : (cells[0] ?? '');
  const separator = style.separator ?? ' ';
  if (!style.cuts) return cells.join(separator);
  // Where columns have a width, a tab between them is a blank.
  const between = separator.replaceAll('\t', ' ');
  const wide = style.width - from - (columns - 1) * between.length;
  const size = Math.max(1, Math.floor(wide / columns));
  const pieces = cells.map((cell, i) => {
    const cut = cutTo(cell, size);
    const rest = ' '.repeat(size - widthOf(cut));
    return i < cells.length - 1 ? cut + rest + between : cut;
  });
  return tabbed(pieces, from);
}

/** The rows of a page's text. */
function layout(lines: readonly string[], style: Style): string[] {
  const { columns } = style;
  if (columns === 1) return lines.map((line) => row([line], style, 1));
  const height = Math.ceil(lines.length / columns);
  const rows: string[] = [];
  if (style.across) {
    for (let at = 0; at < lines.length; at += columns)
      rows.push(row(lines.slice(at, at + columns), style, columns));
    return rows;
  }
  // Columns are balanced: the first ones have a line more.
  const short = lines.length % columns;
  const starts: number[] = [];
  let start = 0;
  for (let i = 0; i < columns; i++) {
    starts.push(start);
    start += short === 0 || i < short ? height : height - 1;
  }
  for (let line = 0; line < height; line++) {
    const cells = starts.flatMap((from, i) => {
      const at = from + line;
      const end = starts[i + 1] ?? lines.length;
      return at < end ? [lines[at] ?? ''] : [];
    });
    rows.push(row(cells, style, columns));
  }
  return rows;
}

/** What stands before a line, and how wide that is. */
function numberOf(line: number, numbers: NonNullable<Style['numbers']>): [string, width: number] {
  const { digits, separator, first } = numbers;
  const number = String(first + line)
    .slice(-digits)
    .padStart(digits);
  return [number + separator, separator === '\t' ? digits + TAB - (digits % TAB) : digits + 1];
}

function numbered(lines: readonly string[], style: Style): string[] {
  const { numbers, columns, cuts } = style;
  if (numbers === undefined) return [...lines];
  return lines.map((line, i) => {
    const [number, width] = numberOf(i, numbers);
    // Among columns that are cut, a tab is as many blanks as it reaches.
    const shown = columns > 1 && cuts ? number.replace('\t', '').padEnd(width) : number;
    return shown + line;
  });
}

/** Date, title and page, the title in the middle of what they leave. */
function header(style: Style, date: string, title: string, page: number): string {
  const number = `Page ${page}`;
  const left = style.width - date.length - title.length - number.length;
  const before = Math.max(1, Math.floor(left / 2));
  return `${style.indent}\n\n${style.indent}${date}${' '.repeat(before)}${title}${' '.repeat(Math.max(1, left - before))}${number}\n\n\n`;
}

function paginate(
  tool: Tool,
  rows: readonly string[],
  perPage: number,
  style: Style,
  date: string,
  title: string,
): void {
  const [first, last] = style.pages;
  const pages = Math.ceil(rows.length / perPage);
  if (first > Math.max(1, pages))
    tool.warn(`starting page number ${first} exceeds page count ${pages}`);
  for (let page = 1, at = 0; at < rows.length; page++, at += perPage) {
    const piece = rows.slice(at, at + perPage);
    if (page < first || page > last) continue;
    if (style.headers) tool.write(toBytes(header(style, date, title, page)));
    for (const line of piece) tool.write(`${style.indent}${line}\n${style.double ? '\n' : ''}`);
    if (!style.headers) continue;
    if (style.formFeeds) tool.write('\f');
    else tool.write('\n'.repeat((perPage - piece.length) * (style.double ? 2 : 1) + FOOT));
  }
}

async function pr(tool: Tool): Promise<undefined> {
  const pages = tool.args.find((arg) => /^\+[1-9]\d*(?::\d+)?$/.test(arg));
  const options = tool.options(
    {
      short: 'acdD:e::fFh:i::Jl:mn::N:o:rs::S::tTvw:W:',
      digits: true,
      long: {
        across: 'a',
        columns: 'columns:',
        'date-format': 'D:',
        'double-space': 'd',
        'expand-tabs': 'e::',
        'first-line-number': 'N:',
        'form-feed': 'F',
        header: 'h:',
        indent: 'o:',
        'join-lines': 'J',
        length: 'l:',
        merge: 'm',
        'no-file-warnings': 'r',
        'number-lines': 'n::',
        'omit-header': 't',
        'omit-pagination': 'T',
        'page-width': 'W:',
        pages: 'pages:',
        'sep-string': 'S::',
        separator: 's::',
        width: 'w:',
      },
    },
    tool.args.filter((arg) => arg !== pages),
  );
  const style = styleOf(options, pages?.slice(1));
  const names = options.operands.length === 0 ? ['-'] : options.operands;
  const texts: Array<{ name: string; lines: string[]; date: Date }> = [];
  for (const name of names) {
    const content = options.has('r') ? await quietly(tool, name) : await tool.tryRead(name);
    if (content === undefined) continue;
    const date = name === '-' ? new Date() : (await tool.fs.stat(tool.path(name))).mtime;
    const expand = ((style.columns > 1 || style.merge) && !style.joins) || options.has('e');
    const lines = splitLines(content).map((line) => (expand ? expanded(line) : line));
    texts.push({ name, lines, date });
  }
  const zone = tool.ctx.env.get('TZ');
  const dated = (date: Date): string =>
    strftime(options.get('D') ?? '%Y-%m-%d %H:%M', zoned(date, zone), date);
  const perPage = style.headers
    ? Math.floor((style.length - HEAD - FOOT) / (style.double ? 2 : 1))
    : style.length;
  if (style.merge) {
    const height = Math.max(0, ...texts.map(({ lines }) => lines.length));
    const from = style.numbers === undefined ? 0 : numberOf(0, style.numbers)[1];
    const rows = Array.from({ length: height }, (_, i) =>
      row(
        texts.map(({ lines }) => lines[i] ?? ''),
        style,
        texts.length,
        from,
      ),
    );
    paginate(
      tool,
      numbered(rows, style),
      perPage,
      style,
      dated(new Date()),
      options.get('h') ?? '',
    );
    return;
  }
  for (const { name, lines, date } of texts) {
    const all = numbered(lines, style);
    const rows: string[] = [];
    // Columns are filled page by page.
    for (let at = 0; at < all.length; at += perPage * style.columns)
      rows.push(...layout(all.slice(at, at + perPage * style.columns), style));
    paginate(
      tool,
      rows,
      perPage,
      style,
      dated(date),
      options.get('h') ?? (name === '-' ? '' : name),
    );
    await tool.pulse();
  }
}

async function quietly(tool: Tool, name: string): Promise<string | undefined> {
  const before = tool.stderr;
  const content = await tool.tryRead(name);
  tool.stderr = before;
  return content;
}

function expanded(line: string): string {
  let out = '';
  for (const char of line) out += char === '\t' ? ' '.repeat(8 - (out.length % 8)) : char;
  return out;
}

/** pr. */
export const prShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'pr',
      usage: `Usage: pr [OPTION]... [FILE]...\nPaginate or columnate FILE(s) for printing.

  +FIRST[:LAST]  -COLUMN  -a  -m  -J      pages; columns, across; files side by side; whole lines
  -d  -e  -f  -h HEADER  -D FORMAT  -l LINES  -w WIDTH  -W WIDTH
  -n[SEP[DIGITS]]  -N NUMBER  -o MARGIN  -r  -s[CHAR]  -S[STRING]  -t  -T`,
    },
    pr,
  ),
];
