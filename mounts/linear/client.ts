/**
 * Linear's line: the SDK's client, loaded when the first request is made, with queries of our own; its
 * limits, what its errors are, and where its uploaded files are. The SDK's lazy fields (`issue.state`)
 * are never touched: each would be a request.
 */
import { z } from 'zod';
import {
  type Allowance,
  type ClientOptions,
  type FailureKind,
  type GraphqlAnswer,
  GraphqlClient,
  type GraphqlOptions,
  type GraphqlVariables,
  kindOfCode,
  type ServiceFailure,
} from '../../src/mount/index.ts';

/** The schema says of each search: "Rate-limited to 30 requests per minute". */
const SEARCHES = { points: 30, read: 1, write: 1 };
const DEFAULT_URL = 'https://api.linear.app/graphql';
/** Where the files are that were uploaded: it takes the same key. */
const UPLOADS_URL = 'https://uploads.linear.app';

/** By `extensions.type` of an error; its `code` is the same in capitals: `RATELIMITED`. */
const KINDS: Partial<Record<FailureKind, readonly string[]>> = {
  auth: ['authentication error'],
  forbidden: ['forbidden', 'feature not accessible'],
  invalid: ['invalid input', 'user error', 'graphql error', 'usage limit exceeded'],
  limited: ['ratelimited'],
  server: ['lock timeout', 'internal error', 'network error'],
};

export class LinearClient extends GraphqlClient {
  /** The origin of uploaded files: the only one beside that of the API that the key is sent to. */
  readonly #uploads: string;

  constructor({ baseUrl, ...options }: ClientOptions) {
    super({
      ...options,
      service: 'Linear',
      url: baseUrl ?? DEFAULT_URL,
      variable: 'LINEAR_API_KEY',
      transport: transportTo(baseUrl ?? DEFAULT_URL),
      authorization: (token) => ({ authorization: isOauth(token) ? `Bearer ${token}` : token }),
      kindOf: ({ message, extensions: { type, code } }) =>
        /entity not found/i.test(message)
          ? 'missing'
          : (kindOfCode(KINDS, String(type)) ?? kindOfCode(KINDS, inWords(code))),
      says: ({ message, extensions: { userPresentableMessage: presentable } }) =>
        [...new Set([message, presentable])].filter(Boolean).join(' - '),
      allowance: allowanceOf,
      share: shareOf,
      limits: { search: { service: "Linear's search", perMinute: SEARCHES, refuses: true } },
    });
    this.#uploads = new URL(baseUrl ?? UPLOADS_URL).origin;
  }

  /** Sends a search, which has a limit of its own. Throws ServiceFailure. */
  search(query: string, variables: GraphqlVariables): Promise<GraphqlAnswer> {
    return this.ask(query, variables, 'search');
  }

  readonly isUpload = ({ origin, pathname }: URL): boolean =>
    origin === this.#uploads && pathname !== '/';

  /** The bytes of an uploaded file. Throws ServiceFailure. */
  async upload(url: string): Promise<Uint8Array> {
    if (!this.isUpload(new URL(url))) throw new Error(`${url} is no upload of Linear's`);
    return this.bytes(url);
  }
}

const inWords = (code: unknown): string => String(code).toLowerCase().replaceAll('_', ' ');

const isOauth = (token: string): boolean => token.startsWith('lin_oauth_');

/** What the SDK threw, where Linear had answered. */
const refusedSchema = z.looseObject({
  raw: z.looseObject({
    response: z.looseObject({ status: z.number(), headers: z.instanceof(Headers) }),
  }),
});

/** Sends by the SDK's client. */
function transportTo(apiUrl: string): NonNullable<GraphqlOptions['transport']> {
  return async (query, variables, { token = '', signal }) => {
    const { LinearClient: Sdk } = await import('@linear/sdk');
    const credential = isOauth(token) ? { accessToken: token } : { apiKey: token };
    // Questions and writes are sent to no other address; an answer of 307 would ask for it.
    const { client } = new Sdk({ ...credential, apiUrl, signal, redirect: 'manual' });
    try {
      const { data, headers = new Headers() } = await client.rawRequest(query, { ...variables });
      return { status: 200, headers, said: { data } };
    } catch (error) {
      const refused = refusedSchema.safeParse(error);
      if (!refused.success) throw error;
      const { status, headers, ...said } = refused.data.raw.response;
      // What is no JSON, the SDK gives as an `error`: a page for people is not Linear's word.
      const isJson = headers.get('content-type')?.startsWith('application/json') === true;
      return { status, headers, said: isJson ? said : said['error'] };
    }
  };
}

/** True when a create was refused because a record with its id is there already. */
export function isDuplicate(failure: ServiceFailure): boolean {
  return failure.kind === 'invalid' && /conflict on insert|already exists/i.test(failure.message);
}

/** An hour's requests and points, where an answer does not tell: those of an OAuth token. */
const USUAL_LIMITS = { requests: 5_000, complexity: 2_000_000 };

/** The part of an hour's limits that an answer has cost: of requests or of complexity, whichever is more. */
function shareOf(headers: Headers): number {
  const limit = (budget: keyof typeof USUAL_LIMITS) =>
    Number(headers.get(`x-ratelimit-${budget}-limit`) ?? USUAL_LIMITS[budget]);
  const points = Number(headers.get('x-complexity') ?? 1);
  return Math.max(1 / limit('requests'), points / limit('complexity'));
}

/**
 * What an answer's headers say of the budgets of requests and of complexity: the scarcer one, in
 * requests as the last one was; null where they say nothing.
 */
function allowanceOf(headers: Headers, now: Date): Allowance | null {
  const each = Math.max(1, Number(headers.get('x-complexity') ?? 1));
  const found = (['requests', 'complexity'] as const).flatMap((budget) => {
    const number = (name: string) => Number(headers.get(`x-ratelimit-${budget}-${name}`) ?? NaN);
    const unit = budget === 'requests' ? 1 : each;
    const [limit, remaining] = [number('limit') / unit, Math.floor(number('remaining') / unit)];
    // Linear gives milliseconds since the epoch; seconds are taken, too.
    const reset = number('reset');
    const resetAt = new Date(reset > 1e11 ? reset : reset * 1000);
    return resetAt > now && !Number.isNaN(limit + remaining) ? [{ limit, remaining, resetAt }] : [];
  });
  found.sort((a, b) => a.remaining / a.limit - b.remaining / b.limit);
  return found[0] ?? null;
}
