/** Streams of events: who is put out hears no more, nobody keeps others out, and they last through proxies. */
import { Agent, get, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { serveHttp } from '../../src/serve/http/server.ts';
import type { EventStreamsOptions } from '../../src/serve/http/streams.ts';
import { csrfOf } from '../../src/serve/principals.ts';
import { begun, deployed, type Served, serve } from './support.ts';

/** Nothing is asked of a model here. */
const NO_MODEL = { url: 'http://127.0.0.1:1/v1' };
/** A busy machine is no failure. */
const PATIENT = { timeout: 50_000 };

/** The same deployment on a port. */
async function onPort(
  { service }: Served,
  streams: Omit<EventStreamsOptions, 'onFault'> = {},
): Promise<{ url: string; faults: unknown[] }> {
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => void faults.push(error);
  const server = await serveHttp({ service, host: '127.0.0.1', port: 0, onFault, streams });
  onTestFinished(() => server.close());
  return { url: server.url, faults };
}

/** Opens a stream; its answer is there once its head is. */
const opened = (
  url: string,
  headers: Record<string, string>,
  agent?: Agent,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = get(url, { headers, ...(agent === undefined ? {} : { agent }) }, resolve);
    request.once('error', reject);
    onTestFinished(() => void request.destroy());
  });

const bearer = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });

/** Has the server ended it? */
const hasEnded = (response: IncomingMessage): (() => boolean) => {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  // Cut off, it ends with an error and without an end.
  response.resume().once('error', over).once('end', over);
  return () => isOver;
};

test('whoever was put out, has logged out, or has another role now, is told nothing more; others are', async () => {
  const served = serve(deployed(), NO_MODEL);
  const { service, client } = served;
  const { url } = await onPort(served, { lookMs: 10 });
  const olga = client('olga', 'owner');
  const { id } = await begun(olga);
  const events = `${url}/v1/sessions/${id}/events?after=start`;
  const [vera, ada] = [client('vera', 'viewer'), client('ada', 'approver')];
  const { cookie } = service.principals.newCookie({ actor: 'olga', role: 'owner', agent: null });
  const page = { cookie: `dirigent=${cookie}` };
  const streams = [
    hasEnded(await opened(events, bearer(vera))),
    hasEnded(await opened(events, bearer(ada))),
    hasEnded(await opened(events, page)),
    hasEnded(await opened(events, bearer(olga))),
  ];
  const ended = (): boolean[] => streams.map((each) => each());
  expect(service.feeds.size).toBe(4);
  expect(ended()).toEqual([false, false, false, false]);
  service.principals.remove('vera');
  await expect.poll(ended, PATIENT).toEqual([true, false, false, false]);
  service.principals.remove('ada');
  service.principals.add('ada', 'viewer');
  await expect.poll(ended, PATIENT).toEqual([true, true, false, false]);
  const left = await fetch(`${url}/v1/logout`, {
    method: 'POST',
    headers: { ...page, 'x-csrf-token': csrfOf(cookie) },
  });
  expect(left.status).toBe(200);
  await expect.poll(ended, PATIENT).toEqual([true, true, true, false]);
  await expect.poll(() => service.feeds.size, PATIENT).toBe(1);
});

test('two callers with all the streams that there are keep nobody out, and one of them alone cannot have all', async () => {
  const served = serve(deployed(), NO_MODEL);
  const { service, client } = served;
  const { url } = await onPort(served);
  const [olga, otto] = [client('olga', 'owner'), client('otto', 'owner')];
  const { id } = await begun(olga);
  const events = `${url}/v1/sessions/${id}/events`;
  const statuses = async (who: { token: string }, count: number): Promise<number[]> =>
    Promise.all(
      Array.from(
        { length: count },
        async () => (await opened(events, bearer(who))).statusCode ?? 0,
      ),
    );
  const first = await statuses(olga, 130);
  expect(first.filter((status) => status === 200)).toHaveLength(128);
  expect(first.filter((status) => status === 429)).toHaveLength(2);
  const second = await statuses(otto, 128);
  expect(second.every((status) => status === 200)).toBe(true);
  expect(service.feeds.size).toBe(256);
  // Whoever only asks finds a socket, and a stream that was given back is another's.
  expect((await fetch(`${url}/health`)).status).toBe(200);
  const vera = client('vera', 'viewer');
  expect((await fetch(`${url}/v1/sessions/${id}`, { headers: bearer(vera) })).status).toBe(200);
  expect((await opened(events, bearer(vera))).statusCode).toBe(429);
  service.principals.remove('otto');
  await expect.poll(() => service.feeds.size, PATIENT).toBe(128);
  expect((await opened(events, bearer(vera))).statusCode).toBe(200);
});

test('sockets outlive those of proxies, a stream beats, and says that it is to be passed on as it comes', async () => {
  const served = serve(deployed(), NO_MODEL);
  const { url } = await onPort(served, { beatMs: 5 });
  const olga = served.client('olga', 'owner');
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const health = await opened(`${url}/health`, {}, agent);
  // Caddy keeps those that it has for two minutes, Traefik for 90 s, nginx for 60 s.
  const [, seconds = '0'] = /timeout=(\d+)/.exec(String(health.headers['keep-alive'])) ?? [];
  expect(Number(seconds)).toBeGreaterThan(120);
  const { id } = await begun(olga);
  const stream = await opened(`${url}/v1/sessions/${id}/events`, bearer(olga));
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'x-accel-buffering': 'no',
    'cache-control': 'no-cache',
  });
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await expect.poll(() => text.split(': \n\n').length, PATIENT).toBeGreaterThan(3);
});

test('whoever reads nothing for a while is followed no longer, and holds nothing', async () => {
  const served = serve(deployed(), NO_MODEL);
  const { service, client } = served;
  const { url, faults } = await onPort(served, { beatMs: 5 });
  const olga = client('olga', 'owner');
  const { id } = await begun(olga);
  const stream = await opened(`${url}/v1/sessions/${id}/events`, bearer(olga));
  stream.pause();
  expect(service.feeds.size).toBe(1);
  const text = 'x'.repeat(1_000_000);
  // More than the sockets between the two hold.
  for (let sent = 0; sent < 100 && service.feeds.size > 0; sent++) {
    service.feeds.publish(id, { type: 'text-delta', transient: true, text });
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => service.feeds.size, PATIENT).toBe(0);
  expect(faults).toEqual([]);
});
