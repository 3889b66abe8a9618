/** A small service for a test: JSON in, JSON out, on loopback. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** @param answer the status and the body for a request; its own body is null where it has none */
export async function serveJson(
  answer: (request: IncomingMessage, body: unknown) => readonly [number, unknown],
): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const hasBody = Number(request.headers['content-length'] ?? 0) > 0;
    const [status, data] = answer(request, hasBody ? await json(request) : null);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(data));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
