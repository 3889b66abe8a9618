/** Unified diffs, read into what they change. */

/** A run of lines with a sign each. */
export interface Hunk {
  oldStart: number;
  newStart: number;
  /** `' '`, `-` or `+` and the text, without newline. */
  lines: Array<{ sign: ' ' | '-' | '+'; text: string }>;
  /** The last line of the old or new side has no newline. */
  oldOpen: boolean;
  newOpen: boolean;
  /** Whether it has as many lines as its head says. */
  isWhole: boolean;
}

/** The change of one file. */
export interface FilePatch {
  oldName: string;
  newName: string;
  hunks: Hunk[];
  /** Lines before the hunks, as `can't find file to patch` quotes them. */
  lead: string[];
  /** Of the first hunk, from 1. */
  line: number;
}

const nameOf = (text: string): string => text.split('\t')[0]?.trimEnd() ?? '';

function readHunk(lines: readonly string[], at: number): { hunk: Hunk; next: number } | undefined {
  const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(lines[at] ?? '');
  if (head === null) return undefined;
  let [old, fresh] = [Number(head[2] ?? 1), Number(head[4] ?? 1)];
  const hunk: Hunk = {
    oldStart: Number(head[1]),
    newStart: Number(head[3]),
    lines: [],
    oldOpen: false,
    newOpen: false,
    isWhole: false,
  };
  let next = at + 1;
  for (; next < lines.length; next++) {
    const line = lines[next] ?? '';
    if (line.startsWith('\\')) {
      const last = hunk.lines.at(-1)?.sign;
      if (last !== '+') hunk.oldOpen = true;
      if (last !== '-') hunk.newOpen = true;
      continue;
    }
    if (old <= 0 && fresh <= 0) break;
    // A blank line is a context line whose blank was lost on the way.
    const sign = line === '' ? ' ' : line[0];
    if (sign !== ' ' && sign !== '-' && sign !== '+') break;
    if (sign !== '+') old--;
    if (sign !== '-') fresh--;
    hunk.lines.push({ sign, text: line.slice(1) });
  }
  hunk.isWhole = old === 0 && fresh === 0;
  return { hunk, next };
}

/** Reads all file patches of a unified diff; what stands between is ignored. */
export const parsePatch = (text: string): FilePatch[] => readPatch(text).patches;

/** The same with what stands behind the last hunk. */
export function readPatch(text: string): { patches: FilePatch[]; tail: string[] } {
  const lines = text.split('\n');
  const out: FilePatch[] = [];
  let leadFrom = 0;
  for (let i = 0; i < lines.length; ) {
    const [first = '', second = ''] = [lines[i], lines[i + 1]];
    if (first.startsWith('--- ') && second.startsWith('+++ ')) {
      out.push({
        oldName: nameOf(first.slice(4)),
        newName: nameOf(second.slice(4)),
        hunks: [],
        lead: lines.slice(leadFrom, i + 2),
        line: i + 3,
      });
      i += 2;
      continue;
    }
    const read = readHunk(lines, i);
    const patch = out.at(-1);
    if (read === undefined) i++;
    else {
      if (patch === undefined) {
        const lead = lines.slice(0, i);
        out.push({ oldName: '', newName: '', hunks: [read.hunk], lead, line: i + 1 });
      } else patch.hunks.push(read.hunk);
      i = read.next;
      leadFrom = i;
    }
  }
  return { patches: out, tail: lines.slice(leadFrom) };
}

/** The patch that undoes one. */
export function reversed(patch: FilePatch): FilePatch {
  const flip = { ' ': ' ', '-': '+', '+': '-' } as const;
  return {
    ...patch,
    oldName: patch.newName,
    newName: patch.oldName,
    hunks: patch.hunks.map((hunk) => ({
      oldStart: hunk.newStart,
      newStart: hunk.oldStart,
      oldOpen: hunk.newOpen,
      newOpen: hunk.oldOpen,
      isWhole: hunk.isWhole,
      lines: hunk.lines.map(({ sign, text }) => ({ sign: flip[sign], text })),
    })),
  };
}

/** Where a hunk went: how far from where it said, and with how many context lines left out. */
export interface Applied {
  offset: number;
  fuzz: number;
}

/**
 * Applies a hunk to lines in place; undefined when it fits nowhere.
 *
 * As GNU has it: the side with less context stands at that end of the file
 * (unless fuzz has made up for it), and the longer context is cut first.
 */
export function applyHunk(
  lines: string[],
  hunk: Hunk,
  shift: number,
  maxFuzz: number,
): Applied | undefined {
  const signs = hunk.lines.map(({ sign }) => sign);
  const lead = Math.max(
    0,
    signs.findIndex((sign) => sign !== ' '),
  );
  const trail = Math.max(
    0,
    [...signs].reverse().findIndex((sign) => sign !== ' '),
  );
  const context = Math.max(lead, trail);
  for (let fuzz = 0; fuzz <= Math.min(maxFuzz, context); fuzz++) {
    const top = fuzz + lead - context;
    const bottom = fuzz + trail - context;
    const [cutTop, cutBottom] = [Math.max(0, top), Math.max(0, bottom)];
    const body = hunk.lines.slice(cutTop, hunk.lines.length - cutBottom);
    const old = body.filter(({ sign }) => sign !== '+').map(({ text }) => text);
    const fresh = body.filter(({ sign }) => sign !== '-').map(({ text }) => text);
    const isEmpty = hunk.lines.every(({ sign }) => sign === '+');
    const wanted = Math.max(0, hunk.oldStart - (isEmpty ? 0 : 1)) + shift + cutTop;
    const isAtStart = top < 0 && hunk.oldStart <= 1;
    const isAtEnd = bottom < 0;
    const at = isAtStart
      ? fitsAt(lines, old, 0)
      : isAtEnd
        ? fitsAt(lines, old, lines.length - old.length)
        : nearest(lines, old, Math.max(0, wanted));
    if (at === undefined) continue;
    lines.splice(at, old.length, ...fresh);
    return { offset: at - wanted, fuzz };
  }
  return undefined;
}

/** The place itself where these lines stand at it; undefined where they do not. */
export function fitsAt(
  lines: readonly string[],
  old: readonly string[],
  at: number,
): number | undefined {
  const fits =
    at >= 0 && at + old.length <= lines.length && old.every((line, i) => lines[at + i] === line);
  return fits ? at : undefined;
}

/** The place nearest to the wanted one where these lines stand. */
function nearest(
  lines: readonly string[],
  old: readonly string[],
  wanted: number,
): number | undefined {
  for (let distance = 0; distance <= lines.length; distance++) {
    const found = fitsAt(lines, old, wanted + distance) ?? fitsAt(lines, old, wanted - distance);
    if (found !== undefined) return found;
  }
  return undefined;
}
