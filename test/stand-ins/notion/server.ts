/** The HTTP side: tokens, versions, schemas, faults, the log, and the control surface. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONTROL } from '../process.ts';
import type { Fault, LoggedRequest } from './control.ts';
import { act } from './control-surface.ts';
import { dashed } from './markdown.ts';
import type { Json, SeedData } from './model.ts';
import { Refusal } from './refusal.ts';
import { ROUTES } from './routes.ts';
import { Schemas } from './schemas.ts';
import { Store } from './store.ts';

/** "The latest version is 2025-09-03", and what the client sends by default. */
const VERSIONS: ReadonlySet<string> = new Set(['2025-09-03', '2026-03-11']);

interface Active {
  fault: Fault;
  path: RegExp | null;
  skip: number;
  left: number;
}

interface Answer {
  status: number;
  body: unknown;
  headers: Record<string, string>;
}

export class NotionServer {
  store: Store;
  readonly log: LoggedRequest[] = [];
  faults: Active[] = [];
  readonly #schemas = new Schemas();
  readonly #server: Server;

  constructor(seed: SeedData) {
    this.store = new Store(seed);
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        // A fault of the stand-in itself: whoever runs the test must read it.
        const message = error instanceof Error ? error.message : String(error);
        if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({ object: 'error', status: 500, code: 'stand_in_is_wrong', message }),
        );
      });
    });
  }

  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  addFault(fault: Fault): void {
    const path = fault.path === undefined ? null : new RegExp(fault.path);
    this.faults.push({ fault, path, skip: fault.after, left: fault.times ?? Infinity });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const method = request.method ?? 'GET';
    if (url.pathname.startsWith(CONTROL)) {
      const { status, body } = act(this, `${method} ${url.pathname.slice(CONTROL.length)}`, text);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
      return;
    }
    const { breaking, delay, lag } = this.#meet(method, url.pathname);
    const entry: LoggedRequest = {
      method,
      url: `${url.pathname}${url.search}`,
      status: null,
      fault: breaking?.kind ?? (lag > 0 ? 'lag' : null),
      message: null,
    };
    this.log.push(entry);
    if (delay > 0) await sleep(delay);
    if (breaking?.kind === 'cut') return void response.destroy();
    const answer = this.#answer(method, url, text, request, { breaking, lag });
    if (breaking?.kind === 'lost-answer') return void response.destroy();
    entry.status = answer.status;
    entry.message = (answer.body as { message?: string }).message ?? null;
    const body = JSON.stringify(answer.body);
    const length = String(Buffer.byteLength(body));
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      'content-length': length,
      ...answer.headers,
    });
    if (breaking?.kind === 'cut-body') {
      response.write(body.slice(0, Math.floor(body.length / 2)), () => response.destroy());
    } else response.end(body);
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
    const viewer = this.store.tokens.get(token);
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
      const body = text === '' ? {} : parsed(text);
      const whole = route.idName === undefined ? body : { ...body, [route.idName]: id };
      const wrong =
        route.request === undefined ? null : this.#schemas.problem(route.request, whole);
      if (wrong !== null) throw new Refusal('validation_error', `body failed validation: ${wrong}`);
      const bytes = Buffer.byteLength(text);
      const answer = route.handle({
        store: this.store,
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

  #meet(method: string, path: string): { breaking: Fault | null; delay: number; lag: number } {
    const meeting: { breaking: Fault | null; delay: number; lag: number } = {
      breaking: null,
      delay: 0,
      lag: 0,
    };
    for (const active of this.faults) {
      const { fault } = active;
      if (fault.method !== undefined && fault.method.toUpperCase() !== method) continue;
      if (active.path !== null && !active.path.test(path)) continue;
      if (active.skip-- > 0) continue;
      if (fault.kind === 'slow') meeting.delay += fault.ms;
      else if (fault.kind === 'lag') meeting.lag = Math.max(meeting.lag, fault.ms);
      else if (meeting.breaking === null) meeting.breaking = fault;
      else continue;
      active.left--;
    }
    this.faults = this.faults.filter(({ left }) => left > 0);
    return meeting;
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
