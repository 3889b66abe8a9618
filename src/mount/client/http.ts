/** A line to a service that has no SDK: JSON over HTTP, counted, bounded, conditional; failures as sentences. */
import type { ServiceRequest } from '../../changes/change.ts';
import { secretsOfHeaders } from '../../conceal.ts';
import type { MountUsage } from '../contract/contract.ts';
import { askAgain } from './asking-again.ts';
import { Breaker } from './breaker.ts';
import { type Allowance, Budget, type BudgetOptions } from './budget.ts';
import { type FailureKind, ServiceFailure, tryAgain } from './failure.ts';
import { allowanceOf, refusalOf, retryAfter } from './http-answers.ts';
import {
  foundIn,
  type Next,
  type PagePlace,
  placeSchema,
  type Query,
  type Within,
} from './http-pages.ts';
import { Line } from './line.ts';
import type { ClientOptions } from './options.ts';

/** More pages than these are no listing but a circle. */
const MOST_PAGES = 10_000;

/** What a client is made with. */
export interface HttpOptions
  extends Pick<ClientOptions, 'timeoutMs' | 'fetch' | 'now' | 'isBehind' | 'token'> {
  /** What sentences call the service: `the registry`. */
  service: string;
  /** Relative URLs are below it; an absolute one must be of its origin. */
  baseUrl: string;
  /** They go to the origin of `baseUrl` alone, wherever it redirects. */
  headers?: Readonly<Record<string, string>>;
  /** The header that the token goes in; `authorization: Bearer TOKEN` by default. */
  authorization?(token: string): Readonly<Record<string, string>>;
  /** Or the parameters that it goes in, where a service takes it in its addresses. */
  parameters?(token: string): Query;
  /** How bodies are written; JSON by default. */
  encoding?: 'json' | 'form';
  /** How listings go on, where they are not told otherwise; by default each has one page. */
  next?: Next;
  /** What each of their pages is asked for with, such as `{ limit: 100 }`; a question's own come before it. */
  page?: Query;
  /** What an answer refuses whose status says that all is well; null where it refuses nothing. */
  refusal?(data: unknown, path: string): Refusal | null;
  /** The limit that a path (without its parameters) counts against, where a service has several; one for all by default. */
  limitOf?(path: string): string;
  /** What may be asked in a minute, and how far apart writes are. */
  budget?: Pick<BudgetOptions, 'perMinute' | 'refuses' | 'writeGapMs'>;
  /** Is a redirect to another origin followed, without these headers? By default it is refused. */
  followsElsewhere?: boolean;
}

/** Why a service does not do what it is asked, in a sentence. */
export interface Refusal {
  kind: FailureKind;
  message: string;
}

/** `data` is null where the ETag still holds. */
export interface HttpAnswer {
  unchanged: boolean;
  data: unknown;
  etag: string | null;
}

interface Asked {
  method: ServiceRequest['method'];
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

/** One per service and credential. */
export class HttpClient {
  readonly #options: HttpOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #parameters: Query;
  readonly #breakers = new Map<string, Breaker>();
  readonly #budget: Budget;
  readonly #line: Line;

  constructor(options: HttpOptions) {
    this.#options = options;
    const { token, authorization = bearer, headers = {}, service, now, budget } = options;
    const { parameters } = options;
    const isInHeader = token !== undefined && parameters === undefined;
    this.#headers = { ...headers, ...(isInHeader ? authorization(token) : {}) };
    this.#parameters = token === undefined ? {} : (parameters?.(token) ?? {});
    this.#budget = new Budget({ service, now, ...budget });
    this.#line = new Line({
      ...options,
      secrets: secretsOfHeaders(this.#headers),
      onHeaders: (answer) => {
        const allowance = allowanceOf(answer, now());
        if (allowance !== null) this.#budget.told(allowance);
      },
    });
  }

  /** Requests sent and bytes of bodies received. */
  usage(): MountUsage {
    return this.#line.usage();
  }

  /** What is left of its limit; null where it does not tell. */
  get allowance(): Allowance | null {
    return this.#budget.allowance;
  }

