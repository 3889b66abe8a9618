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
}

/** The change of one file. */
export interface FilePatch {
  oldName: string;
  newName: string;
  hunks: Hunk[];
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
  return { hunk, next };
}

/** Reads all file patches of a unified diff; what stands between is ignored. */
export function parsePatch(text: string): FilePatch[] {
  const lines = text.split('\n');
  const out: FilePatch[] = [];
  for (let i = 0; i < lines.length; ) {
    const [first = '', second = ''] = [lines[i], lines[i + 1]];
    if (first.startsWith('--- ') && second.startsWith('+++ ')) {
      out.push({ oldName: nameOf(first.slice(4)), newName: nameOf(second.slice(4)), hunks: [] });
      i += 2;
      continue;
    }
    const read = readHunk(lines, i);
    const patch = out.at(-1);
    if (read === undefined) i++;
    else {
      if (patch === undefined) out.push({ oldName: '', newName: '', hunks: [read.hunk] });
      else patch.hunks.push(read.hunk);
      i = read.next;
    }
  }
  return out;
}

/** The patch that undoes one. */
export function reversed(patch: FilePatch): FilePatch {
  const flip = { ' ': ' ', '-': '+', '+': '-' } as const;
  return {
    oldName: patch.newName,
    newName: patch.oldName,
    hunks: patch.hunks.map((hunk) => ({
      oldStart: hunk.newStart,
      newStart: hunk.oldStart,
      oldOpen: hunk.newOpen,
      newOpen: hunk.oldOpen,
      lines: hunk.lines.map(({ sign, text }) => ({ sign: flip[sign], text })),
    })),
  };
}

/** Where a hunk went: how far from where it said, and with how many context lines left out. */
export interface Applied {
  offset: number;
  fuzz: number;
}

/** Applies a hunk to lines in place; undefined when it fits nowhere. */
export function applyHunk(
  lines: string[],
  hunk: Hunk,
  shift: number,
  maxFuzz: number,
): Applied | undefined {
  const signs = hunk.lines.map(({ sign }) => sign);
  const lead = signs.findIndex((sign) => sign !== ' ');
  const trail = [...signs].reverse().findIndex((sign) => sign !== ' ');
  for (let fuzz = 0; fuzz <= maxFuzz; fuzz++) {
    const top = Math.min(fuzz, Math.max(lead, 0));
    const bottom = Math.min(fuzz, Math.max(trail, 0));
    if (fuzz > 0 && top === 0 && bottom === 0) break;
    const body = hunk.lines.slice(top, hunk.lines.length - bottom);
    const old = body.filter(({ sign }) => sign !== '+').map(({ text }) => text);
    const fresh = body.filter(({ sign }) => sign !== '-').map(({ text }) => text);
    const empty = hunk.lines.every(({ sign }) => sign === '+');
    const wanted = hunk.oldStart - (empty ? 0 : 1) + shift + top;
    const at = nearest(lines, old, Math.max(0, wanted));
    if (at === undefined) continue;
    lines.splice(at, old.length, ...fresh);
    return { offset: at - wanted, fuzz };
  }
  return undefined;
}

/** The place nearest to the wanted one where these lines stand. */
function nearest(
  lines: readonly string[],
  old: readonly string[],
  wanted: number,
): number | undefined {
  const fits = (at: number) =>
    at >= 0 && at + old.length <= lines.length && old.every((line, i) => lines[at + i] === line);
  for (let distance = 0; distance <= lines.length; distance++) {
    if (fits(wanted + distance)) return wanted + distance;
    if (distance > 0 && fits(wanted - distance)) return wanted - distance;
  }
  return undefined;
}
