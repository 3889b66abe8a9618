/** The output modes of sqlite3. All texts are byte strings. */

import { columnar } from './columns.ts';
import { BLOB, type Cell, FLOAT, INTEGER, NULL } from './engine.ts';
import { exactReal } from './numbers.ts';
import { nameInSql, quoted } from './quoting.ts';
import { inSql, type Mode, type Printer, type PrinterHost, toNul } from './style.ts';

/** Modes that need all rows before they show the first. */
const COLUMNAR: ReadonlySet<Mode> = new Set(['box', 'column', 'markdown', 'table']);

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
