/** What the answers of HTTP services say of themselves: refusals, limits, when to come back. */
import { z } from 'zod';
import type { Allowance } from './budget.ts';
import { type FailureKind, ServiceFailure } from './failure.ts';

/** Waited after a limit that names no time, in s. */
const DEFAULT_WAIT_S = 60;
/** A greater number is a time, not a span: seconds since the epoch. */
const LONGEST_SPAN_S = 10_000_000;
/** Longer words of a service are cut. Characters. */
const LONGEST_WORDS = 300;

/** `Retry-After` as seconds or as a date, RFC 9110; a minute where there is none. */
export function retryAfter(headers: Headers, now: Date): Date {
  const text = headers.get('retry-after') ?? '';
  const seconds = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(seconds)) return new Date(now.getTime() + Math.max(0, seconds) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? new Date(now.getTime() + DEFAULT_WAIT_S * 1000) : new Date(date);
}

/** What is left of a limit, by the headers that services have in common; null where they say nothing. */
export function allowanceOf(headers: Headers, now: Date): Allowance | null {
  const number = (name: string): number => {
    const text = headers.get(`x-ratelimit-${name}`) ?? headers.get(`ratelimit-${name}`) ?? '';
    return text === '' ? Number.NaN : Number(text);
  };
  const [limit, remaining, reset] = [number('limit'), number('remaining'), number('reset')];
  if (![limit, remaining, reset].every((one) => Number.isFinite(one))) return null;
  const ms = reset > LONGEST_SPAN_S ? reset * 1000 : now.getTime() + reset * 1000;
  return { limit, remaining, resetAt: new Date(ms) };
}

const KINDS: Readonly<Record<number, FailureKind>> = {
  400: 'invalid',
  401: 'auth',
  403: 'forbidden',
  404: 'missing',
  409: 'invalid',
  410: 'gone',
  412: 'invalid',
  422: 'invalid',
};

/** The refusal of a status, with the service's own words where it has some. */
export function refusalOf(service: string, status: number, body: string): ServiceFailure {
  const said = `${service} answered ${status}`;
  const kind = KINDS[status] ?? (status >= 500 ? 'server' : 'protocol');
  const words = status >= 500 ? null : wordsOf(body);
  const end = words === null ? (ENDS[kind] ?? '') : `: ${words}`;
  return new ServiceFailure(kind, `${said}${end}`, { status });
}

const ENDS: Partial<Record<FailureKind, string>> = {
  auth: ': check the token',
  missing: ': there is no such thing, or it may not be seen',
  gone: ': there is no such thing, or it may not be seen',
  server: '; try again later',
};

const words = z.union([z.string(), z.looseObject({ message: z.string() })]);
const answered = z.looseObject({
  message: words.optional(),
  detail: words.optional(),
  error_description: words.optional(),
  error: words.optional(),
});

/** What a refusal says in words; null where it says none that are known. */
function wordsOf(body: string): string | null {
  let data: unknown;
  try {
    data = JSON.parse(body);
  } catch {
    // A page for people, or nothing: the status has to do.
    return null;
  }
  const { message, detail, error_description, error } = answered.safeParse(data).data ?? {};
  const said = detail ?? message ?? error_description ?? error;
  const text = typeof said === 'string' ? said : (said?.message ?? null);
  return text === null || text === '' ? null : text.slice(0, LONGEST_WORDS);
}
