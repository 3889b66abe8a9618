/** What the commands with `--server` ask of a server, and what they make of its answers. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { sessionOn } from './served-session.ts';
import { showServedTurn, tellOutcome } from './served-turn.ts';
import { type ServedEvent, ServerClient } from './server-client.ts';
import { keptOutput } from './testing.ts';

afterEach(() => void vi.unstubAllGlobals());

interface Request {
  method: string;
  path: string;
  body?: unknown;
  headers: Record<string, string>;
}

/** A client of a server that answers so, and what was asked. */
function served(answer: (request: Request) => Response | object | null) {
  const asked: Request[] = [];
  vi.stubGlobal('fetch', async (url: URL, { method, body, headers }: RequestInit) => {
    const request = {
      method: method ?? '',
      path: `${url.pathname}${url.search}`,
      headers: headers as Record<string, string>,
      ...(body === undefined ? {} : { body: JSON.parse(String(body)) as unknown }),
    };
    asked.push(request);
    const given = answer(request);
    return given instanceof Response ? given : Response.json(given);
  });
  const client = new ServerClient('http://h:7070/x', { DIRIGENT_TOKEN: 'secret' });
  const told = () =>
    asked.map(({ method, path, body }) => [method, path, ...(body === undefined ? [] : [body])]);
  return { client, asked, told };
}

describe('a server', () => {
  test.each([
    ['h:7070', { DIRIGENT_TOKEN: 't' }, '"h:7070" is no address'],
    ['ftp://h', { DIRIGENT_TOKEN: 't' }, '"ftp://h" is no address'],
    ['http://h', {}, 'the server wants a token'],
    ['http://h', { DIRIGENT_TOKEN: '' }, 'the server wants a token'],
  ])('%s with %j is refused', (address, env, message) => {
    expect(() => new ServerClient(address, env)).toThrow(message);
  });

  test('is asked with the token, and with what the command is about', async () => {
    const { client, asked, told } = served(({ path }) =>
      path.endsWith('/messages') ? { message: { id: 'm' } } : [{ id: 's' }],
    );
    await client.begin(undefined);
    await client.begin('a');
    await client.session('a/b');
    expect(await client.newest()).toEqual({ id: 's' });
    expect(await client.say('s', { text: 't', key: 'k' })).toEqual({ id: 'm' });
    await client.stop('s');
    await client.message('m');
    expect(told()).toEqual([
      ['POST', '/v1/sessions', {}],
      ['POST', '/v1/sessions', { agent: 'a' }],
      ['GET', '/v1/sessions/a%2Fb'],
      ['GET', '/v1/sessions?limit=1'],
      ['POST', '/v1/sessions/s/messages', { text: 't', key: 'k' }],
      ['POST', '/v1/sessions/s/stop', {}],
      ['GET', '/v1/messages/m'],
    ]);
    for (const { headers, body } of asked)
      expect(headers).toEqual({
        authorization: 'Bearer secret',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      });
    const empty = served(() => []);
    expect(await empty.client.newest()).toBeNull();
  });

  test('is answered about what it asks with the digest of what was shown', async () => {
    const { client, told } = served(({ method }) => (method === 'GET' ? { digest: 'd' } : {}));
    await client.approvals.answer('1', { decision: 'deny', by: 'x' });
    await client.approvals.answer('1', { decision: 'allow', scope: 'prefix', prefix: '/p' });
    await client.questions.answer('2', { value: null, by: 'x' });
    expect(told().filter(([method]) => method === 'POST')).toEqual([
      ['POST', '/v1/approvals/1/answer', { digest: 'd', decision: 'deny' }],
      [
        'POST',
        '/v1/approvals/1/answer',
        { digest: 'd', decision: 'allow', scope: 'prefix', prefix: '/p' },
      ],
      ['POST', '/v1/questions/2/answer', { digest: 'd', value: null }],
    ]);
    expect(told().filter(([method]) => method === 'GET')).toEqual([
      ['GET', '/v1/approvals/1'],
      ['GET', '/v1/approvals/1'],
      ['GET', '/v1/questions/2'],
    ]);
  });

  test.each<[string, string]>([
    [JSON.stringify({ error: { message: 'there is no session x' } }), 'there is no session x'],
    ['{}', 'the server answered with 404; is it dirigent serve?'],
    ['<html>', 'the server answered with 404; is it dirigent serve?'],
  ])('that answers with %s is refused in its words, or by its status', async (body, message) => {
    const { client, asked } = served(() => new Response(body, { status: 404 }));
    await expect(client.message('m')).rejects.toMatchObject({ message });
    expect(asked).toHaveLength(1);
  });

  test('is followed event by event, however they are cut, until nobody listens', async () => {
    const stream = [
      ': open\n\nid: 7\nevent: turn\ndata: {"id":"m"}\n\ndata: {"type":"x"}\n\nevent: entry\nda',
      'ta: {"type":"ü"}\n\n: still there\n\nevent: entry\nda',
    ].map((part) => Buffer.from(part));
    // A character comes in two pieces, too.
    const cut = Buffer.concat(stream).indexOf('ü') + 1;
    const all = Buffer.concat(stream);
    const body = new ReadableStream({
      start(controller) {
        for (const piece of [all.subarray(0, cut), all.subarray(cut)]) controller.enqueue(piece);
      },
    });
    const { client, told } = served(() => new Response(body));
    const stop = new AbortController();
    let opened = 0;
    const events: ServedEvent[] = [];
    for await (const event of client.events('s', stop.signal, () => opened++)) {
      events.push(event);
      if (events.length === 3) break;
    }
    expect(events).toEqual([
      { kind: 'turn', turn: { id: 'm' } },
      { kind: 'event', event: { type: 'x' } },
      { kind: 'event', event: { type: 'ü' } },
    ]);
    expect([opened, told()]).toEqual([1, [['GET', '/v1/sessions/s/events']]]);
  });
});

