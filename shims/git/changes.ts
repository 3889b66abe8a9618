/** What differs between two trees, renames found as git finds them. */
import { globMatcher } from '../support/glob.ts';
import { type Blob, byName, isSame, type Repository, type Tree } from './repository.ts';

/** Where the content of a side is. */
export interface FileSide extends Blob {
  /** True where it is read from the working tree: its object need not exist. */
  isWork: boolean;
}

/** One file that changed. */
export interface FileChange {
  kind: 'A' | 'D' | 'M' | 'R' | 'T';
  /** Its path, after a rename the new one. */
  path: string;
  /** The path before. */
  from: string;
  before: FileSide | null;
  after: FileSide | null;
  /** Of a rename, in per cent. */
  similarity: number;
}

/** How like two files have to be to count as one that was renamed. */
const RENAME_SCORE = 0.5;
/** Pairs that are compared for it, at most. */
const RENAME_LIMIT = 1_000;
const CHUNK = 64;
const LF = 10;
const CR = 13;

export const inTree = (tree: Tree): Map<string, FileSide> =>
  new Map([...tree].map(([path, blob]) => [path, { ...blob, isWork: false }]));

/** The changes from one set of files to another. */
export async function compare(
  repo: Repository,
  before: ReadonlyMap<string, FileSide>,
  after: ReadonlyMap<string, FileSide>,
  { paths = [], renames = true }: { paths?: readonly string[]; renames?: boolean } = {},
): Promise<FileChange[]> {
  const isWanted = pathFilter(repo, paths);
  const found: FileChange[] = [];
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    if (!isWanted(path)) continue;
    const [a = null, b = null] = [before.get(path), after.get(path)];
    if (isSame(a, b)) continue;
    const kind = a === null ? 'A' : b === null ? 'D' : typeOf(a) === typeOf(b) ? 'M' : 'T';
    found.push({ kind, path, from: path, before: a, after: b, similarity: 0 });
  }
  const all = renames ? await withRenames(repo, found) : found;
  return all.sort((x, y) => byName(x.path, y.path));
}

const typeOf = ({ mode }: FileSide): string => mode.slice(0, 3);

/** Does a path lie under one of those that were named? All do where none was. */
export function pathFilter(
  repo: Repository,
  operands: readonly string[],
): (path: string) => boolean {
  if (operands.length === 0) return () => true;
  const tests = operands.map((operand) => {
    const path = repo.relative(operand);
    if (path === '.') return () => true;
    if (/[*?[]/.test(path)) {
      const matches = globMatcher(path);
      return (each: string) => matches(each);
    }
    return (each: string) => each === path || each.startsWith(`${path}/`);
  });
  return (path) => tests.some((test) => test(path));
}

/** What a side holds. */
export function contentOf(repo: Repository, path: string, side: FileSide): Promise<Buffer> {
  return side.isWork ? repo.worked(path) : repo.content(side.oid);
}

async function withRenames(repo: Repository, found: FileChange[]): Promise<FileChange[]> {
  const gone = new Set(found.filter(({ kind }) => kind === 'D'));
  const come = new Set(found.filter(({ kind }) => kind === 'A'));
  if (gone.size === 0 || come.size === 0) return found;
  const pairs: { from: FileChange; to: FileChange; score: number }[] = [];
  for (const to of come) {
    const same = [...gone].filter((from) => from.before?.oid === to.after?.oid);
    const from =
      same.find((each) => each.path.split('/').at(-1) === to.path.split('/').at(-1)) ?? same[0];
    if (from === undefined) continue;
    pairs.push({ from, to, score: 1 });
    gone.delete(from);
    come.delete(to);
  }
  if (gone.size * come.size <= RENAME_LIMIT) {
    const inexact: typeof pairs = [];
    for (const to of come) {
      for (const from of gone) {
        const score = await similarityOf(repo, from, to);
        if (score >= RENAME_SCORE) inexact.push({ from, to, score });
      }
    }
    for (const pair of inexact.sort((a, b) => b.score - a.score)) {
      if (gone.delete(pair.from)) {
        if (come.delete(pair.to)) pairs.push(pair);
        else gone.add(pair.from);
      }
    }
  }
  const taken = new Set(pairs.flatMap(({ from, to }) => [from, to]));
  const renamed = pairs.map(
    ({ from, to, score }): FileChange => ({
      kind: 'R',
      path: to.path,
      from: from.path,
      before: from.before,
      after: to.after,
      similarity: Math.floor(score * 100),
    }),
  );
  return [...found.filter((change) => !taken.has(change)), ...renamed];
}

async function similarityOf(repo: Repository, from: FileChange, to: FileChange): Promise<number> {
  if (from.before === null || to.after === null || typeOf(from.before) !== typeOf(to.after))
    return 0;
  const [a, b] = await Promise.all([
    contentOf(repo, from.path, from.before),
    contentOf(repo, to.path, to.after),
  ]);
  const [least, most] = [Math.min(a.length, b.length), Math.max(a.length, b.length)];
  if (least === 0 || least < most * RENAME_SCORE) return 0;
  await repo.tool.pulse();
  const counts = chunks(a);
  let common = 0;
  for (const [chunk, bytes] of chunks(b)) common += Math.min(bytes, counts.get(chunk) ?? 0);
  return common / most;
}

/** Bytes by what they are part of: a line, or 64 bytes of a longer one. */
function chunks(data: Buffer): Map<string, number> {
  const counts = new Map<string, number>();
  const isText = !data.subarray(0, 8_000).includes(0);
  let chunk = '';
  let bytes = 0;
  for (const [index, byte] of data.entries()) {
    if (isText && byte === CR && data[index + 1] === LF) continue;
    chunk += String.fromCharCode(byte);
    bytes += 1;
    if (bytes < CHUNK && byte !== LF && index < data.length - 1) continue;
    counts.set(chunk, (counts.get(chunk) ?? 0) + bytes);
    chunk = '';
    bytes = 0;
  }
  return counts;
}
