/**
 * Credentials that another one keeps: a program, a file, a manager of secrets.
 * They are asked for when they are needed, renewed before they end, and asked
 * for once more where a service does not take them. Nothing of them is kept but
 * in memory.
 */
import { z } from 'zod';
import { inTime } from '../parts/in-time.ts';

/** What a credential is for. */
export interface CredentialRequest {
  /** A mount of a service, or the models of a provider. */
  for: 'mount' | 'model';
  /** The mount point, or the provider. */
  name: string;
  /** What is mounted; the provider. */
  service: string;
  /** The variable of the host's environment that it would be in otherwise. */
  variable: string;
  /** The address of the API, where the config names one. */
  baseUrl: string | null;
}

/** A credential, as it is sent. */
export interface Credential {
  value: string;
  /** When it ends: ms since the epoch, or ISO 8601; absent, it is good until it is refused. */
  expiresAt?: number | string | undefined;
}

/** Keeps credentials: the part `credentials`. */
export interface CredentialSource {
  /**
   * It has 10 s. Of one account for one request, always: what is kept of a service is that account's.
   * @param options `rejected`: the service has refused what was given before
   * @returns null for what it does not keep: the environment of the host is looked into then
   */
  credential(
    request: CredentialRequest,
    options: { rejected: boolean; signal: AbortSignal },
  ): Credential | null | Promise<Credential | null>;
}

/** As it crosses between threads. */
export interface HeldCredential {
  value: string;
  /** ms since the epoch; null for one that does not end. */
  expiresAt: number | null;
}

const schema = z
  .strictObject({
    value: z.string().regex(/^[\x21-\x7e]+$/, 'must be of visible ASCII characters'),
    expiresAt: z
      .union([z.number(), z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))])
      .optional(),
  })
  .nullable();

const ANSWER_MS = 10_000;

/** Asks a source. @throws Error in words that hold no credential */
export async function askCredential(
  source: CredentialSource,
  request: CredentialRequest,
  rejected: boolean,
): Promise<HeldCredential | null> {
  const what = `the credential of ${request.name} (${request.variable})`;
  let given: unknown;
  try {
    given = await inTime(ANSWER_MS, (signal) => source.credential(request, { rejected, signal }));
  } catch (error) {
    throw new Error(`${what} could not be had: ${(error as Error).message}`);
  }
  const checked = schema.safeParse(given ?? null);
  // zod says which field is wrong, and not what is in it.
  if (!checked.success)
    throw new Error(`${what} cannot be used: ${z.prettifyError(checked.error)}`);
  if (checked.data === null) return null;
  const { value, expiresAt = null } = checked.data;
  return { value, expiresAt };
}

/** It is renewed so long before it ends, or when a tenth of its time is left, whichever is later. ms */
const AHEAD_MS = 60_000;

/** One credential, held as long as it is good. However many need a new one at once, one is asked for. */
export class Renewable {
  readonly #ask: (rejected: boolean) => Promise<HeldCredential | null>;
  readonly #now: () => number;
  #held: HeldCredential;
  #renewAt: number;
  #asking: Promise<string> | null = null;

  /** @param first what was given at first */
  constructor(
    first: HeldCredential,
    ask: (rejected: boolean) => Promise<HeldCredential | null>,
    now: () => number = Date.now,
  ) {
    this.#ask = ask;
    this.#now = now;
    this.#held = first;
    this.#renewAt = this.#aheadOf(first);
  }

  /** The credential that is good now. @throws Error where it has ended and there is no other */
  async current(): Promise<string> {
    if (this.#now() < this.#renewAt) return this.#held.value;
    return this.#renew(false);
  }

  /**
   * A service has refused it.
   * @returns another one; null where there is none
   */
  async other(refused: string): Promise<string | null> {
    // Somebody else was refused before, and it was renewed then.
    if (this.#held.value !== refused) return this.#held.value;
    const value = await this.#renew(true);
    return value === refused ? null : value;
  }

  #renew(rejected: boolean): Promise<string> {
    this.#asking ??= this.#asked(rejected).finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #asked(rejected: boolean): Promise<string> {
    try {
      const held = await this.#ask(rejected);
      if (held === null) throw new Error('the credential is not kept any more');
      this.#held = held;
      this.#renewAt = this.#aheadOf(held);
      return held.value;
    } catch (error) {
      const { expiresAt, value } = this.#held;
      // What is good for a while yet is used until its last moment.
      if (!rejected && (expiresAt === null || this.#now() < expiresAt)) return value;
      throw error;
    }
  }

  #aheadOf({ expiresAt }: HeldCredential): number {
    if (expiresAt === null) return Number.POSITIVE_INFINITY;
    const left = expiresAt - this.#now();
    return expiresAt - Math.min(AHEAD_MS, left / 10);
  }
}
