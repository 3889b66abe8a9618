/**
 * Texts that Notion gives in parts: what it could not load stands in them as a line `<unknown>`, and
 * is asked for by itself.
 */
import { idIn } from './references.ts';

/** A page's text as Notion gave it. */
export interface PageText {
  /** The page's own answer. */
  markdown: string;
  /** What came for blocks that could not be loaded with it, by their ids. */
  parts: Readonly<Record<string, string>>;
  /** What is missing all the same, in a sentence; null where nothing is. */
  lacking: string | null;
}

const UNKNOWN = /^(\s*)<unknown\b[^>]*?\burl="([^"]*)"[^>]*\/>\s*$/;

/** A text without parts. */
export function wholeOf(markdown: string): PageText {
  return { markdown, parts: {}, lacking: null };
}

/** The text with its parts where they belong. */
export function whole({ markdown, parts }: PageText): string {
  return markdown
    .split('\n')
    .flatMap((line) => partAt(line, parts) ?? [line])
    .join('\n');
}

/** The lines that came for a line; null where none did. */
function partAt(
  line: string,
  parts: PageText['parts'],
  within: readonly string[] = [],
): string[] | null {
  const [, indent = '', url = ''] = UNKNOWN.exec(line) ?? [];
  const id = idIn(url);
  const part = id === null || within.includes(id) ? undefined : parts[id];
  if (id === null || part === undefined) return null;
  return part
    .split('\n')
    .flatMap((each) => partAt(each, parts, [...within, id]) ?? [each])
    .map((each) => (each === '' ? '' : indent + each));
}

/**
 * What an edit of the whole is in the page's own text: every part becomes its line again.
 *
 * @returns null where a part was changed, which no edit of the page's own text can say
 */
export function withoutParts({ markdown, parts }: PageText, edited: string): string | null {
  const lines = edited.split('\n');
  for (const line of markdown.split('\n')) {
    const part = partAt(line, parts);
    if (part === null) continue;
    const places = placesOf(lines, part);
    const [at] = places;
    if (at === undefined || places.length > 1) return null;
    // A line below the part's last block would belong to it.
    const depth = (each: string) => /^\t*/.exec(each)?.[0].length ?? 0;
    if (depth(lines[at + part.length] ?? '') > depth(line)) return null;
    lines.splice(at, part.length, line);
  }
  return lines.join('\n');
}

function placesOf(lines: readonly string[], part: readonly string[]): number[] {
  return lines.flatMap((_, at) => (part.every((one, n) => lines[at + n] === one) ? [at] : []));
}
