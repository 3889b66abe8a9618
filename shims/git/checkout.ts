/** git checkout, switch, restore and reset. */
import { checkName, makeBranch } from './branch.ts';
import type { Call, GitCommand } from './call.ts';
import { pathFilter } from './changes.ts';
import { GitFault } from './fault.ts';
import { branchBefore, moveHead, noteMove } from './moves.ts';
import { byName, isSame, type Repository, type State, type Tree } from './repository.ts';
import { revisionCommit, shortOid, tryRevision, unknownRevision } from './revision.ts';
import { moveTo, nothingThere, putTree, removeFile, writeFile, writeIndex } from './worktree.ts';

/** Makes a branch the one that is checked out, or none, and writes down where HEAD came from. */
async function setHead(
  repo: Repository,
  branch: string | null,
  oid: string,
  named: string,
): Promise<void> {
  const head = await repo.head();
  const from = (await repo.branch()) ?? head;
  const target =
    branch === null ? { value: oid } : { value: `refs/heads/${branch}`, symbolic: true };
  await repo.git.writeRef({ ...repo.at, ref: 'HEAD', ...target, force: true });
  await noteMove(repo, 'HEAD', head, oid, `checkout: moving from ${from} to ${named}`);
}

interface Going {
  /** Made if it is not there. */
  create: string | null;
  to: string | null;
  force: boolean;
  detach: boolean;
  quiet: boolean;
}

/** Goes to a branch or a commit. @throws GitFault */
export async function go(call: Call, { create, to, force, detach, quiet }: Going): Promise<void> {
  const repo = await call.repository();
  const { tool } = call;
  const head = await repo.head();
  const before = await repo.branch();
  if (create !== null) {
    checkName(create);
    if ((await repo.tryResolve(`refs/heads/${create}`)) !== null && !force)
      throw new GitFault(`a branch named '${create}' already exists`);
    if (head === null && to === null) {
      await repo.git.writeRef({
        ...repo.at,
        ref: 'HEAD',
        value: `refs/heads/${create}`,
        symbolic: true,
        force: true,
      });
      tool.stderr += `Switched to a new branch '${create}'\n`;
      return;
    }
    const oid = await revisionCommit(repo, to ?? 'HEAD');
    if (oid !== head) await moveTo(repo, oid, false);
    await makeBranch(repo, create, oid, to ?? 'HEAD');
    await setHead(repo, create, oid, create);
    if (!quiet) tool.stderr += `Switched to a new branch '${create}'\n`;
    return;
  }
  const name = to === '-' ? await lastBranch(repo) : (to ?? 'HEAD');
  const isBranch = !detach && (await repo.tryResolve(`refs/heads/${name}`)) !== null;
  const oid = await revisionCommit(repo, isBranch ? `refs/heads/${name}` : name);
  const kept =
    oid === head && !force ? (await repo.states()).filter(changed) : await moveTo(repo, oid, force);
  await setHead(repo, isBranch ? name : null, oid, name);
  for (const { path, head, work } of kept)
    tool.print(`${work === null ? 'D' : head === null ? 'A' : 'M'}\t${path}\n`);
  if (quiet) return;
  if (isBranch) {
    tool.stderr += before === name ? `Already on '${name}'\n` : `Switched to branch '${name}'\n`;
    return;
  }
  const [subject] = (await repo.commit(oid)).message.split('\n');
  tool.stderr += `HEAD is now at ${await shortOid(repo, oid)} ${subject}\n`;
}

/** `-`: what was checked out before. @throws GitFault */
async function lastBranch(repo: Repository): Promise<string> {
  const name = await branchBefore(repo, 1);
  if (name === null) throw new GitFault('invalid reference: @{-1}');
  return name;
}

const changed = ({ head, index, work }: State): boolean =>
  index !== null && (index.oid !== head?.oid || !isSame(index, work));

export const checkout: GitCommand = async (call) => {
  const { options, operands, paths } = call.options({
    short: 'b:B:fqt',
    long: {
      force: 'f',
      quiet: 'q',
      detach: 'detach',
      orphan: 'orphan:',
      ours: 'ours',
      theirs: 'theirs',
    },
  });
  const repo = await call.repository();
  const [first, ...rest] = operands;
  const create = options.get('b') ?? options.get('B') ?? null;
  const isRevision =
    first !== undefined && (first === '-' || (await tryRevision(repo, first)) !== null);
  if (
    create === null &&
    (paths !== null || (first !== undefined && (!isRevision || rest.length > 0)))
  ) {
    const source = isRevision ? first : null;
    const named = [...(isRevision ? rest : operands), ...(paths ?? [])];
    const count = await restorePaths(repo, named, { source, index: source !== null, work: true });
    if (paths === null && !options.has('q'))
      call.tool.stderr += `Updated ${count} path${count === 1 ? '' : 's'} from ${source === null ? 'the index' : await shortOid(repo, await revisionCommit(repo, source))}\n`;
    return;
  }
  await go(call, {
    create,
    to: first ?? null,
    force: options.has('f') || options.has('B'),
    detach: options.has('detach'),
    quiet: options.has('q'),
  });
};

