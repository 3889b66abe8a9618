/** A line to a service that has no SDK: JSON over HTTP, counted, bounded, conditional; failures as sentences. */
import { Breaker } from './breaker.ts';
import { failureOfFetch, ServiceFailure, tryAgain } from './failure.ts';

/** Waited after a limit that names no time, in s. */
const DEFAULT_WAIT_S = 60;

export interface HttpOptions {
  /** What sentences call the service: `the registry`. */
  service: string;
  /** Relative URLs are below it. */
  baseUrl: string;
  headers?: Readonly<Record<string, string>>;
  /** One request ends after so many ms; default 30,000. */
  timeoutMs?: number;
  now: () => Date;
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
  #requests = 0;
  #bytes = 0;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#breaker = new Breaker(options.service, options.now);
  }

  /** Requests sent and bytes of bodies received. */
  usage(): { requests: number; bytes: number } {
    return { requests: this.#requests, bytes: this.#bytes };
  }

  /** Asks; with an ETag, only for what changed since. Throws ServiceFailure. */
  async get(path: string, etag: string | null = null): Promise<HttpAnswer> {
    this.#breaker.check();
    const { baseUrl, headers = {} } = this.#options;
    const conditional: Record<string, string> = etag === null ? {} : { 'if-none-match': etag };
    const url = `${baseUrl.replace(/\/$/, '')}/${path.replace(/^\//, '')}`;
    const { answer, text } = await this.#fetch(url, { ...headers, ...conditional });
    if (answer.status === 304) return { unchanged: true, data: null, etag };
    if (!answer.ok) throw this.#refused(answer);
    return { unchanged: false, data: this.#parsed(text), etag: answer.headers.get('etag') };
  }

  /** Reads the whole body, so that an answer that is cut off fails here and not half parsed. */
  async #fetch(url: string, headers: Record<string, string>) {
    const { service, timeoutMs = 30_000 } = this.#options;
    this.#requests++;
    try {
      const answer = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
      const text = await answer.text();
      this.#bytes += Buffer.byteLength(text);
      return { answer, text };
    } catch (error) {
      throw failureOfFetch(service, error, timeoutMs);
    }
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
