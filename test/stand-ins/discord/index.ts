/**
 * Discord on loopback, for tests: its API, which holds what a bot sends against Discord's published
 * description, and its gateway, with people who write and press, and faults as networks have them.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type WebSocket, WebSocketServer } from 'ws';

const TOKEN = 'bot-token-of-the-tests';
const BOT = { id: '900', username: 'desk', bot: true };
const EPOCH = 1_420_070_400_000;

export interface DiscordUser {
  id: string;
  username: string;
}

/** A message as it is kept. */
export interface DiscordSaid {
  id: string;
  channel_id: string;
  guild_id?: string;
  author: DiscordUser & { bot?: boolean };
  content: string;
  type: number;
  timestamp: string;
  mentions: DiscordUser[];
  attachments: { id: string; filename: string; size: number; url: string }[];
  embeds: { description?: string }[];
  components: { components: { label: string; custom_id: string }[] }[];
  [field: string]: unknown;
}

/** What becomes of the next message of the bot: it is there, and its answer is lost, or does not come; the connection breaks before; too many. */
export type DiscordFault = 'lost' | 'silent' | 'cut' | 'limited';

export interface DiscordStandIn {
  url: string;
  token: string;
  bot: DiscordUser;
  /** In the order in which they were written. */
  messages: DiscordSaid[];
  /** What requests said that Discord's description does not allow. */
  faults: string[];
  calls: string[];
  /** Bytes of files, by their names. */
  files: Map<string, Uint8Array>;
  /** Somebody writes. A channel whose name begins with `D` is a conversation of two. */
  say(
    channel: string,
    by: DiscordUser,
    content: string,
    more?: Record<string, unknown>,
  ): DiscordSaid;
  /** It is told of once more. */
  again(message: DiscordSaid): void;
  press(message: Pick<DiscordSaid, 'id' | 'channel_id'>, by: DiscordUser, token: string): void;
  fault(fault: DiscordFault): void;
  /** Ends all connections of the gateway. */
  drop(): void;
  /** Those that are open. */
  readonly listeners: number;
  close(): Promise<void>;
}

/** Discord's own words for what is sent: of its published description, what is used here. */
function requestChecks() {
  const file = new URL('./openapi.json', import.meta.url);
  const described = JSON.parse(readFileSync(file, 'utf8')) as object;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...described, $id: 'discord' });
  const check = (name: string) => ajv.compile({ $ref: `discord#/components/schemas/${name}` });
  return { create: check('MessageCreateRequest'), edit: check('MessageEditRequestPartial') };
}

