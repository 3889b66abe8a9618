/** What two sides made of one state, put together as git does it: by files, and in a file by lines. */
import { changes } from '../diff/myers.ts';
import {
  type Blob,
  byName,
  directoriesOf,
  isRegular,
  isSame,
  type Repository,
  type Tree,
} from './repository.ts';

/** What comes to one side from the other. */
export interface Merged {
  /** By paths, what stands there afterwards; null where nothing does. What stays is not in it. */
  changed: ReadonlyMap<string, Blob | null>;
  /** Paths that both changed, each in its own way. */
  conflicts: string[];
}

/** Brings what `theirs` made of `base` to `ours`. Writes contents that are new as objects, and nothing else. */
export async function mergeTrees(
  repo: Repository,
  base: Tree,
  ours: Tree,
  theirs: Tree,
): Promise<Merged> {
  const changed = new Map<string, Blob | null>();
  const conflicts: string[] = [];
  for (const path of new Set([...base.keys(), ...theirs.keys()])) {
    const [was = null, here = null, there = null] = [base, ours, theirs].map((tree) =>
      tree.get(path),
    );
    if (isSame(was, there) || isSame(here, there)) continue;
    const merged = isSame(was, here) ? there : await mergeBlobs(repo, was, here, there);
    if (merged === undefined) conflicts.push(path);
    else changed.set(path, merged);
  }
  const after = new Set([...ours.keys()].filter((path) => changed.get(path) !== null));
  for (const [path, blob] of changed) if (blob !== null) after.add(path);
  // A file of one side where the other has a directory.
  for (const path of changed.keys())
    if (after.has(path) && directoriesOf(path).some((each) => after.has(each)))
      conflicts.push(path);
  for (const path of ours.keys())
    if (after.has(path) && directoriesOf(path).some((each) => changed.has(each) && after.has(each)))
      conflicts.push(path);
  return { changed, conflicts: [...new Set(conflicts)].sort(byName) };
}

/** A file that both sides changed; undefined where these do not fit together. */
async function mergeBlobs(
  repo: Repository,
  was: Blob | null,
  here: Blob | null,
  there: Blob | null,
): Promise<Blob | undefined> {
  if (!isRegular(was) || !isRegular(here) || !isRegular(there)) return undefined;
  const mode = here.mode === was.mode ? there.mode : here.mode;
  if (was.oid === there.oid) return { oid: here.oid, mode };
  if (was.oid === here.oid) return { oid: there.oid, mode };
  if (here.oid === there.oid) return { oid: here.oid, mode };
  const [base, ours, theirs] = await Promise.all(
    [was, here, there].map(async ({ oid }) => (await repo.content(oid)).toString('latin1')),
  );
  if (base === undefined || ours === undefined || theirs === undefined) return undefined;
  const text = await mergeTexts(base, ours, theirs, () => repo.tool.pulse());
  if (text === null) return undefined;
  const oid = await repo.git.writeBlob({ ...repo.at, blob: Buffer.from(text, 'latin1') });
  return { oid, mode };
}

type Change = Awaited<ReturnType<typeof changes>>[number];

/** Lines with their newlines, so that a last one without is another than one with it. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/**
 * The text with the changes of both sides; null where these touch each other and are not the same,
 * and of what is no text.
 */
export async function mergeTexts(
  base: string,
  ours: string,
  theirs: string,
  pulse: () => Promise<void> | undefined,
): Promise<string | null> {
  if ([base, ours, theirs].some((text) => text.includes('\0'))) return null;
  const [old, left, right] = [linesOf(base), linesOf(ours), linesOf(theirs)];
  const a = await changes(old, left, pulse);
  const b = await changes(old, right, pulse);
  const merged: string[] = [];
  let at = 0;
  const take = (change: Change, lines: readonly string[]): void => {
    merged.push(...old.slice(at, change.startA), ...lines.slice(change.startB, change.endB));
    at = change.endA;
  };
  while (a.length > 0 || b.length > 0) {
    const [x, y] = [a[0], b[0]];
    if (x !== undefined && y !== undefined && x.startA <= y.endA && y.startA <= x.endA) {
      const isEqual =
        x.startA === y.startA &&
        x.endA === y.endA &&
        left.slice(x.startB, x.endB).join('') === right.slice(y.startB, y.endB).join('');
      if (!isEqual) return null;
      take(x, left);
      a.shift();
      b.shift();
    } else if (x !== undefined && (y === undefined || x.startA < y.startA)) {
      take(x, left);
      a.shift();
    } else if (y !== undefined) {
      take(y, right);
      b.shift();
    }
  }
  return merged.concat(old.slice(at)).join('');
}
