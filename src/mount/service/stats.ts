/** What `stat` says of what a table of routes holds. */
import { posix } from 'node:path';
import type { MountStat } from '../contract/contract.ts';
import type { Match } from '../table/table.ts';

export function fileStat(path: string, size: number, mtime: Date, writable: boolean): MountStat {
  return { type: 'file', mode: writable ? 0o644 : 0o444, size, mtime, ino: path };
}

export function programStat(path: string, size: number, mtime: Date): MountStat {
  return { type: 'file', mode: 0o555, size, mtime, ino: path };
}

export function directoryStat(path: string, mtime: Date): MountStat {
  return { type: 'directory', mode: 0o755, size: 4096, mtime, ino: path };
}

export function linkStat(path: string, target: string, mtime: Date): MountStat {
  return { type: 'symlink', mode: 0o777, size: Buffer.byteLength(target), mtime, ino: path };
}

/** Where a link leads from the directory that it is in; null for what is no link. */
export function linkTarget(path: string, { route, params }: Match): string | null {
  const target = route.target?.(params) ?? null;
  return target === null ? null : posix.relative(posix.dirname(path), target);
}
