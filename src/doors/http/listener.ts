/**
 * A door over HTTP, on loopback alone, for whoever has a token: other users of
 * the machine, and pages in a browser, reach loopback, too. What a client sends
 * is bounded before it is looked at; the door gets requests as the web has them.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Principal } from '../principal.ts';
import { type Admission, authenticate, countOf, isAdmitted, scopesOf } from './admission.ts';
import { type HttpLimits, HttpRefusal, Share } from './limits.ts';

/** A request whose sender is known. */
export interface Incoming {
  request: Request;
  principal: Principal;
  /** The client among others. */
  client: string;
  /** Of a POST, parsed. */
  body: unknown;
  /** It is a stream that stays open, and does not count as a request under way. */
  isStream(): void;
  /** Called once, when it is over: its answer was sent, or its client has gone. */
  onEnd(listener: () => void): void;
}

export interface ListenerOptions {
  clients: Admission;
  limits: HttpLimits;
  /** Answers a request, or throws an HttpRefusal. */
  handle(incoming: Incoming): Promise<Response>;
}

/** A server that listens. */
export interface Listener {
  url: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const PATH = '/mcp';
const METADATA = `/.well-known/oauth-protected-resource`;
/** How often connections are looked at that are too slow, in ms. */
const SLOW_CHECK_MS = 1_000;
/** How often it is looked whether those who are answered may be there still, in ms. */
const LOOK_MS = 1_000;

/** @param port 0 takes a free one */
export async function listen(port: number, options: ListenerOptions): Promise<Listener> {
  const { limits, clients } = options;
  const underWay = new Share(
    limits.requests,
    () => countOf(clients),
    (most) =>
      new HttpRefusal(503, `${most} requests are under way, and no more at once: try again`, {
        headers: { 'retry-after': '1' },
      }),
  );
  const open = new Set<{ principal: Principal; response: ServerResponse }>();
  // Who may not come in any more hears no more, either.
  const looking = setInterval(() => {
    for (const { principal, response } of open)
      if (!isAdmitted(clients, principal)) response.destroy();
  }, LOOK_MS).unref();
  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const origin = `http://${HOST}:${(http.address() as AddressInfo).port}`;
    refuseOthers(message, origin);
    const { url = '' } = message;
    if (url === METADATA || url === `${METADATA}${PATH}`)
      return sendMetadata(response, origin, clients);
    if (url !== PATH)
      throw new HttpRefusal(
        404,
        `the address is ${PATH}, without a query: a token is sent in a header, and in no address`,
      );
    const { authorization } = message.headers;
    const resource = { url: `${origin}${PATH}`, metadata: `${origin}${METADATA}${PATH}` };
    const principal = await authenticate(authorization, clients, resource);
    const client = JSON.stringify(principal);
    // A stream of events stays open, and costs next to nothing.
    const release = message.method === 'GET' ? () => undefined : underWay.take(client);
    const ended = new AbortController();
    const answered = { principal, response };
    open.add(answered);
    response.once('close', () => {
      open.delete(answered);
      release();
      ended.abort();
    });
    const body = message.method === 'POST' ? await readJson(message, limits.bodyBytes) : undefined;
    const request = new Request(`${origin}${PATH}`, {
      method: message.method ?? 'GET',
      headers: headersOf(message),
      signal: ended.signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await options.handle({
      request,
      principal,
      client,
      body,
      isStream: release,
      onEnd: (listener) => ended.signal.addEventListener('abort', listener, { once: true }),
    });
    await send(response, answer);
  };
  const http = createServer(
    {
      headersTimeout: limits.headMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(SLOW_CHECK_MS, limits.headMs),
    },
    (message, response) => {
      serve(message, response).catch((error: unknown) => refuse(message, response, error));
    },
  );
  http.maxConnections = limits.connections;
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(http.address() as AddressInfo).port}${PATH}`,
    close: async () => {
      clearInterval(looking);
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** @throws HttpRefusal 403 */
function refuseOthers({ headers }: IncomingMessage, own: string): void {
  const port = own.slice(own.lastIndexOf(':'));
  // A page in the user's browser may reach loopback: it names where it came from, or a host of its own.
  const isOwn = [`${HOST}${port}`, `localhost${port}`].includes(headers.host ?? '');
  if (isOwn && (headers.origin === undefined || LOCAL.test(headers.origin))) return;
  throw new HttpRefusal(403, 'only programs on this machine are served');
}

/** A page that a program of this machine serves; it needs a token all the same. */
const LOCAL = /^https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/;

/** What this server is, to clients of OAuth (RFC 9728): its tokens are sent in a header, and whose they are. */
function sendMetadata(response: ServerResponse, origin: string, clients: Admission): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const metadata = {
    resource: `${origin}${PATH}`,
    resource_name: 'Dirigent',
    bearer_methods_supported: ['header'],
    ...(clients.issuer === null
      ? {}
      : { authorization_servers: [clients.issuer.url], scopes_supported: scopesOf(clients) }),
  };
  response.end(JSON.stringify(metadata));
}

function headersOf({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    // A token is for nobody behind this door, and the body was read.
    value === undefined || name === 'authorization' || name === 'content-length'
      ? []
      : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
}

/** @throws HttpRefusal 413, 400 */
async function readJson(request: IncomingMessage, most: number): Promise<unknown> {
  const tooLarge = new HttpRefusal(413, `a message has ${most} bytes at most`);
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A request that is not read to its end can still be answered.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > most) throw tooLarge;
    chunks.push(chunk as Buffer);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    throw new HttpRefusal(400, `the message is no JSON: ${error.message}`, { code: -32_700 });
  }
}

async function send(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) {
    response.end();
    return;
  }
  response.flushHeaders();
  try {
    await pipeline(Readable.fromWeb(answer.body as ReadableStream), response);
  } catch (error) {
    // Whoever has gone reads no more.
    if (!response.destroyed) throw error;
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { status, message, headers, code } =
    error instanceof HttpRefusal
      ? error
      : new HttpRefusal(500, error instanceof Error ? error.message : String(error));
  // What is still to come of the request is not read.
  const close = request.complete ? {} : { connection: 'close' };
  response.writeHead(status, { 'content-type': 'application/json', ...headers, ...close });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
}
