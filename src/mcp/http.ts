/** MCP over streamable HTTP, on loopback alone: each client has a session of the protocol, all have one world. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** A server that listens. */
export interface McpHttp {
  url: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** The largest message that is read. Bytes. */
const LARGEST_MESSAGE = 16 * 1024 * 1024;

/**
 * @param port 0 takes a free one
 * @param serve makes the server of one client
 */
export async function serveHttp(port: number, serve: () => Server): Promise<McpHttp> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const http = createServer((request, response) => {
    handle(request, response).catch((error: Error) => refuse(response, 500, error.message));
  });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const address = http.address() as AddressInfo;
    // A page in the user's browser may reach loopback: it names itself, or a host of its own.
    if (request.headers.origin !== undefined || !isOwnHost(request.headers.host, address.port)) {
      return refuse(response, 403, 'only programs on this machine are served');
    }
    if (request.url !== '/mcp') return refuse(response, 404, 'the address is /mcp');
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? transports.get(id) : undefined;
    if (id !== undefined && known === undefined) return refuse(response, 404, 'no such session');
    const body = request.method === 'POST' ? await readJson(request) : undefined;
    const transport = known ?? (await connect());
    await transport.handleRequest(request, response, body);
  };
  const connect = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        transports.set(id, transport);
      },
      onsessionclosed: (id) => {
        transports.delete(id);
      },
    });
    await serve().connect(transport as Parameters<Server['connect']>[0]);
    return transport;
  };
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(http.address() as AddressInfo).port}/mcp`,
    close: async () => {
      await Promise.all([...transports.values()].map((transport) => transport.close()));
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

const isOwnHost = (host: string | undefined, port: number): boolean =>
  host === `${HOST}:${port}` || host === `localhost:${port}`;

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > LARGEST_MESSAGE) throw new Error('the message is too large');
    chunks.push(chunk as Buffer);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }));
}
