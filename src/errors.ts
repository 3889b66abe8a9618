/**
 * The one family of errors. just-bash's commands recognise a failure by the
 * TEXT of its message, so every message begins with the errno, as Node's do.
 */

/** The errnos in use and their text as strerror(3) prints it on Linux. */
export const STRERROR = {
  EACCES: 'Permission denied',
  EAGAIN: 'Resource temporarily unavailable',
  EBUSY: 'Device or resource busy',
  ECANCELED: 'Operation canceled',
  ECONNREFUSED: 'Connection refused',
  EDQUOT: 'Disk quota exceeded',
  EEXIST: 'File exists',
  EFBIG: 'File too large',
  EINVAL: 'Invalid argument',
  EIO: 'Input/output error',
  EISDIR: 'Is a directory',
  ELOOP: 'Too many levels of symbolic links',
  EMLINK: 'Too many links',
  ENAMETOOLONG: 'File name too long',
  ENOENT: 'No such file or directory',
  ENOSPC: 'No space left on device',
  ENOSYS: 'Function not implemented',
  ENOTDIR: 'Not a directory',
  ENOTEMPTY: 'Directory not empty',
  ENOTSUP: 'Operation not supported',
  EPERM: 'Operation not permitted',
  EROFS: 'Read-only file system',
  ESTALE: 'Stale file handle',
  ETIMEDOUT: 'Connection timed out',
  EXDEV: 'Invalid cross-device link',
} as const;

/** The name of an error number, as POSIX spells it. */
export type Errno = keyof typeof STRERROR;

/** Is it the name of an error number? */
export const isErrno = (code: unknown): code is Errno =>
  typeof code === 'string' && Object.hasOwn(STRERROR, code);

/**
 * Errnos that answer an ordinary question ("is it there?"). A command that
 * hides one of these hides nothing; every other one must reach stderr.
 */
const ORDINARY: ReadonlySet<Errno> = new Set<Errno>([
  'EEXIST',
  'EISDIR',
  'ELOOP',
  'ENOENT',
  'ENOTDIR',
  'ENOTEMPTY',
]);

/** What an {@link FsError} is made of. */
export interface FsErrorInit {
  /** Absolute path in the namespace, as the caller named it. */
  path: string;
  /** The operation, by its system call's name: open, unlink, rename … */
  op: string;
  /** Which rule refused: `mode ro of /harness`, `schema issue.state` … */
  rule?: string;
  /** One sentence for whoever must act next: what happened, what to do. */
  reason?: string;
  cause?: unknown;
}

/**
 * Makes `instanceof` of an error's class go by a mark on its instances. Two
 * copies of this package in one process are ordinary (a mount's module may bring
 * its own), and their classes are not the same: a symbol of the registry is.
 * What extends the class is told by its prototype, as usual.
 * @param name the same in every copy: a bundler renames classes
 */
export function brand(branded: { readonly prototype: Error }, name: string): void {
  const mark = Symbol.for(`dirigent.${name}`);
  Object.defineProperty(branded.prototype, mark, { value: true });
  Object.defineProperty(branded, Symbol.hasInstance, {
    value(this: unknown, error: unknown): boolean {
      if (this !== branded) return Function.prototype[Symbol.hasInstance].call(this, error);
      return typeof error === 'object' && error !== null && mark in error;
    },
  });
}

/** A failed operation of the namespace or of a mount. */
export class FsError extends Error {
  override readonly name = 'FsError';
  readonly code: Errno;
  readonly path: string;
  readonly op: string;
  readonly rule: string | undefined;
  readonly reason: string | undefined;

  constructor(code: Errno, init: FsErrorInit) {
    super(
      `${code}: ${STRERROR[code].toLowerCase()}, ${init.op} '${init.path}'`,
      init.cause === undefined ? undefined : { cause: init.cause },
    );
    this.code = code;
    this.path = init.path;
    this.op = init.op;
    this.rule = init.rule;
    this.reason = init.reason;
  }

  static {
    brand(FsError, 'FsError');
  }

  /** The text that GNU tools print for the errno. */
  get strerror(): string {
    return STRERROR[this.code];
  }

  /** True for errors that no command may swallow: refusals, outages, bad input. */
  get loud(): boolean {
    return !ORDINARY.has(this.code) || this.reason !== undefined;
  }

  /** The same failure in other words. */
  saying(reason: string): FsError {
    const { code, path, op, rule } = this;
    return new FsError(code, { path, op, reason, ...(rule === undefined ? {} : { rule }) });
  }

  /** The same failure under another path, for a mount's paths as the namespace shows them. */
  at(path: string): FsError {
    return new FsError(this.code, {
      path,
      op: this.op,
      ...(this.rule === undefined ? {} : { rule: this.rule }),
      ...(this.reason === undefined ? {} : { reason: this.reason }),
      cause: this.cause,
    });
  }
}

/** What a human is told of a failure: of a file operation its reason, where it has one. */
export function sentenceOf(error: unknown): string {
  if (error instanceof FsError) return error.reason ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

/** Is it a failed file operation, with this errno if one is named? */
export function isFsError(error: unknown, code?: Errno): error is FsError {
  return error instanceof FsError && (code === undefined || error.code === code);
}

/** A setting that cannot be used: a config, an option, a mount table. Raised before anything runs. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** Where in the config it is wrong, e.g. `mounts./data.mode`. */
  readonly path: string;

  constructor(path: string, message: string, cause?: unknown) {
    super(
      path === '' ? message : `${path}: ${message}`,
      cause === undefined ? undefined : { cause },
    );
    this.path = path;
  }

  static {
    brand(ConfigError, 'ConfigError');
  }
}
