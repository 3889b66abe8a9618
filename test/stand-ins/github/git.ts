/**
 * Git's object names and a tar writer, so that the trees the stand-in serves have the SHA-1 names
 * that git itself would give them (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects).
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** A file as git has it. */
export interface GitFile {
  path: string;
  data: Buffer;
}

/** A commit of another repository that stands at a path. */
export interface Submodule {
  path: string;
  sha: string;
}

/** One row of a tree: `size` in bytes for blobs, null for trees and submodules. */
export interface TreeEntry {
  path: string;
  mode: '100644' | '040000' | '160000';
  type: 'blob' | 'tree' | 'commit';
  sha: string;
  size: number | null;
}

/** A whole tree, flattened: the root's name and every entry below it, sorted by path. */
export interface FileTree {
  sha: string;
  entries: TreeEntry[];
}

/** @returns the SHA-1 name of an object of `type` holding `content`. */
export function objectSha(type: 'blob' | 'tree' | 'commit', content: Buffer): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
}

type Child =
  | { name: string; file: Buffer }
  | { name: string; commit: string }
  | { name: string; folder: Map<string, Child> };

function nest(files: readonly GitFile[], submodules: readonly Submodule[]): Map<string, Child> {
  const root = new Map<string, Child>();
  const put = (path: string, made: (name: string) => Child): void => {
    const names = path.split('/');
    const last = names.pop() ?? path;
    let folder = root;
    for (const name of names) {
      const found = folder.get(name);
      const next = found && 'folder' in found ? found : { name, folder: new Map<string, Child>() };
      folder.set(name, next);
      folder = next.folder;
    }
    folder.set(last, made(last));
  };
  for (const { path, data } of files) put(path, (name) => ({ name, file: data }));
  for (const { path, sha } of submodules) put(path, (name) => ({ name, commit: sha }));
  return root;
}

function entryOf(child: Child, path: string, out: TreeEntry[]): TreeEntry {
  if ('commit' in child) {
    return { path, mode: '160000', type: 'commit', sha: child.commit, size: null };
  }
  if ('file' in child) {
    const sha = objectSha('blob', child.file);
    return { path, mode: '100644', type: 'blob', sha, size: child.file.length };
  }
  const sha = writeTree(child.folder, `${path}/`, out);
  return { path, mode: '040000', type: 'tree', sha, size: null };
}

function writeTree(folder: Map<string, Child>, prefix: string, out: TreeEntry[]): string {
  const rows: { key: string; line: Buffer }[] = [];
  for (const child of folder.values()) {
    const entry = entryOf(child, prefix + child.name, out);
    out.push(entry);
    // Git sorts a directory as if its name ended in a slash, and stores its mode as 40000.
    const mode = entry.type === 'tree' ? '40000' : entry.mode;
    rows.push({
      key: entry.type === 'tree' ? `${child.name}/` : child.name,
      line: Buffer.concat([Buffer.from(`${mode} ${child.name}\0`), Buffer.from(entry.sha, 'hex')]),
    });
  }
  rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  return objectSha('tree', Buffer.concat(rows.map((row) => row.line)));
}

/** @returns the tree that holds `files`, with git's own object names. */
export function buildTree(
  files: readonly GitFile[],
  submodules: readonly Submodule[] = [],
): FileTree {
  const entries: TreeEntry[] = [];
  const sha = writeTree(nest(files, submodules), '', entries);
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { sha, entries };
}

function tarHeader(name: string, size: number, mtime: number): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write(`${mtime.toString(8).padStart(11, '0')}\0`, 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/**
 * A gzipped POSIX tar of `files` below the folder `top`, as the service's tarball is laid out.
 * @param mtime seconds since the epoch
 * @throws RangeError if a name does not fit the 100 bytes of a ustar header
 */
export function tarball(files: readonly GitFile[], top: string, mtime: number): Buffer {
  const parts: Buffer[] = [];
  for (const { path, data: body } of files) {
    const name = `${top}/${path}`;
    if (Buffer.byteLength(name) > 100) throw new RangeError(`path too long for ustar: ${name}`);
    parts.push(tarHeader(name, body.length, mtime), body);
    parts.push(Buffer.alloc((512 - (body.length % 512)) % 512));
  }
  parts.push(Buffer.alloc(1024));
  return gzipSync(Buffer.concat(parts));
}
