/** A line to a service of GraphQL: documents in, data out; counted, bounded, within its limits; failures as sentences. */
import type { ServiceRequest } from '../../changes/change.ts';
import { concealedData, concealing } from '../../conceal.ts';
import type { MountUsage } from '../contract/contract.ts';
import { addUsage } from '../contract/usage.ts';
import { askAgain } from './asking-again.ts';
import { Breaker } from './breaker.ts';
import { type Allowance, Budget, type BudgetOptions } from './budget.ts';
import { type FailureKind, failureOfFetch, ServiceFailure } from './failure.ts';
import { Pool } from './flight.ts';
import {
  dataOf,
  failureOfStatus,
  type GraphqlRefusals,
  type GraphqlReply,
  hasOneField,
  inPart,
  replyOf,
} from './graphql-answers.ts';
import { allowanceOf } from './http-answers.ts';
import { Line, TIMEOUT_MS } from './line.ts';
import { Meter } from './meter.ts';
import type { ClientOptions } from './options.ts';

const CONCURRENT = 4;
/** Of a document of several fields, before the first of them is carried out. */
const REFUSES_ALL: ReadonlySet<FailureKind> = new Set(['limited', 'auth']);

/** What a document is sent with by a client of the service's own. */
export interface GraphqlSending {
  /** That is good now. */
  token: string | undefined;
  /** Ends the request, the reading of its answer included. */
  signal: AbortSignal;
}

/** What a client is made with. */
export interface GraphqlOptions
  extends Pick<ClientOptions, 'timeoutMs' | 'fetch' | 'now' | 'isBehind' | 'token' | 'credential'>,
    GraphqlRefusals {
  /** What sentences call the service: `the shop`. */
  service: string;
  /** Of its endpoint. Nothing is sent to another origin. */
  url: string;
  /**
   * Sends a document, once, where a service has a client of its own: what came back, refusals too.
   * It follows no redirect. By default it is a POST to `url`.
   * Throws what `fetch` throws, and SyntaxError where an answer was cut off.
   */
  transport?(
    query: string,
    variables: GraphqlVariables,
    sending: GraphqlSending,
  ): Promise<GraphqlReply>;
  /** The header that the token goes in; `authorization: Bearer TOKEN` by default. */
  authorization?(token: string): Readonly<Record<string, string>>;
  /** Requests at once; 4 by default. */
  concurrent?: number;
  /** What headers say of the limits; by default what most services say. */
  allowance?(headers: Headers, now: Date): Allowance | null;
  /** The part of an hour's limit that an answer has cost, by its headers. */
  share?(headers: Headers): number;
  /** Limits of some questions beside that of all, by name: what sentences call each, and its budget. */
  limits?: Readonly<Record<string, Pick<BudgetOptions, 'service' | 'perMinute' | 'refuses'>>>;
}

/** What came back. */
export interface GraphqlAnswer {
  /** By the names of the root's fields. It is parsed by whoever knows its shape. */
  data: Readonly<Record<string, unknown>>;
  /** The time of the answer by the service's clock, ISO 8601; null where it did not say. */
  at: string | null;
}

/** What holds of its questions. */
export type GraphqlVariables = Readonly<Record<string, unknown>>;

/** What keeps questions of one kind within their limit. */
interface Limits {
  breaker: Breaker;
  budget: Budget;
}

/** A change as a request: what {@link GraphqlClient.send} takes. */
export function mutation(query: string, variables: GraphqlVariables): ServiceRequest {
  return { method: 'POST', url: '/graphql', body: { query, variables } };
}

/** One per service and credential. Nothing that changes something is ever sent twice. */
export class GraphqlClient {
  readonly #options: GraphqlOptions;
  readonly #all: Limits;
  readonly #limits: ReadonlyMap<string, Limits>;
  /** They lie elsewhere, and too many of them keep back no question. */
  readonly #files: Breaker;
  readonly #pool: Pool;
  readonly #line: Line;
  /** Of what goes by a transport. */
  readonly #meter: Meter;
  #behindShare = 0;

