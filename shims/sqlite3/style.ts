/** How rows are shown, as options and dot commands set it, and how a value stands in them. All texts are byte strings. */
import { BLOB, type Cell, FLOAT, INTEGER, NULL } from './engine.ts';
import { exactReal } from './numbers.ts';
import { blobInSql, quoted, quotedOnOneLine } from './quoting.ts';

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
  tcl: { separator: ' ', newline: '\n' },
} satisfies Record<string, { separator?: string; newline?: string }>;

export type Mode = keyof typeof MODES;

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

/** As a C program prints a text: to its first NUL. */
export function toNul(bytes: string): string {
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

/** How a value stands in a column that shows texts as SQL. */
export function inColumn(cell: Cell, { quotes, nullValue }: Style): string {
  if (quotes) return inSql(cell, quoted);
  return cell.type === NULL ? nullValue : toNul(cell.bytes);
}
