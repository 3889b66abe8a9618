/** pr: pages with headers, and columns. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { strftime, zoned } from '../support/time.ts';
import { defineTool, splitLines, type Tool, toBytes, toText } from '../support/tool.ts';

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

function count(options: Options, key: string, fallback: number, what: string): number {
  const text = options.get(key);
  if (text === undefined) return fallback;
  if (!/^\d+$/.test(text) || (Number(text) === 0 && key !== 'o'))
    throw new UsageError(
      `'-${key} ${what}' invalid number of ${what === 'MARGIN' ? 'columns' : 'lines'}: '${text}'`,
      { hint: false },
    );
  return Number(text);
}

function styleOf(options: Options, pages: string | undefined): Style {
  const columns = Number(options.get('columns') ?? options.get('digits') ?? 1);
  const merge = options.has('m');
  if (merge && columns > 1)
    throw new UsageError('cannot specify number of columns when printing in parallel', {
      hint: false,
    });
  if (merge && options.has('a'))
    throw new UsageError('cannot specify both printing across and printing in parallel', {
      hint: false,
    });
  if (columns < 1) throw new UsageError(`invalid number of columns: '${columns}'`, { hint: false });
  const number = /^([^\d])?(\d+)?$/.exec(options.get('n') ?? '');
  if (options.has('n') && number === null)
    throw new UsageError(
      `'-n' extra characters or invalid number in the argument: '${options.get('n')}'`,
    );
  const length = count(options, 'l', 66, 'PAGE_LENGTH');
  const several = columns > 1 || merge;
  const given = options.has('s')
    ? options.get('s') || '\t'
    : options.has('S')
      ? options.get('S')
      : undefined;
  return {
    columns,
    across: options.has('a'),
    merge,
    joins: options.has('J'),
    length,
    width: count(options, options.has('W') ? 'W' : 'w', 72, 'PAGE_WIDTH'),
    cuts:
      (several &&
        !options.has('J') &&
        !(options.has('s') && !options.has('w') && !options.has('W'))) ||
      options.has('W'),
    headers: !options.has('t') && !options.has('T') && length > HEAD + FOOT,
    formFeeds: options.has('f') || options.has('F'),
    double: options.has('d'),
    indent: ' '.repeat(count(options, 'o', 0, 'MARGIN')),
    separator: given,
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
  if (!(first > 0 && last > 0))
    throw new UsageError(`invalid --pages argument '${text}'`, { hint: false });
  if (last < first) throw new UsageError(`invalid page range '${text}'`, { hint: false });
  return [first, last];
}

const TAB = 8;

/** Blanks between columns are written as tabs, as far as these reach. */
function tabbed(text: string): string {
  let column = 0;
  return text.replace(/ +|[^ ]+/g, (piece) => {
    let at = column;
    column += piece.length;
    if (!piece.startsWith(' ')) return piece;
    let out = '';
    for (let next = at + TAB - (at % TAB); column - at > 1 && next <= column; next += TAB) {
      out += '\t';
      at = next;
    }
    return out + ' '.repeat(column - at);
  });
}

/** Columns of text, filled with blanks up to the next one. */
function row(cells: readonly string[], style: Style, columns: number): string {
  if (columns === 1) return style.cuts ? (cells[0] ?? '').slice(0, style.width) : (cells[0] ?? '');
  const separator = style.separator ?? ' ';
  if (!style.cuts) return cells.join(separator);
  // Where columns have a width, a tab between them is a blank.
  const between = separator.replaceAll('\t', ' ');
  const size = Math.max(1, Math.floor((style.width - (columns - 1) * between.length) / columns));
  const texts = cells.map((cell, i) => {
    const cut = cell.slice(0, size);
    return i === cells.length - 1 ? cut : cut.padEnd(size);
  });
  return tabbed(texts.join(between));
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

function numbered(lines: readonly string[], style: Style): string[] {
  const { numbers } = style;
  if (numbers === undefined) return [...lines];
  const { digits, separator, first } = numbers;
  return lines.map(
    (line, i) =>
      `${String(first + i)
        .slice(-digits)
        .padStart(digits)}${separator}${line}`,
  );
}

/** Date, title and page, the title in the middle of what they leave. */
function header(style: Style, date: string, title: string, page: number): string {
  const number = `Page ${page}`;
  const left = style.width - date.length - title.length - number.length;
  const before = Math.max(1, Math.floor(left / 2));
  return `\n\n${style.indent}${date}${' '.repeat(before)}${title}${' '.repeat(Math.max(1, left - before))}${number}\n\n\n`;
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
  for (let page = 1, at = 0; at < rows.length; page++, at += perPage) {
    const piece = rows.slice(at, at + perPage);
    if (page < first || page > last) continue;
    if (style.headers) tool.write(toBytes(header(style, date, title, page)));
    for (const line of piece)
      tool.write(toBytes(`${line === '' ? '' : style.indent + line}\n${style.double ? '\n' : ''}`));
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
    const expand = style.columns > 1 || style.merge || options.has('e');
    const lines = splitLines(content)
      .map(toText)
      .map((line) => (expand ? expanded(line) : line));
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
    const rows = Array.from({ length: height }, (_, i) =>
      row(
        texts.map(({ lines }) => lines[i] ?? ''),
        style,
        texts.length,
      ),
    );
    const date = texts.length === 1 ? (texts[0]?.date ?? new Date()) : new Date();
    paginate(
      tool,
      numbered(rows, style),
      perPage,
      style,
      dated(date),
      options.get('h') ?? (texts.length === 1 ? (texts[0]?.name ?? '') : ''),
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
