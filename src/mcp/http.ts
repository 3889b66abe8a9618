/**
 * MCP over streamable HTTP, on loopback alone, for whoever has the token: other
 * users of the machine, and pages in a browser, reach loopback, too. Each client
 * has a session of the protocol, all have one world.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { HTTP_LIMITS, type HttpLimits, HttpRefusal } from './http-limits.ts';
import { type HttpSession, HttpSessions } from './http-sessions.ts';
import { newToken, requireToken } from './http-token.ts';

/** A server that listens. */
export interface McpHttp {
  url: string;
  /** What a client has to send: `Authorization: Bearer TOKEN`. */
  token: string;
  close(): Promise<void>;
}

export interface McpHttpOptions {
  /** One is made unless it is given. */
  token?: string | undefined;
  limits?: Partial<HttpLimits>;
  /** The clock, ms since the epoch. */
  now?: () => number;
}

const HOST = '127.0.0.1';
/** How often connections are looked at that are too slow, in ms. */
const SLOW_CHECK_MS = 1_000;

/**
 * @param port 0 takes a free one
 * @param serve makes the server of one client
 */
export async function serveHttp(
  port: number,
  serve: () => Server,
  options: McpHttpOptions = {},
): Promise<McpHttp> {
  const { token = newToken() } = options;
  const limits = { ...HTTP_LIMITS, ...options.limits };
  const sessions = new HttpSessions(serve, limits, options.now ?? Date.now);
  let requests = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    refuseOthers(request, (http.address() as AddressInfo).port);
    requireToken(request.headers.authorization, token);
    // A stream of events stays open, and costs next to nothing.
    if (request.method === 'GET') return answer(request, response);
    if (requests >= limits.requests) {
      throw new HttpRefusal(
        503,
        `${limits.requests} requests are under way, and no more at once: try again`,
        { headers: { 'retry-after': '1' } },
      );
    }
    requests++;
    response.once('close', () => {
      requests--;
    });
    return answer(request, response);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = request.method === 'POST' ? await readJson(request, limits.bodyBytes) : undefined;
    const session = await sessionOf(sessions, request, body);
    sessions.use(session, response);
    await session.transport.handleRequest(request, response, body);
  };
  const http = createServer(
    {
      headersTimeout: limits.headMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(SLOW_CHECK_MS, limits.headMs),
    },
    (request, response) => {
      handle(request, response).catch((error: unknown) => refuse(request, response, error));
    },
  );
  http.maxConnections = limits.connections;
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(http.address() as AddressInfo).port}/mcp`,
    token,
    close: async () => {
      await sessions.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** @throws HttpRefusal 403, 404 */
function refuseOthers({ headers, url }: IncomingMessage, port: number): void {
  // A page in the user's browser may reach loopback: it names itself, or a host of its own.
  if (headers.origin !== undefined || !isOwnHost(headers.host, port))
    throw new HttpRefusal(403, 'only programs on this machine are served');
  if (url !== '/mcp') throw new HttpRefusal(404, 'the address is /mcp');
}

const isOwnHost = (host: string | undefined, port: number): boolean =>
  host === `${HOST}:${port}` || host === `localhost:${port}`;

/** The session that a request names, or a new one for a client that begins. @throws HttpRefusal */
async function sessionOf(
  sessions: HttpSessions,
  { headers }: IncomingMessage,
  body: unknown,
): Promise<HttpSession> {
  const id = headers['mcp-session-id'];
  if (typeof id === 'string') return sessions.get(id);
  const messages = Array.isArray(body) ? body : [body];
  if (messages.some(isInitializeRequest)) return sessions.begin();
  throw new HttpRefusal(400, 'a client begins with initialize, and then names its session');
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
