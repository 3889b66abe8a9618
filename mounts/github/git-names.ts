/** Names in a tree of Git's, as the replica keeps them: a directory's key ends in a slash. */
import { createHash } from 'node:crypto';

/** The directory that an entry of the tree is in; '' for the root. */
export function above(key: string): string {
  const path = key.replace(/\/$/, '');
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

/** The branch that a held tree is of. */
export function branchOf(cursor: string | null): string | null {
  return cursor === null ? null : cursor.slice(cursor.indexOf(' ') + 1);
}

/** The name of the tree that is held. */
export function treeOf(cursor: string | null): string | null {
  return cursor === null ? null : cursor.slice(0, cursor.indexOf(' '));
}

/** The last part of an entry's path. */
export function nameOf(key: string): string {
  const path = key.replace(/\/$/, '');
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The name that Git gives a content. */
export function gitName(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
