/** Trees that are put into the index and the working tree. */
import { errnoOf } from '../support/tool.ts';
import { GitFault } from './fault.ts';
import type { Merged } from './merging.ts';
import {
  type Blob,
  directoriesOf,
  isSame,
  type Repository,
  type State,
  type Tree,
} from './repository.ts';

/** @throws GitFault where a tree would write outside of the working tree, or into the repository itself */
export function checkPath(path: string): void {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || /^\.git$/i.test(part)))
    throw new GitFault(`invalid path '${path}'`);
}

/** Removes a file, and the directories that are empty without it. */
export async function removeFile(repo: Repository, path: string): Promise<void> {
  checkPath(path);
  const { fs } = repo.tool;
  await fs.rm(repo.absolute(path), { force: true });
  for (const above of directoriesOf(path).reverse()) {
    const directory = repo.absolute(above);
    if (!(await fs.exists(directory)) || (await fs.readdir(directory)).length > 0) return;
    await fs.rm(directory);
  }
}

/** A missing file is none; any other fault is one. */
export function nothingThere(error: unknown): null {
  if (errnoOf(error) === 'ENOENT') return null;
  throw error;
}

/** Writes a blob to its place in the working tree, in place of whatever is there. */
export async function writeFile(
  repo: Repository,
  path: string,
  { oid, mode }: Blob,
): Promise<void> {
  checkPath(path);
  const { fs } = repo.tool;
  const file = repo.absolute(path);
  for (const above of directoriesOf(path)) {
    const directory = repo.absolute(above);
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
  await writeContent(repo, file, content, mode);
}

/** Writes a file that is none of the repository's links, with the mode that git has of it. */
export async function writeContent(
  repo: Repository,
  file: string,
  content: Buffer,
  mode: string,
): Promise<void> {
  const { fs } = repo.tool;
  await fs.writeFile(file, content);
  const bits = mode === '100755' ? 0o755 : 0o644;
  if (((await fs.stat(file)).mode & 0o111) !== (bits & 0o111)) await fs.chmod(file, bits);
}

/** Puts a blob, or nothing, into the index. */
export async function writeIndex(
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
export async function putTree(
  repo: Repository,
  tree: Tree,
  states: readonly State[],
): Promise<void> {
  const there = new Map(states.map((state) => [state.path, state]));
  for (const state of states) {
    if (tree.has(state.path) || state.index === null) continue;
    if (state.work !== null) await removeFile(repo, state.path);
    await writeIndex(repo, state.path, null, false);
  }
  for (const [path, blob] of tree) {
    if (blob.mode === '160000') continue;
    const state = there.get(path);
    const same = isSame(state?.work ?? null, blob);
    if (!same) await writeFile(repo, path, blob);
    if (!same || !isSame(state?.index ?? null, blob)) await writeIndex(repo, path, blob, true);
    await repo.tool.pulse();
  }
}

/** What would overwrite files. */
type Move = 'checkout' | 'merge';
const BEFORE: Readonly<Record<Move, string>> = {
  checkout: 'switch branches',
  merge: 'merge',
};

/** @throws GitFault where anything would be lost */
function refuseLoss(edited: readonly string[], untracked: readonly string[], by: Move): void {
  const list = (paths: readonly string[]): string => paths.map((path) => `\t${path}\n`).join('');
  if (edited.length > 0)
    throw new GitFault(
      `Your local changes to the following files would be overwritten by ${by}:\n${list(edited)}Please commit your changes or stash them before you ${BEFORE[by]}.\nAborting`,
      1,
      'error',
    );
  if (untracked.length > 0)
    throw new GitFault(
      `The following untracked working tree files would be overwritten by ${by}:\n${list(untracked)}Please move or remove them before you ${BEFORE[by]}.\nAborting`,
      1,
      'error',
    );
}

/** @throws GitFault where a merge would overwrite what was never put into the index */
export function refuseOverwriting(states: readonly State[], changed: Merged['changed']): void {
  const there = states.filter(({ path }) => changed.has(path));
  // A file that is gone holds nothing to lose.
  const edited = there.filter(
    ({ index, work }) => index !== null && work !== null && !isSame(index, work),
  );
  const untracked = there.filter(
    ({ path, index, work }) =>
      index === null && work !== null && work.oid !== changed.get(path)?.oid,
  );
  const paths = (of: readonly State[]): string[] => of.map(({ path }) => path);
  refuseLoss(paths(edited), paths(untracked), 'merge');
}

/** Goes to another commit; what was changed and is equal in both stays. @throws GitFault where something would be lost */
export async function moveTo(
  repo: Repository,
  oid: string,
  force: boolean,
  to: Move = 'checkout',
): Promise<State[]> {
  const states = await repo.states();
  const target = await repo.tree(oid);
  const kept: State[] = [];
  const lost: string[] = [];
  const untracked: string[] = [];
  const next: Tree = new Map(target);
  for (const state of states) {
    const { path, head, index, work } = state;
    const wanted = target.get(path) ?? null;
    const isEdited = index?.oid !== head?.oid || (index !== null && !isSame(index, work));
    const differs = !isSame(wanted, head);
    if (force) continue;
    if (index === null && work !== null) {
      if (wanted !== null && wanted.oid !== work.oid) untracked.push(path);
    } else if (isEdited && differs) {
      const isGone = work === null && isSame(index, head);
      if (isSame(index, wanted) && !isSame(work, wanted)) {
        // The index has it already: what was edited since stays.
        kept.push(state);
        next.delete(path);
      } else if (!isGone && work?.oid !== wanted?.oid) lost.push(path);
    } else if (isEdited) {
      kept.push(state);
      next.delete(path);
    }
  }
  refuseLoss(lost, untracked, to);
  const keptPaths = new Set(kept.map(({ path }) => path));
  await putTree(
    repo,
    next,
    states.filter(({ path }) => !keptPaths.has(path)),
  );
  return kept;
}

/** Makes paths of index and working tree what a merge made of them. */
export async function putChanged(repo: Repository, changed: Merged['changed']): Promise<void> {
  for (const path of changed.keys()) checkPath(path);
  for (const [path, blob] of changed) if (blob === null) await removeFile(repo, path);
  for (const [path, blob] of changed) {
    if (blob !== null) await writeFile(repo, path, blob);
    await writeIndex(repo, path, blob, blob !== null);
    await repo.tool.pulse();
  }
}
