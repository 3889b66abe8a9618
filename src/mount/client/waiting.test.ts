/** What requests wait for, what they cost, and where they may go. */
import { describe, expect, it } from 'vitest';
import { failed } from '../../../test/support/service-failure.ts';
import { Activity } from '../contract/activity.ts';
import { Flights, Pool } from './flight.ts';
import { Line } from './line.ts';
import { Meter } from './meter.ts';
import { Patience } from './patience.ts';
import { fetchWithinOrigin, type Redirect, withinOrigin } from './redirects.ts';

const NOW = new Date('2026-01-31T10:00:00Z');

describe('patience', () => {
  const never = () => new Promise<void>(() => undefined);

  it('ends before the operation does, and not at all where there is none, or behind it', async () => {
    const patience = new Patience();
    expect(await patience.within(5, () => patience.wait(never()))).toBe('late');
    expect(await patience.within(60_000, () => patience.wait(Promise.resolve()))).toBe('done');
    expect(await patience.wait(Promise.resolve())).toBe('done');
    const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 60));
    const behind = () => patience.behind(() => patience.wait(slow()));
    expect(await patience.within(5, behind)).toBe('done');
  });

  it('leaves a fifth of the time for the answer, and two seconds at most', async () => {
    for (const [ms, least, most] of [
      [100, 0, 81],
      [60_000, 57_000, 58_001],
    ] as const) {
      let asked = 0;
      const realTimeout = globalThis.setTimeout;
      const timeouts = ((run: () => void, wait: number) => {
        asked = wait;
        return realTimeout(run, 0);
      }) as typeof setTimeout;
      globalThis.setTimeout = timeouts;
      const patience = new Patience();
      try {
        expect(await patience.within(ms, () => patience.wait(never()))).toBe('late');
      } finally {
        globalThis.setTimeout = realTimeout;
      }
      expect(asked).toBeGreaterThan(least);
      expect(asked).toBeLessThan(most);
    }
  });

  it('has a moment left past its time for what is there already, and throws what the work throws', async () => {
    const patience = new Patience();
    const broken = Promise.reject(new Error('broken'));
    const past = patience.within(0, async () => patience.wait(Promise.resolve()));
    expect(await past).toBe('done');
    await expect(patience.within(0, () => patience.wait(broken))).rejects.toThrow('broken');
  });
});

