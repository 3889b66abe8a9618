/** git checkout, switch, restore and reset: trees that are put into the index and the working tree. */

import { errnoOf } from '../support/tool.ts';
import { checkName } from './branch.ts';
import type { Call, GitCommand } from './call.ts';
import { pathFilter } from './changes.ts';
import { GitFault } from './fault.ts';
import { type Blob, byName, type Repository, type State, type Tree } from './repository.ts';
import { revisionCommit, shortOid, tryRevision } from './revision.ts';
import { removeFile } from './stage.ts';

/** @throws GitFault where a tree would write outside of the working tree, or into the repository itself */
function checkPath(path: string): void {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || /^\.git$/i.test(part)))
    throw new GitFault(`invalid path '${path}'`);
}

/** A missing file is none; any other fault is one. */
function nothingThere(error: unknown): null {
  if (errnoOf(error) === 'ENOENT') return null;
  throw error;
}

/** Writes a blob to its place in the working tree, in place of whatever is there. */
async function writeFile(repo: Repository, path: string, { oid, mode }: Blob): Promise<void> {
  checkPath(path);
  const { fs } = repo.tool;
  const file = repo.absolute(path);
  const parts = path.split('/').slice(0, -1);
  for (let n = 1; n <= parts.length; n++) {
    const directory = repo.absolute(parts.slice(0, n).join('/'));
    const stat = await fs.lstat(directory).catch(nothingThere);
    if (stat !== null && (stat.isSymbolicLink || !stat.isDirectory)) await fs.rm(directory);
    if (stat === null || stat.isSymbolicLink || !stat.isDirectory) await fs.mkdir(directory);
  }
  const content = await repo.content(oid);
  // Of a link, be it one that leads nowhere, the link itself: nothing is written through it.
  const there = await fs.lstat(file).catch(nothingThere);
  if (there !== null && (there.isDirectory || there.isSymbolicLink || mode === '120000'))
    await fs.rm(file, { recursive: true });
  if (mode === '120000') {
    await fs.symlink(content.toString(), file);
    return;
  }
  await fs.writeFile(file, content);
  const bits = mode === '100755' ? 0o755 : 0o644;
  if (((await fs.stat(file)).mode & 0o111) !== (bits & 0o111)) await fs.chmod(file, bits);
}

/** Puts a blob, or nothing, into the index. */
async function writeIndex(
  repo: Repository,
  path: string,
  blob: Blob | null,
  inStep: boolean,
): Promise<void> {
  if (blob === null) await repo.git.remove({ ...repo.at, filepath: path });
  else if (inStep) await repo.git.add({ ...repo.at, filepath: path, force: true });
  else
    await repo.git.updateIndex({
      ...repo.at,
      filepath: path,
      oid: blob.oid,
      mode: Number.parseInt(blob.mode, 8),
      add: true,
    });
}

/** Makes index and working tree those of a commit. What differs from it is lost. */
async function putTree(repo: Repository, tree: Tree, states: readonly State[]): Promise<void> {
  const there = new Map(states.map((state) => [state.path, state]));
  for (const state of states) {
    if (tree.has(state.path) || state.index === null) continue;
    if (state.work !== null) await removeFile(repo, state.path);
    await writeIndex(repo, state.path, null, false);
  }
  for (const [path, blob] of tree) {
    if (blob.mode === '160000') continue;
    const state = there.get(path);
    const same = state?.work?.oid === blob.oid && state.work.mode === blob.mode;
    if (!same) await writeFile(repo, path, blob);
    if (!same || state?.index?.oid !== blob.oid || state.index.mode !== blob.mode)
      await writeIndex(repo, path, blob, true);
    await repo.tool.pulse();
  }
}

