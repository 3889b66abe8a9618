/** A commit as git's objects have it. */
import type { ReadCommitResult } from 'isomorphic-git';

/** A commit with its id. */
export interface Commit {
  oid: string;
  commit: ReadCommitResult['commit'];
}
