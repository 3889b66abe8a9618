/** Paths and errors of the host, and what they are called in a mount. */
import { sep } from 'node:path';
import { type Errno, FsError, STRERROR } from '../../src/errors.ts';

/** The host path of a path of a mount, or of `/name` in a directory. */
export function hostPath(root: string, path: string): string {
  if (path === '/') return root;
  return root === '/' ? path : root + path;
}

/** Is a host path the directory itself or below it? */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

export function outside(path: string, op: string): FsError {
  return new FsError('EACCES', {
    path,
    op,
    rule: 'a disk mount ends at its root',
    reason: 'the host path leads outside the mounted directory; nothing there can be reached',
  });
}

/** What the host keeps for itself can be neither made nor moved. */
export function reserved(path: string, op: string, code: 'EACCES' | 'EBUSY'): FsError {
  return new FsError(code, {
    path,
    op,
    rule: 'hidden directories of a disk mount',
    reason: 'this name belongs to the host, or holds what does; choose another one',
  });
}

/** An error of node:fs without the host's paths. */
export function asFsError(error: unknown, path: string, op: string): FsError {
  if (error instanceof FsError) return error;
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== undefined && code in STRERROR)
    return new FsError(code as Errno, { path, op, cause: error });
  if (code === 'ERR_FS_FILE_TOO_LARGE') return new FsError('EFBIG', { path, op, cause: error });
  const reason =
    code === 'ENXIO' ? NOT_REGULAR : `the host answered ${code ?? (error as Error).name}`;
  return new FsError(code === 'ENXIO' ? 'EINVAL' : 'EIO', { path, op, reason, cause: error });
}

export const NOT_REGULAR =
  'it is a device, a pipe or a socket of the host, which a mount does not open';
