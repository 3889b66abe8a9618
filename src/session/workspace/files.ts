/** The files that snapshots are taken of: a directory of the host, or a tree in memory. */
import fs from 'node:fs';
import { dirname } from 'node:path';
import { isFsError } from '../../errors.ts';
import type { MountStat } from '../../mount/contract.ts';

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

/** Files under one root. Paths begin with `/`. */
export interface WorkspaceFiles {
  /** null where there is nothing, or where a link leads to it. */
  stat(path: string): FileStat | null;
  list(path: string): string[];
  read(path: string): Uint8Array;
  readlink(path: string): string;
  /** The hash of a file's content, where it is known without reading. */
  storedHash?(path: string): string | undefined;
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
    readlink: (path) => tree.readlink(path),
    storedHash: (path) => tree.storedHash(path),
  };
}

/** What a killed write of a disk mount leaves. */
const TEMPORARY = /^\.dirigent-[0-9a-f]{12}\.tmp$/;
/** A file that changed this shortly before it was looked at may change again without its times telling. */
const RACY_MS = 50;

/**
 * @param root a directory of the host, which links inside do not lead out of
 * @param hidden directories that are no part of it, such as the state's
 */
export function diskFiles(root: string, hidden: readonly string[] = []): WorkspaceFiles {
  const real = fs.realpathSync.native(root);
  const host = (path: string): string => (path === '/' ? real : real + path);
  const skipped = new Set(hidden);
  const stat = (path: string): FileStat | null => {
    const file = host(path);
    if (skipped.has(file)) return null;
    if (path !== '/' && !isReal(dirname(file))) return null;
    const found = fs.lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return null;
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
  };
  /** Directories found real in this pass: one question serves all that is in them. */
  let known = { directory: '', at: 0 };
  const isReal = (directory: string): boolean => {
    if (known.directory === directory && Date.now() - known.at < 5) return true;
    try {
      if (fs.realpathSync.native(directory) !== directory) return false;
    } catch (error) {
      if (error instanceof Error && 'code' in error) return false;
      throw error;
    }
    known = { directory, at: Date.now() };
    return true;
  };
  return {
    stat,
    list: (path) => fs.readdirSync(host(path)).filter((name) => !TEMPORARY.test(name)),
    read: (path) => {
      const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
      const descriptor = fs.openSync(host(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        return fs.readFileSync(descriptor);
      } finally {
        fs.closeSync(descriptor);
      }
    },
    readlink: (path) => fs.readlinkSync(host(path)),
  };
}
