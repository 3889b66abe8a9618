/**
 * Comments on lines of a diff, as sections of a review's text: `## src/a.ts:12` or
 * `## src/a.ts:12-14`, and below it what is said of these lines. A review is read and written so.
 */
import type { ApiLineComment } from './schemas.ts';

/** A comment on lines of a changed file, as the file is after the change. */
export interface LineComment {
  path: string;
  /** The last line that it is about. */
  line: number;
  /** The first one, where that is another. */
  start: number | null;
  body: string;
}

const HEADING = /^## (\S.*):([1-9]\d{0,6})(?:-([1-9]\d{0,6}))?$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The sections of a text that are about lines, and what stands before the first of them. */
export function splitLineComments(text: string): { body: string; comments: LineComment[] } {
  const parts: { heading: RegExpExecArray | null; lines: string[] }[] = [
    { heading: null, lines: [] },
  ];
  let fence: string | null = null;
  for (const line of text.split('\n')) {
    const heading = fence === null ? HEADING.exec(line.trimEnd()) : null;
    if (heading !== null) parts.push({ heading, lines: [] });
    else parts.at(-1)?.lines.push(line);
    const [, mark] = FENCE.exec(line) ?? [];
    if (mark === undefined) continue;
    if (fence === null) fence = mark;
    else if (mark.startsWith(fence)) fence = null;
  }
  const [head, ...sections] = parts.map(({ heading, lines }) => ({
    heading,
    body: lines.join('\n').trim(),
  }));
  const comments = sections.map(({ heading, body }): LineComment => {
    const [, path = '', first, last] = heading ?? [];
    const start = last === undefined ? null : Number(first);
    return { path, line: Number(last ?? first), start, body };
  });
  return { body: head?.body ?? '', comments };
}

/** A section of a review that was read. */
export function renderLineComment(comment: ApiLineComment): string {
  const line = comment.line ?? comment.original_line ?? null;
  const start = comment.line == null ? comment.original_start_line : comment.start_line;
  const place = line === null ? '' : `:${start == null ? '' : `${start}-`}${line}`;
  const answers = comment.in_reply_to_id;
  const notes = [
    `comment ${comment.id}`,
    ...(answers == null ? [] : [`answers comment ${answers}`]),
    ...(comment.side === 'LEFT' ? ['before the change'] : []),
    ...(comment.line == null && line !== null ? ['outdated'] : []),
  ];
  return `## ${comment.path}${place} (${notes.join(', ')})\n\n${(comment.body ?? '').trimEnd()}\n`;
}

/** The lines of a file after the change that its patch shows, as ranges in their order. */
export function shownLines(patch: string): [first: number, last: number][] {
  return [...patch.matchAll(/^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/gm)].flatMap(
    ([, first, count]): [number, number][] => {
      const lines = Number(count ?? 1);
      return lines === 0 ? [] : [[Number(first), Number(first) + lines - 1]];
    },
  );
}

/** Why a comment on lines that a patch does not show cannot be made; null where it can. */
export function refusedLines({ path, line, start }: LineComment, patch: string): string | null {
  const ranges = shownLines(patch);
  const first = start ?? line;
  if (start !== null && start >= line) return `${path}:${start}-${line} ends before it begins`;
  if (ranges.some(([from, to]) => first >= from && line <= to)) return null;
  const shown = ranges.map(([from, to]) => `${from}-${to}`).join(', ');
  return `the diff of ${path} does not show line ${line}${start === null ? '' : ` with ${start}`} in one piece (it shows ${shown || 'none'}): only lines of the diff can be commented on`;
}