  constructor(options: GraphqlOptions) {
    this.#options = options;
    const { service, now, limits = {}, concurrent = CONCURRENT } = options;
    const limitsOf = (given: BudgetOptions): Limits => ({
      breaker: new Breaker(given.service, now),
      budget: new Budget(given),
    });
    this.#all = limitsOf({ service, now });
    this.#limits = new Map(
      Object.entries(limits).map(([name, given]) => [name, limitsOf({ ...given, now })]),
    );
    this.#files = new Breaker(service, now);
    this.#pool = new Pool(concurrent);
    this.#line = new Line(options);
    this.#meter = new Meter(options.isBehind);
  }

  /** Requests sent and bytes of bodies, both ways. */
  usage(): MountUsage {
    return addUsage(this.#line.usage(), this.#meter.usage());
  }

  /** What is left of the limit, as far as it is known. */
  get allowance(): Allowance | null {
    return this.#all.budget.allowance;
  }

  /** Is so little left of the limit that only what somebody waits for may be asked? */
  get isLow(): boolean {
    return this.#all.budget.isLow;
  }

  /** The part of an hour's limit that was used behind the reads. */
  get behindShare(): number {
    return this.#behindShare;
  }

  /**
   * Asks.
   * @param limit the name of one of the limits that it counts for, too
   * @throws ServiceFailure
   */
  ask(query: string, variables: GraphqlVariables, limit?: string): Promise<GraphqlAnswer> {
    return askAgain(() => this.#pool.run(() => this.#sent(query, variables, 'read', limit)));
  }

  /** A field of an answer's root; undefined where the service says that there is no such thing. Throws ServiceFailure. */
  async find(query: string, field: string, variables: GraphqlVariables): Promise<unknown> {
    try {
      return (await this.ask(query, variables)).data[field] ?? undefined;
    } catch (error) {
      if (error instanceof ServiceFailure && error.absent) return undefined;
      throw error;
    }
  }

  /** Sends a change, once. Throws ServiceFailure. */
  async send({ body }: ServiceRequest): Promise<GraphqlAnswer> {
    const { query, variables } = body as { query: string; variables: GraphqlVariables };
    try {
      return await this.#pool.run(() => this.#sent(query, variables, 'write'), true);
    } catch (error) {
      if (!(error instanceof ServiceFailure) || REFUSES_ALL.has(error.kind)) throw error;
      throw (await hasOneField(query)) ? error : inPart(error);
    }
  }

  /**
   * The bytes of a file of the service's own. Where it says that they are elsewhere, they are fetched
   * there without the token.
   * @param url of an origin that the token may go to: whoever asks has looked
   * @throws ServiceFailure
   */
  async bytes(url: string): Promise<Uint8Array> {
    const headers = this.#authorized(await this.#token());
    return this.#pool.run(async () => {
      for (const breaker of [this.#all.breaker, this.#files]) breaker.check();
      const answer = await this.#line.fetchElsewhere(url, { headers });
      if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
      const { service, variable } = this.#options;
      const told = { service, variable, now: this.#options.now(), allowance: null };
      const failure = failureOfStatus(answer, told);
      if (failure.retryAt !== undefined) this.#files.openUntil(failure.retryAt);
      throw failure;
    });
  }

  // --- within

  async #sent(
    query: string,
    variables: GraphqlVariables,
    kind: 'read' | 'write',
    limit = '',
    renewed?: string,
  ): Promise<GraphqlAnswer> {
    const { now, credential } = this.#options;
    const own = this.#limits.get(limit);
    const token = renewed ?? (await this.#token());
    for (const { breaker } of [this.#all, ...(own ? [own] : [])]) breaker.check();
    await own?.budget.admit(kind);
    await this.#all.budget.admit(kind);
    try {
      const reply = await this.#replied(query, variables, token);
      const { headers } = reply;
      const allowance = (this.#options.allowance ?? allowanceOf)(headers, now());
      const changes = kind === 'write';
      const data = dataOf(reply, { ...this.#options, now: now(), changes, allowance });
      this.#answered(headers, allowance);
      const date = Date.parse(headers.get('date') ?? '');
      return { data, at: Number.isNaN(date) ? null : new Date(date).toISOString() };
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      // Too many questions of a kind keep back no other one.
      if (error.retryAt !== undefined) (own ?? this.#all).breaker.openUntil(error.retryAt);
      // It was refused, and so nothing was done.
      const isAskedAnew = error.kind === 'auth' && renewed === undefined && token !== undefined;
      const other = isAskedAnew ? await credential?.other(token) : null;
      if (other != null) return this.#sent(query, variables, kind, limit, other);
      // A refusal may come with a good status, and repeat the token in any form.
      throw error.concealed(concealing([token]));
    }
  }

  /** What came back. Throws ServiceFailure where nothing did, or half of it. */
  async #replied(
    query: string,
    variables: GraphqlVariables,
    token: string | undefined,
  ): Promise<GraphqlReply> {
    const { service, url, transport, timeoutMs = TIMEOUT_MS } = this.#options;
    const body = JSON.stringify({ query, variables });
    if (transport === undefined) {
      const headers = { ...this.#authorized(token), 'content-type': 'application/json' };
      return replyOf(await this.#line.fetch(url, { method: 'POST', headers, body }));
    }
    this.#meter.request(Buffer.byteLength(body));
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const { said, ...reply } = await transport(query, variables, { token, signal });
      this.#meter.received(Number(reply.headers.get('content-length') ?? 0));
      return { ...reply, said: concealedData(said ?? null, [token]) };
    } catch (error) {
      const cause = error instanceof SyntaxError ? new Error('cut') : error;
      throw failureOfFetch(service, cause, timeoutMs);
    }
  }

  /** Stops in time. */
  #answered(headers: Headers, allowance: Allowance | null): void {
    const { isBehind, share } = this.#options;
    if (isBehind?.() === true) this.#behindShare += share?.(headers) ?? 0;
    if (allowance === null) return;
    this.#all.budget.told(allowance);
    if (allowance.remaining === 0) this.#all.breaker.openUntil(allowance.resetAt);
  }

  /** The token that is good now; throws ServiceFailure where there is none, and it is known where it should be. */
  async #token(): Promise<string | undefined> {
    const { token, credential, service, variable } = this.#options;
    if (token !== undefined) return credential?.current() ?? token;
    if (variable === undefined) return undefined;
    const text = `${service} needs a key: set ${variable} where dirigent runs`;
    throw new ServiceFailure('auth', text, { unsent: true });
  }

  #authorized(token: string | undefined): Readonly<Record<string, string>> {
    return token === undefined ? {} : (this.#options.authorization ?? bearer)(token);
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
