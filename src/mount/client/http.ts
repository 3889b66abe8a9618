/** A line to a service that has no SDK: JSON over HTTP, counted, bounded, conditional; failures as sentences. */
import { secretsOfHeaders } from '../../conceal.ts';
import type { MountUsage } from '../contract/contract.ts';
import { askAgain } from './asking-again.ts';
import { Breaker } from './breaker.ts';
import { ServiceFailure, tryAgain } from './failure.ts';
import { Line } from './line.ts';
import type { ClientOptions } from './options.ts';

/** Waited after a limit that names no time, in s. */
const DEFAULT_WAIT_S = 60;

/** What a client is made with. */
export interface HttpOptions
  extends Pick<ClientOptions, 'timeoutMs' | 'fetch' | 'now' | 'isBehind'> {
  /** What sentences call the service: `the registry`. */
  service: string;
  /** Relative URLs are below it. */
  baseUrl: string;
  /** They go to the origin of `baseUrl` alone, wherever it redirects. */
  headers?: Readonly<Record<string, string>>;
  /** Is a redirect to another origin followed, without these headers? By default it is refused. */
  followsElsewhere?: boolean;
}

/** `data` is null where the ETag still holds. */
export interface HttpAnswer {
  unchanged: boolean;
  data: unknown;
  etag: string | null;
}

/** One per service and credential. */
export class HttpClient {
  readonly #options: HttpOptions;
  readonly #breaker: Breaker;
  readonly #line: Line;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#breaker = new Breaker(options.service, options.now);
    this.#line = new Line({ ...options, secrets: secretsOfHeaders(options.headers ?? {}) });
  }

  /** Requests sent and bytes of bodies received. */
  usage(): MountUsage {
    return this.#line.usage();
  }

  /** Asks; with an ETag, only for what changed since. Throws ServiceFailure. */
  get(path: string, etag: string | null = null): Promise<HttpAnswer> {
    return askAgain(() => this.#get(path, etag));
  }

  async #get(path: string, etag: string | null): Promise<HttpAnswer> {
    this.#breaker.check();
    const { baseUrl, headers = {} } = this.#options;
    const conditional: Record<string, string> = etag === null ? {} : { 'if-none-match': etag };
    const url = `${baseUrl.replace(/\/$/, '')}/${path.replace(/^\//, '')}`;
    const { fetch, fetchElsewhere } = this.#line;
    const send = this.#options.followsElsewhere === true ? fetchElsewhere : fetch;
    const answer = await send(url, { headers: { ...headers, ...conditional } });
    if (answer.status === 304) return { unchanged: true, data: null, etag };
    if (!answer.ok) throw this.#refused(answer);
    return {
      unchanged: false,
      data: this.#parsed(await answer.text()),
      etag: answer.headers.get('etag'),
    };
  }

  #refused({ status, headers }: Response): ServiceFailure {
    const { service, now } = this.#options;
    const said = `${service} answered ${status}`;
    if (status === 429 || (status === 503 && headers.has('retry-after'))) {
      const seconds = Number(headers.get('retry-after') ?? Number.NaN);
      const wait = Number.isFinite(seconds) ? seconds : DEFAULT_WAIT_S;
      const until = new Date(now().getTime() + wait * 1000);
      this.#breaker.openUntil(until);
      const text = `${said}, its limit of requests is used up: ${tryAgain(until, now())}`;
      return new ServiceFailure('limited', text, { status, retryAt: until });
    }
    if (status === 404 || status === 410) {
      const text = `${said}: there is no such thing, or it may not be seen`;
      return new ServiceFailure(status === 404 ? 'missing' : 'gone', text, { status });
    }
    if (status === 401) return new ServiceFailure('auth', `${said}: check the token`, { status });
    if (status >= 500) return new ServiceFailure('server', `${said}; try again later`, { status });
    return new ServiceFailure(status === 403 ? 'forbidden' : 'protocol', said, { status });
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (cause) {
      const { service } = this.#options;
      throw new ServiceFailure('protocol', `${service} answered something that is no JSON`, {
        cause,
      });
    }
  }
}
