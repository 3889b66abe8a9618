// @ts-check
/** A stand-in of the service: it keeps items in memory, and knows nothing of faults. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

export const TOKEN = 'a-token-of-the-stand-in';

/** Starts one on a port of loopback, with two items. */
export async function startFakeServer() {
  let made = 0;
  let clock = Date.parse('2025-01-01T00:00:00Z');
  const items = new Map();
  const put = (fields) => {
    const id = fields.id ?? `i${++made}`;
    clock += 1000;
    const before = items.get(id) ?? { id, title: '', state: 'open', text: '' };
    const item = { ...before, ...fields, id, updatedAt: new Date(clock).toISOString() };
    items.set(id, item);
    return item;
  };
  put({ title: 'First', text: 'The first text' });
  put({ title: 'Second', text: 'The second text' });

  /** What a request is answered with. */
  const answer = (method, id, body, since) => {
    if (id === undefined && method === 'GET')
      return [200, [...items.values()].filter(({ updatedAt }) => updatedAt >= since)];
    if (id === undefined && method === 'POST') {
      const same = [...items.values()].find(({ key }) => key !== undefined && key === body.key);
      return [same === undefined ? 201 : 200, same ?? put(body)];
    }
    if (!items.has(id)) return [404, { error: 'no such item' }];
    if (method === 'GET') return [200, items.get(id)];
    if (method === 'PATCH') return [200, put({ ...body, id })];
    if (method === 'DELETE') return [items.delete(id) ? 200 : 404, null];
    return [405, { error: 'no such method' }];
  };

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
    const [, top, id] = pathname.split('/');
    const body = await text(request);
    const known = request.headers.authorization === `Bearer ${TOKEN}`;
    const [status, value] = !known
      ? [401, { error: 'no such token' }]
      : top !== 'items'
        ? [404, { error: 'no such path' }]
        : answer(
            request.method,
            id,
            body === '' ? {} : JSON.parse(body),
            searchParams.get('since') ?? '',
          );
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    held: () => [...items.values()],
    add: (title) => void put({ title }),
    removeRecord: () => void items.delete('i1'),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve(undefined)));
    },
  };
}
