/** Errors as answers: the family of the house, each with the status that clients of HTTP know. */
import type { Context } from 'hono';
import { HttpRefusal } from '../../doors/http/limits.ts';
import { ConfigError, type Errno, type FsError, isFsError } from '../../errors.ts';

/** A status that an error is answered with. */
export type FailureStatus =
  | 400
  | 401
  | 403
  | 404
  | 409
  | 413
  | 415
  | 429
  | 500
  | 501
  | 502
  | 503
  | 504
  | 507;

const STATUS: Readonly<Partial<Record<Errno, FailureStatus>>> = {
  EACCES: 403,
  EPERM: 403,
  EROFS: 403,
  ENOENT: 404,
  EEXIST: 409,
  ESTALE: 409,
  EBUSY: 409,
  ENOTEMPTY: 409,
  EINVAL: 400,
  EISDIR: 400,
  ENOTDIR: 400,
  ELOOP: 400,
  ENAMETOOLONG: 400,
  EXDEV: 400,
  EFBIG: 413,
  EAGAIN: 503,
  ECANCELED: 503,
  ENOSYS: 501,
  ENOTSUP: 501,
  ECONNREFUSED: 502,
  ETIMEDOUT: 504,
  EDQUOT: 507,
  ENOSPC: 507,
};

/** What is said of a failure. */
interface Said {
  code: string;
  message: string;
  path?: string;
  rule?: string;
}

export function failed(c: Context, status: FailureStatus, error: Said) {
  return c.json({ error }, status);
}

/** Answers an error; one that nobody foresaw is told to whoever runs the server, and not to the client. */
export function answerError(error: unknown, c: Context, onFault: (error: unknown) => void) {
  if (error instanceof HttpRefusal) {
    for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
    const status = error.status as FailureStatus;
    return failed(c, status, { code: `HTTP ${status}`, message: error.message });
  }
  if (isFsError(error)) return failed(c, statusOf(error), saidOf(error));
  if (error instanceof ConfigError)
    return failed(c, 400, { code: 'EINVAL', message: error.message, path: error.path });
  onFault(error);
  return failed(c, 500, {
    code: 'EIO',
    message: 'the server failed at this; whoever runs it has been told what happened',
  });
}

const statusOf = ({ code }: FsError): FailureStatus => STATUS[code] ?? 500;

const saidOf = ({ code, reason, message, path, rule }: FsError): Said => ({
  code,
  message: reason ?? message,
  path,
  ...(rule === undefined ? {} : { rule }),
});
