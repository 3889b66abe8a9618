/** The files that snapshots are taken of: a directory of the host, or a tree in memory. */
import fs from 'node:fs';
import { basename } from 'node:path';
import { ConfinedDirectory } from '../../disk/confined.ts';
import { isTemporary } from '../../disk/content.ts';
import { hostPath, isInState } from '../../disk/host.ts';
import { isFsError } from '../../errors.ts';
import type { MountStat } from '../../mount/contract/contract.ts';

/** What is at a path. */
export interface FileStat {
  type: 'file' | 'directory' | 'symlink' | 'other';
  mode: number;
  size: number;
  /** ms since the epoch */
  mtime: number;
  /** Equal as long as the content is; null where nothing tells. */
  signature: string | null;
}

/**
 * Files under one root. Paths begin with `/`. Whatever is asked, the answer is null where there is
 * no such thing, or none any more; what cannot be looked at is an FsError.
 */
export interface WorkspaceFiles {
  stat(path: string): FileStat | null;
  list(path: string): string[] | null;
  read(path: string): Uint8Array | null;
  /** A file's content in pieces of a megabyte at most. */
  chunks(path: string): Iterable<Uint8Array> | null;
  readlink(path: string): string | null;
  /** The hash of a file's content, where it is known without reading. */
  storedHash?(path: string): string | undefined;
  /** Lets go of what was kept open. */
  release?(): void;
}

/** A tree in memory, as far as snapshots need it. */
export interface ReadableTree {
  lstat(path: string): MountStat;
  readdir(path: string): { name: string }[];
  read(path: string): Uint8Array;
  readlink(path: string): string;
  storedHash(path: string): string | undefined;
}

export function memoryFiles(tree: ReadableTree): WorkspaceFiles {
  return {
    stat: (path) => {
      try {
        const { type, mode, size, mtime } = tree.lstat(path);
        return { type, mode, size, mtime: mtime.getTime(), signature: null };
      } catch (error) {
        if (isFsError(error, 'ENOENT') || isFsError(error, 'ENOTDIR')) return null;
        throw error;
      }
    },
    list: (path) => tree.readdir(path).map(({ name }) => name),
    read: (path) => tree.read(path),
    chunks: (path) => piecesOf(tree.read(path)),
    readlink: (path) => tree.readlink(path),
    storedHash: (path) => tree.storedHash(path),
  };
}

/** A file that changed this shortly before it was looked at may change again without its times telling. */
const RACY_MS = 50;

/**
 * Files of a directory of the host, held to it as a disk mount is: while a snapshot is taken,
 * another session may put a link in the place of any directory.
 *
 * @param root a directory of the host
 * @param hidden directories that are no part of it, such as the state's
 */
export function diskFiles(root: string, hidden: readonly string[] = []): WorkspaceFiles {
  const directory = new ConfinedDirectory(root);
  const skipped = new Set(hidden);
  const isSkipped = (path: string): boolean =>
    skipped.has(hostPath(directory.root, path)) || isInState(path) || isTemporary(basename(path));
  return {
    stat: (path) => {
      const found = isSkipped(path) ? null : directory.stat(path);
      return found === null ? null : statOf(found);
    },
    list: (path) => directory.list(path)?.map(({ name }) => name) ?? null,
    read: (path) => directory.read(path),
    chunks: (path) => {
      const descriptor = directory.open(path);
      return descriptor === null ? null : chunksOf(descriptor);
    },
    readlink: (path) => directory.readlink(path),
    release: () => directory.release(),
  };
}

/** Bytes: some ms to read, to hash and to write. */
export const CHUNK_BYTES = 1024 * 1024;

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

/** Closes the file when it is read, or when nobody wants more of it. */
function* chunksOf(descriptor: number): Generator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    for (;;) {
      const read = fs.readSync(descriptor, buffer, 0, CHUNK_BYTES, null);
      if (read === 0) return;
      yield buffer.subarray(0, read);
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

function statOf(found: fs.Stats): FileStat {
  const { size, mtimeMs, ctimeMs, ino } = found;
  const settled = Math.max(mtimeMs, ctimeMs) < Date.now() - RACY_MS;
  return {
    type: found.isFile()
      ? 'file'
      : found.isDirectory()
        ? 'directory'
        : found.isSymbolicLink()
          ? 'symlink'
          : 'other',
    mode: found.mode & 0o777,
    size,
    mtime: Math.floor(mtimeMs),
    signature: settled ? `${size}:${mtimeMs}:${ctimeMs}:${ino}` : null,
  };
}
