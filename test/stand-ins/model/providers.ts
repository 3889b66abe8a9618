/**
 * As little of each provider's own API as a turn needs: asked once it calls `bash`, and given the
 * result it says what came. What is tested is the provider's real package.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running provider. */
export interface ProviderStandIn {
  url: string;
  /** `METHOD PATH KEY` of each request, with the key as that API is given it. */
  requests: string[];
  close(): Promise<void>;
}

const COMMAND = 'echo hi';
/** Gemini refuses a call that comes back without it. */
const SIGNATURE = 'c2lnbmF0dXJl';

type Api = 'anthropic' | 'google' | 'chat';

const event = (data: unknown): string => {
  const { type } = data as { type?: string };
  return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`;
};

/** The stream of each API: a call of a tool, or, once a result was sent, a text. */
const STREAMS: Readonly<Record<Api, (answered: boolean) => string>> = {
  anthropic: (answered) => {
    const block = answered
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id: 'toolu_1', name: 'bash', input: {} };
    const delta = answered
      ? { type: 'text_delta', text: 'It said hi.' }
      : { type: 'input_json_delta', partial_json: JSON.stringify({ command: COMMAND }) };
    const stop_reason = answered ? 'end_turn' : 'tool_use';
    const usage = { input_tokens: 10, output_tokens: 2 };
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [] };
    return [
      { type: 'message_start', message: { ...message, stop_reason: null, usage } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ]
      .map(event)
      .join('');
  },
  google: (answered) => {
    const part = answered
      ? { text: 'It said hi.' }
      : { functionCall: { name: 'bash', args: { command: COMMAND } }, thoughtSignature: SIGNATURE };
    const content = { role: 'model', parts: [part] };
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 };
    return event({ candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata });
  },
  chat: (answered) => {
    const call = { name: 'bash', arguments: JSON.stringify({ command: COMMAND }) };
    const delta = answered
      ? { content: 'It said hi.' }
      : { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] };
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
    const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
    const finish_reason = answered ? 'stop' : 'tool_calls';
    return [
      { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', ...delta } }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
    ]
      .map(event)
      .concat('data: [DONE]\n\n')
      .join('');
  },
};

/** What tells that the request carries the result of a call. */
const RESULT: Readonly<Record<Api, RegExp>> = {
  anthropic: /"type":"tool_result"/,
  google: /"functionResponse"/,
  chat: /"role":"tool"/,
};

const apiOf = (path: string): Api | null => {
  if (path.endsWith('/messages')) return 'anthropic';
  if (path.includes(':streamGenerateContent')) return 'google';
  return path.endsWith('/chat/completions') ? 'chat' : null;
};

function keyOf({ headers }: IncomingMessage): string {
  const key = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization;
  return String(key).replace(/^Bearer /, '');
}

/** @param lists what is answered as JSON, by path: how Ollama tells of its models */
export async function startProvider(
  lists: Readonly<Record<string, unknown>> = {},
): Promise<ProviderStandIn> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    requests.push(`${request.method} ${pathname} ${keyOf(request)}`);
    const api = apiOf(pathname);
    const list = lists[pathname];
    if (api === null && list === undefined) {
      response.writeHead(404).end('{"error":{"message":"no such path"}}');
    } else if (api === null) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list));
    } else {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(STREAMS[api](RESULT[api].test(body)));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
