/**
 * Simple tables: `<table>` in the service's markdown, and on the way in GitHub's pipes, too, which
 * the documentation's own example has.
 * https://developers.notion.com/guides/data-apis/enhanced-markdown ("Table")
 */
import type { Draft } from './markdown.ts';
import type { Block, Json } from './model.ts';
import { parseRuns, renderRuns, richTextOf, runsOf } from './rich-text.ts';

/** "All attributes are optional (default to false)." */
export function renderTable({ content, children }: Block | Draft, indent: string): string {
  const attrs = [
    ...(content['has_column_header'] === true ? [' header-row="true"'] : []),
    ...(content['has_row_header'] === true ? [' header-column="true"'] : []),
  ];
  const rows = children.flatMap(({ content: { cells } }) => [
    '\t<tr>',
    ...(cells as unknown[]).map((cell) => `\t\t<td>${renderRuns(runsOf(cell))}</td>`),
    '\t</tr>',
  ]);
  return [`<table${attrs.join('')}>`, ...rows, '</table>'].map((line) => indent + line).join('\n');
}

export function parseTable(
  lines: readonly string[],
  at: number,
): { draft: Draft; length: number } | null {
  const line = (lines[at] ?? '').trim();
  if (line.startsWith('<table')) return parseTags(lines, at);
  const dashes = (lines[at + 1] ?? '').trim();
  if (!line.startsWith('|') || !/^\|(?: *:?-+:? *\|)+$/.test(dashes)) return null;
  let length = 2;
  while ((lines[at + length] ?? '').trim().startsWith('|')) length++;
  const rows = [line, ...lines.slice(at + 2, at + length)].map((row) =>
    row
      .trim()
      .replace(/^\||\|$/g, '')
      // A `\\|` is a border to the service (seen in practice): what follows is another cell.
      .split('|')
      .map((cell) => cell.trim()),
  );
  return { draft: tableOf(rows, { header: true, column: false }), length };
}

function parseTags(lines: readonly string[], at: number) {
  const end = lines.slice(at).findIndex((one) => one.trim().endsWith('</table>'));
  const length = end < 0 ? lines.length - at : end + 1;
  const text = lines
    .slice(at, at + length)
    .map((one) => one.trim())
    .join('');
  const rows = [...text.matchAll(/<tr[^>]*>(.*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g)].map(([, cell = '']) => cell),
  );
  const open = /^<table[^>]*>/.exec(text)?.[0] ?? '';
  const header = open.includes('header-row="true"');
  const column = open.includes('header-column="true"');
  return { draft: tableOf(rows, { header, column }), length };
}

function tableOf(
  rows: readonly (readonly string[])[],
  { header, column }: { header: boolean; column: boolean },
): Draft {
  const width = rows[0]?.length ?? 0;
  const content: Json = {
    table_width: width,
    has_column_header: header,
    has_row_header: column,
  };
  const children = rows.map((row): Draft => {
    const cells = Array.from({ length: width }, (_, index) =>
      richTextOf(parseRuns(row[index] ?? '')),
    );
    return { type: 'table_row', content: { cells }, children: [] };
  });
  return { type: 'table', content, children };
}
