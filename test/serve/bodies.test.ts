/** Requests as they come from a socket: without a body, or with one whose length nobody has said. */
import { expect, onTestFinished, test } from 'vitest';
import { HTTP_LIMITS } from '../../src/doors/http/limits.ts';
import { serveHttp } from '../../src/serve/http/server.ts';
import { deployed, serve } from './support.ts';

test('a request without a length is taken like any other, and a body without one is bounded', async () => {
  const { client, service } = serve(deployed(), { url: 'http://127.0.0.1:1/v1' });
  const { token } = client('olga', 'owner');
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => void faults.push(error);
  const server = await serveHttp({ service, host: '127.0.0.1', port: 0, onFault });
  onTestFinished(() => server.close());
  const send = async (method: string, path: string, body?: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const stream = body === undefined ? null : new Blob([body]).stream();
    const init = { method, headers, body: stream, duplex: 'half' as const };
    const response = await fetch(`${server.url}${path}`, init);
    await response.text();
    return response.status;
  };
  const prompt = { name: 'tidy.md', at: '2099-01-01T09:00:00Z', prompt: 'tidy up' };
  expect(await send('POST', '/v1/schedule', JSON.stringify(prompt))).toBe(201);
  expect(await send('DELETE', '/v1/schedule/tidy.md')).toBe(200);
  expect(await send('DELETE', '/v1/schedule/tidy.md')).toBe(404);
  const large = JSON.stringify({ ...prompt, prompt: 'x'.repeat(HTTP_LIMITS.bodyBytes) });
  expect(await send('POST', '/v1/schedule', large)).toBe(413);
  expect(faults).toEqual([]);
});
