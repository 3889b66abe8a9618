/**
 * The HTTP side that every stand-in has: it reads a request whole, answers what goes to the control
 * surface, and hands the rest to the service.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { echoed } from './echo.ts';
import { KeptState } from './kept-state.ts';
import { CONTROL } from './process.ts';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/**
 * So long may a connection rest, in ms. A connection that ends just when a client sends on it would
 * look like a fault that nobody asked for: no client keeps one for as long.
 */
const KEEP_ALIVE_MS = 600_000;

/** A request as it came, read to its end. */
export interface Incoming {
  method: string;
  url: URL;
  text: string;
  request: IncomingMessage;
}

/** What a service answers. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
}

/** What a service brings of its own. */
export interface Served<Fault, Row, Seed> {
  faultSchema: z.ZodType<Fault>;
  faults: { add(fault: Fault): void; clear(): void };
  /** Every request as it was answered, oldest first. */
  log: Row[];
  seedSchema: z.ZodType<Seed>;
  /** Begins again with another store. */
  reseed(seed: Seed): void;
  /** All that it serves; may be structured-cloned. */
  state(): unknown;
  /** Goes on from a state. */
  restore(state: unknown): void;
  /** Answers a request of the service's own. */
  serve(incoming: Incoming, response: ServerResponse): Promise<void>;
  /** A request to the control surface, `METHOD /path`; undefined where there is no such one. */
  control(what: string, input: unknown): unknown;
}

/** Where a stand-in listens, and where it keeps what it serves. */
export interface Place {
  /** 0 for any. */
  port: number;
  /** A file; without it everything is gone with the stand-in. */
  keep?: string | undefined;
}

/** The status with which every request is refused in words that repeat its credential; null: none is. */
const echoSchema = z.object({ status: z.number().int().min(200).max(599).nullable() });

export class StandInServer<Fault, Row, Seed> {
  #echo: number | null = null;
  readonly #served: Served<Fault, Row, Seed>;
  readonly #server: Server;
  #kept: KeptState | null = null;

  constructor(served: Served<Fault, Row, Seed>) {
    this.#served = served;
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => failed(response, error));
    });
    this.#server.keepAliveTimeout = KEEP_ALIVE_MS;
    // Node cuts slow requests off, too, and a busy machine is slow.
    this.#server.headersTimeout = 0;
    this.#server.requestTimeout = 0;
  }

  /** Listens on loopback, and goes on from what was kept. @returns the port */
  async listen({ port, keep }: Place): Promise<number> {
    if (keep !== undefined) {
      this.#kept = new KeptState(keep);
      const state = this.#kept.read();
      if (state !== null) this.#served.restore(state);
    }
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening on TCP');
    return address.port;
  }

  /** Ends it; connections that are open are broken off. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    const text = Buffer.concat(parts).toString();
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const method = request.method ?? 'GET';
    if (!url.pathname.startsWith(`${CONTROL}/`)) {
      if (this.#echo !== null) return echoed(request, response, this.#echo);
      await this.#served.serve({ method, url, text, request }, response);
      // Queries of GraphQL and searches come as POST, too; where nothing changed nothing is written.
      if (method !== 'GET' && method !== 'HEAD') this.#kept?.write(this.#served.state());
      return;
    }
    const { status, body } = this.#control(`${method} ${url.pathname.slice(CONTROL.length)}`, text);
    response.writeHead(status, JSON_TYPE).end(JSON.stringify(body));
  }

  /** 200 with JSON, 400 for a body that is not as agreed, 404 for what there is not. */
  #control(what: string, text: string): { status: number; body: unknown } {
    try {
      const body = this.#act(what, text === '' ? {} : JSON.parse(text));
      if (body === undefined) return { status: 404, body: { error: `no control ${what}` } };
      return { status: 200, body };
    } catch (error) {
      // Whatever went wrong here, the caller of the control surface is the one who must read it.
      if (!(error instanceof Error)) throw error;
      return { status: 400, body: { error: error.message } };
    }
  }

  #act(what: string, input: unknown): unknown {
    const { log, faults, faultSchema, seedSchema, reseed, control } = this.#served;
    switch (what) {
      case 'GET /requests':
        return log;
      case 'DELETE /requests':
        log.length = 0;
        return {};
      case 'POST /faults':
        faults.add(faultSchema.parse(input));
        return {};
      case 'PUT /echo':
        this.#echo = echoSchema.parse(input).status;
        return {};
      case 'DELETE /faults':
        faults.clear();
        return {};
      case 'PUT /seed':
        reseed(seedSchema.parse(input));
        faults.clear();
        log.length = 0;
        return {};
      default:
        return control(what, input);
    }
  }
}

/**
 * Sends an answer, or as much of it as the fault lets through.
 * @returns the bytes of the body that were sent; null when the connection ended without a status
 */
export function deliver(
  response: ServerResponse,
  { status, headers, body }: Answer,
  fault: string | undefined,
): number | null {
  if (fault === 'lost-answer') {
    breakOff(response);
    return null;
  }
  const data = Buffer.from(body);
  const empty = status === 204 || status === 304;
  response.writeHead(status, {
    ...headers,
    ...(empty ? {} : { 'content-length': String(data.length) }),
  });
  const head = response.req.method === 'HEAD';
  if (fault === 'cut-body') {
    const half = data.subarray(0, Math.floor(data.length / 2));
    response.write(half, () => breakOff(response));
    return half.length;
  }
  response.end(head ? undefined : data);
  return head ? 0 : data.length;
}

/** Ends the connection, whatever was to come on it. */
export function breakOff(response: ServerResponse): void {
  response.req.socket.destroy();
}

/** A fault of the stand-in itself: whoever runs the test must read it, in the words of any service. */
function failed(response: ServerResponse, error: unknown): void {
  const message = `the stand-in is wrong: ${error instanceof Error ? error.message : String(error)}`;
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  if (!response.headersSent) response.writeHead(500, JSON_TYPE);
  const notion = { object: 'error', status: 500, code: 'stand_in_is_wrong' };
  response.end(JSON.stringify({ ...notion, message, errors: [{ message }] }));
}
