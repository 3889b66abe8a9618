/** What a Discord bot asks of the API, and what it makes of the answers. */
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDiscord } from '../../channels/discord/channel.ts';
import { discordSettings } from '../../channels/discord/settings.ts';
import type { NotSent, OutgoingMessage } from '../../src/serve/channels/index.ts';
import { memoryOf } from './memory.ts';

const gateways = vi.hoisted(() => ({
  all: [] as { options: { intents: number }; ended: boolean }[],
}));
vi.mock('@discordjs/ws', async (original) => ({
  ...(await original<typeof import('@discordjs/ws')>()),
  WebSocketManager: class extends EventEmitter {
    ended = false;
    readonly options: { intents: number };
    constructor(options: { intents: number }) {
      super();
      this.options = options;
      gateways.all.push(this);
    }
    connect = async (): Promise<void> => undefined;
    async destroy(): Promise<void> {
      this.ended = true;
    }
  },
}));

interface Asked {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
  auth: string | null;
}
let asked: Asked[];
/** What the API answers: a body, a status, or an error. */
let answers: (one: Asked) => unknown;
const API = 'https://discord.example/api/v10';
const SELF = '99';
const USER = { id: '7', username: 'ana' };
const message = (id: string, more: object = {}) => ({
  id,
  channel_id: 'c',
  author: { id: SELF, username: 'desk' },
  content: '',
  ...more,
});

