/** Modes whose columns are as wide as their widest value. All texts are byte strings of UTF-8. */
import type { Cell } from './engine.ts';
import { inColumn, type Printer, type PrinterHost, type Style } from './style.ts';

const bytes = (text: string): string => Buffer.from(text).toString('latin1');
const chars = (text: string): string[] => [...Buffer.from(text, 'latin1').toString()];

/** The lines of a frame: what begins, divides and ends a row, and rules of that shape. */
interface Frame {
  row: [string, string, string];
  top?: [string, string, string];
  below: [string, string, string];
  bottom?: [string, string, string];
  dash: string;
}

const FRAMES: Readonly<Record<string, Frame>> = {
  table: {
    row: ['| ', ' | ', ' |\n'],
    top: ['+', '+', '+\n'],
    below: ['+', '+', '+\n'],
    bottom: ['+', '+', '+\n'],
    dash: '-',
  },
  markdown: { row: ['| ', ' | ', ' |\n'], below: ['|', '|', '|\n'], dash: '-' },
  box: {
    row: [bytes('│ '), bytes(' │ '), bytes(' │\n')],
    top: [bytes('┌'), bytes('┬'), bytes('┐\n')],
    below: [bytes('├'), bytes('┼'), bytes('┤\n')],
    bottom: [bytes('└'), bytes('┴'), bytes('┘\n')],
    dash: bytes('─'),
  },
};

/** Box, column, markdown and table: shown when the last row is known. */
export function columnar({ style, names, print }: PrinterHost): Printer {
  const rows: string[][] = [];
  return {
    row: (cells: readonly Cell[]) => rows.push(cells.map((cell) => inColumn(cell, style))),
    end() {
      if (rows.length === 0) return;
      const table = layout(names, rows, style);
      const frame = FRAMES[style.mode];
      print(frame === undefined ? unframed(table, style) : framed(table, frame));
    },
  };
}

interface Layout {
  heads: string[];
  /** Lines by row: a value of several lines has several. */
  rows: string[][][];
  widths: number[];
  /** Those that are aligned to the right. */
  rights: boolean[];
}

function layout(names: readonly string[], rows: readonly string[][], style: Style): Layout {
  const limits = names.map((_, at) => Math.abs(style.widths[at] ?? 0) || Math.abs(style.wrap));
  const cut = (text: string, at: number): string[] =>
    linesOf(chars(text), limits[at] ?? 0, style.wrapsAtWords);
  const heads = names.map((name, at) => cut(name, at)[0] ?? '');
  const cells = rows.map((row) => {
    const columns = row.map(cut);
    const height = Math.max(...columns.map((column) => column.length));
    return Array.from({ length: height }, (_, line) => columns.map((column) => column[line] ?? ''));
  });
  const widths = heads.map((head, at) => {
    const all = [head, ...cells.flatMap((lines) => lines.map((line) => line[at] ?? ''))];
    return all.reduce(
      (widest, text) => Math.max(widest, [...text].length),
      Math.abs(style.widths[at] ?? 0),
    );
  });
  return { heads, rows: cells, widths, rights: names.map((_, at) => (style.widths[at] ?? 0) < 0) };
}

/** A value as the lines of a column, of at most so many characters; 0 is no limit. */
function linesOf(text: readonly string[], limit: number, atWords: boolean): string[] {
  const lines: string[] = [];
  const most = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  let at = 0;
  do {
    let line = '';
    let width = 0;
    const start = at;
    for (; at < text.length && width < most; at++) {
      const char = text[at] ?? '';
      if (char === '\n' || (char === '\r' && text[at + 1] === '\n')) break;
      const shown = shownChar(char, width);
      line += shown;
      width += [...shown].length;
    }
    const next = text[at];
    if (next === '\r' && text[at + 1] === '\n') at += 2;
    else if (next === '\n') at += 1;
    else if (next !== undefined && atWords) {
      const back = wordStart(text, start, at);
      line = [...line].slice(0, [...line].length - (at - back)).join('');
      at = back;
      while (text[at] === ' ') at += 1;
    }
    lines.push(line);
  } while (at < text.length);
  return lines;
}

/** Where a line that is full ends: behind a blank, or else where a word begins or ends, but not in its first half. */
function wordStart(text: readonly string[], start: number, end: number): number {
  const isPart = (at: number): boolean => /[a-z0-9]/i.test(text[at] ?? '');
  for (const isEnd of [
    (at: number) => /\s/.test(text[at - 1] ?? ''),
    (at: number) => isPart(at - 1) !== isPart(at),
  ]) {
    for (let at = end; at - start > Math.floor((end - start) / 2); at--) if (isEnd(at)) return at;
  }
  return end;
}

function shownChar(char: string, column: number): string {
  if (char === '\t') return ' '.repeat(8 - (column % 8));
  return char < ' ' ? `^${String.fromCharCode(char.charCodeAt(0) + 64)}` : char;
}

function padded(text: string, width: number, isRight: boolean | undefined): string {
  const space = ' '.repeat(Math.max(0, width - [...text].length));
  return isRight === true ? space + text : text + space;
}

function unframed({ heads, rows, widths, rights }: Layout, style: Style): string {
  const line = (cells: readonly string[]): string =>
    `${cells.map((cell, at) => padded(cell, widths[at] ?? 0, rights[at])).join('  ')}\n`;
  const rule = `${widths.map((width) => '-'.repeat(width)).join('  ')}\n`;
  const top = style.headers ? line(heads) + rule : '';
  const isTall = rows.some((lines) => lines.length > 1);
  // A row of several lines is set off from the one below.
  const body = rows.map(
    (lines, at) => lines.map(line).join('') + (isTall && at < rows.length - 1 ? '\n' : ''),
  );
  return bytes(top + body.join(''));
}

function framed({ heads, rows, widths, rights }: Layout, frame: Frame): string {
  const [open, divide, close] = frame.row;
  const rule = (shape: Frame['top']): string => {
    if (shape === undefined) return '';
    return shape[0] + widths.map((width) => frame.dash.repeat(width + 2)).join(shape[1]) + shape[2];
  };
  const line = (cells: readonly string[]): string =>
    open +
    cells.map((cell, at) => bytes(padded(cell, widths[at] ?? 0, rights[at]))).join(divide) +
    close;
  const centred = heads.map((head, at) => {
    const space = (widths[at] ?? 0) - [...head].length;
    return ' '.repeat(Math.floor(space / 2)) + head + ' '.repeat(Math.ceil(space / 2));
  });
  const isTall = rows.some((lines) => lines.length > 1) && frame.bottom !== undefined;
  const body = rows.map(
    (lines, at) =>
      lines.map(line).join('') + (isTall && at < rows.length - 1 ? rule(frame.below) : ''),
  );
  return rule(frame.top) + line(centred) + rule(frame.below) + body.join('') + rule(frame.bottom);
}
