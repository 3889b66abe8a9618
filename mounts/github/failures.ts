/** GitHub's refusals and outages, as the sentences that an agent can act on. */
import { z } from 'zod';
import { type Allowance, ServiceFailure, tryAgain } from '../../src/mount/index.ts';

const messageSchema = z.looseObject({
  message: z.string().optional(),
  errors: z.array(z.unknown()).optional(),
  /** Of a repository that was taken down. */
  block: z.looseObject({ reason: z.string(), html_url: z.string().nullish() }).optional(),
});

/** Waited after a secondary limit that names no time, in s; GitHub asks for a minute at least. */
const DEFAULT_WAIT_S = 60;

/** What an answer says of the hourly limit; null where it says nothing, or of another one. */
export function allowanceOf(headers: Headers, clockOffsetMs: number): Allowance | null {
  const number = (name: string) => Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN);
  const [limit, remaining, reset] = [number('limit'), number('remaining'), number('reset')];
  if (headers.get('x-ratelimit-resource') !== 'core') return null;
  if ([limit, remaining, reset].some(Number.isNaN)) return null;
  return { limit, remaining, resetAt: new Date(reset * 1000 - clockOffsetMs) };
}

/** When a limit ends; null when the answer is not about a limit. */
export function limitEnd(
  status: number,
  headers: Record<string, unknown>,
  data: unknown,
  now: Date,
): Date | null {
  const retryAfter = Number(headers['retry-after'] ?? Number.NaN);
  const spent = headers['x-ratelimit-remaining'] === '0';
  const said = /rate limit|abuse detection/i.test(messageOf(data));
  const limited = status === 429 || (status === 403 && (retryAfter >= 0 || spent || said));
  if (!limited) return null;
  if (retryAfter >= 0) return new Date(now.getTime() + retryAfter * 1000);
  const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN) * 1000;
  return spent && reset > now.getTime()
    ? new Date(reset)
    : new Date(now.getTime() + DEFAULT_WAIT_S * 1000);
}

/** An answer of 400 and above. */
export function failureOfAnswer(
  status: number,
  data: unknown,
  context: { until: Date | null; now: Date; method: string; cause: unknown },
): ServiceFailure {
  const { until, now, cause } = context;
  const said = messageOf(data);
  const options = { status, cause };
  if (until !== null) {
    return new ServiceFailure(
      'limited',
      `GitHub answered ${status}, its limit of requests is used up: ${tryAgain(until, now)}`,
      { ...options, retryAt: until },
    );
  }
  if (status === 401) {
    return new ServiceFailure(
      'auth',
      'GitHub answered 401, the token was refused: check GITHUB_TOKEN',
      options,
    );
  }
  if (status === 451 || blockOf(data) !== null) {
    const { reason = 'legal reasons', html_url: url } = blockOf(data) ?? {};
    const where = url == null ? '' : `; see ${url}`;
    return new ServiceFailure(
      'forbidden',
      `GitHub answered ${status}: ${said}; it was taken down (${reason})${where}`,
      options,
    );
  }
  if (status === 403) {
    return new ServiceFailure(
      'forbidden',
      `GitHub answered 403: ${said}; the token may lack a permission for this`,
      options,
    );
  }
  if (status === 404) {
    return new ServiceFailure(
      'missing',
      'GitHub answered 404: there is no such thing, or the token may not see it',
      options,
    );
  }
  if (status === 410) return new ServiceFailure('gone', `GitHub answered 410: ${said}`, options);
  if (status >= 500) {
    return new ServiceFailure('server', `GitHub answered ${status}; try again later`, options);
  }
  return new ServiceFailure('invalid', `GitHub answered ${status}: ${said}`, options);
}

/** Why a repository was taken down; null where an answer says nothing of that. */
function blockOf(data: unknown) {
  return messageSchema.safeParse(data).data?.block ?? null;
}

/** What the service said, on one line. */
function messageOf(data: unknown): string {
  if (typeof data === 'string') return data.slice(0, 200).replace(/\s+/g, ' ');
  const { message, errors } = messageSchema.safeParse(data).data ?? {};
  const details = (errors ?? []).map((error) =>
    typeof error === 'string' ? error : JSON.stringify(error),
  );
  return [message ?? 'no reason given', ...details].join('; ').replace(/\s+/g, ' ');
}