/** Goes to another commit; what was changed and is equal in both stays. @throws GitFault where something would be lost */
export async function moveTo(repo: Repository, oid: string, force: boolean): Promise<State[]> {
  const states = await repo.states();
  const target = await repo.tree(oid);
  const kept: State[] = [];
  const lost: string[] = [];
  const untracked: string[] = [];
  const next: Tree = new Map(target);
  for (const state of states) {
    const { path, head, index, work } = state;
    const wanted = target.get(path) ?? null;
    const isEdited =
      index?.oid !== head?.oid ||
      (index !== null && (work?.oid !== index.oid || work.mode !== index.mode));
    const differs = wanted?.oid !== head?.oid || wanted?.mode !== head?.mode;
    if (force) continue;
    if (index === null && work !== null) {
      if (wanted !== null && wanted.oid !== work.oid) untracked.push(path);
    } else if (isEdited && differs) {
      if (work?.oid !== wanted?.oid) lost.push(path);
    } else if (isEdited) {
      kept.push(state);
      next.delete(path);
    }
  }
  const list = (paths: readonly string[]): string => paths.map((path) => `\t${path}\n`).join('');
  if (lost.length > 0)
    throw new GitFault(
      `Your local changes to the following files would be overwritten by checkout:\n${list(lost)}Please commit your changes or stash them before you switch branches.\nAborting`,
      1,
      'error',
    );
  if (untracked.length > 0)
    throw new GitFault(
      `The following untracked working tree files would be overwritten by checkout:\n${list(untracked)}Please move or remove them before you switch branches.\nAborting`,
      1,
      'error',
    );
  const keptPaths = new Set(kept.map(({ path }) => path));
  await putTree(
    repo,
    next,
    states.filter(({ path }) => !keptPaths.has(path)),
  );
  return kept;
}

async function setHead(repo: Repository, branch: string | null, oid: string): Promise<void> {
  if (branch === null)
    await repo.git.writeRef({ ...repo.at, ref: 'HEAD', value: oid, force: true });
  else
    await repo.git.writeRef({
      ...repo.at,
      ref: 'HEAD',
      value: `refs/heads/${branch}`,
      symbolic: true,
      force: true,
    });
}

interface Going {
  /** Made if it is not there. */
  create: string | null;
  to: string | null;
  force: boolean;
  detach: boolean;
  quiet: boolean;
}

async function go(call: Call, { create, to, force, detach, quiet }: Going): Promise<void> {
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
    await repo.git.writeRef({ ...repo.at, ref: `refs/heads/${create}`, value: oid, force: true });
    await setHead(repo, create, oid);
    if (!quiet) tool.stderr += `Switched to a new branch '${create}'\n`;
    return;
  }
  const name = to === '-' ? 'main' : (to ?? 'HEAD');
  const isBranch = !detach && (await repo.tryResolve(`refs/heads/${name}`)) !== null;
  const oid = await revisionCommit(repo, isBranch ? `refs/heads/${name}` : name);
  const kept =
    oid === head && !force ? (await repo.states()).filter(changed) : await moveTo(repo, oid, force);
  await setHead(repo, isBranch ? name : null, oid);
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

const changed = ({ head, index, work }: State): boolean =>
  index !== null &&
  (index.oid !== head?.oid || work?.oid !== index.oid || work.mode !== index.mode);

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
    if (paths === null)
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
}

async function restorePaths(
  repo: Repository,
  operands: readonly string[],
  { source, index, work }: Restoring,
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
    if (found.length === 0 && repo.relative(operand) !== '.')
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
  const named = [...(isRevision ? rest : operands), ...(paths ?? [])];
  if (named.length > 0) {
    if (options.has('hard') || options.has('soft'))
      throw new GitFault(`Cannot do ${options.has('hard') ? 'hard' : 'soft'} reset with paths.`);
    await restorePaths(repo, named, {
      source: isRevision ? first : null,
      index: true,
      work: false,
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
  const branch = await repo.branch();
  await repo.git.writeRef({
    ...repo.at,
    ref: branch === null ? 'HEAD' : `refs/heads/${branch}`,
    value: oid,
    force: true,
  });
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
    if (now?.oid !== wanted?.oid || now?.mode !== wanted?.mode)
      await writeIndex(repo, path, wanted, false);
  }
  await tellUnstaged(call, repo, options.has('q'));
};

async function tellUnstaged(call: Call, repo: Repository, quiet: boolean): Promise<void> {
  if (quiet) return;
  const states = await repo.states();
  const edited = states.filter(
    ({ index, work }) => index !== null && (work?.oid !== index.oid || work.mode !== index.mode),
  );
  if (edited.length === 0) return;
  call.tool.print('Unstaged changes after reset:\n');
  for (const { path, work } of edited) call.tool.print(`${work === null ? 'D' : 'M'}\t${path}\n`);
}