export const switchTo: GitCommand = async (call) => {
  const { options, operands } = call.options({
    short: 'c:C:fqd',
    long: {
      create: 'c:',
      'force-create': 'C:',
      force: 'f',
      'discard-changes': 'f',
      quiet: 'q',
      detach: 'd',
    },
  });
  const repo = await call.repository();
  const create = options.get('c') ?? options.get('C') ?? null;
  const [to] = operands;
  if (create === null && to !== undefined && !options.has('d') && to !== '-') {
    const isBranch = (await repo.tryResolve(`refs/heads/${to}`)) !== null;
    if (!isBranch)
      throw new GitFault(
        (await tryRevision(repo, to)) === null
          ? `invalid reference: ${to}`
          : `a branch is expected, got commit '${to}'\nhint: If you want to detach HEAD at the commit, try again with the --detach option.`,
      );
  }
  await go(call, {
    create,
    to: to ?? null,
    force: options.has('f') || options.has('C'),
    detach: options.has('d'),
    quiet: options.has('q'),
  });
};

interface Restoring {
  /** A revision; null for the index (or, into the index, HEAD). */
  source: string | null;
  index: boolean;
  work: boolean;
  /** Whether what names no file is no fault. */
  lenient?: boolean;
}

async function restorePaths(
  repo: Repository,
  operands: readonly string[],
  { source, index, work, lenient = false }: Restoring,
): Promise<number> {
  const from: Tree =
    source !== null
      ? await repo.tree(await revisionCommit(repo, source))
      : index
        ? await repo.tree(await repo.head())
        : await repo.index();
  const current = await repo.index();
  let count = 0;
  for (const operand of operands) {
    const isWanted = pathFilter(repo, [operand]);
    const found = [...new Set([...from.keys(), ...(index ? current.keys() : [])])]
      .filter(isWanted)
      .sort(byName);
    if (found.length === 0 && !lenient)
      throw new GitFault(
        `pathspec '${operand}' did not match any file(s) known to git`,
        1,
        'error',
      );
    for (const path of found) {
      const blob = from.get(path) ?? null;
      if (work && blob !== null) {
        const there = (await repo.tool.fs.lstat(repo.absolute(path)).catch(nothingThere)) !== null;
        const same =
          there && (await repo.git.hashBlob({ object: await repo.worked(path) })).oid === blob.oid;
        if (!same || source !== null) await writeFile(repo, path, blob);
        if (!same || source !== null) count += 1;
      } else if (work && index) await removeFile(repo, path);
      if (index) await writeIndex(repo, path, blob, work && blob !== null);
    }
  }
  return count;
}

export const restore: GitCommand = async (call) => {
  const { options, operands, paths } = call.options({
    short: 'SWs:q',
    long: { staged: 'S', worktree: 'W', source: 's:', quiet: 'q' },
  });
  const repo = await call.repository();
  const named = [...operands, ...(paths ?? [])];
  if (named.length === 0) throw new GitFault('you must specify path(s) to restore');
  const index = options.has('S');
  await restorePaths(repo, named, {
    source: options.get('s') ?? null,
    index,
    work: options.has('W') || !index,
  });
};

export const reset: GitCommand = async (call) => {
  const { options, operands, paths } = call.options({
    short: 'q',
    long: { soft: 'soft', mixed: 'mixed', hard: 'hard', quiet: 'q', merge: 'merge', keep: 'keep' },
  });
  const repo = await call.repository();
  const [first, ...rest] = operands;
  const isRevision = first !== undefined && (await tryRevision(repo, first)) !== null;
  if (first !== undefined && !isRevision && paths === null) {
    const isThere = (await call.tool.fs.exists(call.tool.path(first))) || /[*?[]/.test(first);
    if (!isThere) throw unknownRevision(first);
  }
  const named = [...(isRevision ? rest : operands), ...(paths ?? [])];
  if (named.length > 0) {
    if (options.has('hard') || options.has('soft'))
      throw new GitFault(`Cannot do ${options.has('hard') ? 'hard' : 'soft'} reset with paths.`);
    await restorePaths(repo, named, {
      source: isRevision ? first : null,
      index: true,
      work: false,
      lenient: true,
    });
    await tellUnstaged(call, repo, options.has('q'));
    return;
  }
  const head = await repo.head();
  if (head === null && first === undefined) {
    for (const path of (await repo.index()).keys()) await writeIndex(repo, path, null, false);
    return;
  }
  const oid = await revisionCommit(repo, first ?? 'HEAD');
  const tree = await repo.tree(oid);
  if (options.has('hard')) await putTree(repo, tree, await repo.states());
  await moveHead(repo, oid, `reset: moving to ${first ?? 'HEAD'}`);
  if (options.has('soft')) return;
  if (options.has('hard')) {
    const [subject] = (await repo.commit(oid)).message.split('\n');
    if (!options.has('q'))
      call.tool.print(`HEAD is now at ${await shortOid(repo, oid)} ${subject}\n`);
    return;
  }
  const index = await repo.index();
  for (const path of new Set([...index.keys(), ...tree.keys()])) {
    const [now, wanted = null] = [index.get(path), tree.get(path)];
    if (!isSame(now ?? null, wanted)) await writeIndex(repo, path, wanted, false);
  }
  await tellUnstaged(call, repo, options.has('q'));
};

async function tellUnstaged(call: Call, repo: Repository, quiet: boolean): Promise<void> {
  if (quiet) return;
  const states = await repo.states();
  const edited = states.filter(({ index, work }) => index !== null && !isSame(index, work));
  if (edited.length === 0) return;
  call.tool.print('Unstaged changes after reset:\n');
  for (const { path, work } of edited) call.tool.print(`${work === null ? 'D' : 'M'}\t${path}\n`);
}
