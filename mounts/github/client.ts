/**
 * GitHub's client: Octokit, loaded when the first request is made, over a line
 * of ours. Every failure is a `ServiceFailure` with a sentence; what
 * changes something is never sent twice.
 */
import type { Octokit } from '@octokit/rest';
import { z } from 'zod';
import {
  type Allowance,
  askAgain,
  Breaker,
  Budget,
  type ClientOptions,
  concealing,
  expectShape,
  Line,
  type MountUsage,
  Pool,
  ServiceFailure,
  type ServiceRequest,
} from '../../src/mount/index.ts';
import { allowanceOf, failureOfAnswer, limitEnd } from './failures.ts';
import { type Links, linksOf } from './links.ts';
import { Moves } from './moves.ts';

/** GitHub allows 100 at once; a sandbox needs fewer. */
const CONCURRENT = 8;

/** GitHub's secondary limit: points a minute, and what a request costs of them. */
const PER_MINUTE = { points: 900, read: 1, write: 5 };

/**
 * "Wait at least one second between each request" that makes or changes something, in ms; that is
 * within the 80 a minute that may make content.
 */
const WRITE_GAP_MS = 1_000;

/** Searches have a limit of their own, a minute: with a token, and without one. */
const SEARCH = /^(?:https?:\/\/[^/]+)?(?:\/api\/v3)?\/search\//;
const SEARCHES = { signedIn: 30, anonymous: 10 };

/** The version of the REST API that is spoken here, whatever GitHub's newest is. */
const API_VERSION = '2022-11-28';

/** It says the same of what is gone and of what may not be seen. */
const NO_UPLOAD =
  'GitHub answered 404 for this file: it is gone, or the token may not see it (tokens of the fine-grained kind see no uploads of private repositories)';

/** What the client is made with. */
export interface GithubClientOptions extends ClientOptions {
  /** Between two writes, in ms; by default what GitHub asks for. */
  writeGapMs?: number | undefined;
}

/** What came back. `data` is JSON as it was; it is parsed by whoever knows its shape. */
export interface Answer {
  /** 304: what the ETag stood for is still so, and there is no data. */
  status: number;
  data: unknown;
  etag: string | null;
  /** Of a listing: the address of its next page, as it was given; null at its end. */
  next: string | null;
  /** Of a listing: the number of its last page, where it is told. A hint: the end is where `next` is null. */
  last: number | null;
  /** What the token may do, where it says so: `repo, read:org`; only classic tokens do. */
  scopes: string | null;
}

const requestErrorSchema = z.looseObject({
  status: z.number(),
  response: z
    .looseObject({ headers: z.record(z.string(), z.unknown()), data: z.unknown() })
    .optional(),
});

const graphqlSchema = z.looseObject({
  data: z.unknown(),
  errors: z.array(z.looseObject({ message: z.string() })).optional(),
});

/** What keeps requests of one kind within their limit. */
interface Limits {
  breaker: Breaker;
  budget: Budget;
}

const partsSchema = z.record(z.string(), z.unknown());

/** Requests an hour of a token, and points of its questions in GraphQL. */
const USUAL_LIMIT = 5_000;

export class GithubClient {
  readonly #options: GithubClientOptions;
  readonly #core: Limits;
  readonly #search: Limits;
  readonly #pool = new Pool(CONCURRENT);
  readonly #line: Line;
  /** What GitHub said to have moved. */
  readonly moves: Moves;
  #octokit: Promise<Octokit> | null = null;
  #behindShare = 0;

