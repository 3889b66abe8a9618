/**
 * The line to a service: a fetch that counts, bounds and reads whole answers.
 * An answer that is cut off fails here and not half parsed, as a sentence.
 */
import { concealedAnswer } from '../../conceal.ts';
import type { MountUsage } from '../contract/contract.ts';
import { failureOfFetch, ServiceFailure } from './failure.ts';
import { Meter } from './meter.ts';
import type { ClientOptions } from './options.ts';
import { fetchWithinOrigin, type Redirect, RedirectRefused } from './redirects.ts';

/** One request ends after this many ms where nothing else is said. */
export const TIMEOUT_MS = 30_000;

/** What a line to a service is made with. */
export interface LineOptions
  extends Pick<ClientOptions, 'fetch' | 'timeoutMs' | 'now' | 'isBehind' | 'token'> {
  /** What the service is called in sentences. */
  service: string;
  /** Credentials beside the token: no answer repeats them. */
  secrets?: readonly string[];
  /** Looks at a redirect within the origin before it is followed. Throws ServiceFailure where it is not to be. */
  onRedirect?: (redirect: Redirect) => Promise<void>;
  /** Told the headers of each answer, and how far the service's clock is ahead of ours, in ms. */
  onHeaders?(headers: Headers, clockOffsetMs: number): void;
}

/** One per service and credential. */
export class Line {
  readonly #options: LineOptions;
  readonly #meter: Meter;
  readonly #secrets: readonly (string | undefined)[];
  #clockOffsetMs = 0;

  constructor(options: LineOptions) {
    this.#options = options;
    this.#secrets = [options.token, ...(options.secrets ?? [])];
    this.#meter = new Meter(options.isBehind);
  }

  /** Requests sent and bytes of bodies, both ways. */
  usage(): MountUsage {
    return this.#meter.usage();
  }

  /** Our time in ms as the service's clock has it, by the last answer's Date. */
  serverTime(ours: number): number {
    return ours + this.#clockOffsetMs;
  }

  /** As the global one, but within one origin; throws ServiceFailure. */
  readonly fetch = (input: string, init: RequestInit = {}): Promise<Response> =>
    this.#fetch(input, init, false);

  /** The same, but a read that is redirected to another origin is followed there, without our headers. */
  readonly fetchElsewhere = (input: string, init: RequestInit = {}): Promise<Response> =>
    this.#fetch(input, init, true);

  async #fetch(input: string, init: RequestInit, followsElsewhere: boolean): Promise<Response> {
    const { service, now, timeoutMs = TIMEOUT_MS, onHeaders, onRedirect } = this.#options;
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const options = { fetch: this.#counted, followsElsewhere, onRedirect };
      const answer = await fetchWithinOrigin(input, { ...init, signal }, options);
      const body = new Uint8Array(await answer.arrayBuffer());
      this.#meter.received(body.length);
      const concealed = concealedAnswer(answer, body, this.#secrets);
      const { headers } = concealed;
      const date = Date.parse(headers.get('date') ?? '');
      if (!Number.isNaN(date)) this.#clockOffsetMs = date - now().getTime();
      onHeaders?.(headers, this.#clockOffsetMs);
      return concealed;
    } catch (error) {
      if (error instanceof ServiceFailure) throw error;
      if (error instanceof RedirectRefused) throw failureOfRedirect(service, error);
      throw failureOfFetch(service, error, timeoutMs);
    }
  }

  readonly #counted: typeof fetch = (input, init) => {
    this.#meter.request(typeof init?.body === 'string' ? Buffer.byteLength(init.body) : 0);
    return (this.#options.fetch ?? fetch)(input, init);
  };
}

function failureOfRedirect(service: string, error: RedirectRefused): ServiceFailure {
  const { status, message, done } = error;
  const text = `${service} was not asked: ${message}`;
  return new ServiceFailure('protocol', text, { status, unsent: !done, cause: error });
}