export async function startDiscord(): Promise<DiscordStandIn> {
  const checks = requestChecks();
  const messages: DiscordSaid[] = [];
  const faults: string[] = [];
  const calls: string[] = [];
  const files = new Map<string, Uint8Array>();
  const upcoming: DiscordFault[] = [];
  const nonces = new Map<string, DiscordSaid>();
  const sockets = new Set<WebSocket>();
  let sequence = 0;
  let ids = 0n;
  const nextId = (): string => {
    ids += 1n;
    return String((BigInt(Date.now() - EPOCH) << 22n) + ids);
  };
  const dispatch = (t: string, d: unknown): void => {
    sequence += 1;
    for (const socket of sockets) socket.send(JSON.stringify({ op: 0, t, s: sequence, d }));
  };

  const create = (channel: string, body: Record<string, unknown>): DiscordSaid => {
    const known = nonces.get(String(body['nonce']));
    if (body['enforce_nonce'] === true && known !== undefined) return known;
    const attachments = ((body['attachments'] ?? []) as { id: string; filename: string }[]).map(
      ({ filename }) => ({ id: nextId(), filename, size: 1, url: `${url}/files/${filename}` }),
    );
    const message = {
      ...{ id: nextId(), channel_id: channel, author: BOT, type: 0, mentions: [], attachments },
      ...{ timestamp: new Date().toISOString(), content: String(body['content'] ?? '').trim() },
      embeds: (body['embeds'] ?? []) as DiscordSaid['embeds'],
      components: (body['components'] ?? []) as DiscordSaid['components'],
    };
    messages.push(message);
    nonces.set(String(body['nonce']), message);
    dispatch('MESSAGE_CREATE', { ...message, ...placeOf(channel) });
    return message;
  };

  const answer = (
    method: string,
    path: string,
    body: Record<string, unknown>,
    query: URLSearchParams,
  ): unknown => {
    if (method === 'GET' && path === '/users/@me') return BOT;
    if (method === 'GET' && path === '/gateway/bot')
      return {
        url: `ws://127.0.0.1:${port}`,
        shards: 1,
        session_start_limit: { total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 1 },
      };
    const [, channel = '', id] = /^\/channels\/([^/]+)\/messages(?:\/(\d+))?$/.exec(path) ?? [];
    if (method === 'GET' && channel !== '') {
      const after = BigInt(query.get('after') ?? 0);
      const later = messages.filter((one) => one.channel_id === channel && BigInt(one.id) > after);
      // What the API lists says nothing of the server.
      const shown = later.map(({ guild_id: _, ...one }) => one);
      return shown.slice(0, Number(query.get('limit') ?? 50)).toReversed();
    }
    if (method === 'POST' && channel !== '') {
      if (!checks.create(body)) faults.push(JSON.stringify(checks.create.errors));
      return create(channel, body);
    }
    if (method === 'PATCH' && id !== undefined) {
      if (!checks.edit(body)) faults.push(JSON.stringify(checks.edit.errors));
      const message = messages.find((one) => one.id === id);
      if (message === undefined) return undefined;
      const { content = message.content, embeds, components } = body as Partial<DiscordSaid>;
      return Object.assign(message, {
        content: content.trim(),
        embeds: embeds ?? message.embeds,
        components: components ?? message.components,
      });
    }
    return /^\/(?:channels\/[^/]+\/typing|interactions\/[^/]+\/[^/]+\/callback)$/.test(path)
      ? null
      : undefined;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const say = (status: number, value: unknown, headers = {}): void =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(value === null ? undefined : JSON.stringify(value));
    const [, name] = /^\/files\/(.+)$/.exec(pathname) ?? [];
    if (name !== undefined) {
      const bytes = files.get(decodeURIComponent(name));
      return void (bytes === undefined ? response.writeHead(404).end() : response.end(bytes));
    }
    const path = pathname.replace(/^\/api\/v10/, '');
    const method = request.method ?? '';
    calls.push(`${method} ${path}`);
    const body = await bodyOf(request, files);
    const isCallback = path.startsWith('/interactions/');
    if (!isCallback && request.headers.authorization !== `Bot ${TOKEN}`)
      return say(401, { message: '401: Unauthorized', code: 0 });
    const isMessage = method === 'POST' && path.endsWith('/messages');
    const fault = isMessage ? upcoming.shift() : undefined;
    if (fault === 'cut') return void request.socket.destroy();
    if (fault === 'limited')
      return say(
        429,
        { message: 'You are being rate limited.', retry_after: 0.5, global: false },
        { 'retry-after': '1' },
      );
    const value = answer(method, path, body, searchParams);
    if (fault === 'silent') return;
    if (fault === 'lost') return void request.socket.destroy();
    if (value === undefined) say(404, { message: 'Unknown Message', code: 10_008 });
    else say(value === null ? 204 : 200, value);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      process.stderr.write(`the Discord stand-in: ${String(error)}\n`);
      request.socket.destroy();
    });
  });
  const gateway = new WebSocketServer({ server });
  gateway.on('connection', (socket) => {
    socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 40_000 } }));
    socket.on('close', () => sockets.delete(socket));
    socket.on('message', (data) => {
      const { op, d } = JSON.parse(String(data)) as { op: number; d: { token?: string } };
      if (op === 1) socket.send(JSON.stringify({ op: 11 }));
      // What it missed is not kept here: it has to begin anew.
      if (op === 6) socket.send(JSON.stringify({ op: 9, d: false }));
      if (op !== 2) return;
      if (d.token !== TOKEN) return socket.close(4004, 'Authentication failed.');
      sockets.add(socket);
      sequence += 1;
      const ready = {
        v: 10,
        user: BOT,
        session_id: 's',
        resume_gateway_url: `ws://127.0.0.1:${port}`,
        guilds: [],
        application: { id: '900', flags: 0 },
      };
      socket.send(JSON.stringify({ op: 0, t: 'READY', s: sequence, d: ready }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    ...{ url, token: TOKEN, bot: BOT, messages, faults, calls, files },
    say: (channel, by, content, more = {}) => {
      const mentions = content.includes(`<@${BOT.id}>`) ? [BOT] : [];
      const message = {
        ...{ id: nextId(), channel_id: channel, author: by, content, type: 0, mentions },
        ...{ timestamp: new Date().toISOString(), attachments: [], embeds: [], components: [] },
        ...placeOf(channel),
        ...more,
      };
      messages.push(message);
      dispatch('MESSAGE_CREATE', message);
      return message;
    },
    again: (message) => dispatch('MESSAGE_CREATE', message),
    press: ({ id, channel_id }, by, token) =>
      dispatch('INTERACTION_CREATE', {
        ...{ id: nextId(), token: 'press', type: 3, channel_id, message: { id } },
        ...{ data: { custom_id: token, component_type: 2 }, member: { user: by } },
      }),
    fault: (fault) => void upcoming.push(fault),
    drop: () => {
      for (const socket of sockets) socket.close(4000);
    },
    get listeners() {
      return sockets.size;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of gateway.clients) socket.terminate();
        gateway.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const placeOf = (channel: string) => (channel.startsWith('D') ? {} : { guild_id: '700' });

async function bodyOf(
  request: IncomingMessage,
  files: Map<string, Uint8Array>,
): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/'))
    return bytes.length === 0 ? {} : (JSON.parse(bytes.toString()) as Record<string, unknown>);
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
  const named: { id: string; filename: string }[] = [];
  for (const [, value] of form) {
    if (typeof value === 'string') continue;
    files.set(value.name, new Uint8Array(await value.arrayBuffer()));
    named.push({ id: String(named.length), filename: value.name });
  }
  const body = JSON.parse(String(form.get('payload_json'))) as Record<string, unknown>;
  // A file needs no words of its own.
  return { ...(named.length > 0 ? { attachments: named } : {}), ...body };
}