  constructor(options: GithubClientOptions) {
    this.#options = options;
    const { now, writeGapMs = WRITE_GAP_MS } = options;
    this.#core = {
      breaker: new Breaker('GitHub', now),
      budget: new Budget({ service: 'GitHub', now, perMinute: PER_MINUTE, writeGapMs }),
    };
    const points = options.token === undefined ? SEARCHES.anonymous : SEARCHES.signedIn;
    const perMinute = { points, read: 1, write: 1 };
    const service = "GitHub's search";
    this.#search = {
      breaker: new Breaker(service, now),
      budget: new Budget({ service, now, perMinute, refuses: true }),
    };
    this.#line = new Line({
      ...options,
      service: 'GitHub',
      onRedirect: (redirect) => this.moves.check(redirect),
      onHeaders: (headers, clockOffsetMs) => {
        const allowance = allowanceOf(headers, clockOffsetMs);
        if (allowance !== null) this.#core.budget.told(allowance);
      },
    });
    this.moves = new Moves({ baseUrl: this.#baseUrl, fetch: this.#line.fetch, now });
  }

  get hasToken(): boolean {
    return this.#options.token !== undefined;
  }

  /** Requests sent and bytes of bodies, both ways. */
  usage(): MountUsage {
    return this.#line.usage();
  }

  /** What is left of the limit, as far as it is known. */
  get allowance(): Allowance | null {
    return this.#core.budget.allowance;
  }

  /** Is so little left of the limit that only what somebody waits for may be asked? */
  get isLow(): boolean {
    return this.#core.budget.isLow;
  }

  /** The part of an hour's limit that was used behind the reads: a 304 uses none. */
  get behindShare(): number {
    return this.#behindShare;
  }

  /** Our time in ms as GitHub's clock has it, by the last answer's Date. */
  serverTime(ours: number): number {
    return this.#line.serverTime(ours);
  }

  /**
   * Asks; with an ETag, only for what changed since. `accept`: another form of
   * the answer than JSON. Throws ServiceFailure.
   */
  get(url: string, etag: string | null = null, accept?: string): Promise<Answer> {
    return this.#request('GET', url, undefined, {
      ...(etag === null ? {} : { 'if-none-match': etag }),
      ...(accept === undefined ? {} : { accept }),
    });
  }

  /** Asks for an archive, which another host of GitHub's has; the token does not go there. Throws ServiceFailure. */
  archive(url: string): Promise<Answer> {
    return this.#request('GET', url, undefined, {}, 'read', this.#line.fetchElsewhere);
  }

  /** Where GitHub's pages are, and what people uploaded to them: it takes the same token. */
  get site(): string {
    const { origin, hostname } = new URL(this.#baseUrl);
    // Of GitHub itself, and of what it keeps for companies (`api.NAME.ghe.com`), the API has a host of its own.
    return /^api\.(github\.com|[^.]+\.ghe\.com)$/.test(hostname)
      ? origin.replace('://api.', '://')
      : origin;
  }

  /**
   * The bytes of a file that somebody uploaded. The token goes to {@link site} alone; where that
   * says that they are elsewhere they are fetched there without it. Throws ServiceFailure.
   */
  async upload(url: string): Promise<Uint8Array> {
    const { token } = this.#options;
    const own = new URL(url).origin === this.site;
    const headers = own && token !== undefined ? { authorization: `token ${token}` } : {};
    return this.#pool.run(async () => {
      this.#core.breaker.check();
      const answer = await this.#line.fetchElsewhere(url, { headers });
      const { status, headers: told } = answer;
      if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
      const now = this.#options.now();
      const data = await answer.text();
      const until = limitEnd(status, Object.fromEntries(told), data, now);
      if (until !== null) this.#core.breaker.openUntil(until);
      if (status === 404) throw new ServiceFailure('forbidden', NO_UPLOAD, { status });
      throw failureOfAnswer(status, data, { until, now, method: 'GET', cause: undefined });
    });
  }

  /** Sends a change, once. Throws ServiceFailure. */
  send(request: ServiceRequest): Promise<Answer> {
    return this.#request(request.method, request.url, request.body ?? undefined, {});
  }

  /** Asks a question in GraphQL. It counts for a limit of its own. Throws ServiceFailure. */
  async query(query: string, variables: Readonly<Record<string, unknown>>): Promise<unknown> {
    const { data: found, errors } = await this.#graphql(query, variables);
    const [wrong] = errors ?? [];
    if (wrong !== undefined)
      throw new ServiceFailure('invalid', `GitHub answered: ${wrong.message}`).concealed(
        concealing([this.#options.token]),
      );
    return found;
  }

  /** The same of several things at once: what is there; of what is not, nothing. Throws ServiceFailure. */
  async queryParts(
    query: string,
    variables: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { data } = await this.#graphql(query, variables);
    return partsSchema.safeParse(data).data ?? {};
  }

  async #graphql(query: string, variables: Readonly<Record<string, unknown>>) {
    // GitHub Enterprise has its REST API at /api/v3, and GraphQL at /api/graphql.
    const url = `${this.#baseUrl.replace(/\/api\/v3$/, '/api')}/graphql`;
    const { data } = await this.#request('POST', url, { query, variables }, {}, 'read');
    return expectShape('GitHub', graphqlSchema, data, 'the question');
  }

  async #request(
    method: string,
    url: string,
    data: unknown,
    headers: Record<string, string>,
    kind: 'read' | 'write' = method === 'GET' ? 'read' : 'write',
    fetch = this.#line.fetch,
  ): Promise<Answer> {
    const octokit = await this.#load();
    const limits = SEARCH.test(url) ? this.#search : this.#core;
    const send = async (): Promise<Answer> => {
      limits.breaker.check();
      await limits.budget.admit(kind);
      try {
        const answer = await octokit.request(`${method} ${url}`, {
          headers: { 'x-github-api-version': API_VERSION, ...headers },
          request: { fetch },
          ...(data === undefined ? {} : { data }),
        });
        this.#countBehind();
        const { status, data: said, headers: told } = answer;
        return { ...answerOf(status, said, told), ...(method === 'GET' ? this.#links(told) : {}) };
      } catch (error) {
        return this.#failed(error, method, limits);
      }
    };
    if (kind === 'write') return this.#pool.run(send, true);
    // In the place of an archive that cannot be had there are the files, one by one.
    if (fetch === this.#line.fetchElsewhere) return this.#pool.run(send);
    return askAgain(() => this.#pool.run(send));
  }

  #countBehind(): void {
    if (this.#options.isBehind?.() === true)
      this.#behindShare += 1 / (this.allowance?.limit ?? USUAL_LIMIT);
  }

  /** A 304 arrives as an error; every other one is thrown on, as a sentence. */
  #failed(error: unknown, method: string, { breaker }: Limits): Answer {
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause instanceof ServiceFailure) throw cause;
    const parsed = requestErrorSchema.safeParse(error);
    if (!parsed.success || parsed.data.response === undefined) throw error;
    const { status, response } = parsed.data;
    if (status === 304) return answerOf(304, null, response.headers);
    this.#countBehind();
    const now = this.#options.now();
    const until = limitEnd(status, response.headers, response.data, now);
    if (until !== null) breaker.openUntil(until);
    throw failureOfAnswer(status, response.data, { until, now, method, cause: error });
  }

  /** Where a listing goes on. @throws ServiceFailure `protocol` where that cannot be followed */
  #links({ link }: Record<string, unknown>): Links {
    return linksOf(typeof link === 'string' ? link : '', new URL(this.#baseUrl).origin);
  }

  get #baseUrl(): string {
    return (this.#options.baseUrl ?? 'https://api.github.com').replace(/\/$/, '');
  }

  #load(): Promise<Octokit> {
    this.#octokit ??= import('@octokit/rest').then(({ Octokit }) => {
      const { token, baseUrl } = this.#options;
      const quiet = () => undefined;
      return new Octokit({
        ...(token === undefined ? {} : { auth: token }),
        ...(baseUrl === undefined ? {} : { baseUrl: baseUrl.replace(/\/$/, '') }),
        userAgent: 'dirigent',
        log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      });
    });
    return this.#octokit;
  }
}

function answerOf(status: number, data: unknown, headers: Record<string, unknown>): Answer {
  const { etag, 'x-oauth-scopes': scopes } = headers;
  return {
    status,
    data,
    etag: typeof etag === 'string' ? etag : null,
    next: null,
    last: null,
    scopes: typeof scopes === 'string' ? scopes : null,
  };
}
