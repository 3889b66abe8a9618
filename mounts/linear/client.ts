/**
 * Linear's client: the SDK's, loaded when the first request is made, with queries of our
 * own. Its lazy fields (`issue.state`) are never touched: each would be a request. Every failure is
 * a `ServiceFailure` with a sentence; nothing is ever sent twice here.
 */
import type { LinearClient as Sdk } from '@linear/sdk';
import {
  type Allowance,
  addUsage,
  askAgain,
  Breaker,
  Budget,
  type ClientOptions,
  concealedData,
  concealing,
  Line,
  Meter,
  type MountUsage,
  Pool,
  ServiceFailure,
  type ServiceRequest,
  TIMEOUT_MS,
} from '../../src/mount/index.ts';
import {
  allowanceOf,
  failureOf,
  failureOfUpload,
  inPart,
  shareOf,
  withoutKey,
} from './failures.ts';

const CONCURRENT = 4;
/** The schema says of each search: "Rate-limited to 30 requests per minute". */
const SEARCHES = 30;
const DEFAULT_URL = 'https://api.linear.app/graphql';
/** Where the files are that were uploaded: it takes the same key. */
const UPLOADS_URL = 'https://uploads.linear.app';

/** The origin of uploaded files. */
export function uploadsAt(baseUrl: string | undefined): string {
  return new URL(baseUrl ?? UPLOADS_URL).origin;
}

/** What came back. */
export interface Answer {
  /** By the names of the root's fields. It is parsed by whoever knows its shape. */
  data: Readonly<Record<string, unknown>>;
  /** The time of the answer by Linear's clock, ISO 8601; null where it did not say. */
  at: string | null;
}

type Variables = Readonly<Record<string, unknown>>;

