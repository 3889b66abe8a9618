/** How a server answers: whom it lets in, what it says of a failure, and for how long it tells what happens. */
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { HttpRefusal } from '../../doors/http/limits.ts';
import { ConfigError, type Errno, FsError, STRERROR } from '../../errors.ts';
import { csrfOf, Principals } from '../principals.ts';
import { answerError } from './failures.ts';
import { identify, logIn, logOut, type ServeEnv } from './identity.ts';
import { EventStreams, STREAMS, type StreamedEvent } from './streams.ts';

/** A server that has a route for each of these. */
function served(principals: Principals) {
  const app = new Hono<ServeEnv>();
  const faults: unknown[] = [];
  app.onError((error, c) => answerError(error, c, (fault) => faults.push(fault)));
  app.post('/login', async (c) =>
    c.json(logIn(c as never, principals, (await c.req.json()).token)),
  );
  app.use('/in/*', identify(principals));
  app.all('/in/me', (c) => c.json({ ...c.get('caller'), isKnown: c.get('isKnown')() }));
  app.post('/in/logout', (c) => {
    logOut(c, principals);
    return c.json({});
  });
  return { app, faults };
}

function open() {
  const principals = new Principals(':memory:', () => 1_000);
  onTestFinished(() => principals.close());
  const token = principals.add('ann', 'user');
  const { app, faults } = served(principals);
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await app.request(path, init);
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, never>,
    };
  };
  const login = (headers: Record<string, string> = {}) =>
    ask('/login', { method: 'POST', body: JSON.stringify({ token }), headers });
  return { principals, token, app, faults, ask, login };
}

describe('whoever asks', () => {
  test('is known by a token, in any spelling that HTTP has of it', async () => {
    const { ask, token } = open();
    for (const header of [`Bearer ${token}`, `bearer   ${token} `]) {
      const { status, body } = await ask('/in/me', { headers: { authorization: header } });
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({ actor: 'ann', isKnown: true }),
      ]);
    }
    for (const headers of [
      {},
      { authorization: 'Bearer x' },
      { authorization: `Basic ${token}` },
    ] as Record<string, string>[])
      expect((await ask('/in/me', { headers })).status).toBe(401);
  });

  test('by a browser has a cookie, which no script reads and no other page sends', async () => {
    const { ask, login, token } = open();
    const { headers, body } = await login();
    const set = headers.get('set-cookie') ?? '';
    expect(set).toMatch(/^dirigent=[\w-]{43}; .*/);
    for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Expires=Thu, 08 Jan 1970'])
      expect(set).toContain(part);
    expect(set).not.toContain('Secure');
    expect((await login({ 'x-forwarded-proto': 'https' })).headers.get('set-cookie')).toContain(
      'Secure',
    );
    const cookie = set.split(';')[0] ?? '';
    expect(body['csrf']).toBe(csrfOf(cookie.slice('dirigent='.length)));
    const me = (method: string, more: Record<string, string> = {}) =>
      ask('/in/me', { method, headers: { cookie, ...more } });
    expect((await me('GET')).status).toBe(200);
    expect((await me('OPTIONS')).status).toBe(200);
    for (const method of ['POST', 'DELETE', 'PUT']) expect((await me(method)).status).toBe(403);
    expect((await me('POST', { 'x-csrf-token': 'x' })).status).toBe(403);
    expect((await me('POST', { 'x-csrf-token': body['csrf'] ?? '' })).status).toBe(200);
    // By a token nobody is led astray; and where one is shown, it alone counts.
    expect((await me('POST', { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await me('GET', { authorization: 'Bearer x' })).status).toBe(401);
    const out = await ask('/in/logout', {
      method: 'POST',
      headers: { cookie, 'x-csrf-token': body['csrf'] ?? '' },
    });
    expect(out.headers.get('set-cookie')).toMatch(/^dirigent=; .*Max-Age=0/);
    expect((await me('GET')).status).toBe(401);
  });

  test('with a token of nobody does not get in', async () => {
    const { ask } = open();
    const { status, body } = await ask('/login', { method: 'POST', body: '{"token":"x"}' });
    expect([status, body]).toEqual([401, { error: expect.objectContaining({ code: 'HTTP 401' }) }]);
  });

  test('is known no more once they are put out, or have another role', async () => {
    for (const role of [null, 'owner', 'user'] as const) {
      const { principals, token } = open();
      const app = new Hono<ServeEnv>();
      app.use(identify(principals));
      app.get('/', (c) => {
        const isKnown = c.get('isKnown');
        const before = isKnown();
        principals.remove('ann');
        if (role !== null) principals.add('ann', role);
        return c.json([before, isKnown()]);
      });
      const response = await app.request('/', { headers: { authorization: `Bearer ${token}` } });
      expect(await response.json()).toEqual([true, false]);
    }
  });
});

