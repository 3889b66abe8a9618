/** Tables: of files between pipes, of Notion in tags. */
import type { Inline } from './blocks.ts';
import { type InlineForm, type Reading, readInline, writeInline } from './inline.ts';

/** The line of dashes below the heads. */
const DASHES = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/;

/** Does a table begin at this line, going by the next one? */
export function startsTable(line: string, next: string | undefined): boolean {
  const dashes = next?.trim() ?? '';
  return line.includes('|') && dashes.includes('-') && dashes.includes('|') && DASHES.test(dashes);
}

export interface PipeTable {
  rows: Inline[][][];
  /** How many lines it took. */
  length: number;
}

interface PipeReading {
  underscores: boolean;
  /** Told what Notion cannot hold, and how many lines below the first it is. */
  trouble?: (message: string, offset: number) => void;
}

/** Reads the table that begins at a line. */
export function readPipes(
  lines: readonly string[],
  at: number,
  { underscores, trouble = () => undefined }: PipeReading,
): PipeTable {
  const cell = (offset: number) => (text: string) =>
    readInline(text, { underscores, trouble: (message) => trouble(message, offset) });
  const heads = cellsOf(lines[at] ?? '');
  const dashes = cellsOf(lines[at + 1] ?? '');
  if (dashes.some((one) => one.includes(':'))) {
    trouble('Notion’s tables have no alignment: write |---| without colons', 1);
  }
  if (dashes.length !== heads.length) {
    trouble(`has ${dashes.length} columns, and the line above has ${heads.length}`, 1);
  }
  const rows = [heads.map(cell(0))];
  let length = 2;
  for (; lines[at + length]?.includes('|'); length++) {
    const cells = cellsOf(lines[at + length] ?? '');
    if (cells.length !== heads.length) {
      trouble(
        `has ${cells.length} cells, and the table has ${heads.length} columns (a | within a cell is \\|)`,
        length,
      );
    }
    rows.push(cells.map(cell(length)));
  }
  return { rows, length };
}

/** The cells of a line; `\|` is no border. */
function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  const cells = [''];
  for (let at = 0; at < inner.length; at++) {
    const two = inner.slice(at, at + 2);
    if (two === '\\|') {
      cells[cells.length - 1] += '|';
      at++;
    } else if (two[0] === '\\' && two.length === 2) {
      cells[cells.length - 1] += two;
      at++;
    } else if (two[0] === '|') cells.push('');
    else cells[cells.length - 1] += two[0] ?? '';
  }
  return cells.map((one) => one.trim());
}

/** A line of a table between pipes. */
export function pipeRow(cells: readonly string[]): string {
  return `| ${cells.map((one) => one.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Of a table's lines in Notion's markdown; null where it has more than heads and texts. */
export function readTags(lines: readonly string[], reading: Reading): Inline[][][] | null {
  const text = lines.map((line) => line.trim()).join('');
  const open = /^<table((?: [a-z-]+="[^"]*")*)>(.*)<\/table>$/s.exec(text);
  if (open === null) return null;
  const attrs = (open[1] ?? '').replace(/ fit-page-width="(?:true|false)"| [a-z-]+="false"/g, '');
  if (attrs.trim() !== 'header-row="true"') return null;
  const rows: Inline[][][] = [];
  const rest = (open[2] ?? '').replace(
    /<tr>((?:<t[dh]>.*?<\/t[dh]>)+)<\/tr>/gs,
    (_all, row: string) => {
      const cells = [...row.matchAll(/<t[dh]>(.*?)<\/t[dh]>/gs)];
      rows.push(cells.map(([, cell = '']) => readInline(cell.trim(), reading)));
      return '';
    },
  );
  const even = rows.every((row) => row.length === rows[0]?.length);
  return rest.trim() === '' && rows.length > 0 && even ? rows : null;
}

export function writeTags(rows: readonly Inline[][][], form: InlineForm): string[] {
  const cell = (one: Inline[]) => `\t\t<td>${writeInline(one, form)}</td>`;
  const row = (one: Inline[][]) => ['\t<tr>', ...one.map(cell), '\t</tr>'];
  return ['<table header-row="true">', ...rows.flatMap(row), '</table>'];
}
