/** Hits of a search as grep prints them, and quotations made of what is around them. */
import { fieldsFor, frontmatterOf } from './fields.ts';
import { isForm, tellingWords, wordsOf } from './words.ts';

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
 * A hit with what the question asks of it: fields of the record, and the
 * paragraph that holds the hit; where that is a field or a heading, the
 * paragraph with the most words of the question. Each quotation is followed by
 * its path and lines.
 *
 * @param read what the lines of `linesAround` gave; nothing where they could not be read
 */
export function quotation(hit: Hit, read: string | undefined, question = ''): string {
  if (read === undefined) return `> ${hit.text}\n— ${hit.path}:${hit.line}`;
  const lines = printed(read);
  const { first } = linesAround(hit);
  const { fields, end } = first === 1 ? frontmatterOf(lines) : { fields: [], end: -1 };
  const at = Math.min(hit.line - first, Math.max(lines.length - 1, 0));
  const text = at > end && isProse(lines[at] ?? '') ? at : bestParagraph(lines, end, question);
  const asked = question === '' ? [] : fieldsFor(question, fields);
  const quotes = asked.map(({ name, value, line }) => `> ${name}: ${value}\n— ${hit.path}:${line}`);
  if (text !== -1) quotes.push(paragraph(hit.path, lines, text, first));
  if (quotes.length === 0) return `> ${lines[at] ?? hit.text}\n— ${hit.path}:${first + at}`;
  const title = fields.find(({ name }) => name === 'title');
  const heading = title !== undefined && at <= end ? [`title: ${title.value}`] : [];
  return [...heading, ...quotes].join('\n');
}

/** Lines of one quotation. */
const LONGEST = 12;

const isProse = (line: string): boolean => line.trim() !== '' && !/^(?:#|---$)/.test(line);

/** A line of the paragraph that has the most words of the question, the first of several; -1 where there is no text. */
function bestParagraph(lines: readonly string[], end: number, question: string): number {
  const telling = tellingWords(question);
  let best = -1;
  let most = -1;
  let count = 0;
  for (const [at, line] of lines.entries()) {
    if (at <= end || !isProse(line)) {
      count = 0;
      continue;
    }
    const words = wordsOf(line);
    count += telling.filter((word) => words.some((each) => isForm(each, word))).length;
    if (count > most) {
      most = count;
      best = at;
    }
  }
  return best;
}

/** The lines around `at` up to the next empty ones. */
function paragraph(path: string, lines: readonly string[], at: number, first: number): string {
  let from = at;
  let to = at;
  while (from > 0 && isProse(lines[from - 1] ?? '')) from--;
  while (to < lines.length - 1 && lines[to + 1]?.trim() !== '') to++;
  // Of a long one, what is around the line itself.
  from = Math.max(from, at - LONGEST / 2);
  to = Math.min(to, from + LONGEST);
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

/** The lines that a command printed, without the marks that say that they came from a service, and without stderr. */
export function printed(text: string): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const marked = lines[0]?.startsWith('<untrusted ') === true;
  const end = marked ? lines.findLastIndex((line) => line.startsWith('</untrusted ')) : -1;
  const own = marked ? lines.slice(1, end === -1 ? undefined : end) : lines;
  const errors = own.indexOf('[stderr]');
  const kept = errors === -1 ? own : own.slice(0, errors);
  return /^\[exit status \d+\]$/.test(kept.at(-1) ?? '') ? kept.slice(0, -1) : kept;
}
