/** Lines and their indentation: a tab counts for four columns, as in markdown. */

/** A fence of code: spaces, mark, language. */
export const FENCE = /^([ \t]*)(`{3,}|~{3,})[ \t]*([^`]*?)[ \t]*$/;
/** An item of a list: spaces, marker, and its text where it has one. */
export const ITEM = /^([ \t]*)([-*+]|\d{1,9}[.)])(?:[ \t]+(\S.*?))?[ \t]*$/;

const TAB = 4;
/** What belongs to an item is indented by so many columns at least. */
const DEEPER = 2;

export function columnsOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === '\t') columns += TAB - (columns % TAB);
    else if (character === ' ') columns++;
    else break;
  }
  return columns;
}

/** Without that much of its indentation; what is left of a tab becomes spaces. */
export function stripColumns(line: string, columns: number): string {
  let seen = 0;
  let at = 0;
  while (seen < columns && (line[at] === ' ' || line[at] === '\t')) {
    seen += line[at] === '\t' ? TAB - (seen % TAB) : 1;
    at++;
  }
  return ' '.repeat(Math.max(0, seen - columns)) + line.slice(at);
}

/** What belongs to the item at a line, without its indentation, and how many lines it takes with it. */
export function itemLines(
  lines: readonly string[],
  at: number,
): { lines: string[]; length: number } {
  const own = columnsOf(lines[at] ?? '');
  let end = at + 1;
  for (let next = at + 1; next < lines.length; next++) {
    const line = lines[next] ?? '';
    if (line.trim() === '') continue;
    if (columnsOf(line) < own + DEEPER) break;
    end = next + 1;
  }
  const below = lines.slice(at + 1, end);
  const first = below.find((line) => line.trim() !== '') ?? '';
  const indent = columnsOf(first);
  return { lines: below.map((line) => stripColumns(line, indent)), length: end - at };
}

/** How many of an item's lines go on with its text. */
export function continuationOf(
  lines: readonly string[],
  interrupts: (lines: readonly string[], at: number) => boolean,
): number {
  const end = lines.findIndex((line, at) => line.trim() === '' || interrupts(lines, at));
  return end < 0 ? lines.length : end;
}
