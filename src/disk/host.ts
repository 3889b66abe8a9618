/** Paths and errors of the host, and what they are called in a mount. */
import { sep } from 'node:path';
import { type Errno, FsError, STRERROR } from '../errors.ts';

/** The host path of a path of a mount, or of `/name` in a directory. */
export function hostPath(root: string, path: string): string {
  if (path === '/') return root;
  return root === '/' ? path : root + path;
}

/** Is a host path the directory itself or below it? */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

const OUTSIDE = 'a disk mount ends at its root';

/** Was an operation refused because its path led out of the root? */
export function isOutside(error: unknown): boolean {
  return error instanceof FsError && error.rule === OUTSIDE;
}

export function outside(path: string, op: string): FsError {
  return new FsError('EACCES', {
    path,
    op,
    rule: OUTSIDE,
    reason: 'the host path leads outside the mounted directory; nothing there can be reached',
  });
}

/**
 * Is it the name of a state directory, wherever it lies and whosever it is? However a file system
 * may spell it: without regard to case, to characters that are not seen, or to dots and spaces at
 * the end.
 */
export function isStateName(name: string): boolean {
  return name.length >= STATE_NAME.length && STATE_SPELLING.test(name);
}

const STATE_NAME = '.dirigent';

const UNSEEN = '\\p{Default_Ignorable_Code_Point}*';
const STATE_SPELLING = new RegExp(
  `^${UNSEEN}${[...STATE_NAME].map((each) => (each === '.' ? '\\.' : each) + UNSEEN).join('')}[. ]*$`,
  'iu',
);

/**
 * Is it the name of a deployment's config? That is code of the host, and found by its name alone
 * in a directory that somebody works in.
 */
export function isConfigName(name: string): boolean {
  return CONFIG_SPELLING.test(name);
}

const CONFIG_SPELLING = /^dirigent\.config\.[cm]?[jt]s[. ]*$/iu;

/** Does a path of a mount lead to a state directory, or into one? */
export function isInState(path: string): boolean {
  // Most paths have no such thing in them, and are not taken apart.
  return path.includes('.') && path.split('/').some(isStateName);
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

/** A config is not written from inside, wherever it would lie. */
export function runsOutside(path: string, op: string): FsError {
  return new FsError('EACCES', {
    path,
    op,
    rule: 'configs are written from outside',
    reason:
      'a config of this name is run outside the sandbox by whoever calls dirigent there; write it under another name, for a person to rename',
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
