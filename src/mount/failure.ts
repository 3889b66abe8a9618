/** What a service did instead of answering, and the errno and sentence it becomes. */
import { type Errno, FsError } from '../errors.ts';

/**
 * - `auth`: the credential was refused; `forbidden`: known, but not allowed;
 * - `missing`: the service says that there is no such thing (or hides it); `gone`: no longer;
 * - `invalid`: it refused the content of a request;
 * - `limited`: too many requests, closed until `retryAt`;
 * - `server`: it failed; `network`: it was not reached, or the answer was cut; `timeout`;
 * - `protocol`: it answered what nobody expected.
 */
export type FailureKind =
  | 'auth'
  | 'forbidden'
  | 'missing'
  | 'gone'
  | 'invalid'
  | 'limited'
  | 'server'
  | 'network'
  | 'timeout'
  | 'protocol';

const ERRNO: Readonly<Record<FailureKind, Errno>> = {
  auth: 'EACCES',
  forbidden: 'EACCES',
  missing: 'ENOENT',
  gone: 'ENOENT',
  invalid: 'EINVAL',
  limited: 'EAGAIN',
  server: 'EIO',
  network: 'EIO',
  timeout: 'ETIMEDOUT',
  protocol: 'EIO',
};

/** A request that failed. The message is a sentence for whoever must act next. */
export class ServiceFailure extends Error {
  override readonly name = 'ServiceFailure';
  readonly kind: FailureKind;
  /** HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** When asking again makes sense. */
  readonly retryAt: Date | undefined;
  /** True when it is certain that nothing reached the service. */
  readonly unsent: boolean;

  constructor(
    kind: FailureKind,
    message: string,
    options: { status?: number; retryAt?: Date; unsent?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.status = options.status;
    this.retryAt = options.retryAt;
    this.unsent = options.unsent ?? false;
  }

  /** True when a request that changes something may have been carried out all the same. */
  get uncertain(): boolean {
    return !this.unsent && ['server', 'network', 'timeout', 'protocol'].includes(this.kind);
  }

  /** True when the service said that it is not there, so that a copy must go too. */
  get absent(): boolean {
    return this.kind === 'missing' || this.kind === 'gone';
  }

  /** The failed operation on a path of the mount. */
  at(path: string, op: string): FsError {
    return new FsError(ERRNO[this.kind], { path, op, reason: this.message, cause: this });
  }
}

/** `try again after 12:03:04 (in 42 s)`; the clock is UTC. */
export function tryAgain(at: Date, now: Date): string {
  const seconds = Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 1000));
  return `try again after ${clock(at)} UTC (in ${seconds} s)`;
}

/** HH:MM:SS of a time, UTC. */
export function clock(at: Date): string {
  return at.toISOString().slice(11, 19);
}
