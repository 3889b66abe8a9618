/** Texts as Discord shows them. */

/** Between two marks it is seen by nobody, and they are no mark. */
const WORD_JOINER = '\u2060';
const FENCE = /^ {0,3}(`{3,}|~{3,})([^`\n]*)$/;
const ROW = /^\s*\|.*\|\s*$/;
const RULE = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;

/**
 * Markdown as Discord has it: a block of code ends with the first three marks, so that those in it
 * are none; a table is shown as code, with its columns below each other.
 */
export function discordText(markdown: string): string {
  const lines: string[] = [];
  let fence: string | null = null;
  let table: string[] = [];
  const endTable = (): void => {
    if (table.length > 1 && RULE.test(table[1] ?? ''))
      lines.push('```', ...aligned(table).map(inert), '```');
    else lines.push(...table);
    table = [];
  };
  for (const line of markdown.split('\n')) {
    const [, marks = '', language = ''] = FENCE.exec(line) ?? [];
    if (fence !== null) {
      const isEnd = marks[0] === fence[0] && marks.length >= fence.length && language.trim() === '';
      lines.push(isEnd ? '```' : inert(line));
      if (isEnd) fence = null;
    } else if (ROW.test(line)) table.push(line);
    else {
      endTable();
      fence = marks === '' ? null : marks;
      lines.push(marks === '' ? line : `\`\`\`${language.trim().replaceAll(/[^\w+#-]/g, '')}`);
    }
  }
  endTable();
  return lines.join('\n');
}

/** Marks in code end it nowhere, and look as they are. */
const inert = (line: string): string => line.replaceAll(/`(?=`)/g, `\`${WORD_JOINER}`);

function aligned(table: readonly string[]): string[] {
  const rows = table
    .filter((_, index) => index !== 1)
    .map((row) =>
      row
        .trim()
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('\\|', '|')),
    );
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => [...(row[at] ?? '')].length)),
  );
  const shown = rows.map((row) =>
    row.map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - [...cell].length))),
  );
  const [head = [], ...body] = shown.map((row) => row.join('  ').trimEnd());
  return [String(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body];
}