describe('the session of a command', () => {
  const client = (newest: object | null) => {
    const { client: asked, told } = served(({ path }) =>
      path.includes('limit') ? (newest === null ? [] : [newest]) : { id: 'new' },
    );
    return { asked, told };
  };
  const options = { session: undefined, latest: false, agent: undefined };
  test('is the one that is named, the last one, or a new one', async () => {
    const { asked, told } = client({ id: 'old' });
    expect(await sessionOn(asked, options)).toBe('new');
    expect(await sessionOn(asked, { ...options, agent: 'a' })).toBe('new');
    expect(await sessionOn(asked, { ...options, session: 'x' })).toBe('new');
    expect(await sessionOn(asked, { ...options, latest: true })).toBe('old');
    expect(told()).toEqual([
      ['POST', '/v1/sessions', {}],
      ['POST', '/v1/sessions', { agent: 'a' }],
      ['GET', '/v1/sessions/x'],
      ['GET', '/v1/sessions?limit=1'],
    ]);
    await expect(sessionOn(client(null).asked, { ...options, latest: true })).rejects.toThrow(
      'there is no conversation there yet to continue; leave --continue out',
    );
  });
});

const TURN = { id: 'm', state: 'queued', outcome: null, approvals: [], questions: [] };

describe('a turn on a server', () => {
  /** Shows a turn of which the server tells these. */
  async function shown(events: [type: string, value: object][], model?: string) {
    const { output, out } = keptOutput();
    const { client, asked } = served(({ method, path }) =>
      method === 'GET' && path.endsWith('/events')
        ? new Response(
            events
              .map(([type, value]) => `event: ${type}\ndata: ${JSON.stringify(value)}\n\n`)
              .join(''),
          )
        : { message: TURN },
    );
    const told: unknown[] = [];
    const message = { session: 's', text: 'hi', model, plan: true };
    const turn = await showServedTurn(client, message, output, {}, (each) => told.push(each));
    const sent = asked.find(({ method }) => method === 'POST')?.body;
    return { turn, out: out(), told, sent };
  }
  const delta = (text: string): [string, object] => [
    'event',
    { type: 'text-delta', transient: true, text },
  ];

  test('is shown while it runs, and nothing of the turns of others', async () => {
    const done = { ...TURN, state: 'done', outcome: { status: 'done', text: 'mine' } };
    const { turn, out, sent } = await shown(
      [
        delta('before'),
        ['turn', { ...TURN, id: 'other', state: 'running' }],
        delta('theirs'),
        ['turn', { ...TURN, id: 'other', state: 'done' }],
        ['turn', { ...TURN, state: 'running' }],
        delta('mine'),
        ['turn', done],
      ],
      'openai/x',
    );
    expect(turn).toEqual(done);
    expect(out).toBe('mine\n');
    expect(sent).toEqual({
      text: 'hi',
      key: expect.stringMatching(/^[0-9a-f-]{36}$/),
      plan: true,
      model: 'openai/x',
    });
  });

  test('is over for now where it is parked; what it asks for is told', async () => {
    const parked = { ...TURN, state: 'parked', approvals: ['a'] };
    const { turn, told, sent } = await shown([
      ['event', { type: 'approval', transient: true, approval: { id: 'a' } }],
      ['event', { type: 'question', transient: true, question: { id: 'q' } }],
      ['turn', { ...TURN, state: 'running' }],
      ['turn', parked],
    ]);
    expect(turn).toEqual(parked);
    expect(told).toEqual([{ id: 'a' }, { id: 'q' }]);
    expect(sent).not.toHaveProperty('model');
  });

  test.each<[object, string]>([
    [{ state: 'done', outcome: { status: 'done' } }, ''],
    [{ state: 'failed', outcome: { status: 'error', error: 'no key' } }, 'dirigent: no key\n'],
    [{ state: 'done', outcome: { status: 'budget', error: 'spent' } }, ''],
    [
      { state: 'parked', approvals: ['01', '03'], questions: ['02'] },
      'dirigent: the turn waits for approval 03, and goes on by itself once it is answered\n',
    ],
    [
      { state: 'parked', approvals: ['01'], questions: ['00', '02'] },
      'dirigent: the turn waits for question 02, and goes on by itself once it is answered\n',
    ],
    [
      { state: 'parked', questions: ['00'] },
      'dirigent: the turn waits for question 00, and goes on by itself once it is answered\n',
    ],
  ])('that ends as %j is told of', async (more, told) => {
    const { output, err } = keptOutput();
    await tellOutcome({ ...TURN, ...more } as never, output);
    expect(err()).toBe(told);
  });
});
