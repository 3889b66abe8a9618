/**
 * Telegram on loopback, for tests: the Bot API as a bot meets it, with people who write and press,
 * and faults as networks and the real service have them.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Arguments, BotApi, Refusal } from './bot-api.ts';

export type { TelegramUser } from './bot-api.ts';

/**
 * What happens to the next calls of a method:
 * - `cut`: the connection breaks before anything is done;
 * - `lost`: it is done, and the connection breaks before the answer;
 * - `limited`: too many requests; `seconds` to wait;
 * - `broken`: a status of 502 and no JSON, with nothing done.
 */
export interface Fault {
  method: string;
  kind: 'cut' | 'lost' | 'limited' | 'broken';
  times?: number;
  seconds?: number;
}

/** The stand-in, as a test has it. */
export interface TelegramStandIn {
  /** For `baseUrl`. */
  url: string;
  token: string;
  api: BotApi;
  /** Methods as they were called, oldest first. */
  calls: { method: string; args: Arguments }[];
  fault(fault: Fault): void;
  close(): Promise<void>;
}

const TOKEN = '7000000001:AAExampleExampleExampleExampleExample';

export async function startTelegram(): Promise<TelegramStandIn> {
  const api = new BotApi();
  const calls: TelegramStandIn['calls'] = [];
  const faults: Required<Fault>[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, where = '', token, rest = ''] =
      /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(request.url ?? '') ?? [];
    const args = await argumentsOf(request);
    if (token !== TOKEN) return refuse(response, new Refusal(401, 'Unauthorized'));
    if (where !== '') return sendFile(api, rest, response);
    calls.push({ method: rest, args });
    const fault = faults.find(({ method, times }) => method === rest && times > 0);
    if (fault !== undefined) fault.times -= 1;
    if (fault?.kind === 'cut') return void request.socket.destroy();
    if (fault?.kind === 'broken')
      return void response.writeHead(502).end('<html>Bad Gateway</html>');
    try {
      if (fault?.kind === 'limited') {
        const wait = `Too Many Requests: retry after ${fault.seconds}`;
        throw new Refusal(429, wait, fault.seconds);
      }
      const result = await api.call(rest, args, () => response.destroyed);
      if (fault?.kind === 'lost') return void request.socket.destroy();
      answer(response, 200, { ok: true, result });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refuse(response, error);
    }
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      process.stderr.write(`the Telegram stand-in: ${String(error)}\n`);
      request.socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: TOKEN,
    api,
    calls,
    fault: ({ times = 1, seconds = 1, ...fault }) => void faults.push({ ...fault, times, seconds }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function argumentsOf(request: IncomingMessage): Promise<Arguments> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/'))
    return body.length === 0 ? {} : (JSON.parse(body.toString()) as Arguments);
  const form = await new Response(body, { headers: { 'content-type': type } }).formData();
  const entries = [...form].map(async ([name, value]) =>
    typeof value === 'string'
      ? ([name, value] as const)
      : ([name, { name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) }] as const),
  );
  return Object.fromEntries(await Promise.all(entries));
}

function sendFile(api: BotApi, path: string, response: ServerResponse): void {
  const file = api.files.get(path.replace(/^documents\//, ''));
  if (file === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(file.bytes);
}

function refuse(response: ServerResponse, { code, message, retryAfter }: Refusal): void {
  const parameters = retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } };
  answer(response, code, { ok: false, error_code: code, description: message, ...parameters });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
