/** fold. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool } from '../support/tool.ts';

/** The column behind a character of one byte. */
function columnAfter(column: number, char: string): number {
  if (char === '\b') return Math.max(0, column - 1);
  if (char === '\r') return 0;
  if (char === '\t') return column + 8 - (column % 8);
  return column + 1;
}

const countBytes = (column: number): number => column + 1;

/** A line cut into pieces that fit; with `atBlanks`, behind the last blank that does. */
function pieces(
  line: string,
  width: number,
  after: (column: number, char: string) => number,
  atBlanks: boolean,
): string[] {
  const out: string[] = [];
  const columnOf = (text: string): number => [...text].reduce(after, 0);
  let piece = '';
  let column = 0;
  for (const char of line) {
    let next = after(column, char);
    while (next > width && piece !== '') {
      const blank = atBlanks ? Math.max(piece.lastIndexOf(' '), piece.lastIndexOf('\t')) : -1;
      const end = blank < 0 ? piece.length : blank + 1;
      out.push(piece.slice(0, end));
      piece = piece.slice(end);
      column = columnOf(piece);
      next = after(column, char);
    }
    piece += char;
    column = next;
  }
  out.push(piece);
  return out;
}

async function fold(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'bsw:',
    long: { bytes: 'b', spaces: 's', width: 'w:' },
    digits: true,
  });
  const given = options.seen.filter(([key]) => key === 'w' || key === 'digits').at(-1)?.[1] ?? '80';
  const width = Number(given);
  if (!/^\d+$/.test(given) || width === 0)
    throw new UsageError(`invalid number of columns: '${given}'`, { hint: false });
  const after = options.has('b') ? countBytes : columnAfter;
  for (const name of options.operands.length === 0 ? ['-'] : options.operands) {
    const content = await tool.tryRead(name);
    if (content === undefined) continue;
    const lines = content.split('\n');
    for (const [i, line] of lines.entries()) {
      const cut = pieces(line, width, after, options.has('s')).join('\n');
      tool.write(cut + (i + 1 < lines.length ? '\n' : ''));
      const rest = tool.pulse();
      if (rest !== undefined) await rest;
    }
  }
}

/** fold. */
export const foldShims: ShimFactory = (host) => [
  defineTool(host, { name: 'fold', usage: 'Usage: fold [OPTION]... [FILE]...' }, fold),
];