describe('a flight', () => {
  it('is joined by whoever asks the same, and the next question flies anew, failed or not', async () => {
    const flights = new Flights();
    const gate = Promise.withResolvers<void>();
    let flown = 0;
    const ask = (key: string) =>
      flights.run(key, () => {
        flown += 1;
        return gate.promise;
      });
    const [one, same, other] = [ask('a'), ask('a'), ask('b')];
    expect(flown).toBe(2);
    gate.resolve();
    await Promise.all([one, same, other]);
    await ask('a');
    expect(flown).toBe(3);
    await expect(flights.run('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    await ask('a');
    expect(flown).toBe(4);
  });

  it('in a pool has a place as long as it lasts: never more than so many at once, failed ones too', async () => {
    const pool = new Pool(2);
    let [running, most] = [0, 0];
    const work = async (fails: boolean) => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running -= 1;
      if (fails) throw new Error('down');
    };
    for (let round = 0; round < 2; round++) {
      const all = Array.from({ length: 6 }, (_, index) => pool.run(() => work(index % 2 === 0)));
      const ended = await Promise.allSettled(all);
      expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(3);
      expect([running, most]).toEqual([0, 2]);
    }
  });
});

it('what runs is shown with the parts that have come, until it ends or fails', async () => {
  const activity = new Activity(() => NOW);
  const shown = { what: 'issues', startedAt: NOW.getTime() };
  await activity.run('issues', async () => {
    expect(activity.list()).toEqual([{ ...shown, done: 0, total: null }]);
    activity.step('issues', 4);
    activity.step('issues', null);
    activity.step('pulls', 9);
    expect(activity.list()).toEqual([{ ...shown, done: 2, total: 4 }]);
    expect(activity.isRunning).toBe(true);
  });
  expect([activity.isRunning, activity.list()]).toEqual([false, []]);
  await expect(activity.run('x', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect(activity.isRunning).toBe(false);
});

it('a meter counts what is asked behind the reads twice: in all, and apart', () => {
  let isBehind = false;
  const meter = new Meter(() => isBehind);
  meter.request(10);
  meter.received(100);
  expect(meter.usage()).toEqual({ requests: 1, bytes: 110, behind: { requests: 0, bytes: 0 } });
  isBehind = true;
  meter.request(1);
  meter.received(2);
  const spent = meter.usage();
  expect(spent).toEqual({ requests: 2, bytes: 113, behind: { requests: 1, bytes: 3 } });
  meter.request(1);
  expect(spent.requests).toBe(2);
  const plain = new Meter(undefined);
  plain.request(5);
  expect(plain.usage().behind).toEqual({ requests: 0, bytes: 0 });
});

/** A line that is answered so, and what was sent on it. */
function lined(answer: (url: string, init: RequestInit) => Response | Promise<Response>) {
  const sent: { url: string; init: RequestInit }[] = [];
  const heard: number[] = [];
  const line = new Line({
    service: 'it',
    token: 't0ken-of-mine',
    secrets: ['another-s3cret'],
    now: () => NOW,
    timeoutMs: 10_000,
    onHeaders: (_headers, offset) => heard.push(offset),
    fetch: async (input, init = {}) => {
      sent.push({ url: String(input), init });
      return answer(String(input), init);
    },
  });
  return { line, sent, heard };
}

describe('a line', () => {
  it('counts bytes of both ways, and repeats no credential', async () => {
    const text = 'it is t0ken-of-mine and another-s3cret';
    const { line } = lined(() => new Response(text));
    const answer = await line.fetch('http://it/x', { method: 'POST', body: 'für' });
    expect(await answer.text()).not.toMatch(/t0ken|s3cret/);
    expect(line.usage()).toMatchObject({ requests: 1, bytes: 4 + text.length });
  });

  it('knows the service’s clock by the last answer that told it', async () => {
    const dates = ['Sat, 31 Jan 2026 10:00:07 GMT', 'no date', null];
    const { line, heard } = lined(() => {
      const date = dates.shift() ?? null;
      return new Response('', { headers: date === null ? {} : { date } });
    });
    expect(line.serverTime(1_000)).toBe(1_000);
    for (let n = 0; n < 3; n++) await line.fetch('http://it/x');
    expect(heard).toEqual([7_000, 7_000, 7_000]);
    expect(line.serverTime(1_000)).toBe(8_000);
  });

  it('fails as the service does: not reached, late, cut, or redirected', async () => {
    const cause = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    const down = lined(() => Promise.reject(new TypeError('fetch failed', { cause })));
    expect(await failed(down.line.fetch('http://it/x'))).toMatchObject({
      kind: 'network',
      unsent: true,
    });
    const late = lined(() => Promise.reject(new DOMException('x', 'TimeoutError')));
    expect((await failed(late.line.fetch('http://it/x'))).message).toContain('within 10 s');
    const cut = new ReadableStream({ pull: (body) => body.error(new Error('cut')) });
    expect(await failed(lined(() => new Response(cut)).line.fetch('http://it/x'))).toMatchObject({
      kind: 'network',
      unsent: false,
    });
    for (const [status, unsent] of [
      [302, true],
      [303, false],
    ] as const) {
      const away = lined(() => new Response('', { status, headers: { location: 'http://b/' } }));
      const failure = await failed(away.line.fetch('http://it/x'));
      expect(failure).toMatchObject({ kind: 'protocol', status, unsent });
      expect(failure.message).toMatch(
        /^it was not asked: it answered 30\d, a redirect to http:\/\/b/,
      );
    }
  });

  it('follows a read elsewhere where it may, without what was sent to the service', async () => {
    const { line, sent } = lined((url) =>
      url.startsWith('http://it/')
        ? new Response('', { status: 307, headers: { location: 'http://b/y' } })
        : new Response('there'),
    );
    const answer = await line.fetchElsewhere('http://it/x', { headers: { 'x-key': 'k' } });
    expect(await answer.text()).toBe('there');
    expect(sent.map(({ url, init }) => [url, init.headers])).toEqual([
      ['http://it/x', { 'x-key': 'k' }],
      ['http://b/y', undefined],
    ]);
    expect(sent[1]?.init.signal).toBeInstanceOf(AbortSignal);
    expect(line.usage().requests).toBe(2);
  });
});

describe('a redirect', () => {
  const answering = (location: string | null, status = 302) => {
    const sent: [string, string | undefined, unknown][] = [];
    const send = (async (input, init) => {
      sent.push([String(input), init?.method, init?.body]);
      const headers: Record<string, string> = location === null ? {} : { location };
      return sent.length > 1 ? new Response('end') : new Response(null, { status, headers });
    }) as typeof fetch;
    return { send, sent };
  };

  it.each([
    ['http://a/y', 'HEAD', 303],
    ['/y', 'GET', 302],
    ['y', 'get', 301],
    ['/y', 'PUT', 307],
    ['/y', 'POST', 308],
    ['/y', 'PUT', 302],
  ])(
    'to %s of a %s with %i is followed within the origin, and looked at before',
    async (...row) => {
      const [location, method, status] = row;
      const { send, sent } = answering(location, status);
      const seen: Redirect[] = [];
      const onRedirect = async (redirect: Redirect) => void seen.push(redirect);
      await fetchWithinOrigin('http://a/x', { method }, { fetch: send, onRedirect });
      expect(sent.map(([url, by]) => [url, by])).toEqual([
        ['http://a/x', method],
        ['http://a/y', method],
      ]);
      expect(seen.map(({ from, to, status: by }) => [from.href, to.href, by])).toEqual([
        ['http://a/x', 'http://a/y', status],
      ]);
    },
  );

  it.each([
    ['http://a/y', 'PUT', 303, 'in answer to a write'],
    ['http://a/y', 'post', 301, 'of a POST'],
    ['http://a/y', 'POST', 302, 'of a POST'],
    ['http://b/y', 'PUT', 307, 'to http://b: nothing was sent there'],
    ['https://a/y', 'PUT', 307, 'to https://a'],
    ['http://', 'GET', 302, 'to what is no address'],
    ['file:///etc/passwd', 'GET', 302, 'to null'],
  ])('to %s of a %s with %i is refused', async (location, method, status, why) => {
    const { send, sent } = answering(location, status);
    const options = { fetch: send, followsElsewhere: true };
    const refused = fetchWithinOrigin('http://a/x', { method }, options);
    await expect(refused).rejects.toMatchObject({
      status,
      done: status === 303,
      message: expect.stringContaining(why),
    });
    expect(sent).toHaveLength(1);
  });

  it('is one by its status and its address: what has not both is the answer', async () => {
    for (const [location, status] of [
      [null, 302],
      ['/y', 201],
      ['/y', 304],
    ] as const) {
      const { send, sent } = answering(location, status);
      const answer = await fetchWithinOrigin('http://a/x', {}, { fetch: send });
      expect([answer.status, sent.length]).toEqual([status, 1]);
    }
  });

  it('may follow five others, and no more', async () => {
    for (const most of [5, 6]) {
      let left: number = most;
      const send = (async () =>
        left-- > 0
          ? new Response('', { status: 302, headers: { location: '/again' } })
          : new Response('end')) as typeof fetch;
      const answer = fetchWithinOrigin('http://a/x', {}, { fetch: send });
      if (most === 5) expect((await answer).status).toBe(200);
      else await expect(answer).rejects.toThrow('after 5 others');
    }
  });

  it('is refused to clients that bring a Request, too, which goes out whole', async () => {
    const away = answering('http://b/y', 307);
    const post = () => new Request('http://a/x', { method: 'POST', body: 'text' });
    await expect(withinOrigin(away.send)(post())).rejects.toThrow('nothing was sent there');
    const within = answering('/y', 307);
    await withinOrigin(within.send)(post());
    const text = (body: unknown) => Buffer.from(body as ArrayBuffer).toString();
    expect(within.sent.map(([url, , body]) => [url, text(body)])).toEqual([
      ['http://a/x', 'text'],
      ['http://a/y', 'text'],
    ]);
    const read = answering('/y');
    await withinOrigin(read.send)(new Request('http://a/x'));
    await withinOrigin(read.send)('http://a/z');
    expect(read.sent.map(([, , body]) => body)).toEqual([undefined, undefined, undefined]);
  });
});
