/** Notion's side: tokens, versions, schemas, faults, the log. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { restFaults } from '../faults.ts';
import { breakOff, deliver, type Incoming, type Place, StandInServer } from '../server.ts';
import { type Fault, faultSchema, type LoggedRequest, seedSchema } from './control.ts';
import { control } from './control-surface.ts';
import { dashed } from './markdown.ts';
import type { Json, SeedData } from './model.ts';
import { notFound, Refusal } from './refusal.ts';
import { ROUTES } from './routes.ts';
import { Schemas } from './schemas.ts';
import { seedOf } from './seed.ts';
import { Store, type StoreState } from './store.ts';

/** "The latest version is 2025-09-03", and what the client sends by default. */
const VERSIONS: ReadonlySet<string> = new Set(['2025-09-03', '2026-03-11']);

interface Answer {
  status: number;
  body: unknown;
  headers: Record<string, string>;
}

export class NotionServer {
  #store: Store;
  readonly #log: LoggedRequest[] = [];
  readonly #faults = restFaults<Fault>();
  readonly #schemas = new Schemas();
  readonly #server = new StandInServer({
    faultSchema,
    faults: this.#faults,
    log: this.#log,
    seedSchema,
    reseed: (seed) => {
      this.#store = new Store(seedOf(seed));
    },
    state: () => this.#store.state(),
    restore: (state) => {
      this.#store = Store.of(state as StoreState, Object.fromEntries(this.#store.tokens));
    },
    serve: (incoming, response) => this.#serve(incoming, response),
    control: (what, input) => control(this.#store, what, input),
  });

  constructor(seed: SeedData) {
    this.#store = new Store(seed);
  }

  /** Listens on loopback. @returns the port */
  listen(place: Place): Promise<number> {
    return this.#server.listen(place);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #serve(incoming: Incoming, response: ServerResponse): Promise<void> {
    const { method, url, text, request } = incoming;
    const { breaking, delay, lag } = this.#faults.meet({ method, paths: [url.pathname] });
    const entry: LoggedRequest = {
      method,
      url: `${url.pathname}${url.search}`,
      status: null,
      fault: breaking?.kind ?? (lag > 0 ? 'lag' : null),
      message: null,
    };
    this.#log.push(entry);
    if (delay > 0) await sleep(delay);
    if (breaking?.kind === 'cut') return breakOff(response);
    const { status, ...answer } = this.#answer(method, url, text, request, { breaking, lag });
    const body = JSON.stringify(answer.body);
    const headers = { 'content-type': 'application/json', ...answer.headers };
    if (deliver(response, { status, headers, body }, breaking?.kind) === null) return;
    entry.status = status;
    entry.message = (answer.body as { message?: string }).message ?? null;
  }

  #answer(
    method: string,
    url: URL,
    text: string,
    request: IncomingMessage,
    { breaking, lag }: { breaking: Fault | null; lag: number },
  ): Answer {
    try {
      if (breaking !== null) refuseBy(breaking);
      const viewer = this.#viewer(request);
      return { status: 200, body: this.#handle(method, url, text, viewer, lag), headers: {} };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const headers: Record<string, string> =
        error.retryAfter === null ? {} : { 'retry-after': String(error.retryAfter) };
      return { status: error.status, body: error.body(), headers };
    }
  }

  /** https://developers.notion.com/reference/authentication and /versioning */
  #viewer({ headers }: IncomingMessage): string {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const viewer = this.#store.tokens.get(token);
    if (viewer === undefined) throw new Refusal('unauthorized', 'API token is invalid.');
    const version = headers['notion-version'];
    if (typeof version !== 'string' || !VERSIONS.has(version)) {
      throw new Refusal('missing_version', 'Notion-Version header should be defined.');
    }
    return viewer;
  }

  #handle(method: string, url: URL, text: string, viewer: string, lag: number): Json {
    for (const route of ROUTES) {
      const found = route.method === method ? route.path.exec(url.pathname) : null;
      if (found === null) continue;
      const id = found[1] === undefined ? '' : dashed(found[1]);
      if (!this.#store.isShared(id, viewer)) throw notFound('page', id);
      const body = text === '' ? {} : parsed(text);
      const whole = route.idName === undefined ? body : { ...body, [route.idName]: id };
      const wrong =
        route.request === undefined ? null : this.#schemas.problem(route.request, whole);
      if (wrong !== null) throw new Refusal('validation_error', `body failed validation: ${wrong}`);
      const bytes = Buffer.byteLength(text);
      const answer = route.handle({
        store: this.#store,
        id,
        query: url.searchParams,
        body,
        bytes,
        viewer,
        lag,
      });
      const bad = this.#schemas.problem(route.response, answer);
      if (bad !== null)
        throw new Error(`the stand-in's ${route.response} is not the client's: ${bad}`);
      return answer;
    }
    throw new Refusal('invalid_request_url', 'Invalid request URL.');
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Refusal('invalid_json', 'Error parsing JSON body.');
  }
}

function refuseBy(fault: Fault): void {
  switch (fault.kind) {
    case 'rate-limited':
      throw new Refusal(
        'rate_limited',
        'You have been rate limited. Please try again in a few minutes.',
        fault.retryAfter,
      );
    case 'overload':
      throw new Refusal(
        'service_overload',
        'Notion is overloaded. Please try again later.',
        fault.retryAfter,
      );
    case 'forbidden':
      throw new Refusal('restricted_resource', 'Insufficient permissions for this endpoint.');
    case 'server-error': {
      const codes = {
        500: 'internal_server_error',
        503: 'service_unavailable',
        504: 'gateway_timeout',
      } as const;
      throw new Refusal(codes[fault.status], 'Unexpected error occurred.');
    }
    default:
  }
}