beforeEach(() => {
  asked = [];
  answers = () => message('1000');
  gateways.all = [];
  vi.stubGlobal('fetch', async (url: string | URL, init: RequestInit = {}) => {
    const { pathname, searchParams } = new URL(url);
    const headers = new Headers(init.headers);
    const one: Asked = {
      method: init.method ?? 'GET',
      path: String(url).startsWith(API) ? pathname.slice('/api/v10'.length) : String(url),
      query: Object.fromEntries(searchParams),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : init.body,
      auth: headers.get('authorization'),
    };
    asked.push(one);
    const answer = one.path === '/users/@me' ? { id: SELF } : answers(one);
    if (answer instanceof Error) throw answer;
    if (answer instanceof Response) return answer;
    return Response.json(answer);
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

async function opened(known: Record<string, unknown> = {}) {
  const received: object[] = [];
  const pressed: object[] = [];
  const faults: unknown[] = [];
  const memory = memoryOf(known);
  const channel = await openDiscord({
    name: 'desk',
    settings: discordSettings.parse({ baseUrl: 'https://discord.example/' }),
    secret: (name) => `secret of ${name}`,
    receive: (one) => received.push(one),
    isKnown: (sender) => sender === USER.id,
    strangers: 'tell',
    pressed: (one) => pressed.push(one),
    memory,
    onFault: (error) => faults.push(error),
  });
  const [self] = asked.splice(0);
  const gateway = gateways.all.at(-1) as unknown as EventEmitter & {
    options: { intents: number };
    ended: boolean;
  };
  const settled = async (): Promise<void> => {
    for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
  };
  const tell = async (event: string, ...given: unknown[]): Promise<void> => {
    gateway.emit(event, ...given);
    await settled();
  };
  return { channel, received, pressed, faults, memory, gateway, tell, self };
}

const outgoing = (more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  key: '0b4f8a1e-1111-4222-8333-444455556666',
  thread: 'c',
  text: 'hello',
  buttons: [],
  isExact: false,
  files: [],
  ...more,
});

test('the gateway is told what is listened to, and closed with the channel', async () => {
  const { channel, gateway, self } = await opened();
  expect(self).toMatchObject({
    method: 'GET',
    path: '/users/@me',
    auth: 'Bot secret of DISCORD_BOT_TOKEN',
  });
  // Messages of servers, and of conversations of two.
  expect(gateway.options.intents).toBe(512 + 4_096);
  await channel.close();
  expect(gateway.ended).toBe(true);
});

describe('a message that is sent', () => {
  test('calls nobody, shows no previews, and is one of its nonce', async () => {
    const { channel, memory } = await opened();
    expect(await channel.send(outgoing())).toBe('1000');
    expect(asked).toMatchObject([
      {
        method: 'POST',
        path: '/channels/c/messages',
        body: {
          content: 'hello',
          embeds: [],
          flags: 4,
          allowed_mentions: { parse: [] },
          components: [],
          nonce: '0b4f8a1e11114222833344445',
          enforce_nonce: true,
        },
      },
    ]);
    expect(memory.terms()).toEqual({ 'sent 1000': 30 * 86_400_000 });
  });

  test('that is long, or shown to the letter, is an embed; buttons stand below it', async () => {
    const { channel } = await opened();
    const bodyOf = async (more: Partial<OutgoingMessage>) => {
      await channel.send(outgoing(more));
      return asked.at(-1)?.body as Record<string, unknown>;
    };
    expect(await bodyOf({ text: 'x'.repeat(2_000) })).toMatchObject({
      content: 'x'.repeat(2_000),
      embeds: [],
    });
    const long = await bodyOf({ text: 'x'.repeat(2_001) });
    expect(long).toMatchObject({ content: '', embeds: [{ description: 'x'.repeat(2_001) }] });
    expect(long).not.toHaveProperty('flags');
    expect(await bodyOf({ text: 'x'.repeat(5_000) })).toMatchObject({
      embeds: [{ description: 'x'.repeat(4_096) }],
    });
    const buttons = [
      { label: 'Allow', token: 'T1' },
      { label: 'Deny', token: 'T2' },
    ];
    const exact = await bodyOf({ isExact: true, buttons });
    expect(exact).toMatchObject({
      content: '',
      embeds: [{ description: 'hello' }],
      components: [
        {
          type: 1,
          components: [
            { type: 2, style: 2, label: 'Allow', custom_id: 'T1' },
            { type: 2, style: 4, label: 'Deny', custom_id: 'T2' },
          ],
        },
      ],
    });
    expect(exact).not.toHaveProperty('flags');
    const { shows } = channel;
    expect([shows?.('x'.repeat(4_000)), shows?.('x'.repeat(4_001))]).toEqual([true, false]);
  });

  test('has its files with it', async () => {
    const { channel } = await opened();
    await channel.send(outgoing({ files: [{ name: 'a.txt', bytes: Buffer.from('x') }] }));
    const form = asked[0]?.body as FormData;
    expect((form.get('files[0]') as File).name).toBe('a.txt');
    expect(JSON.parse(String(form.get('payload_json')))).toMatchObject({ content: 'hello' });
  });

  test('is edited as it was sent', async () => {
    const { channel } = await opened();
    await channel.edit?.('5', outgoing({ text: 'done' }));
    expect(asked).toMatchObject([
      {
        method: 'PATCH',
        path: '/channels/c/messages/5',
        body: { content: 'done', components: [] },
      },
    ]);
  });

  const refused =
    (status: number, headers: object = {}) =>
    () =>
      Response.json(
        { message: 'no', code: 1, retry_after: 2 },
        { status, headers: { 'retry-after': '2', ...headers } },
      );
  test.each<[string, () => unknown, number | null | 'unknown']>([
    ['401', refused(401), 60_000],
    ['400', refused(400), null],
    ['403', refused(403), null],
    ['404', refused(404), null],
    ['500', refused(500), 'unknown'],
    [
      'a connection that was refused',
      () =>
        new TypeError('fetch failed', {
          cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
        }),
      5_000,
    ],
    ['a connection that broke', () => new TypeError('fetch failed'), 'unknown'],
  ])('meets %s: it is certain what came of it, or not', async (_what, answer, wanted) => {
    const { channel } = await opened();
    answers = answer;
    for (const work of [() => channel.send(outgoing()), () => channel.edit?.('5', outgoing())]) {
      const failure = await Promise.resolve(work()).then(
        () => null,
        (error: Error) => error,
      );
      expect(failure).toBeInstanceOf(Error);
      if (wanted === 'unknown') expect(failure).not.toHaveProperty('againAfterMs');
      else expect(failure).toHaveProperty('againAfterMs', wanted);
    }
  });

  test('meets a refused token: it is sent with that again, which may be taken by then', async () => {
    const { channel } = await opened();
    answers = refused(401);
    await expect(channel.send(outgoing())).rejects.toThrow('Discord does not know the token');
    answers = () => message('1000');
    expect(await channel.send(outgoing())).toBe('1000');
    expect(asked.map(({ auth }) => auth)).toEqual(Array(2).fill('Bot secret of DISCORD_BOT_TOKEN'));
  });

  test('meets a limit: it is told when that ends', async () => {
    const { channel } = await opened();
    answers = refused(429);
    const failure = await channel.send(outgoing()).catch((error: Error) => error);
    expect(failure).toMatchObject({ message: 'Discord takes no more just now' });
    expect((failure as NotSent).againAfterMs).toBeGreaterThanOrEqual(2_000);
  });
});

describe('a message of which no answer came', () => {
  const NOW = Date.parse('2026-01-01T00:00:00Z');
  const find = async (
    page: object[] | (() => unknown),
    ago: number,
    more: Partial<OutgoingMessage> = {},
    known: Record<string, unknown> = {},
  ) => {
    const { channel, memory } = await opened(known);
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    answers = () => (typeof page === 'function' ? page() : page);
    const found = await channel
      .find?.(outgoing(more), NOW - ago)
      .catch((error: Error) => `fails: ${error.name}`);
    return { found, memory };
  };

  test('is looked for since a minute before', async () => {
    await find([], 0);
    const after = String(BigInt(NOW - 60_000 - 1_420_070_400_000) << 22n);
    expect(asked).toMatchObject([{ path: '/channels/c/messages', query: { after, limit: '100' } }]);
  });

  test('is one of ours that shows the same, and that is known of no other', async () => {
    const hit = message('5', { content: 'hello' });
    const { found, memory } = await find([hit], 0);
    expect([found, memory.terms()]).toEqual(['5', { 'sent 5': 30 * 86_400_000 }]);
    expect((await find([hit], 0, {}, { 'sent 5': true })).found).toBeNull();
    for (const other of [
      { author: USER },
      { content: 'other' },
      { embeds: [{ description: 'hello' }] },
      { attachments: [{ filename: 'a', url: 'https://x.example/a' }] },
    ])
      expect([other, (await find([{ ...hit, ...other }], 0)).found]).toEqual([other, null]);
    const embed = message('6', { embeds: [{ description: 'hello' }] });
    expect((await find([embed], 0, { isExact: true })).found).toBe('6');
    expect((await find([hit], 0, { text: 'hello\n' })).found).toBe('5');
  });

  test('is not there: sent again it is one with what is late; where we may not read that is unknown', async () => {
    const forbidden = () => Response.json({ message: 'no', code: 1 }, { status: 403 });
    expect((await find([], 119_999)).found).toBeNull();
    expect((await find([], 120_000)).found).toBeNull();
    expect((await find(forbidden, 119_999)).found).toBeNull();
    expect((await find(forbidden, 120_000)).found).toBeUndefined();
    expect((await find(() => Response.json({}, { status: 404 }), 0)).found).toMatch(/^fails/);
  });
});

describe('what is said', () => {
  const said = (id: string, more: object = {}) => ({
    ...message(id, { content: 'hi' }),
    author: USER,
    ...more,
  });

  test('is taken: in a conversation of two, in a server where it names the bot', async () => {
    const { received, tell, memory } = await opened();
    await tell('dispatch', { t: 'MESSAGE_CREATE', d: said('1') });
    await tell('dispatch', {
      t: 'MESSAGE_CREATE',
      d: said('2', { channel_id: 's', guild_id: 'g' }),
    });
    await tell('dispatch', {
      t: 'MESSAGE_CREATE',
      d: said('3', { channel_id: 's', guild_id: 'g', mentions: [{ id: SELF, username: 'desk' }] }),
    });
    await tell('dispatch', {
      t: 'MESSAGE_CREATE',
      d: said('4', { channel_id: 'e', author: { id: '8', username: 'eve' } }),
    });
    await tell('dispatch', { t: 'MESSAGE_CREATE', d: message('5') });
    await tell('dispatch', { t: 'MESSAGE_UPDATE', d: said('6') });
    expect(
      received.map((one) => [
        (one as { id: string }).id,
        (one as { isAddressed: boolean }).isAddressed,
      ]),
    ).toEqual([
      ['1', true],
      ['2', false],
      ['3', true],
      ['4', true],
      ['5', true],
    ]);
    // Where nobody known has spoken to it nothing is looked at again.
    expect(memory.get('places')).toEqual({
      '#c': { last: '1', direct: true },
      '#s': { last: '3', direct: false },
    });
  });

  test('while nobody listened is asked for, oldest first, page by page', async () => {
    const places = { '#c': { last: '10', direct: true } };
    const { received, tell, memory } = await opened({ places });
    const all = Array.from({ length: 150 }, (_, n) => said(String(11 + n)));
    answers = ({ query }) =>
      all
        .filter(({ id }) => Number(id) > Number(query['after']))
        .slice(0, 100)
        .reverse();
    await tell('ready', {});
    expect(asked.map(({ query }) => query)).toEqual([
      { after: '10', limit: '100' },
      { after: '110', limit: '100' },
    ]);
    expect(received.map((one) => (one as { id: string }).id)).toEqual(all.map(({ id }) => id));
    expect(memory.get('places')).toEqual({ '#c': { last: '160', direct: true } });
  });

  test('where the bot is no more is forgotten; what is wrong with one place is not with others', async () => {
    const places = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name) => [`#${name}`, { last: '1', direct: true }]),
    );
    const { received, tell, memory, faults } = await opened({ places });
    const statuses: Record<string, number> = { a: 403, b: 500, c: 404 };
    answers = ({ path }) => {
      const status = statuses[path.split('/')[2] ?? ''];
      return status === undefined
        ? [said('2', { channel_id: 'd' })]
        : Response.json({ message: 'no', code: 1 }, { status });
    };
    await tell('ready', {});
    expect(Object.keys(memory.get('places') as object)).toEqual(['#b', '#d']);
    expect(faults).toHaveLength(1);
    expect(received).toHaveLength(1);
  });

  test('in a hundred places at most is looked for, those of late', async () => {
    const places = Object.fromEntries(
      Array.from({ length: 100 }, (_, n) => [`#${n}`, { last: '1', direct: true }]),
    );
    const { tell, memory } = await opened({ places });
    await tell('dispatch', { t: 'MESSAGE_CREATE', d: said('5', { channel_id: 'new' }) });
    await tell('dispatch', { t: 'MESSAGE_CREATE', d: said('6', { channel_id: '1' }) });
    const names = Object.keys(memory.get('places') as object);
    expect([names.length, names[0], names.at(-2), names.at(-1)]).toEqual([100, '#2', '#new', '#1']);
  });

  test('wrongly, or by a gateway that fails, is a fault', async () => {
    const { tell, faults } = await opened({ places: 'none' });
    await tell('error', new Error('broken'));
    await tell('dispatch', { t: 'MESSAGE_CREATE', d: { id: 3 } });
    await tell('ready', {});
    expect(faults).toHaveLength(2);
  });
});

