/** Commits that are made again on another: their objects alone, so that nothing has changed where one does not fit. */
import type { Call } from './call.ts';
import type { Commit } from './commit-object.ts';
import { refuseConflicts } from './merge.ts';
import { type Merged, mergeTrees } from './merging.ts';
import type { Repository, Tree } from './repository.ts';

/** What one commit brings: what `to` has and `from` has not. */
export interface Picked {
  /** Commits or trees; null for one without files. */
  from: string | null;
  to: string | null;
  message: string;
  /** Whose author it keeps; null where whoever makes it again is its author. */
  of: string | null;
}

/** A commit made again, and the one that it stands on. */
export interface Replayed extends Commit {
  before: string | null;
}

/** What a commit brought. @param parent the number of the parent that it is compared with, from 1 */
export async function pickOf(repo: Repository, oid: string, parent = 1): Promise<Picked> {
  const { message, parent: parents } = await repo.commit(oid);
  return { from: parents[parent - 1] ?? null, to: oid, message, of: oid };
}

/** The files with what was brought over. */
export function withChanged(tree: Tree, changed: Merged['changed']): Tree {
  const next: Tree = new Map(tree);
  for (const [path, blob] of changed) {
    if (blob === null) next.delete(path);
    else next.set(path, blob);
  }
  return next;
}

/**
 * Makes commits again, each on the one before.
 * @param onEmpty told of one that brings nothing, which is left out
 * @throws GitFault where one does not fit
 */
export async function replay(
  call: Call,
  what: string,
  onto: string | null,
  picks: readonly Picked[],
  onEmpty: (pick: Picked) => void,
): Promise<Replayed[]> {
  const repo = await call.repository();
  const made: Replayed[] = [];
  let before = onto;
  let tree = await repo.tree(onto);
  for (const pick of picks) {
    const [from, to] = [await repo.tree(pick.from), await repo.tree(pick.to)];
    const merged = await mergeTrees(repo, from, tree, to);
    refuseConflicts(call, merged, what);
    if (merged.changed.size === 0) {
      onEmpty(pick);
      continue;
    }
    tree = withChanged(tree, merged.changed);
    const commit = {
      tree: await repo.writeTree(tree),
      parent: before === null ? [] : [before],
      author: pick.of === null ? await repo.person('AUTHOR') : (await repo.commit(pick.of)).author,
      committer: await repo.person('COMMITTER'),
      message: pick.message,
    };
    const oid = await repo.git.writeCommit({ ...repo.at, commit });
    made.push({ oid, commit, before });
    before = oid;
  }
  return made;
}
