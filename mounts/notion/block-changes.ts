/** What an edit does to the blocks of a page, found between what its text says before and after. */
import { diffArrays } from 'diff';
import { type Content, type Node, plainText } from './markdown/nodes.ts';

/** A place in the tree of nodes: indices from the top, the lead of a callout before its children. */
export type Path = readonly number[];

export type BlockChange =
  | { op: 'update'; path: Path; old: Content; now: Content }
  | { op: 'remove'; path: Path }
  /** Below `path`, behind the child that was at `after`; first where that is null. */
  | { op: 'insert'; path: Path; after: number | null; nodes: Node[] };

export interface Changes {
  changes: BlockChange[];
  /** For each node at the top of the text after, the one before that it is; null for a new one. */
  tops: (number | null)[];
}

/** Of the words of two texts, so much must be the same for one to be the other reworded. */
const ALIKE = 0.5;

/**
 * null where an update, an insertion and a removal of blocks cannot say it. Blocks that come and go at
 * the top are not among the changes: see `tops`.
 */
export function changesBetween(before: readonly Node[], after: readonly Node[]): Changes | null {
  const tops = paired(before, after);
  const changes: BlockChange[] = [];
  for (const [index, at] of tops.entries()) {
    const [old, now] = [at === null ? undefined : before[at], after[index]];
    if (at === null || old === undefined || now === undefined) continue;
    const within = changesIn(old, now, [at]);
    if (within === null) return null;
    changes.push(...within);
  }
  return { changes, tops };
}

/** The nodes right below one, the lead of a callout first. */
function below({ lead, children }: Node): Node[] {
  return lead === undefined ? children : [lead, ...children];
}

function changesIn(old: Node, now: Node, path: Path): BlockChange[] | null {
  const changes: BlockChange[] = [];
  if (!isSame(old.content, now.content)) {
    if (old.content === null || now.content === null) return null;
    changes.push({ op: 'update', path, old: old.content, now: now.content });
  }
  if ((old.lead === undefined) !== (now.lead === undefined)) return null;
  const [before, after] = [below(old), below(now)];
  const pairs =
    old.lead === undefined
      ? paired(before, after)
      : [0, ...paired(old.children, now.children).map((at) => (at === null ? null : at + 1))];
  for (const [index] of before.entries()) {
    if (!pairs.includes(index)) changes.push({ op: 'remove', path: [...path, index] });
  }
  let open: Extract<BlockChange, { op: 'insert' }> | null = null;
  let last: number | null = null;
  for (const [index, at] of pairs.entries()) {
    const [was, is] = [at === null ? undefined : before[at], after[index]];
    if (is === undefined) continue;
    if (at === null || was === undefined) {
      if (open === null) {
        open = { op: 'insert', path, after: last, nodes: [] };
        changes.push(open);
      }
      open.nodes.push(is);
      continue;
    }
    open = null;
    last = at;
    const within = changesIn(was, is, [...path, at]);
    if (within === null) return null;
    changes.push(...within);
  }
  return changes;
}

/** For each node after, the index of the one before that it is, in order; null for a new one. */
function paired(before: readonly Node[], after: readonly Node[]): (number | null)[] {
  const pairs: (number | null)[] = [];
  const keys = (nodes: readonly Node[]) => nodes.map((node) => JSON.stringify(node));
  let at = 0;
  let gone: number[] = [];
  let come = 0;
  const close = () => {
    const from = pairs.length - come;
    for (const [index, old] of reworded(before, gone, after, from, come)) pairs[index] = old;
    gone = [];
    come = 0;
  };
  for (const { added, removed, value } of diffArrays(keys(before), keys(after))) {
    if (!added && !removed) close();
    for (const _ of value) {
      if (removed) gone.push(at++);
      else {
        pairs.push(added ? null : at++);
        if (added) come++;
      }
    }
  }
  close();
  return pairs;
}

/** Of nodes that went and came in one place, those that are the same ones with other words. */
function reworded(
  before: readonly Node[],
  gone: readonly number[],
  after: readonly Node[],
  from: number,
  come: number,
): [index: number, old: number][] {
  const fits = (n: number, at: number): boolean => mayBe(before[gone[n] ?? -1], after[from + at]);
  const isEven = gone.length === come && gone.every((_, n) => fits(n, n));
  const isAlike = (n: number, at: number): boolean =>
    fits(n, at) && (isEven || alike(before[gone[n] ?? -1], after[from + at]) >= ALIKE);
  const pairs = inOrder([0, gone.length], [0, come], isAlike);
  // Between those that say much the same, what is left has other words altogether.
  const ends = [[-1, -1] as const, ...pairs, [gone.length, come] as const];
  const others = ends.slice(1).flatMap(([n, at], index) => {
    const [lastN = -1, lastAt = -1] = ends[index] ?? [];
    return inOrder([lastN + 1, n], [lastAt + 1, at], fits);
  });
  return [...pairs, ...others].map(([n, at]) => [from + at, gone[n] ?? -1]);
}

type Range = readonly [from: number, to: number];

/** Pairs of two ranges, each the first one that fits behind those before it. */
function inOrder(
  olds: Range,
  news: Range,
  fits: (old: number, now: number) => boolean,
): [old: number, now: number][] {
  const found: [number, number][] = [];
  let next = olds[0];
  for (let now = news[0]; now < news[1]; now++) {
    for (let old = next; old < olds[1]; old++) {
      if (!fits(old, now)) continue;
      found.push([old, now]);
      next = old + 1;
      break;
    }
  }
  return found;
}

/** Can one become the other by an update, and by changes of what is in it? */
function mayBe(old: Node | undefined, now: Node | undefined): boolean {
  if (old === undefined || now === undefined || old.type === null) return false;
  if (old.type !== now.type || old.rest !== now.rest) return false;
  if ((old.lead === undefined) !== (now.lead === undefined)) return false;
  const cells = ({ content }: Node) => (content?.type === 'row' ? content.cells.length : 0);
  return cells(old) === cells(now);
}

function alike(old: Node | undefined, now: Node | undefined): number {
  if (old === undefined || now === undefined) return 0;
  const [a, b] = [new Set(wordsOf(old)), new Set(wordsOf(now))];
  const both = [...a].filter((word) => b.has(word)).length;
  return both / Math.max(a.size, b.size, 1);
}

/** The words of a node and of all that is below it. */
function wordsOf(node: Node): string[] {
  const own = plainText(node).match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...own, ...below(node).flatMap(wordsOf)];
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
