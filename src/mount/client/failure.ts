/** What a service did instead of answering, and the errno and sentence it becomes. */
import { z } from 'zod';
import type { Conceal } from '../../conceal.ts';
import { brand, type Errno, FsError } from '../../errors.ts';

/**
 * - `auth`: the credential was refused; `forbidden`: known, but not allowed;
 * - `missing`: the service says that there is no such thing (or hides it); `gone`: no longer;
 * - `invalid`: it refused the content of a request;
 * - `stale`: it has another version by now than the one that the request was made for;
 * - `limited`: too many requests, closed until `retryAt`;
 * - `unfinished`: it is at it, and it takes longer than the operation may;
 * - `server`: it failed; `network`: it was not reached, or the answer was cut; `timeout`;
 * - `protocol`: it answered what nobody expected.
 */
export type FailureKind =
  | 'auth'
  | 'forbidden'
  | 'missing'
  | 'gone'
  | 'invalid'
  | 'stale'
  | 'limited'
  | 'unfinished'
  | 'server'
  | 'network'
  | 'timeout'
  | 'protocol';

/** The kind of a failure by the service's own code for it; undefined for a code that is in none. */
export function kindOfCode(
  kinds: Readonly<Partial<Record<FailureKind, readonly string[]>>>,
  code: string,
): FailureKind | undefined {
  return (Object.keys(kinds) as FailureKind[]).find((kind) => kinds[kind]?.includes(code));
}

const ERRNO: Readonly<Record<FailureKind, Errno>> = {
  auth: 'EACCES',
  forbidden: 'EACCES',
  missing: 'ENOENT',
  gone: 'ENOENT',
  invalid: 'EINVAL',
  stale: 'ESTALE',
  limited: 'EAGAIN',
  unfinished: 'EAGAIN',
  server: 'EIO',
  network: 'EIO',
  timeout: 'ETIMEDOUT',
  protocol: 'EIO',
};

/** What is known of a failure beside its kind and its sentence. */
export interface FailureOptions {
  status?: number | undefined;
  retryAt?: Date | undefined;
  unsent?: boolean | undefined;
  request?: number | undefined;
  cause?: unknown;
}

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
  /** Of several requests that were sent together: which of them was refused, from 0. */
  readonly request: number | undefined;

  constructor(kind: FailureKind, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.status = options.status;
    this.retryAt = options.retryAt;
    this.unsent = options.unsent ?? false;
    this.request = options.request;
  }

  static {
    brand(ServiceFailure, 'ServiceFailure');
  }

  /** True when a request that changes something may have been carried out all the same. */
  get uncertain(): boolean {
    return !this.unsent && ['server', 'network', 'timeout', 'protocol'].includes(this.kind);
  }

  /** True when the service said that it is not there, so that a copy must go too. */
  get absent(): boolean {
    return this.kind === 'missing' || this.kind === 'gone';
  }

  /** The same, of one of several requests that were sent together. */
  of(request: number): ServiceFailure {
    const { kind, message, status, retryAt, unsent, cause } = this;
    return new ServiceFailure(kind, message, { status, retryAt, unsent, cause, request });
  }

  /** The same without the credentials that the service has repeated in its words. */
  concealed(conceal: Conceal): ServiceFailure {
    const message = conceal(this.message);
    if (message === this.message) return this;
    const { kind, status, retryAt, unsent, request } = this;
    return new ServiceFailure(kind, message, { unsent, status, retryAt, request });
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

const UNREACHED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const codeSchema = z.looseObject({ code: z.string() });

/** What `fetch` threw: no answer, or half of one. `service` is what sentences call it. */
export function failureOfFetch(service: string, error: unknown, timeoutMs: number): ServiceFailure {
  if (error instanceof Error && ['TimeoutError', 'AbortError'].includes(error.name)) {
    return new ServiceFailure(
      'timeout',
      `${service} did not answer within ${timeoutMs / 1000} s; try again later`,
      { cause: error },
    );
  }
  const inner = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = codeSchema.safeParse(inner).data?.code ?? 'no answer';
  const unsent = UNREACHED.has(code);
  const what = unsent
    ? `${service} could not be reached`
    : `the connection to ${service} broke off`;
  return new ServiceFailure('network', `${what} (${code}); try again later`, {
    unsent,
    cause: error,
  });
}

/**
 * What a service answered, as the shape that was expected of it.
 *
 * @throws ServiceFailure `protocol`, naming what was not as expected.
 */
export function expectShape<T extends z.ZodType>(
  service: string,
  schema: T,
  data: unknown,
  what: string,
): z.infer<T> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ServiceFailure(
    'protocol',
    `${service}'s answer for ${what} is not what was expected (${issue?.path.join('.')}: ${issue?.message})`,
    { cause: parsed.error },
  );
}
