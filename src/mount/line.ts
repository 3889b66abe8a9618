/**
 * The line to a service: a fetch that counts, bounds and reads whole answers.
 * An answer that is cut off fails here and not half parsed, as a sentence.
 */
import { concealedAnswer } from '../conceal.ts';
import type { MountUsage } from './contract.ts';
import { failureOfFetch } from './failure.ts';
import { Meter } from './meter.ts';
import type { ClientOptions } from './opening.ts';

/** One request ends after this many ms where nothing else is said. */
export const TIMEOUT_MS = 30_000;

export interface LineOptions
  extends Pick<ClientOptions, 'fetch' | 'timeoutMs' | 'now' | 'isBehind' | 'token'> {
  /** What the service is called in sentences. */
  service: string;
  /** Credentials beside the token: no answer repeats them. */
  secrets?: readonly string[];
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

  /** As the global one; throws ServiceFailure. */
  readonly fetch = async (input: string, init: RequestInit = {}): Promise<Response> => {
    const { service, now, timeoutMs = TIMEOUT_MS, onHeaders } = this.#options;
    this.#meter.request(typeof init.body === 'string' ? Buffer.byteLength(init.body) : 0);
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await (this.#options.fetch ?? fetch)(input, { ...init, signal });
      const body = new Uint8Array(await answer.arrayBuffer());
      this.#meter.received(body.length);
      const concealed = concealedAnswer(answer, body, this.#secrets);
      const { headers } = concealed;
      const date = Date.parse(headers.get('date') ?? '');
      if (!Number.isNaN(date)) this.#clockOffsetMs = date - now().getTime();
      onHeaders?.(headers, this.#clockOffsetMs);
      return concealed;
    } catch (error) {
      throw failureOfFetch(service, error, timeoutMs);
    }
  };
}
