/** Documents of OpenDocument: texts by sections, sheets, slides. */
import { broken } from '../fault.ts';
import type { Converted } from '../pages.ts';
import { markdownTable } from './markdown.ts';
import { part } from './office.ts';
import { sectionsOf } from './sections.ts';
import { childOf, elementsBelow, elementsIn, textIn, type XmlElement } from './xml.ts';
import { DocumentArchive } from './zip.ts';

/** Cells and rows that a file says are repeated: of empty ones there are a million. */
const MOST_REPEATED = 64;
const MOST_SPACES = 100;

export async function convertOdt(bytes: Uint8Array): Promise<Converted> {
  const { body, fields } = opened(bytes, 'text');
  return { fields, unit: 's', pages: sectionsOf(blocksOf(body).join('\n\n')) };
}

export async function convertOds(bytes: Uint8Array): Promise<Converted> {
  const { body, fields } = opened(bytes, 'spreadsheet');
  const pages = [...elementsIn(body, 'table')].map(
    (table) => `## ${table.attributes['name'] ?? ''}\n\n${tableOf(table)}`,
  );
  return { fields, unit: 'sheet', pages };
}

export async function convertOdp(bytes: Uint8Array): Promise<Converted> {
  const { body, fields } = opened(bytes, 'presentation');
  const pages = [...elementsIn(body, 'page')].map((page) => {
    const notes = childOf(page, 'notes');
    const shown: XmlElement = {
      ...page,
      children: page.children.filter((child) => child !== notes),
    };
    const said = notes === undefined ? '' : blocksOf(notes).join('\n\n');
    const text = blocksOf(shown).join('\n\n');
    return said === '' ? text : `${text}\n\nNotes:\n\n${said}`;
  });
  return { fields, unit: 'slide', pages };
}

function opened(
  bytes: Uint8Array,
  kind: string,
): { body: XmlElement; fields: Converted['fields'] } {
  const archive = new DocumentArchive(bytes);
  const manifest = part(archive, 'META-INF/manifest.xml');
  if (manifest !== null && [...elementsBelow(manifest, 'encryption-data')].length > 0)
    throw broken('is encrypted, and opens with a password alone');
  const content = part(archive, 'content.xml');
  const body = childOf(childOf(content, 'body'), kind);
  if (body === undefined)
    throw broken(`is not what its name says: it has no ${kind} in content.xml`);
  const meta = childOf(part(archive, 'meta.xml'), 'meta');
  const field = (name: string): string | undefined => textIn(childOf(meta, name)) || undefined;
  const fields = {
    title: field('title'),
    author: field('creator') ?? field('initial-creator'),
    subject: field('subject'),
    keywords: field('keyword'),
    created: field('creation-date')?.slice(0, 10),
    updated: field('date')?.slice(0, 10),
  };
  return { body, fields };
}

/** The paragraphs, headings, lists and tables of an element. */
function blocksOf(element: XmlElement, indent = ''): string[] {
  const blocks: string[] = [];
  for (const child of elementsIn(element)) {
    if (child.name === 'h') {
      const level = Math.min(6, Math.max(1, Number(child.attributes['outline-level'] ?? 1) || 1));
      blocks.push(`${'#'.repeat(level)} ${inline(child).trim()}`);
    } else if (child.name === 'p') blocks.push(...paragraphOf(child).map((each) => indent + each));
    else if (child.name === 'list') blocks.push(listOf(child, indent));
    else if (child.name === 'table') blocks.push(tableOf(child));
    else if (!SKIPPED.has(child.name)) blocks.push(...blocksOf(child, indent));
  }
  return blocks.filter((block) => block.trim() !== '');
}

/** What is no text of the document: what was deleted from it, forms, and what repeats its headings. */
const SKIPPED = new Set([
  'tracked-changes',
  'forms',
  'sequence-decls',
  'table-of-content',
  'binary-data',
]);

/** A paragraph, and what is framed in it. */
function paragraphOf(paragraph: XmlElement): string[] {
  const frames = [...elementsBelow(paragraph, 'text-box')].flatMap((box) => blocksOf(box));
  return [inline(paragraph), ...frames];
}

function listOf(list: XmlElement, indent: string): string {
  return [...elementsIn(list)]
    .map((item) => {
      const [first = '', ...rest] = blocksOf(item, '');
      const more = rest.map((block) => block.replace(/^/gm, `${indent}  `));
      return [`${indent}- ${first.trimStart()}`, ...more].join('\n');
    })
    .join('\n');
}

function tableOf(table: XmlElement): string {
  const rows: string[][] = [];
  for (const row of rowsOf(table)) {
    const cells: string[] = [];
    for (const cell of elementsIn(row)) {
      if (cell.name !== 'table-cell' && cell.name !== 'covered-table-cell') continue;
      const text = blocksOf(cell).join(' ');
      const times = repeated(cell.attributes['number-columns-repeated']);
      for (let index = 0; index < times; index++) cells.push(text);
    }
    while (cells.at(-1) === '') cells.pop();
    const times = cells.length === 0 ? 0 : repeated(row.attributes['number-rows-repeated']);
    for (let index = 0; index < times; index++) rows.push(cells);
  }
  return markdownTable(rows);
}

/** The rows of a table, those in groups and heads included. */
function* rowsOf(table: XmlElement): Iterable<XmlElement> {
  for (const child of elementsIn(table)) {
    if (child.name === 'table-row') yield child;
    else if (/^table-(?:header-rows|rows|row-group)$/.test(child.name)) yield* rowsOf(child);
  }
}

const repeated = (times: string | undefined): number =>
  Math.min(MOST_REPEATED, Math.max(1, Number(times ?? 1) || 1));

function inline(element: XmlElement): string {
  return element.children
    .map((child) => {
      if (typeof child === 'string') return child.replace(/\s+/g, ' ');
      if (child.name === 's')
        return ' '.repeat(Math.min(MOST_SPACES, Number(child.attributes['c'] ?? 1) || 1));
      if (child.name === 'tab') return '\t';
      if (child.name === 'line-break') return '\n';
      if (child.name === 'note') return ` (${inline(childOf(child, 'note-body') ?? child).trim()})`;
      if (child.name === 'annotation' || child.name === 'text-box') return '';
      return inline(child);
    })
    .join('');
}
