/**
 * A Slack app on loopback, for tests of what listens: the methods of the Web API over the same
 * store, and Socket Mode (https://docs.slack.dev/apis/events-api/using-socket-mode), with people
 * who write and press. An event that is not acknowledged in three seconds is delivered again.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { METHODS, Refusal } from './methods.ts';
import { type Message, type SeedInput, seedSchema } from './model.ts';
import { Store } from './store.ts';

/** What happens to the next calls of a method; as for the other stand-ins. */
export interface AppFault {
  method: string;
  kind: 'cut' | 'lost' | 'limited';
  times?: number;
}

export interface SlackApp {
  /** For `baseUrl`. */
  url: string;
  calls: { method: string; args: URLSearchParams }[];
  /** The texts of files that were sent, by their ids. */
  uploads: Map<string, string>;
  /** Messages of a channel, with the answers in threads. */
  messages(channel: string): Message[];
  /** Somebody writes. @returns the ts */
  say(channel: string, user: string, text: string, more?: Record<string, unknown>): string;
  /** Delivers what somebody wrote once more. */
  again(ts: string): void;
  press(channel: string, message: Message, user: string, action: string): void;
  fault(fault: AppFault): void;
  close(): Promise<void>;
}

interface Envelope {
  envelope_id: string;
  type: string;
  payload: Record<string, unknown>;
  accepts_response_payload: boolean;
  retry_attempt: number;
  retry_reason: string;
}

const AGAIN_MS = 3_000;
/** The event of each message by its ts. */
type Events = Map<string, Record<string, unknown>>;

export async function startSlackApp(seed: SeedInput): Promise<SlackApp> {
  const app = new App(seed);
  await app.listen();
  return app;
}

