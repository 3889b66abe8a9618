/**
 * Notion's client: the official one, loaded when the first request is made,
 * over a line of ours. Every failure is a `ServiceFailure` with a sentence;
 * what changes something is never sent twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@notionhq/client';
import { z } from 'zod';
import {
  askAgain,
  Breaker,
  type ClientOptions,
  Cursors,
  expectShape,
  Line,
  type MountUsage,
  Pool,
  ServiceFailure,
  type ServiceRequest,
  TIMEOUT_MS,
} from '../../src/mount/index.ts';
import { failureOfAnswer, failureOfFile, limitEnd } from './failures.ts';
import { listSchema } from './schemas.ts';

/** The version of the API that every request names; what is read and written here is its. */
export const NOTION_VERSION = '2025-09-03';
/** Requests at once. */
const CONCURRENT = 4;
/** Once it limited us, so many ms between two requests: "an average of three requests per second". */
const SPACING_MS = 334;
/** The same, an hour. */
const PER_HOUR = 10_800;
/** For how long after a limit, in ms. */
const CAREFUL_MS = 60_000;

const errorSchema = z.looseObject({
  status: z.number(),
  body: z.string(),
  headers: z.instanceof(Headers).optional(),
});

type Method = 'get' | 'post' | 'patch' | 'delete';

interface RequestOptions {
  query?: Record<string, string | number>;
  /** It goes before what waits: a write. */
  urgent?: boolean;
}

/** What a listing is asked with: `body` where it is asked by POST. */
interface Listing {
  body?: Record<string, unknown>;
  query?: Record<string, string>;
  /** Of a page; as many as there may be by default. */
  size?: number;
}

type ListPage = z.infer<typeof listSchema>;

export class NotionClient {
  readonly #options: ClientOptions;
  readonly #breaker: Breaker;
  readonly #pool = new Pool(CONCURRENT);
  readonly #line: Line;
  #client: Promise<Client> | null = null;
  #limitedAt = Number.NEGATIVE_INFINITY;
  #nextAt = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#breaker = new Breaker('Notion', options.now);
    this.#line = new Line({ ...options, service: 'Notion' });
  }

  /** Requests sent and bytes of bodies, both ways. */
  usage(): MountUsage {
    return this.#line.usage();
  }

  /** Did it limit us lately, so that only what somebody waits for may be asked? */
  get isLow(): boolean {
    return this.#isCareful(this.#options.now().getTime());
  }

  /** The part of an hour's limit that was used behind the reads. */
  get behindShare(): number {
    return (this.usage().behind?.requests ?? 0) / PER_HOUR;
  }

  /** Our time in ms as Notion's clock has it, by the last answer's Date. */
  serverTime(ours: number): number {
    return this.#line.serverTime(ours);
  }

  /** Asks, as the shape that is expected. Throws ServiceFailure. */
  async get<T extends z.ZodType>(schema: T, path: string, what: string): Promise<z.infer<T>> {
    return expectShape('Notion', schema, await this.#request('get', path, undefined), what);
  }

  /** One page of a listing: by POST where there is a body, by GET with `query` otherwise. */
  async list(
    path: string,
    { body, query, size = 100 }: Listing,
    cursor: string | null = null,
  ): Promise<ListPage> {
    const paging = { page_size: size, ...(cursor === null ? {} : { start_cursor: cursor }) };
    const answer =
      body === undefined
        ? await this.#request('get', path, undefined, { query: { ...query, ...paging } })
        : await this.#request('post', path, { ...body, ...paging });
    return expectShape('Notion', listSchema, answer, path);
  }

  /**
   * A listing from its first page to its last; `more`: another one follows. Nothing is asked for
   * beyond what is looked at. Throws ServiceFailure.
   * @param from where it goes on: a `next_cursor`
   */
  async *pages(
    path: string,
    listing: Listing,
    from: string | null = null,
  ): AsyncIterable<ListPage & { more: boolean; next: string | null }> {
    const cursors = new Cursors('Notion', `rows of ${path}`, from);
    let cursor = from;
    do {
      const answer: ListPage = await this.list(path, listing, cursor);
      const next: string | null = answer.has_more ? cursors.next(answer.next_cursor) : null;
      yield { ...answer, more: next !== null, next };
      cursor = next;
    } while (cursor !== null);
  }

  /** The bytes of a file, at an address that an answer gave: without the token, wherever it lies. Throws ServiceFailure. */
  file(url: string): Promise<Uint8Array> {
    return this.#pool.run(async () => {
      this.#breaker.check();
      const answer = await this.#line.fetchElsewhere(url);
      if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
      throw failureOfFile(answer.status);
    });
  }

  /** Sends a change, once. Throws ServiceFailure. */
  send(request: ServiceRequest): Promise<unknown> {
    const body = (request.body ?? undefined) as Record<string, unknown> | undefined;
    const path = request.url.replace(/^\/v1\//, '');
    return this.#request(request.method.toLowerCase() as Method, path, body, { urgent: true });
  }

  async #request(
    method: Method,
    path: string,
    body: Record<string, unknown> | undefined,
    { query, urgent = false }: RequestOptions = {},
  ): Promise<unknown> {
    const client = await this.#load();
    const send = async (): Promise<unknown> => {
      await this.#pace();
      this.#breaker.check();
      try {
        return await client.request({
          method,
          path,
          ...(body === undefined ? {} : { body }),
          ...(query === undefined ? {} : { query }),
        });
      } catch (error) {
        throw this.#failure(error);
      }
    };
    // Some questions are asked by POST: it is the writes that go before everything else.
    return urgent ? this.#pool.run(send, true) : askAgain(() => this.#pool.run(send));
  }

  /** Slower, while a limit is fresh in memory. */
  async #pace(): Promise<void> {
    const now = this.#options.now().getTime();
    if (!this.#isCareful(now)) return;
    const wait = Math.max(0, this.#nextAt - now);
    this.#nextAt = Math.max(now, this.#nextAt) + SPACING_MS;
    if (wait > 0) await sleep(wait);
  }

  #isCareful(now: number): boolean {
    return now - this.#limitedAt <= CAREFUL_MS;
  }

  #failure(error: unknown): unknown {
    if (error instanceof ServiceFailure) return error;
    const parsed = errorSchema.safeParse(error);
    if (!parsed.success) {
      // The client could make nothing of the answer.
      return error instanceof SyntaxError
        ? new ServiceFailure('protocol', 'Notion answered something that is no JSON', {
            cause: error,
          })
        : error;
    }
    const { status, body, headers } = parsed.data;
    const now = this.#options.now();
    const until = limitEnd(status, headers?.get('retry-after') ?? null, now);
    if (until !== null) {
      this.#breaker.openUntil(until);
      this.#limitedAt = until.getTime();
    }
    return failureOfAnswer(status, body, { until, now, cause: error });
  }

  #load(): Promise<Client> {
    this.#client ??= import('@notionhq/client').then(({ Client }) => {
      const { token, baseUrl, timeoutMs = TIMEOUT_MS } = this.#options;
      return new Client({
        ...(token === undefined ? {} : { auth: token }),
        notionVersion: NOTION_VERSION,
        ...(baseUrl === undefined ? {} : { baseUrl: baseUrl.replace(/\/$/, '') }),
        fetch: this.#line.fetch,
        // Ours ends first, so that the sentence is ours.
        timeoutMs: timeoutMs + 5_000,
        // A repeated request could make a second page: whoever asks decides.
        retry: false,
        logger: () => undefined,
      });
    });
    return this.#client;
  }
}
