import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { expect, test } from 'vitest';
import type { ToolCallFacts } from '../policy/gate.ts';
import type { NetworkRequest } from '../shell/command.ts';
import { allowedFor, parseAllowed, privateAddresses } from './allowed-hosts.ts';
import { createNetwork } from './network.ts';

const rows = (...texts: string[]) => texts.flatMap((text) => parseAllowed(text) ?? []);
const ALLOW = { decision: 'allow', rule: '', reason: '' } as const;

test.each([
  ['https://api.example.com/x', ['api.example.com'], true],
  ['http://api.example.com/x', ['api.example.com'], true],
  ['http://api.example.com/x', ['https://api.example.com'], false],
  ['https://API.example.com./x', ['api.example.com'], true],
  ['https://evil-example.com/', ['*.example.com'], false],
  ['https://example.com/', ['*.example.com'], false],
  ['https://a.b.example.com/', ['*.example.com'], true],
  ['https://example.com:8443/', ['example.com'], false],
  ['https://example.com:8443/', ['example.com:8443'], true],
  ['https://example.com@evil.com/', ['example.com'], false],
  ['https://evil.com/example.com', ['example.com'], false],
  ['http://0x7f.1/', ['127.0.0.1'], true],
  ['http://[::ffff:127.0.0.1]/', ['[::ffff:127.0.0.1]'], true],
  ['http://[::ffff:127.0.0.1]/', ['127.0.0.1'], false],
])('%s with %j is allowed: %s', (url, allow, expected) => {
  expect(allowedFor(new URL(url), rows(...allow)) !== undefined).toBe(expected);
});

test.each(['', 'a b', 'http://', 'a/b', '*', 'https://a.com/path', 'a.*.com'])(
  '%j names no host',
  (text) => {
    expect(parseAllowed(text)).toBeNull();
  },
);

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '169.254.169.254',
  '192.168.0.1',
  '172.31.0.1',
  '100.64.0.1',
  '0.0.0.0',
  '::1',
  '::ffff:127.0.0.1',
  'fd00::1',
  'fe80::1',
  '224.0.0.1',
])('%s is private', (address) => {
  expect(privateAddresses()(address)).toBe(true);
});

test.each(['93.184.216.34', '8.8.8.8', '2606:4700::1111', '172.32.0.1'])(
  '%s is public',
  (address) => {
    expect(privateAddresses()(address)).toBe(false);
  },
);

/** A server on loopback, and what it was asked. */
async function serving(work: (port: number, seen: string[]) => Promise<void>): Promise<void> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end('ok');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    await work((server.address() as AddressInfo).port, seen);
  } finally {
    server.close();
  }
}

const get = (url: string): NetworkRequest => ({
  method: 'GET',
  url,
  headers: [],
  body: null,
  timeoutMs: 10_000,
});

test('a name that leads to a private address is refused, and one that changes its mind is not asked again', async () => {
  await serving(async (port, seen) => {
    const asked: string[] = [];
    const network = createNetwork({
      allow: [`inside.example:${port}`],
      permit: async () => ALLOW,
      noteRead: () => undefined,
      resolve: (name, _options, callback) => {
        asked.push(name);
        callback(null, [{ address: '127.0.0.1', family: 4 }]);
      },
    });
    await expect(network?.ask(get(`http://inside.example:${port}/`))).rejects.toThrow(
      'leads to a private address',
    );
    expect([asked, seen]).toEqual([['inside.example'], []]);
  });
});

test('what the gate refuses is not sent; what sends something is no reading', async () => {
  await serving(async (port, seen) => {
    const calls: ToolCallFacts[] = [];
    const network = createNetwork({
      allow: [`127.0.0.1:${port}`],
      permit: async (call) => {
        calls.push(call);
        return call.readOnly ? ALLOW : { decision: 'deny', rule: 'a rule', reason: 'ask first' };
      },
      noteRead: () => undefined,
    });
    const url = `http://127.0.0.1:${port}/x`;
    expect((await network?.ask(get(url)))?.body.toString()).toBe('ok');
    const post = { ...get(url), method: 'POST', body: Buffer.from('secret') };
    await expect(network?.ask(post)).rejects.toThrow('a rule: ask first');
    expect(seen).toEqual(['/x']);
    expect(calls.map(({ name, readOnly }) => [name, readOnly])).toEqual([
      ['network', true],
      ['network', false],
    ]);
    expect(calls[1]?.input).toContain('secret');
  });
});