class App implements SlackApp {
  readonly calls: SlackApp['calls'] = [];
  readonly uploads: SlackApp['uploads'] = new Map();
  url = '';
  readonly #store: Store;
  readonly #team: string;
  readonly #events: Events = new Map();
  readonly #faults: Required<AppFault>[] = [];
  /** Not acknowledged yet. */
  readonly #open = new Map<string, { envelope: Envelope; sentAt: number }>();
  readonly #sockets = new Set<WebSocket>();
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch((error: unknown) => {
      process.stderr.write(`the Slack stand-in: ${String(error)}\n`);
      request.socket.destroy();
    });
  });
  readonly #webSockets = new WebSocketServer({ noServer: true });
  readonly #timer = setInterval(() => this.#deliver(), 200);

  constructor(seed: SeedInput) {
    const checked = seedSchema.parse(seed);
    this.#store = Store.of(checked);
    this.#team = checked.team.id;
    this.#server.on('upgrade', (request, socket, head) => {
      this.#webSockets.handleUpgrade(request, socket, head, (opened) => this.#welcome(opened));
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/`;
  }

  messages(channel: string): Message[] {
    return this.#store.messages(channel);
  }

  say(channel: string, user: string, text: string, more: Record<string, unknown> = {}): string {
    const ts = this.#store.newTs();
    const thread = typeof more['thread_ts'] === 'string' ? { thread_ts: more['thread_ts'] } : {};
    this.#store.put(channel, ts, { ts, user, text, reactions: {}, ...thread });
    const channel_type = channel.startsWith('D') ? 'im' : 'channel';
    const client_msg_id = randomUUID();
    const said = { type: 'message', channel, user, text, ts, channel_type, client_msg_id, ...more };
    this.#events.set(ts, said);
    this.#event(said);
    return ts;
  }

  again(ts: string): void {
    this.#event(this.#events.get(ts) ?? {});
  }

  press(channel: string, message: Message, user: string, action: string): void {
    const { ts, thread_ts, text } = message;
    this.#send('interactive', {
      type: 'block_actions',
      team: { id: this.#team, domain: 'example' },
      user: { id: user, username: user, name: user, team_id: this.#team },
      channel: { id: channel, name: channel },
      container: {
        type: 'message',
        message_ts: ts,
        channel_id: channel,
        ...(thread_ts === undefined ? {} : { thread_ts }),
      },
      message: { type: 'message', ts, text, ...(thread_ts === undefined ? {} : { thread_ts }) },
      trigger_id: randomUUID(),
      actions: [{ type: 'button', action_id: action, block_id: 'b', action_ts: ts }],
    });
  }

  fault({ times = 1, ...fault }: AppFault): void {
    this.#faults.push({ ...fault, times });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.terminate();
    this.#webSockets.close();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #event(event: Record<string, unknown>): void {
    this.#send('events_api', {
      type: 'event_callback',
      token: 'x',
      team_id: this.#team,
      api_app_id: 'A1',
      event,
      event_id: `Ev${randomUUID()}`,
      event_time: Math.floor(Date.now() / 1000),
      authorizations: [
        { team_id: this.#team, user_id: 'U0BOT', is_bot: true, is_enterprise_install: false },
      ],
    });
  }

  #send(type: string, payload: Record<string, unknown>): void {
    const envelope: Envelope = {
      envelope_id: randomUUID(),
      type,
      payload,
      accepts_response_payload: type === 'interactive',
      retry_attempt: 0,
      retry_reason: '',
    };
    this.#open.set(envelope.envelope_id, { envelope, sentAt: 0 });
    this.#deliver();
  }

  /** To one of the connections, as Slack does. */
  #deliver(): void {
    const [socket] = [...this.#sockets].filter(({ readyState }) => readyState === 1);
    if (socket === undefined) return;
    for (const each of this.#open.values()) {
      if (Date.now() - each.sentAt < AGAIN_MS) continue;
      if (each.sentAt > 0) {
        each.envelope.retry_attempt += 1;
        each.envelope.retry_reason = 'timeout';
      }
      each.sentAt = Date.now();
      socket.send(JSON.stringify(each.envelope));
    }
  }

  #welcome(socket: WebSocket): void {
    this.#sockets.add(socket);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      // What it was sent and has not acknowledged goes to the next one.
      for (const each of this.#open.values()) each.sentAt = Math.min(each.sentAt, 1);
    });
    socket.on('message', (data) => {
      const { envelope_id } = JSON.parse(String(data)) as { envelope_id?: string };
      if (envelope_id !== undefined) this.#open.delete(envelope_id);
    });
    const hello = {
      type: 'hello',
      num_connections: this.#sockets.size,
      connection_info: { app_id: 'A1' },
    };
    socket.send(
      JSON.stringify({
        ...hello,
        debug_info: { host: 'applink', approximate_connection_time: 18_060 },
      }),
    );
    this.#deliver();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = (request.url ?? '').replace(/^\/api\//, '').replace(/\?.*$/, '');
    const args = await argumentsOf(request);
    if (method.startsWith('upload/')) {
      this.uploads.set(method.slice('upload/'.length), [...args].flat().join('='));
      response.writeHead(200).end('OK');
      return;
    }
    this.calls.push({ method, args });
    const fault = this.#faults.find((each) => each.method === method && each.times > 0);
    if (fault !== undefined) fault.times -= 1;
    if (fault?.kind === 'cut') return void request.socket.destroy();
    if (fault?.kind === 'limited') {
      response
        .writeHead(429, { 'retry-after': '1' })
        .end(JSON.stringify({ ok: false, error: 'ratelimited' }));
      return;
    }
    const body = this.#answer(method, args, request);
    if (fault?.kind === 'lost') return void request.socket.destroy();
    response
      .writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
      .end(JSON.stringify(body));
  }

  #answer(name: string, args: URLSearchParams, { headers }: IncomingMessage): object {
    try {
      const token =
        /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? args.get('token') ?? '';
      if (name === 'apps.connections.open') {
        if (!token.startsWith('xapp-')) throw new Refusal('not_allowed_token_type');
        return {
          ok: true,
          url: `${this.url.replace('http', 'ws').replace('/api/', '/link')}?ticket=${randomUUID()}`,
        };
      }
      const viewer = this.#store.tokens[token];
      if (viewer === undefined) throw new Refusal(token === '' ? 'not_authed' : 'invalid_auth');
      if (name === 'files.getUploadURLExternal') {
        const file_id = `F${this.uploads.size + 1}`;
        return {
          ok: true,
          file_id,
          upload_url: this.url.replace('/api/', `/api/upload/${file_id}`),
        };
      }
      if (name === 'files.completeUploadExternal')
        return { ok: true, files: JSON.parse(args.get('files') ?? '[]') };
      const method = METHODS[name];
      if (method === undefined) throw new Refusal('unknown_method');
      return { ok: true, ...method({ store: this.#store, args, viewer, lag: 0 }) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { ok: false, error: error.message };
    }
  }
}

async function argumentsOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  if (request.headers['content-type']?.startsWith('application/json') !== true)
    return new URLSearchParams(text);
  const fields = Object.entries(JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>);
  const values = fields.map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(values);
}
