/** The API on a port. TLS is left to a proxy in front of it. */

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { HTTP_LIMITS } from '../../doors/http/limits.ts';
import { type AppOptions, createApp } from './app.ts';
import { STREAMS } from './streams.ts';

export interface ServerOptions extends Omit<AppOptions, 'isOpen'> {
  host: string;
  /** 0 takes a free one. */
  port: number;
}

/** A server that listens. */
export interface HttpServer {
  url: string;
  /** Ends the streams, and what is under way. */
  close(): Promise<void>;
}

/**
 * A socket that nobody uses is kept for longer than proxies keep theirs (nginx 60 s, Traefik 90 s,
 * Caddy 120 s): one that is closed here while a proxy sends over it is a request that fails.
 */
const IDLE_MS = 130_000;
/** Sockets at once: each stream has one, and whoever only asks finds one beside them. */
const CONNECTIONS = 4 * STREAMS;

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1']);

/** Is it an address that this machine alone reaches? */
export const isLoopback = (host: string): boolean => LOOPBACK.has(host);

/** @throws the error of the host, such as EADDRINUSE */
export async function serveHttp({ host, port, ...options }: ServerOptions): Promise<HttpServer> {
  const app = createApp({ ...options, isOpen: !isLoopback(host) });
  const { headMs, requestMs } = HTTP_LIMITS;
  const server = createServer(
    { headersTimeout: headMs, requestTimeout: requestMs, keepAliveTimeout: IDLE_MS },
    getRequestListener(
      (request, { outgoing }) =>
        app.fetch(plain(request), { outgoing: outgoing as ServerResponse }),
      { overrideGlobalObjects: false },
    ),
  );
  server.maxConnections = CONNECTIONS;
  await listening(server, host, port);
  const { port: taken } = server.address() as AddressInfo;
  const named = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${named}:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Of a request whose length is not known, such as DELETE, another one is made where bodies are
 * limited; of the kind that comes from a socket none can be made.
 */
function plain(request: Request): Request {
  const { url, method, headers, signal } = request;
  if (method === 'GET' || method === 'HEAD' || headers.has('content-length')) return request;
  const { body } = headers.has('transfer-encoding') ? request : { body: null };
  return new Request(url, { method, headers, signal, body, duplex: 'half' });
}

const listening = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
