/** The output modes of sqlite3. All texts are byte strings. */

import { columnar } from './columns.ts';
import { BLOB, type Cell, FLOAT, INTEGER, NULL } from './engine.ts';
import { exactReal } from './numbers.ts';
import { blobInSql, nameInSql, quoted, quotedOnOneLine } from './quoting.ts';

/** What `.mode`, `.headers`, `.separator`, `.nullvalue` and `.width` set. */
export interface Style {
  mode: Mode;
  headers: boolean;
  /** Were they asked for or refused by name? */
  areHeadersSet: boolean;
  separator: string;
  newline: string;
  nullValue: string;
  /** Of `.mode insert`, as it stands in SQL. */
  table: string;
  /** Characters; 0 is as wide as needed, below 0 right-aligned. */
  widths: number[];
  /** Where columns are wrapped. Characters; 0 is nowhere. */
  wrap: number;
  wrapsAtWords: boolean;
  /** Texts of columns as SQL. */
  quotes: boolean;
}

/** The modes by their names, with the separators that they bring; undefined leaves what there is. */
export const MODES = {
  ascii: { separator: '\x1f', newline: '\x1e' },
  box: {},
  column: {},
  csv: { separator: ',', newline: '\r\n' },
  html: {},
  insert: {},
  json: {},
  line: { newline: '\n' },
  list: { separator: '|', newline: '\n' },
  markdown: {},
  quote: { separator: ',', newline: '\n' },
  table: {},
  tabs: { separator: '\t' },
  tcl: { separator: ' ' },
} satisfies Record<string, { separator?: string; newline?: string }>;

export type Mode = keyof typeof MODES;

/** Modes that need all rows before they show the first. */
const COLUMNAR: ReadonlySet<Mode> = new Set(['box', 'column', 'markdown', 'table']);

export const PLAIN_STYLE: Readonly<Style> = {
  mode: 'list',
  headers: false,
  areHeadersSet: false,
  separator: '|',
  newline: '\n',
  nullValue: '',
  table: 'table',
  widths: [],
  wrap: 0,
  wrapsAtWords: false,
  quotes: false,
};

/** What shows the rows of one statement. */
export interface Printer {
  row(cells: readonly Cell[]): void;
  end(): void;
}

/** What a mode prints with. */
export interface PrinterHost {
  style: Style;
  names: readonly string[];
  print(text: string): void;
  isKeyword(name: string): boolean;
}

/** Shows the rows of a statement in the mode of a style. */
export function printerFor(host: PrinterHost): Printer {
  const { style, names } = host;
  if (COLUMNAR.has(style.mode)) return columnar(host);
  const shown = ({ type, bytes }: Cell): string => (type === NULL ? style.nullValue : toNul(bytes));
  switch (style.mode) {
    case 'line':
      return lines(host, shown);
    case 'html':
      return html(host, shown);
    case 'json':
      return json(host);
    case 'insert':
      return inserts(host);
    case 'tcl': {
      const tcl = (text: string): string => cString(text);
      return separated(host, names.map(tcl), (cell) => tcl(shown(cell)));
    }
    case 'csv': {
      const csv = (text: string): string => csvField(text, style.separator);
      const field = (cell: Cell): string =>
        cell.type === NULL ? style.nullValue : csv(shown(cell));
      return separated(host, names.map(csv), field);
    }
    case 'quote':
      return separated(host, names.map(quoted), (cell) => inSql(cell, quoted));
    default:
      return separated(host, names, shown);
  }
}

/** As a C program prints a text: to its first NUL. */
function toNul(bytes: string): string {
  const end = bytes.indexOf('\0');
  return end < 0 ? bytes : bytes.slice(0, end);
}

/** A value in SQL. */
export function inSql({ type, bytes, real }: Cell, text = quotedOnOneLine): string {
  if (type === NULL) return 'NULL';
  if (type === INTEGER) return bytes;
  if (type === FLOAT) return exactReal(real);
  return type === BLOB ? blobInSql(bytes) : text(toNul(bytes));
}

function separated(
  { style, print }: PrinterHost,
  names: readonly string[],
  show: (cell: Cell) => string,
): Printer {
  let isFirst = true;
  return {
    row(cells) {
      const rows = isFirst && style.headers ? [names] : [];
      isFirst = false;
      for (const row of [...rows, cells.map(show)]) {
        print(row.join(style.separator) + style.newline);
      }
    },
    end: () => undefined,
  };
}

function lines({ style, names, print }: PrinterHost, shown: (cell: Cell) => string): Printer {
  const width = Math.max(5, ...names.map((name) => name.length));
  let isFirst = true;
  return {
    row(cells) {
      if (!isFirst) print(style.newline);
      isFirst = false;
      for (const [at, cell] of cells.entries()) {
        print(`${(names[at] ?? '').padStart(width)} = ${shown(cell)}${style.newline}`);
      }
    },
    end: () => undefined,
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
};

function html({ style, names, print }: PrinterHost, shown: (cell: Cell) => string): Printer {
  const escaped = (text: string): string => text.replace(/[<>&"']/g, (c) => ENTITIES[c] ?? c);
  const row = (tag: string, texts: readonly string[]): void =>
    print(`<TR>${texts.map((text) => `<${tag}>${escaped(text)}</${tag}>\n`).join('')}</TR>\n`);
  let isFirst = true;
  return {
    row(cells) {
      if (isFirst && style.headers) row('TH', names);
      isFirst = false;
      row('TD', cells.map(shown));
    },
    end: () => undefined,
  };
}

function json({ names, print }: PrinterHost): Printer {
  let isFirst = true;
  const value = ({ type, bytes, real }: Cell): string => {
    if (type === NULL) return 'null';
    if (type === INTEGER) return bytes;
    if (type === FLOAT) return exactReal(real);
    return jsonString(type === BLOB ? bytes : toNul(bytes));
  };
  return {
    row(cells) {
      const fields = cells.map((cell, at) => `${jsonString(names[at] ?? '')}:${value(cell)}`);
      print(`${isFirst ? '[' : ',\n'}{${fields.join(',')}}`);
      isFirst = false;
    },
    end() {
      if (!isFirst) print(']\n');
    },
  };
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function jsonString(bytes: string): string {
  const code = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `"${bytes.replace(/["\\\0-\x1f]/g, (char) => ESCAPES[char] ?? code(char))}"`;
}

/** A text as C would write it. */
export function cString(bytes: string): string {
  const octal = (char: string): string => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`;
  return `"${bytes.replace(/["\\\0-\x1f\x7f-\xff]/g, (char) =>
    /["\\\t\n\r]/.test(char) ? (ESCAPES[char] ?? char) : octal(char),
  )}"`;
}

function csvField(text: string, separator: string): string {
  const isPlain = text !== '' && !/[\0- "'\x7f-\xff]/.test(text);
  if (isPlain && (separator === '' || !text.includes(separator))) return text;
  return `"${text.replaceAll('"', '""')}"`;
}

function inserts({ style, names, print, isKeyword }: PrinterHost): Printer {
  const columns = style.headers
    ? `(${names.map((name) => nameInSql(name, isKeyword)).join(',')})`
    : '';
  return {
    row(cells) {
      const values = cells.map((cell) => inSql(cell)).join(',');
      print(`INSERT INTO ${style.table}${columns} VALUES(${values});\n`);
    },
    end: () => undefined,
  };
}

/** How a value stands in a column that shows texts as SQL. */
export function inColumn(cell: Cell, { quotes, nullValue }: Style): string {
  if (quotes) return inSql(cell, quoted);
  return cell.type === NULL ? nullValue : toNul(cell.bytes);
}