export class LinearClient {
  readonly #options: ClientOptions;
  readonly #breaker: Breaker;
  /** Too many searches keep back no other question. */
  readonly #searchBreaker: Breaker;
  readonly #searchBudget: Budget;
  readonly #budget: Budget;
  readonly #pool = new Pool(CONCURRENT);
  #sdk: Promise<typeof Sdk> | null = null;
  #behindShare = 0;
  readonly #meter: Meter;
  readonly #line: Line;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { now } = options;
    this.#breaker = new Breaker('Linear', now);
    this.#searchBreaker = new Breaker("Linear's search", now);
    this.#searchBudget = new Budget({
      service: "Linear's search",
      now,
      perMinute: { points: SEARCHES, read: 1, write: 1 },
      refuses: true,
    });
    this.#budget = new Budget({ service: 'Linear', now });
    this.#meter = new Meter(options.isBehind);
    this.#line = new Line({ ...options, service: 'Linear' });
  }

  /** Requests sent and bytes of bodies, both ways. */
  usage(): MountUsage {
    return addUsage(this.#meter.usage(), this.#line.usage());
  }

  /** What is left of the limit, as far as it is known. */
  get allowance(): Allowance | null {
    return this.#budget.allowance;
  }

  /** Is so little left of the limits that only what somebody waits for may be asked? */
  get isLow(): boolean {
    return this.#budget.isLow;
  }

  /** The part of an hour's limits that was used behind the reads, of the scarcer of both. */
  get behindShare(): number {
    return this.#behindShare;
  }

  /** Sends a change, once. Throws ServiceFailure. */
  async send({ body }: ServiceRequest): Promise<Answer> {
    const { query, variables } = body as { query: string; variables: Variables };
    try {
      return await this.#request(query, variables, 'write');
    } catch (error) {
      throw error instanceof ServiceFailure && isOneOfMany(query) ? inPart(error) : error;
    }
  }

  /** Sends a query. Throws ServiceFailure. */
  ask(query: string, variables: Variables): Promise<Answer> {
    return this.#request(query, variables, 'read');
  }

  /** Sends a search, which has a limit of its own. Throws ServiceFailure. */
  search(query: string, variables: Variables): Promise<Answer> {
    return this.#request(query, variables, 'search');
  }

  /** The origin of uploaded files: the only one beside that of the API that the key is sent to. */
  get uploads(): string {
    return uploadsAt(this.#options.baseUrl);
  }

  /**
   * The bytes of an uploaded file. Where Linear keeps them elsewhere, they are fetched there without
   * the key. Throws ServiceFailure.
   */
  async upload(url: string): Promise<Uint8Array> {
    const token = await this.#token();
    if (new URL(url).origin !== this.uploads) throw new Error(`${url} is no upload of Linear's`);
    const authorization = token.startsWith('lin_oauth_') ? `Bearer ${token}` : token;
    return this.#pool.run(async () => {
      this.#breaker.check();
      const answer = await this.#line.fetchElsewhere(url, { headers: { authorization } });
      if (!answer.ok) throw failureOfUpload(answer.status);
      return new Uint8Array(await answer.arrayBuffer());
    });
  }

  /** The key that is good now. @throws ServiceFailure where there is none */
  async #token(): Promise<string> {
    const { token, credential } = this.#options;
    if (token === undefined) throw withoutKey();
    return credential === undefined ? token : credential.current();
  }

  async #request(
    query: string,
    variables: Variables,
    kind: 'read' | 'write' | 'search',
  ): Promise<Answer> {
    const { credential, baseUrl, timeoutMs = TIMEOUT_MS, now } = this.#options;
    const LinearSdk = await this.#load();
    const send = async (renewed?: string): Promise<Answer> => {
      const token = renewed ?? (await this.#token());
      this.#breaker.check();
      if (kind === 'search') {
        this.#searchBreaker.check();
        await this.#searchBudget.admit('read');
      }
      await this.#budget.admit(kind === 'write' ? 'write' : 'read');
      this.#meter.request(Buffer.byteLength(query) + JSON.stringify(variables).length);
      const sdk = new LinearSdk({
        ...(token.startsWith('lin_oauth_') ? { accessToken: token } : { apiKey: token }),
        apiUrl: baseUrl ?? DEFAULT_URL,
        // Passed on to fetch; it bounds the reading of the body, too.
        signal: AbortSignal.timeout(timeoutMs),
        // Questions and writes are sent to no other address; an answer of 307 would ask for it.
        redirect: 'manual',
      });
      try {
        const answer = await sdk.client.rawRequest<Answer['data'], Variables>(query, {
          ...variables,
        });
        const headers = answer.headers ?? new Headers();
        this.#received(headers);
        const date = Date.parse(headers.get('date') ?? '');
        return {
          // The SDK takes no fetch: it is here that its answers are ours.
          data: concealedData(answer.data ?? {}, [token]),
          at: Number.isNaN(date) ? null : new Date(date).toISOString(),
        };
      } catch (error) {
        const failure = failureOf(error, timeoutMs, now()).concealed(concealing([token]));
        const breaker = kind === 'search' ? this.#searchBreaker : this.#breaker;
        if (failure.retryAt !== undefined) breaker.openUntil(failure.retryAt);
        // It was refused, and so nothing was done.
        const other =
          failure.kind === 'auth' && renewed === undefined ? await credential?.other(token) : null;
        if (other != null) return send(other);
        throw failure;
      }
    };
    if (kind === 'write') return this.#pool.run(() => send(), true);
    return askAgain(() => this.#pool.run(() => send()));
  }

  /** Counts the bytes, and stops in time: what is left of the budget is in the headers. */
  #received(headers: Headers): void {
    this.#meter.received(Number(headers.get('content-length') ?? 0));
    if (this.#options.isBehind?.() === true) this.#behindShare += shareOf(headers);
    const allowance = allowanceOf(headers, this.#options.now());
    if (allowance === null) return;
    this.#budget.told(allowance);
    if (allowance.remaining === 0) this.#breaker.openUntil(allowance.resetAt);
  }

  #load(): Promise<typeof Sdk> {
    this.#sdk ??= import('@linear/sdk').then((sdk) => sdk.LinearClient);
    return this.#sdk;
  }
}

/** Does a mutation have several fields at its root? */
function isOneOfMany(query: string): boolean {
  return (query.match(/^ {2}\w+: issue/gm) ?? []).length > 1;
}
