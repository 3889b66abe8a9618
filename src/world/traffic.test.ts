/** What the mounts do for a call, and the requests that they send for it. */
import { channel } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { Traffic, type TrafficEvent } from './traffic.ts';

/** A request of Node's client, told as it tells of them. */
function request(path: string) {
  const told = { origin: 'http://h', path, method: 'GET' };
  const tell = (name: string, more = {}): void =>
    channel(`undici:request:${name}`).publish({ request: told, ...more });
  return {
    create: () => tell('create'),
    headers: (statusCode: number) => tell('headers', { response: { statusCode } }),
    end: () => tell('trailers'),
    fail: (error: unknown) => tell('error', { error }),
  };
}

function watch(traffic = new Traffic()) {
  const events: TrafficEvent[] = [];
  const call = traffic.begin((event) => events.push(event));
  const kinds = (): string[] => events.map(({ kind }) => kind);
  return { traffic, call, events, kinds };
}

test('a call is told of each mount that it comes to, of its requests, and how they ended', async () => {
  const { call, events } = watch();
  await call.around('/mnt/a', async () => {
    const [one, two] = [request('/1'), request('/2')];
    one.create();
    two.create();
    one.headers(200);
    one.end();
    one.end();
    two.fail(new Error('gone'));
  });
  await call.around('/mnt/a', async () => {
    const three = request('/3');
    three.create();
    three.fail('odd');
  });
  call.end();
  call.end();
  const at = expect.any(Number) as number;
  const [mount, method] = ['/mnt/a', 'GET'];
  expect(events).toEqual([
    { kind: 'mount', mount, at },
    { kind: 'request', key: 1, mount, at, method, url: 'http://h/1' },
    { kind: 'request', key: 2, mount, at, method, url: 'http://h/2' },
    { kind: 'request-end', key: 1, at, status: 200 },
    { kind: 'request-end', key: 2, at, error: 'gone' },
    { kind: 'request', key: 3, mount, at, method, url: 'http://h/3' },
    { kind: 'request-end', key: 3, at, error: 'odd' },
    { kind: 'mount-end', mount, at, operations: 2 },
  ]);
  const times = events.map((event) => event.at);
  expect(times.slice(0, -1)).toEqual(times.slice(0, -1).toSorted((a, b) => a - b));
  expect(Math.abs((times[0] ?? 0) - Date.now())).toBeLessThan(60_000);
});

test('requests of nobody, of another call, and of a call that has ended are not told', async () => {
  const { traffic, call, kinds } = watch();
  const other = watch(traffic);
  request('/nobody').create();
  await other.call.around('/mnt/b', async () => request('/b').create());
  const late = request('/late');
  await call.around('/mnt/a', async () => {
    late.create();
    call.end();
    request('/after').create();
  });
  late.end();
  expect(kinds()).toEqual(['mount', 'request', 'mount-end']);
  expect(other.kinds()).toEqual(['mount', 'request']);
  other.call.end();
  expect(other.kinds()).toEqual(['mount', 'request', 'mount-end']);
});

test('nobody listens to Node’s client but while a call is watched', async () => {
  const before = channel('undici:request:create').hasSubscribers;
  const { traffic, call } = watch();
  const other = watch(traffic).call;
  const { hasSubscribers } = channel('undici:request:create');
  call.end();
  const still = channel('undici:request:create').hasSubscribers;
  other.end();
  expect([hasSubscribers, still, channel('undici:request:create').hasSubscribers]).toEqual([
    true,
    true,
    before,
  ]);
});

test('what an operation gives, or fails with, is the caller’s', async () => {
  const { call } = watch();
  expect(await call.around('/mnt/a', async () => 7)).toBe(7);
  await expect(call.around('/mnt/a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  call.end();
});
