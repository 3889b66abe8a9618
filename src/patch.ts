/** Unified patches, in a time that does not depend on how two texts differ. */
import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from 'diff';
import { escapeLine } from './visible.ts';

/** More lines that came or went than this are not matched: the time grows with their square. */
const MOST_EDITS = 1_000;
const CONTEXT = 3;
const NO_NEWLINE = '\\ No newline at end of file';

/** A patch of one file, with an `Index:` line. A name with a newline is quoted, on that line as by the library. */
export function filePatch(name: string, before: string, after: string): string {
  const index = `Index: ${escapeLine(name)}\n${'='.repeat(67)}\n`;
  return `${index}${twoFilesPatch(name, name, before, after)}`;
}

/** A patch from a file to another, such as `/dev/null`, with its two header lines alone. */
export const twoFilesPatch = (from: string, to: string, before: string, after: string): string =>
  formatPatch(patchOf(from, to, before, after), FILE_HEADERS_ONLY);

function patchOf(from: string, to: string, before: string, after: string): StructuredPatch {
  const options = { context: CONTEXT, maxEditLength: MOST_EDITS };
  const exact = structuredPatch(from, to, before, after, '', '', options);
  if (exact !== undefined) return exact;
  const hunk = replaced(linesOf(before), linesOf(after));
  return { oldFileName: from, newFileName: to, oldHeader: '', newHeader: '', hunks: [hunk] };
}

/** All between the first line that differs and the last one as gone, and as come. */
function replaced(old: readonly string[], fresh: readonly string[]) {
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  const start = Math.max(head - CONTEXT, 0);
  const rest = Math.max(tail - CONTEXT, 0);
  const all = (sign: string, lines: readonly string[]): string[] =>
    lines.flatMap((line) =>
      line.endsWith('\n') ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, NO_NEWLINE],
    );
  return {
    oldStart: start + 1,
    oldLines: old.length - rest - start,
    newStart: start + 1,
    newLines: fresh.length - rest - start,
    lines: [
      ...all(' ', old.slice(start, head)),
      ...all('-', old.slice(head, old.length - tail)),
      ...all('+', fresh.slice(head, fresh.length - tail)),
      ...all(' ', old.slice(old.length - tail, old.length - rest)),
    ],
  };
}

/** Each with its newline. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
