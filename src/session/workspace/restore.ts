/**
 * Gives a directory of the host the files of a snapshot, touching only what differs. It is held to
 * the directory as a disk mount is: another session may put links in the place of what is in it.
 */
import fs from 'node:fs';
import { Confinement } from '../../disk/confinement.ts';
import { putWhole } from '../../disk/content.ts';
import { asFsError } from '../../disk/host.ts';
import { FsError } from '../../errors.ts';
import type { BlobStore } from '../blobs.ts';
import { type Difference, differences, Manifest, type Node, requireKept } from './manifest.ts';

/**
 * @param root a directory of the host
 * @param from the snapshot that the directory is equal to now
 * @returns the paths that were changed
 * @throws FsError ENOTSUP, EIO before anything is changed, when a file's content was not kept or is
 *   lost; and that of the first path that cannot be changed, because somebody else changed it meanwhile
 */
export function restoreDirectory(
  root: string,
  blobs: BlobStore,
  from: string,
  to: string,
): string[] {
  const all = [...differences(new Manifest(blobs, from), new Manifest(blobs, to))];
  for (const { path, after } of all)
    if (after?.type === 'file') blobs.get(requireKept(path, after));
  const confinement = new Confinement(fs.realpathSync.native(root));
  const at: At = (path, op, call) => {
    try {
      confinement.entry(path, op, call);
    } catch (error) {
      throw asFsError(error, path, op);
    }
  };
  try {
    // What is in a directory goes before the directory does.
    for (const { path, before, after } of all.toReversed())
      if (before !== undefined && before.type !== after?.type) remove(at, path, before);
    for (const difference of all) put(at, confinement, blobs, difference);
    return all.map(({ path }) => path);
  } finally {
    confinement.release();
  }
}

/** Runs a call on an entry of the directory, told where it is reached. */
type At = (path: string, op: string, call: (at: string) => void) => void;

function remove(at: At, path: string, node: Node): void {
  if (node.type === 'directory') at(path, 'rmdir', (host) => fs.rmdirSync(host));
  else at(path, 'unlink', (host) => fs.unlinkSync(host));
}

function put(
  at: At,
  confinement: Confinement,
  blobs: BlobStore,
  { path, before, after }: Difference,
): void {
  switch (after?.type) {
    case undefined:
      return;
    case 'symlink':
      return at(path, 'symlink', (host) => {
        if (before?.type === 'symlink') fs.unlinkSync(host);
        fs.symlinkSync(after.target, host);
      });
    case 'directory':
      if (before?.type !== 'directory') at(path, 'mkdir', (host) => fs.mkdirSync(host));
      return at(path, 'chmod', () =>
        confinement.pinned(path, 'chmod', (host, stat) => {
          // chmod(2) follows a link.
          if (!stat.isDirectory()) throw new FsError('ENOTDIR', { path, op: 'chmod' });
          fs.chmodSync(host, after.mode);
        }),
      );
    case 'file': {
      const bytes = blobs.get(requireKept(path, after));
      return at(path, 'open', (host) =>
        putWhole(host, bytes, (file) => {
          fs.futimesSync(file, after.mtime / 1000, after.mtime / 1000);
          fs.fchmodSync(file, after.mode);
        }),
      );
    }
  }
}