test.each<[string, Partial<NetworkRequest>]>([
  ['a header of two lines', { headers: [['X-A', 'a\r\nX-B: b']] }],
  ['a name of a header with a blank', { headers: [['X A', 'a']] }],
  ['a method that brings a path', { method: 'GET /other HTTP/1.1\r\nX:' }],
  ['a time limit that is no number', { timeoutMs: Number.NaN }],
])('%s is refused before anybody is asked or connected to', async (_name, wrong) => {
  await serving(async (port, seen) => {
    let asked = 0;
    const network = createNetwork({
      allow: [`127.0.0.1:${port}`],
      permit: async () => {
        asked += 1;
        return ALLOW;
      },
      noteRead: () => undefined,
    });
    const request = { ...get(`http://127.0.0.1:${port}/`), ...wrong };
    await expect(network?.ask(request)).rejects.toThrow('Malformed request');
    expect([asked, seen]).toEqual([0, []]);
  });
});

test('what the gate is shown has no secret, and is another for another secret or other bytes', async () => {
  await serving(async (port) => {
    const inputs: string[] = [];
    const reads: boolean[] = [];
    const network = createNetwork({
      allow: [`127.0.0.1:${port}`],
      permit: async ({ input, readOnly }) => {
        inputs.push(input);
        reads.push(readOnly);
        return { decision: 'deny', rule: 'a rule', reason: 'no' };
      },
      noteRead: () => undefined,
    });
    const url = `127.0.0.1:${port}/x`;
    const asks = (request: Partial<NetworkRequest>) =>
      expect(network?.ask({ ...get(`http://${url}`), ...request })).rejects.toThrow('a rule');
    await asks({
      headers: [
        ['X-Api-Key', 'hush1'],
        ['X-Account', 'mine'],
      ],
    });
    await asks({
      headers: [
        ['X-Api-Key', 'hush2'],
        ['X-Account', 'mine'],
      ],
    });
    await asks({ url: `http://me:hush@${url}` });
    await asks({ method: 'POST', body: Buffer.from([0xff]) });
    await asks({ method: 'POST', body: Buffer.from([0xfe]) });
    await asks({ headers: [['X-HTTP-Method-Override', 'DELETE']] });
    expect(inputs.join()).not.toContain('hush');
    expect(inputs[0]).toContain('X-Account: mine');
    expect(new Set(inputs).size).toBe(inputs.length);
    expect(reads).toEqual([true, true, true, false, false, false]);
  });
});

test('headers that say where a request ends are ours, and a long time limit is no short one', async () => {
  await serving(async (port) => {
    const network = createNetwork({
      allow: [`127.0.0.1:${port}`],
      permit: async () => ALLOW,
      noteRead: () => undefined,
    });
    const answer = await network?.ask({
      ...get(`http://127.0.0.1:${port}/`),
      method: 'POST',
      headers: [
        ['Transfer-Encoding', 'chunked'],
        ['content-length', '1'],
      ],
      body: Buffer.from('abc'),
      timeoutMs: 1e300,
    });
    expect(answer?.status).toBe(200);
  });
});

test('a host that is not understood has been read all the same: what is told may quote it', async () => {
  const server = createTcpServer((socket) => socket.end('no HTTP\r\n\r\n'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const read: string[] = [];
  const network = createNetwork({
    allow: [host],
    permit: async () => ALLOW,
    noteRead: (url) => read.push(url),
  });
  await expect(network?.ask(get(`http://${host}/`))).rejects.toMatchObject({ kind: 'other' });
  server.close();
  expect(read).toEqual([`http://${host}`]);
});
