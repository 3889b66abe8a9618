/** The pages of a document's text: each begins with a line such as `<!-- p12 -->`. */
import { PAGE_LINE, type PageUnit } from './names.ts';

/** A page of a text. */
export interface Page {
  /** `p12`, `sheet2`, `slide3`, `ch4`, `cell5`, `s6`, `part1`. */
  name: string;
  /** The line of the whole text that its first line is, from 1. */
  firstLine: number;
  text: string;
}

/** What a converter makes of a document. */
export interface Converted {
  /** What is known of the document as a whole, such as its title and author. */
  fields: Readonly<Record<string, string | number | undefined>>;
  unit: PageUnit;
  /** Markdown, in order; what is empty keeps its number. */
  pages: readonly string[];
}

/** The pages of a text, in order. */
export function pagesOf(text: string): Page[] {
  const lines = text.split('\n');
  const starts = lines.flatMap((line, index) => (PAGE_LINE.test(line) ? [index] : []));
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? lines.length;
    const body = lines.slice(start + 2, end);
    while (body.length > 0 && body.at(-1) === '') body.pop();
    return {
      name: PAGE_LINE.exec(lines[start] ?? '')?.[1] ?? '',
      firstLine: start + 3,
      text: body.length === 0 ? '' : `${body.join('\n')}\n`,
    };
  });
}

/** The page that a line of a text stands on, and its number there; null before the first page. */
export function pageAt(text: string, line: number): { page: string; line: number } | null {
  const page = pagesOf(text).findLast(({ firstLine }) => firstLine <= Math.max(line, 1) + 2);
  return page === undefined
    ? null
    : { page: page.name, line: Math.max(1, line - page.firstLine + 1) };
}

/** Has a text no word on any page? */
export const isWithoutText = (text: string): boolean =>
  pagesOf(text).every((page) => page.text === '');

/** A text with what was read off its pages as pictures; what it said before comes first. */
export function withPictures(text: string, seen: readonly string[]): string {
  const before = pagesOf(text);
  const head = text.startsWith('---\n') ? text.slice(4, text.indexOf('\n---', 4)) : '';
  const kept = head.split('\n').filter((line) => !/^(?:pages|without text):|^$/.test(line));
  const pages = seen.map((page, index) => [before[index]?.text ?? '', page].join('\n'));
  return withHead([...kept, `pages: ${pages.length}`], 'p', pages);
}

/** The text of a document: its fields as front matter, then page after page. */
export function textOfPages({ fields, unit, pages }: Converted): string {
  const known = Object.entries({ ...fields, ...countOf(unit, pages.length) }).flatMap(
    ([name, value]) => (value === undefined || value === '' ? [] : [`${name}: ${scalar(value)}`]),
  );
  return withHead(known, unit, pages);
}

function withHead(lines: readonly string[], unit: PageUnit, pages: readonly string[]): string {
  const body = pages.map((page, index) => `<!-- ${unit}${index + 1} -->\n\n${bodyOf(page)}`);
  return [...(lines.length > 0 ? [`---\n${lines.join('\n')}\n---\n`] : []), ...body].join('\n');
}

const UNIT_NAMES: Readonly<Record<PageUnit, string>> = {
  p: 'pages',
  sheet: 'sheets',
  slide: 'slides',
  ch: 'chapters',
  cell: 'cells',
  s: 'sections',
  part: 'parts',
};

const countOf = (unit: PageUnit, count: number): Record<string, number> =>
  count === 0 ? {} : { [UNIT_NAMES[unit]]: count };

/** What could be taken for the beginning of a page, or would not be seen, is none of the document's words. */
function bodyOf(page: string): string {
  const lines = page
    .replace(/\r\n?/g, '\n')
    // What a terminal would act on goes.
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ')
    .split('\n')
    .map((line) => (PAGE_LINE.test(line.trimEnd()) ? `\\${line.trimEnd()}` : line.trimEnd()));
  const text = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');
  return text === '' ? '' : `${text}\n`;
}

/** A value of the front matter: plain where YAML reads it as this very text. */
function scalar(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const line = value.replace(/\s+/g, ' ').trim();
  return /^[\p{L}][\p{L}\p{N} .,()/_-]*$/u.test(line) &&
    !/^(?:true|false|null|yes|no|on|off)$/i.test(line)
    ? line
    : JSON.stringify(line);
}
