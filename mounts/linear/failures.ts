/** Linear's refusals and outages, as the sentences that an agent can act on. */
import { z } from 'zod';
import {
  type Allowance,
  type FailureKind,
  failureOfFetch,
  ServiceFailure,
  tryAgain,
} from '../../src/mount/index.ts';

/** The parts of the SDK's `LinearError` that we use. */
const errorSchema = z.looseObject({
  /** `LinearErrorType`. */
  type: z.string(),
  message: z.string(),
  status: z.number().optional(),
  retryAfter: z.number().optional(),
  requestsResetAt: z.number().optional(),
  complexityResetAt: z.number().optional(),
  complexityRemaining: z.number().optional(),
});

/** Waited after a limit that names no time, in ms. */
const DEFAULT_WAIT_MS = 60_000;

const KINDS: Readonly<Record<string, FailureKind>> = {
  AuthenticationError: 'auth',
  Forbidden: 'forbidden',
  FeatureNotAccessible: 'forbidden',
  InvalidInput: 'invalid',
  UserError: 'invalid',
  GraphqlError: 'invalid',
  UsageLimitExceeded: 'invalid',
  LockTimeout: 'server',
  InternalError: 'server',
  NetworkError: 'server',
};

/** What the SDK threw. */
export function failureOf(error: unknown, timeoutMs: number, now: Date): ServiceFailure {
  if (error instanceof SyntaxError) return failureOfFetch('Linear', new Error('cut'), timeoutMs);
  const parsed = errorSchema.safeParse(error);
  if (!parsed.success) return failureOfFetch('Linear', error, timeoutMs);
  const { type, status } = parsed.data;
  const said = sentence(parsed.data.message);
  const options = { cause: error, ...(status === undefined ? {} : { status }) };
  if (type === 'Ratelimited') return limited(parsed.data, now, options);
  if (status !== undefined && status >= 500) {
    return new ServiceFailure('server', `Linear answered ${status}; try again later`, options);
  }
  if (status !== undefined && status >= 300 && status < 400) {
    const text = `Linear was not asked: it answered ${status}, a redirect, and nothing is sent to another address; if that is where it is now, name it as baseUrl`;
    return new ServiceFailure('protocol', text, { ...options, unsent: status !== 303 });
  }
  if (/entity not found/i.test(said)) {
    const text = `Linear answered that there is no such thing, or the key may not see it (${said})`;
    return new ServiceFailure('missing', text, options);
  }
  // A complexity limit is ours to keep; nothing was carried out.
  const kind = KINDS[type] ?? 'protocol';
  if (kind === 'auth') {
    const text = 'Linear refused the key: check LINEAR_API_KEY';
    return new ServiceFailure('auth', text, options);
  }
  return new ServiceFailure(kind, `Linear answered: ${said}`, options);
}

/** Nothing is asked without a key. */
export function withoutKey(): ServiceFailure {
  const text = 'Linear needs a key: set LINEAR_API_KEY where dirigent runs';
  return new ServiceFailure('auth', text, { unsent: true });
}

/** Why the bytes of an uploaded file were not given. */
export function failureOfUpload(status: number): ServiceFailure {
  const said = `Linear answered ${status} for an uploaded file`;
  if (status === 401) {
    return new ServiceFailure('auth', `${said}: check LINEAR_API_KEY`, { status });
  }
  if (status === 403)
    return new ServiceFailure('forbidden', `${said}: the key may not`, { status });
  if (status === 404 || status === 410) {
    return new ServiceFailure('missing', `${said}: it is not there any more`, { status });
  }
  if (status === 429 || status >= 500) {
    return new ServiceFailure('server', `${said}; try again later`, { status });
  }
  return new ServiceFailure('protocol', said, { status });
}

/** True when a create was refused because a record with its id is there already. */
export function isDuplicate(failure: ServiceFailure): boolean {
  return failure.kind === 'invalid' && /conflict on insert|already exists/i.test(failure.message);
}

/** A refusal of a request of several fields: the first of them may have been carried out. */
export function inPart(failure: ServiceFailure): ServiceFailure {
  const isWhole = failure.uncertain || failure.unsent;
  if (isWhole || failure.kind === 'limited' || failure.kind === 'auth') return failure;
  return new ServiceFailure('protocol', failure.message, { cause: failure });
}

/** When a budget is full again; Linear gives milliseconds, and seconds are taken, too. */
function resetTime(text: string | number | null, now: Date): Date | null {
  const value = Number(text ?? Number.NaN);
  if (Number.isNaN(value)) return null;
  const time = new Date(value > 1e11 ? value : value * 1000);
  return time > now ? time : null;
}

/** An hour's requests and points, where an answer does not tell: those of an OAuth token. */
const USUAL_LIMITS = { requests: 5_000, complexity: 2_000_000 };

/** The part of an hour's limits that an answer has cost: of requests or of complexity, whichever is more. */
export function shareOf(headers: Headers): number {
  const limit = (budget: keyof typeof USUAL_LIMITS) =>
    Number(headers.get(`x-ratelimit-${budget}-limit`) ?? USUAL_LIMITS[budget]);
  const points = Number(headers.get('x-complexity') ?? 1);
  return Math.max(1 / limit('requests'), points / limit('complexity'));
}

/**
 * What an answer's headers say of the budgets of requests and of complexity: the scarcer one, in
 * requests as the last one was; null where they say nothing.
 */
export function allowanceOf(headers: Headers, now: Date): Allowance | null {
  const each = Math.max(1, Number(headers.get('x-complexity') ?? 1));
  const found = (['requests', 'complexity'] as const).flatMap((budget) => {
    const number = (name: string) => Number(headers.get(`x-ratelimit-${budget}-${name}`) ?? NaN);
    const resetAt = resetTime(headers.get(`x-ratelimit-${budget}-reset`), now);
    const unit = budget === 'requests' ? 1 : each;
    const [limit, remaining] = [number('limit') / unit, Math.floor(number('remaining') / unit)];
    return resetAt === null || Number.isNaN(limit + remaining)
      ? []
      : [{ limit, remaining, resetAt }];
  });
  found.sort((a, b) => a.remaining / a.limit - b.remaining / b.limit);
  return found[0] ?? null;
}

function limited(
  error: z.infer<typeof errorSchema>,
  now: Date,
  options: { status?: number; cause: unknown },
): ServiceFailure {
  const { retryAfter, requestsResetAt, complexityRemaining, complexityResetAt } = error;
  const reset = complexityRemaining === 0 ? complexityResetAt : requestsResetAt;
  const until =
    retryAfter === undefined
      ? (resetTime(reset ?? null, now) ?? new Date(now.getTime() + DEFAULT_WAIT_MS))
      : new Date(now.getTime() + retryAfter * 1000);
  return new ServiceFailure(
    'limited',
    `Linear answered RATELIMITED, its limit of requests is used up: ${tryAgain(until, now)}`,
    { ...options, retryAt: until },
  );
}

/** What the service said, on one line and without the request that the SDK adds. */
function sentence(message: string): string {
  return (message.split(': {')[0] ?? message).replace(/\s+/g, ' ').slice(0, 300);
}
