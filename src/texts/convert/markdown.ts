/** HTML as markdown, by turndown; tables row by row. */
import TurndownService, { type HtmlNode } from 'turndown';

const DROPPED = ['script', 'style', 'noscript', 'template', 'iframe', 'object', 'svg', 'canvas'];

export function htmlToMarkdown(html: string | HtmlNode): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
  });
  service.remove(DROPPED);
  service.addRule('table', {
    filter: 'table',
    replacement: (_, node) => `\n\n${tableOf(node)}\n\n`,
  });
  // A picture is its description; where it lies is of no use in a text.
  service.addRule('picture', {
    filter: 'img',
    replacement: (_, node) => {
      const alt = node.getAttribute('alt')?.trim() ?? '';
      return alt === '' ? '' : `![${alt.replace(/\s+/g, ' ')}]()`;
    },
  });
  // A leap within the document is none within its text.
  service.addRule('leap', {
    filter: (node) => node.nodeName === 'A' && /^(?:#|$)/.test(node.getAttribute('href') ?? ''),
    replacement: (content) => content,
  });
  // Everything is escaped by it that could be a mark; a text is to be found as it was written.
  service.escape = (text) => text;
  return service.turndown(html);
}

function tableOf(table: HtmlNode): string {
  const rows = Array.from(table.querySelectorAll('tr'))
    .filter((row) => closest(row) === table)
    .map((row) =>
      Array.from(row.childNodes)
        .filter(({ nodeName }) => /^T[DH]$/i.test(nodeName))
        .map((cell) => cell.textContent ?? ''),
    );
  return markdownTable(rows);
}

/** The table that a row belongs to. */
function closest(row: HtmlNode): HtmlNode | null {
  let node: HtmlNode | null = row.parentNode;
  while (node !== null && node.nodeName.toUpperCase() !== 'TABLE') node = node.parentNode;
  return node;
}

/** Rows as a table of markdown; the first one is its head. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const width = Math.max(0, ...rows.map((row) => row.length));
  if (width === 0) return '';
  const line = (row: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, index) => cellOf(row[index] ?? '')).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), `|${' --- |'.repeat(width)}`, ...body.map(line)].join('\n');
}

const cellOf = (text: string): string => text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