describe('a failure', () => {
  const answered = async (error: unknown) => {
    const app = new Hono();
    const faults: unknown[] = [];
    app.onError((caught, c) => answerError(caught, c, (fault) => faults.push(fault)));
    app.get('/', () => {
      throw error;
    });
    const response = await app.request('/');
    return {
      status: response.status,
      headers: response.headers,
      body: await response.json(),
      faults,
    };
  };

  const STATUS: Partial<Record<Errno, number>> = {
    ...{ EACCES: 403, EPERM: 403, EROFS: 403, ENOENT: 404, EEXIST: 409, ESTALE: 409, EBUSY: 409 },
    ...{ ENOTEMPTY: 409, EINVAL: 400, EISDIR: 400, ENOTDIR: 400, ELOOP: 400, ENAMETOOLONG: 400 },
    ...{ EXDEV: 400, EFBIG: 413, EAGAIN: 503, ECANCELED: 503, ENOSYS: 501, ENOTSUP: 501 },
    ...{ ECONNREFUSED: 502, ETIMEDOUT: 504, EDQUOT: 507, ENOSPC: 507 },
  };
  test.each(Object.keys(STRERROR) as Errno[])(
    'of a file operation has a status: %s',
    async (code) => {
      const plain = await answered(new FsError(code, { path: '/a', op: 'open' }));
      expect(plain.status).toBe(STATUS[code] ?? 500);
      expect(plain.body).toEqual({
        error: { code, message: expect.stringContaining(code), path: '/a' },
      });
      expect(plain.faults).toEqual([]);
      const said = await answered(
        new FsError(code, { path: '/a', op: 'open', rule: 'r', reason: 'why' }),
      );
      expect(said.body).toEqual({ error: { code, message: 'why', path: '/a', rule: 'r' } });
    },
  );

  test('of a request has its own status and headers, of a setting its path; what nobody foresaw is told nobody', async () => {
    const refused = await answered(
      new HttpRefusal(429, 'later', { headers: { 'retry-after': '3' } }),
    );
    expect([refused.status, refused.headers.get('retry-after'), refused.body]).toEqual([
      ...[429, '3', { error: { code: 'HTTP 429', message: 'later' } }],
    ]);
    const config = await answered(new ConfigError('agent', 'there is none'));
    expect([config.status, config.body]).toEqual([
      ...[400, { error: { code: 'EINVAL', message: 'agent: there is none', path: 'agent' } }],
    ]);
    const fault = new Error('a secret');
    const unforeseen = await answered(fault);
    expect([unforeseen.status, unforeseen.faults]).toEqual([500, [fault]]);
    expect(JSON.stringify(unforeseen.body)).not.toContain('secret');
  });
});

describe('a stream', () => {
  const LINE = ({ n }: { n: number }): StreamedEvent => ({
    event: 'tick',
    data: String(n),
    id: `${n}`,
  });

  function streams(options: { lookMs?: number; beatMs?: number } = {}) {
    const faults: unknown[] = [];
    const all = new EventStreams({ onFault: (error) => faults.push(error), ...options });
    const known = { is: true, fails: false };
    const signals: AbortSignal[] = [];
    /** Opens one of somebody, which tells what `follow` gives. */
    const open = async (
      actor: string,
      follow: (signal: AbortSignal) => AsyncGenerator<{ n: number }>,
    ) => {
      const app = new Hono<ServeEnv>();
      app.onError((error, c) => answerError(error, c, (fault) => faults.push(fault)));
      app.get('/', (c) => {
        c.set('caller', { actor, role: 'user', agent: null });
        c.set('isKnown', () => {
          if (known.fails) throw new Error('cannot be looked up');
          return known.is;
        });
        return all.send(
          c,
          (signal) => {
            signals.push(signal);
            return follow(signal);
          },
          LINE,
        );
      });
      return app.request('/');
    };
    return { open, faults, known, signals };
  }
  async function* endless(signal: AbortSignal): AsyncGenerator<{ n: number }> {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  }

  test('tells what happens, in order, and ends with it', async () => {
    const { open, signals } = streams();
    const response = await open('ann', async function* () {
      yield { n: 1 };
      yield { n: 2 };
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(await response.text()).toBe(
      'event: tick\ndata: 1\nid: 1\n\nevent: tick\ndata: 2\nid: 2\n\n',
    );
    expect(signals[0]?.aborted).toBe(true);
  });

  test('that breaks off is told to whoever runs the server', async () => {
    const { open, faults } = streams();
    const response = await open('ann', async function* () {
      yield { n: 1 };
      throw new Error('broke off');
    });
    expect(await response.text()).toContain('data: 1');
    expect(faults.map(String)).toEqual(['Error: broke off']);
  });

  test('is one of so many, of which nobody has more than half; one that cannot be followed takes none', async () => {
    const { open } = streams();
    const refuse = () => {
      throw new FsError('ENOENT', { path: '/s', op: 'open' });
    };
    for (let index = 0; index < STREAMS; index++)
      expect((await open('ann', refuse)).status).toBe(404);
    const opened: Response[] = [];
    for (let index = 0; index < STREAMS / 2; index++) opened.push(await open('ann', endless));
    expect((await open('ann', endless)).status).toBe(429);
    expect((await open('bob', endless)).status).toBe(200);
    await opened[0]?.body?.cancel();
    await expect.poll(async () => (await open('ann', endless)).status).toBe(200);
  });

  test.each(['put out', 'not to be looked up'])(
    'ends once whoever follows it is %s',
    async (why) => {
      const { open, known, signals, faults } = streams({ lookMs: 1 });
      const response = await open('ann', endless);
      expect(signals[0]?.aborted).toBe(false);
      if (why === 'put out') known.is = false;
      else known.fails = true;
      expect(await response.text()).toBe('');
      expect(signals[0]?.aborted).toBe(true);
      expect(faults.length).toBe(why === 'put out' ? 0 : 1);
    },
  );

  test('has a line from time to time, and is ended for whoever reads none', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { open, signals } = streams({ lookMs: 1e9, beatMs: 10 });
    const reader = (await open('ann', endless)).body?.getReader();
    await vi.advanceTimersByTimeAsync(10);
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(': \n\n');
    await open('bob', endless);
    // Eight beats that nobody reads, and a ninth.
    await vi.advanceTimersByTimeAsync(80);
    expect(signals[1]?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(20);
    await expect.poll(() => signals[1]?.aborted).toBe(true);
  });
});
