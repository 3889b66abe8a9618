/** Hits of a search as grep prints them, and quotations made of what is around them. */

/** A line that fits. */
export interface Hit {
  path: string;
  line: number;
  text: string;
}

/** The lines `path:line:text`; marks and notes around them are passed over. */
export function hitsOf(output: string): Hit[] {
  const hits: Hit[] = [];
  for (const row of output.split('\n')) {
    const [, path, line, text] = /^(\/[^:]+):(\d+):(.*)$/.exec(row) ?? [];
    if (path === undefined || line === undefined) continue;
    hits.push({ path, line: Number(line), text: text ?? '' });
  }
  return hits;
}

/** A hit this far up may be a field of a record, whose text begins below: the file is read from its top. */
const NEAR_THE_TOP = 20;
/** Lines of a record that are read then, fields and the beginning of its text. */
const TOP = 40;
/** Lines read before and after any other hit. */
const AROUND = 3;

/** The lines to read for a quotation, counted from 1. */
export function linesAround({ line }: Hit): { first: number; last: number } {
  if (line <= NEAR_THE_TOP) return { first: 1, last: TOP };
  return { first: line - AROUND, last: line + AROUND };
}

/**
 * `> text` of the paragraph that holds the hit, and where it is. A hit in the
 * fields of a record is quoted by the record's title and first paragraph.
 *
 * @param read what the lines of `linesAround` gave; nothing where they could not be read
 */
export function quotation(hit: Hit, read: string | undefined): string {
  if (read === undefined) return `> ${hit.text}\n— ${hit.path}:${hit.line}`;
  const lines = unmarked(read);
  const { first } = linesAround(hit);
  const at = Math.min(hit.line - first, Math.max(lines.length - 1, 0));
  const fields = first === 1 && lines[0] === '---' ? lines.indexOf('---', 1) : -1;
  if (at > fields) return paragraph(hit.path, lines, at, first);
  const title = lines.slice(0, fields).find((line) => line.startsWith('title: '));
  const text = lines.findIndex((line, index) => index > fields && isProse(line));
  if (text === -1) return `> ${lines[at] ?? hit.text}\n— ${hit.path}:${first + at}`;
  return `${title ?? hit.text}\n${paragraph(hit.path, lines, text, first)}`;
}

const isProse = (line: string): boolean => line.trim() !== '' && !line.startsWith('#');

/** The lines around `at` up to the next empty ones. */
function paragraph(path: string, lines: readonly string[], at: number, first: number): string {
  let from = at;
  let to = at;
  while (from > 0 && lines[from - 1]?.trim() !== '') from--;
  while (to < lines.length - 1 && lines[to + 1]?.trim() !== '') to++;
  const body = lines.slice(from, to + 1).map((line) => `> ${line}`.trimEnd());
  const place = from === to ? `${first + from}` : `${first + from}-${first + to}`;
  return `${body.join('\n')}\n— ${path}:${place}`;
}

export const blocksOf = (text: string): string =>
  text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

/** The text without the marks that say that it came from a service. */
function unmarked(text: string): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  if (lines[0]?.startsWith('<untrusted ') !== true) return lines;
  const end = lines.findLastIndex((line) => line.startsWith('</untrusted '));
  return lines.slice(1, end === -1 ? undefined : end);
}