test('a button that is pressed is answered at once, without a word', async () => {
  const { pressed, tell, faults } = await opened();
  answers = () => new Response(null, { status: 204 });
  const press = {
    id: 'i',
    token: 'key',
    type: 3,
    channel_id: 'c',
    message: { id: 'm' },
    data: { custom_id: 'T' },
    user: USER,
  };
  await tell('dispatch', { t: 'INTERACTION_CREATE', d: press });
  expect(pressed).toEqual([
    { thread: 'c', message: 'm', sender: { id: '7', name: 'ana' }, token: 'T' },
  ]);
  expect(asked).toMatchObject([
    { method: 'POST', path: '/interactions/i/key/callback', body: { type: 6 }, auth: null },
  ]);
  for (const other of [
    { ...press, type: 2 },
    { ...press, user: undefined },
  ])
    await tell('dispatch', { t: 'INTERACTION_CREATE', d: other });
  await tell('dispatch', { t: 'TYPING_START', d: press });
  expect([pressed.length, asked.length, faults]).toEqual([1, 1, []]);
});

test('a file is fetched from where the message said, without the token, up to its largest', async () => {
  const { channel } = await opened();
  const file = { name: 'a.txt', size: 3, reference: { url: 'https://cdn.example/a.txt' } };
  answers = () => new Response('abc');
  expect(Buffer.from((await channel.fetch?.(file, 3)) ?? []).toString()).toBe('abc');
  expect(asked).toMatchObject([{ path: 'https://cdn.example/a.txt', auth: null }]);
  await expect(channel.fetch?.(file, 2)).rejects.toThrow('a.txt is too large');
  answers = () => new Response('', { status: 404 });
  await expect(channel.fetch?.(file, 3)).rejects.toThrow('a.txt cannot be fetched: 404');
});

test('that somebody waits is shown', async () => {
  const { channel } = await opened();
  answers = () => new Response(null, { status: 204 });
  await channel.showTyping?.('c');
  expect(asked).toMatchObject([{ method: 'POST', path: '/channels/c/typing' }]);
});
