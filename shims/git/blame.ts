/** git blame */
import { changes } from '../diff/myers.ts';
import { splitLines } from '../support/tool.ts';
import type { GitCommand } from './call.ts';
import { compare, inTree } from './changes.ts';
import type { Commit } from './commit-object.ts';
import { GitFault } from './fault.ts';
import { dateOf } from './person.ts';
import type { Repository } from './repository.ts';
import { revisionCommit, revisionsAndPaths } from './revision.ts';

/** A line that is not traced yet: its number in the file, and in the commit that is looked at, from 0. */
interface Open {
  line: number;
  at: number;
}

const ZERO = '0'.repeat(40);

/** Where a line comes from. */
interface Origin extends Commit {
  path: string;
}

export const blame: GitCommand = async (call) => {
  const { options, operands, paths } = call.options({ short: 'L:lswe', long: {} });
  const repo = await call.repository();
  // One word alone is the file, also where none is there.
  const named =
    operands.length === 1 && paths === null
      ? { revisions: [], paths: operands }
      : await revisionsAndPaths(repo, operands, paths);
  const [name = 'HEAD'] = named.revisions;
  const [operand] = named.paths;
  if (operand === undefined)
    throw new GitFault('usage: git blame [<options>] [<rev>] [--] <file>', 129, 'usage');
  const path = repo.relative(operand);
  const start = await revisionCommit(repo, name);
  const committed = await linesAt(repo, start, path);
  const isTracked = committed !== null || (await repo.index()).has(path);
  if (!isTracked || (committed === null && named.revisions.length > 0))
    throw new GitFault(`no such path '${path}' in ${name}`);
  const { lines, found } =
    named.revisions.length > 0 && committed !== null
      ? { lines: committed, found: await origins(repo, start, path, committed, all(committed)) }
      : await originsOfWork(repo, start, path, committed);
  const [from, to] = rangeOf(options.get('L'), path, lines.length);
  const authors = found.map((each) => (each?.commit.author.name ?? '').length);
  const width = Math.max(...authors, 0);
  const moved = found.some((each) => each !== undefined && each.path !== path);
  const longest = Math.max(...found.map((each) => each?.path.length ?? 0), 0);
  const digits = String(to).length;
  for (let index = from - 1; index < to; index++) {
    const each = found[index];
    if (each === undefined) continue;
    const isRoot = each.commit.parent.length === 0;
    const id = (isRoot ? `^${each.oid}` : each.oid).slice(0, options.has('l') ? 40 : 8);
    const file = moved ? `${each.path.padEnd(longest)} ` : '';
    const who = options.has('s')
      ? ''
      : `(${each.commit.author.name.padEnd(width)} ${dateOf(each.commit.author, 'iso')} `;
    call.tool.print(`${id} ${file}${who}${String(index + 1).padStart(digits)}) `);
    call.tool.write(`${lines[index]}\n`);
  }
};

async function linesAt(repo: Repository, oid: string, path: string): Promise<string[] | null> {
  const blob = (await repo.tree(oid)).get(path);
  return blob === undefined ? null : splitLines((await repo.content(blob.oid)).toString('latin1'));
}

const all = (lines: readonly string[]): Open[] => lines.map((_, line) => ({ line, at: line }));

/** Of a file as it stands in the working tree: a line that is in no commit yet has one of zeros. */
async function originsOfWork(
  repo: Repository,
  start: string,
  path: string,
  committed: readonly string[] | null,
): Promise<{ lines: string[]; found: (Origin | undefined)[] }> {
  if (!(await repo.tool.fs.exists(repo.absolute(path))))
    throw new GitFault(`Cannot lstat '${path}': No such file or directory`);
  const lines = splitLines((await repo.worked(path)).toString('latin1'));
  const { passed, kept } = await passOn(repo, committed ?? [], lines, all(lines));
  const found = await origins(repo, start, path, committed ?? [], passed);
  const commit = await repo.commit(start);
  const author = { ...(await repo.person('AUTHOR')), name: 'Not Committed Yet' };
  const open: Origin = { oid: ZERO, path, commit: { ...commit, author, parent: [start] } };
  for (const { line } of kept) found[line] = open;
  found.length = lines.length;
  return { lines, found };
}

/** For each line the commit that brought it. */
async function origins(
  repo: Repository,
  start: string,
  file: string,
  lines: readonly string[],
  open: Open[],
): Promise<(Origin | undefined)[]> {
  const found = new Array<Origin | undefined>(open.length);
  let work: { oid: string; path: string; lines: readonly string[]; open: Open[] }[] = [
    { oid: start, path: file, lines, open },
  ];
  while (work.length > 0) {
    const next: typeof work = [];
    for (const { oid, path, lines: here, open } of work) {
      const commit = await repo.commit(oid);
      let left = open;
      for (const parent of commit.parent) {
        const before = left.length > 0 && (await fileBefore(repo, parent, commit.tree, path));
        if (!before) continue;
        const { passed, kept } = await passOn(repo, before.lines, here, left);
        if (passed.length > 0) next.push({ oid: parent, ...before, open: passed });
        left = kept;
      }
      for (const { line } of left) found[line] = { oid, commit, path };
    }
    work = next;
  }
  return found;
}

/** A file as it was in a parent, by the name that it had there; null where it was not there. */
async function fileBefore(
  repo: Repository,
  parent: string,
  tree: string,
  path: string,
): Promise<{ path: string; lines: string[] } | null> {
  const same = await linesAt(repo, parent, path);
  if (same !== null) return { path, lines: same };
  const before = inTree(await repo.tree(parent));
  const changed = await compare(repo, before, inTree(await repo.tree(tree)));
  const from = changed.find((each) => each.kind === 'R' && each.path === path)?.from;
  const lines = from === undefined ? null : await linesAt(repo, parent, from);
  return from === undefined || lines === null ? null : { path: from, lines };
}

async function passOn(
  repo: Repository,
  before: readonly string[],
  here: readonly string[],
  open: readonly Open[],
): Promise<{ passed: Open[]; kept: Open[] }> {
  const script = await changes(before, here, () => repo.tool.pulse());
  const passed: Open[] = [];
  const kept: Open[] = [];
  for (const { line, at } of open) {
    let shift = 0;
    let isNew = false;
    for (const { endA, startB, endB } of script) {
      if (at >= startB && at < endB) isNew = true;
      if (endB <= at) shift = endA - endB;
    }
    if (isNew) kept.push({ line, at });
    else passed.push({ line, at: at + shift });
  }
  return { passed, kept };
}

function rangeOf(text: string | undefined, path: string, count: number): [number, number] {
  const match = /^(\d+)?(?:,(\+?)(\d+))?$/.exec(text ?? '');
  if (match === null) throw new GitFault(`invalid -L range: ${text}`);
  const from = Number(match[1] ?? 1);
  const end =
    match[3] === undefined
      ? count
      : match[2] === '+'
        ? from + Number(match[3]) - 1
        : Number(match[3]);
  if (from > count) throw new GitFault(`file ${path} has only ${count} lines`);
  return [from, Math.min(end, count)];
}