  /** Is so little left that only what somebody waits for may be asked? */
  get isLow(): boolean {
    return this.#budget.isLow;
  }

  /** Asks; with an ETag, only for what changed since. Throws ServiceFailure. */
  get(path: string, etag: string | null = null): Promise<HttpAnswer> {
    const headers: Record<string, string> = etag === null ? {} : { 'if-none-match': etag };
    return askAgain(async () => {
      const answer = await this.#answer({ method: 'GET', path, headers });
      if (answer.status === 304) return { unchanged: true, data: null, etag };
      const data = await this.#data(answer, path);
      return { unchanged: false, data, etag: answer.headers.get('etag') };
    });
  }

  /** Asks with parameters. Throws ServiceFailure. */
  async ask(path: string, query: Query = {}): Promise<unknown> {
    return (await this.get(withQuery(path, query))).data;
  }

  /** Every page of a listing, one after the other. Throws ServiceFailure. */
  async *pages(path: string, query: Query, next: Next): AsyncGenerator<unknown, void> {
    for await (const { data } of this.#pages(path, { at: null, query }, next)) yield data;
  }

  /**
   * All rows of a listing.
   *
   * @param rowsAt where they are in each page, `items`; by default a page is nothing but its rows
   * @throws ServiceFailure
   */
  async rows(
    path: string,
    query: Query,
    rowsAt?: Within<unknown>,
    next?: Next,
  ): Promise<unknown[]> {
    const all: unknown[] = [];
    for await (const { rows } of this.listing(path, query, rowsAt, null, next)) all.push(...rows);
    return all;
  }

  /**
   * The rows of a listing, page by page, each with where it goes on: what a resource's `list` gives,
   * so that a listing that was left is gone on with there.
   *
   * @param from what `list` was given; null for the beginning
   * @throws ServiceFailure
   */
  async *listing(
    path: string,
    query: Query,
    rowsAt: Within<unknown> = whole,
    from: string | null = null,
    next: Next = this.#options.next ?? onePage,
  ): AsyncGenerator<{ rows: readonly unknown[]; next: string | null }, void> {
    const first = { at: null, query: { ...this.#options.page, ...query } };
    const start = from === null ? first : placeSchema.parse(JSON.parse(from));
    for await (const { data, following } of this.#pages(path, start, next)) {
      yield {
        rows: this.#rowsIn(data, rowsAt, path),
        next: following && JSON.stringify(following),
      };
    }
  }

  /**
   * Sends what changes something, once; the answer, null where it has no body.
   *
   * @param ifMatch the ETag of the version that it is made for
   * @throws ServiceFailure; `stale` where the service has another version by now
   */
  async send(
    { method, url: path, body }: ServiceRequest,
    ifMatch: string | null = null,
  ): Promise<unknown> {
    const headers: Record<string, string> = ifMatch === null ? {} : { 'if-match': ifMatch };
    const answer = await this.#answer({ method, path, body, headers });
    return this.#data(answer, path);
  }

  // --- within

  #rowsIn(data: unknown, rowsAt: Within<unknown>, path: string): readonly unknown[] {
    const rows = foundIn(data, rowsAt);
    if (Array.isArray(rows)) return rows;
    const where = typeof rowsAt === 'string' ? ` at ${rowsAt}` : '';
    const text = `${this.#options.service}'s answer for ${path} has no rows${where}`;
    throw new ServiceFailure('protocol', text);
  }

  async *#pages(
    path: string,
    start: PagePlace,
    next: Next,
  ): AsyncGenerator<{ data: unknown; following: PagePlace | null }, void> {
    const asked = new Set<string>();
    let place: PagePlace | null = start;
    while (place !== null) {
      const { query }: PagePlace = place;
      const at: string = place.at ?? withQuery(path, query);
      if (asked.has(at) || asked.size >= MOST_PAGES) break;
      asked.add(at);
      const page = await askAgain(async () => {
        const answer = await this.#answer({ method: 'GET', path: at });
        return { data: await this.#data(answer, path), headers: answer.headers };
      });
      const named = next({ ...page, query });
      place =
        typeof named === 'string'
          ? { at: new URL(named, this.#urlOf(at)).href, query }
          : named && { at: null, query: named };
      yield { data: page.data, following: place };
    }
    if (place === null) return;
    const { service } = this.#options;
    const text = `${service}'s listing ${path} leads in a circle: a page was named a second time`;
    throw new ServiceFailure('protocol', text);
  }

  async #answer({ method, path, headers = {}, body }: Asked): Promise<Response> {
    const limit = this.#options.limitOf?.(withoutQuery(path)) ?? '';
    this.#breakers.get(limit)?.check();
    const url = withQuery(this.#urlOf(path), this.#parameters);
    const reads = method === 'GET';
    await this.#budget.admit(reads ? 'read' : 'write');
    const { fetch, fetchElsewhere } = this.#line;
    const send = this.#options.followsElsewhere === true && reads ? fetchElsewhere : fetch;
    const written = body === undefined || body === null ? null : this.#written(body);
    const answer = await send(url, {
      method,
      headers: { ...this.#headers, ...headers, ...written?.headers },
      ...(written === null ? {} : { body: written.text }),
    });
    if (answer.ok || answer.status === 304) return answer;
    if (answer.status === 412 && headers['if-match'] !== undefined) throw this.#stale();
    throw await this.#refused(answer, limit, reads);
  }

  /** @throws ServiceFailure where an absolute address is of another origin: the token stays with its own */
  #urlOf(path: string): string {
    const { baseUrl, service } = this.#options;
    if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) {
      return `${baseUrl.replace(/\/$/, '')}/${path.replace(/^\//, '')}`;
    }
    if (new URL(path).origin === new URL(baseUrl).origin) return path;
    const text = `${service} was not asked: it named ${new URL(path).origin}, which is not its own address`;
    throw new ServiceFailure('protocol', text, { unsent: true });
  }

  #written(body: unknown): { text: string; headers: Record<string, string> } {
    if (this.#options.encoding !== 'form') {
      return { text: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    }
    return {
      text: parametersOf(body as Query),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
  }

  #stale(): ServiceFailure {
    const text = `it changed on ${this.#options.service} since it was read: nothing was changed; read it again and write it again`;
    return new ServiceFailure('stale', text, { status: 412 });
  }

  async #refused(answer: Response, limit: string, reads: boolean): Promise<ServiceFailure> {
    const { service, now } = this.#options;
    const { status, headers } = answer;
    if (status !== 429 && !(status === 503 && headers.has('retry-after'))) {
      return refusalOf(service, status, await answer.text());
    }
    const until = retryAfter(headers, now());
    const breaker = this.#breakers.get(limit) ?? new Breaker(service, now);
    this.#breakers.set(limit, breaker);
    breaker.openUntil(until);
    const text = `${service} answered ${status}, its limit of requests is used up: ${tryAgain(until, now())}`;
    // What was refused for its number was not done; of a service that is down nobody can tell.
    const kind = status === 429 || reads ? 'limited' : 'server';
    return new ServiceFailure(kind, text, { status, retryAt: until });
  }

  async #data(answer: Response, path: string): Promise<unknown> {
    const { service, refusal } = this.#options;
    const text = await answer.text();
    if (text === '') return null;
    const data = parsed(service, text);
    const refused = refusal?.(data, withoutQuery(path)) ?? null;
    if (refused === null) return data;
    throw new ServiceFailure(refused.kind, refused.message, { status: answer.status });
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const onePage: Next = () => null;

const whole = (data: unknown): unknown => data;

const withoutQuery = (path: string): string => path.split('?')[0] ?? '';

function withQuery(path: string, query: Query): string {
  const parameters = parametersOf(query);
  return parameters === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${parameters}`;
}

function parametersOf(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.toString();
}

function parsed(service: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ServiceFailure('protocol', `${service} answered something that is no JSON`, {
      cause,
    });
  }
}
