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

test('whatever bytes are sent as an address or a body are refused as what they are, and fail nothing', async () => {
  const { client, service } = serve(deployed(), { url: 'http://127.0.0.1:1/v1' });
  const { token } = client('olga', 'owner');
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => void faults.push(error);
  const server = await serveHttp({ service, host: '127.0.0.1', port: 0, onFault });
  onTestFinished(() => server.close());
  const authorization = `Bearer ${token}`;
  const json = { authorization, 'content-type': 'application/json' };
  const bodies: [
    body: string | Uint8Array<ArrayBuffer>,
    statuses: number[],
    headers?: Record<string, string>,
  ][] = [
    ['', [400]],
    ['{"agent":', [400]],
    ['null', [400]],
    ['[]', [400]],
    [`${'['.repeat(200_000)}${']'.repeat(200_000)}`, [400]],
    [`{"__proto__": {"agent": "x"}}`, [201, 400]],
    ['{"agent": "a", "agent": "b"}', [201, 400, 403, 404]],
    ['{"agent": "\\ud800"}', [400]],
    ['{"agent": "a\\u0000b"}', [400]],
    [new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), [400]],
    ['{}', [400, 415], { authorization, 'content-type': 'text/plain' }],
    ['{}', [400, 415], { authorization, 'content-type': 'application/x-www-form-urlencoded' }],
    ['{}', [400, 415], { authorization, 'content-type': 'multipart/form-data; boundary=x' }],
    ['{}', [201, 400, 415], { authorization, 'content-type': 'application/json; charset=utf-16' }],
    ['{}', [201], { ...json, 'x-http-method-override': 'DELETE' }],
  ];
  for (const [body, statuses, headers = json] of bodies) {
    const sent = await fetch(`${server.url}/v1/sessions`, { method: 'POST', headers, body });
    const about = [String(body).slice(0, 40), headers['content-type'], await sent.text()];
    expect([...about, statuses.includes(sent.status), sent.status]).toEqual([
      ...about,
      true,
      sent.status,
    ]);
  }
  const addresses = [
    '/v1/files?path=%ff',
    '/v1/files?path=/%E0%A4%A',
    '/v1/files?path=/a&path=/b',
    '/v1/files?path=%2f%00',
    '/v1/files?path[]=/',
    '/v1/sessions/%ff',
    '/v1/sessions/%',
    '/v1/sessions?limit=1e400',
    `/v1/search?query=${'a'.repeat(15_000)}`,
    '/v1/sessions/..%2f..%2fetc%2fpasswd/entries',
    '//v1/sessions',
    '/v1/sessions/',
    '/console/%ff',
  ];
  for (const address of addresses) {
    const { status } = await fetch(`${server.url}${address}`, { headers: { authorization } });
    expect([address, status >= 400 && status < 500, status]).toEqual([address, true, status]);
  }
  for (const method of ['PUT', 'PATCH', 'OPTIONS', 'HEAD', 'PROPFIND']) {
    const { status } = await fetch(`${server.url}/v1/sessions`, {
      method,
      headers: { authorization },
    });
    expect([method, status]).toEqual([method, method === 'HEAD' ? 200 : 404]);
  }
  expect(faults).toEqual([]);
});
