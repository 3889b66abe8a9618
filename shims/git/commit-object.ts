/** A commit as git's objects have it. */
import type { ReadCommitResult } from 'isomorphic-git';
import { signatureOf } from './person.ts';

/** A commit with its id. */
export interface Commit {
  oid: string;
  commit: ReadCommitResult['commit'];
}

/** What git writes of it. */
export const commitText = ({
  tree,
  parent,
  author,
  committer,
  message,
}: Omit<Commit['commit'], 'gpgsig'>): string =>
  [
    `tree ${tree}`,
    ...parent.map((oid) => `parent ${oid}`),
    `author ${signatureOf(author)}`,
    `committer ${signatureOf(committer)}`,
    '',
    message,
  ].join('\n');
