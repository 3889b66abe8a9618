/** Gives a directory of the host the files of a snapshot, touching only what differs. */
import fs from 'node:fs';
import type { BlobStore } from '../blobs.ts';
import { type Difference, differences, Manifest, type Node, requireKept } from './manifest.ts';

/**
 * @param from the snapshot that the directory is equal to now
 * @returns the paths that were changed
 * @throws FsError ENOTSUP, EIO before anything is changed, when a file's content was not kept or is lost
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
  // What is in a directory goes before the directory does.
  for (const { path, before, after } of all.toReversed())
    if (before !== undefined && before.type !== after?.type) remove(root + path, before);
  for (const difference of all) put(root, blobs, difference);
  return all.map(({ path }) => path);
}

function remove(host: string, node: Node): void {
  if (node.type === 'directory') fs.rmdirSync(host);
  else fs.unlinkSync(host);
}

function put(root: string, blobs: BlobStore, { path, before, after }: Difference): void {
  const host = root + path;
  if (after === undefined) return;
  if (after.type === 'symlink') {
    if (before?.type === 'symlink') fs.unlinkSync(host);
    fs.symlinkSync(after.target, host);
    return;
  }
  if (after.type === 'directory') {
    if (before?.type !== 'directory') fs.mkdirSync(host);
    fs.chmodSync(host, after.mode);
    return;
  }
  const temporary = `${host}.${process.pid}.tmp`;
  fs.writeFileSync(temporary, blobs.get(requireKept(path, after)), { flag: 'wx' });
  fs.chmodSync(temporary, after.mode);
  fs.utimesSync(temporary, after.mtime / 1000, after.mtime / 1000);
  fs.renameSync(temporary, host);
}
