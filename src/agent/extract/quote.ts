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

/** `> text` of the paragraph that holds the hit, and where it is. */
export function quotation(hit: Hit, read: string, around: number): string {
  const lines = unmarked(read);
  const first = Math.max(1, hit.line - around);
  const at = Math.min(hit.line - first, Math.max(lines.length - 1, 0));
  let from = at;
  let to = at;
  while (from > 0 && lines[from - 1]?.trim() !== '') from--;
  while (to < lines.length - 1 && lines[to + 1]?.trim() !== '') to++;
  const body = lines.slice(from, to + 1).map((line) => `> ${line}`.trimEnd());
  const place = from === to ? `${first + from}` : `${first + from}-${first + to}`;
  return `${body.join('\n')}\n— ${hit.path}:${place}`;
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
