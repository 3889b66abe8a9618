/**
 * An edit of a page's text as searches and replacements: only lines that
 * differ are sent, so that every other block stays the very block that it was,
 * with whatever markdown cannot show of it.
 */
import { diffArrays } from 'diff';

/** A replacement that Notion makes where `old_str` is found once. */
export interface ContentUpdate {
  old_str: string;
  new_str: string;
}

/** Notion takes so many in one request. */
const UPDATES_MAX = 100;

/** Lines `from` to `to` (exclusive) of the old text become `lines`. */
export interface Hunk {
  from: number;
  to: number;
  lines: string[];
}

/** What turns `before` into `after`, in order. `before` is not empty, and differs. */
export function contentUpdates(before: string, after: string): ContentUpdate[] {
  const old = before.split('\n');
  const hunks = hunksOf(old, after.split('\n'));
  const updates = hunks.length > UPDATES_MAX ? null : sequence(before, old, hunks);
  // Together they fail only where one is not unique even with all around it: then all is one.
  return (
    updates ?? sequence(before, old, [joined(hunks, old)]) ?? [{ old_str: before, new_str: after }]
  );
}

/** Carries the updates out, as Notion does; null where one is not found exactly once. */
export function applyUpdates(text: string, updates: readonly ContentUpdate[]): string | null {
  let next = text;
  for (const { old_str, new_str } of updates) {
    const at = next.indexOf(old_str);
    if (old_str === '' || at < 0 || next.indexOf(old_str, at + 1) >= 0) return null;
    next = next.slice(0, at) + new_str + next.slice(at + old_str.length);
  }
  return next;
}

/** `lines`: what a hunk brings, where it is compared by something else than the lines themselves. */
export function hunksOf(old: string[], next: string[], lines: readonly string[] = next): Hunk[] {
  const hunks: Hunk[] = [];
  let at = 0;
  let taken = 0;
  let open: Hunk | null = null;
  for (const { added, removed, value } of diffArrays(old, next)) {
    const from = taken;
    if (!removed) taken += value.length;
    if (!added && !removed) {
      at += value.length;
      open = null;
      continue;
    }
    if (open === null) {
      open = { from: at, to: at, lines: [] };
      hunks.push(open);
    }
    if (added) open.lines.push(...lines.slice(from, taken));
    else {
      at += value.length;
      open.to = at;
    }
  }
  return hunks;
}

function joined(hunks: readonly Hunk[], old: readonly string[]): Hunk {
  const from = hunks[0]?.from ?? 0;
  const to = hunks.at(-1)?.to ?? 0;
  const lines: string[] = [];
  let at = from;
  for (const hunk of hunks) {
    lines.push(...old.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  return { from, to, lines };
}

/**
 * One update a hunk, the last one first: what stands before a hunk is still as
 * it was when its turn comes. null where a hunk cannot be told from another
 * place without reaching into the next one.
 */
function sequence(
  before: string,
  old: readonly string[],
  hunks: readonly Hunk[],
): ContentUpdate[] | null {
  const updates: ContentUpdate[] = [];
  let text = before;
  let ceiling = old.length;
  for (const hunk of [...hunks].reverse()) {
    const update = anchored(text, old, hunk, ceiling);
    if (update === null) return null;
    const next = applyUpdates(text, [update]);
    if (next === null) return null;
    text = next;
    updates.push(update);
    ceiling = hunk.from;
  }
  return updates;
}

/** A hunk with as many lines around it as it takes to be found once. */
function anchored(
  text: string,
  old: readonly string[],
  { from, to, lines }: Hunk,
  ceiling: number,
): ContentUpdate | null {
  let start = from;
  let end = to;
  for (;;) {
    const found = old.slice(start, end).join('\n');
    if (end > start && found !== '' && once(text, found)) {
      const around = [...old.slice(start, from), ...lines, ...old.slice(to, end)];
      // Without a line left, the line break goes along, so that no empty line stays.
      if (around.length > 0 || (start === 0 && end === old.length)) {
        return { old_str: found, new_str: around.join('\n') };
      }
    }
    if (start > 0) start--;
    else if (end < ceiling) end++;
    else return null;
  }
}

function once(text: string, part: string): boolean {
  const at = text.indexOf(part);
  return at >= 0 && text.indexOf(part, at + 1) < 0;
}

/** Lines that stand for what is not text: child pages, databases, blocks that markdown cannot show. */
const STANDS_FOR = /^[\s>]*<(?:page|database|unknown)\b/;

/** Such lines that one text has and the other lacks. */
export function lostReferences(before: string, after: string): string[] {
  const lines = (text: string) =>
    text
      .split('\n')
      .filter((line) => STANDS_FOR.test(line))
      .map((line) => line.replace(/^[\s>]+/, '').trimEnd());
  const rest = lines(after);
  const lost = lines(before).filter((line) => {
    const at = rest.indexOf(line);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  return [...lost, ...rest];
}
