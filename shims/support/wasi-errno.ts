/** Error numbers as programs in WebAssembly count them: those of WASI (`__WASI_ERRNO_*`). */
import type { Errno } from '../../src/errors.ts';

const NUMBERS = {
  EACCES: 2,
  EAGAIN: 6,
  EBADF: 8,
  EBUSY: 10,
  ECANCELED: 11,
  ECONNREFUSED: 14,
  EDQUOT: 19,
  EEXIST: 20,
  EFBIG: 22,
  EINVAL: 28,
  EIO: 29,
  EISDIR: 31,
  ELOOP: 32,
  EMLINK: 34,
  ENAMETOOLONG: 37,
  ENOENT: 44,
  ENOSPC: 51,
  ENOSYS: 52,
  ENOTDIR: 54,
  ENOTEMPTY: 55,
  ENOTSUP: 138,
  ENOTTY: 59,
  EPERM: 63,
  ERANGE: 68,
  EROFS: 69,
  ESPIPE: 70,
  ESTALE: 72,
  ETIMEDOUT: 73,
  EXDEV: 75,
} as const satisfies Record<Errno | 'EBADF' | 'ENOTTY' | 'ERANGE' | 'ESPIPE', number>;

/** One of them, above 0. */
export type ErrorNumber = (typeof NUMBERS)[keyof typeof NUMBERS];

/** The number of an error by its name. */
export const numberOf = (name: keyof typeof NUMBERS): ErrorNumber => NUMBERS[name];
