/**
 * A scripted model behind an OpenAI-compatible HTTP server on loopback, so that
 * what is tested is the real SDK's path: chat completions, streamed.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChatRequest, type Reply, type ReplyPart, replyTo, type Script } from './script.ts';

export * from './script.ts';

/** A running model. */
export interface ModelStandIn {
  /** For `OPENAI_BASE_URL`. */
  url: string;
  /** What came, in order. */
  requests: ChatRequest[];
  /** Ends the connections that a client keeps and does not use. */
  endIdle(): void;
  close(): Promise<void>;
}

/** Starts a model that answers by the script. */
export async function startModel(script: Script): Promise<ModelStandIn> {
  const requests: ChatRequest[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chat = (await readJson(request)) as ChatRequest;
    const index = requests.push(chat) - 1;
    const reply = replyTo(script, chat, index);
    if ((reply.status ?? 200) >= 400) refuse(response, reply);
    else if (chat.stream === true) await stream(response, reply, chat.model, index);
    else whole(response, reply, chat.model, index);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    endIdle: () => server.closeIdleConnections(),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

function refuse(response: ServerResponse, { status = 500, headers = {}, message }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: { message: message ?? `refused with ${status}` } }));
}

const argumentsOf = (args: unknown): string =>
  typeof args === 'string' ? args : JSON.stringify(args ?? {});

const callId = (index: number, place: number): string => `call_${index}_${place}`;

const hasCalls = ({ parts = [] }: Reply): boolean => parts.some((part) => 'call' in part);

const finishOf = (reply: Reply): string =>
  reply.finish ?? (hasCalls(reply) ? 'tool_calls' : 'stop');

const usageOf = ({ usage }: Reply): object => {
  const { input, output } = usage ?? { input: 10, output: 5 };
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
};

async function stream(
  response: ServerResponse,
  reply: Reply,
  model: string,
  index: number,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  const base = { id: `chat-${index}`, object: 'chat.completion.chunk', created: 0, model };
  const send = (delta: object, finish: string | null = null): void => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    response.write(`data: ${JSON.stringify({ ...base, choices })}\n\n`);
  };
  send({ role: 'assistant' });
  let place = 0;
  for (const part of reply.parts ?? []) {
    if ('cut' in part) {
      // What was written before leaves first.
      await new Promise((resolve) => setTimeout(resolve, 20));
      response.destroy();
      return;
    }
    if ('wait' in part) await pause(part.wait);
    else if ('text' in part) send({ content: part.text });
    else sendCall(send, part, index, place++);
  }
  send({}, finishOf(reply));
  response.write(`data: ${JSON.stringify({ ...base, choices: [], usage: usageOf(reply) })}\n\n`);
  response.end('data: [DONE]\n\n');
}

const pause = (wait: number | Promise<unknown>): Promise<unknown> =>
  typeof wait === 'number' ? new Promise((resolve) => setTimeout(resolve, wait)) : wait;

/** A call comes in pieces, as models send it. */
function sendCall(
  send: (delta: object) => void,
  { call, args, id }: Extract<ReplyPart, { call: string }>,
  index: number,
  place: number,
): void {
  const text = argumentsOf(args);
  const half = Math.floor(text.length / 2);
  const piece = (rest: object): void => send({ tool_calls: [{ index: place, ...rest }] });
  piece({
    id: id ?? callId(index, place),
    type: 'function',
    function: { name: call, arguments: text.slice(0, half) },
  });
  piece({ function: { arguments: text.slice(half) } });
}

function whole(response: ServerResponse, reply: Reply, model: string, index: number): void {
  const parts = reply.parts ?? [];
  const tools = parts.filter((part) => 'call' in part);
  const message = {
    role: 'assistant',
    content: parts.map((part) => ('text' in part ? part.text : '')).join('') || null,
    ...(tools.length === 0
      ? {}
      : {
          tool_calls: tools.map(({ call, args, id }, place) => ({
            id: id ?? callId(index, place),
            type: 'function',
            function: { name: call, arguments: argumentsOf(args) },
          })),
        }),
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      id: `chat-${index}`,
      object: 'chat.completion',
      created: 0,
      model,
      choices: [{ index: 0, message, finish_reason: finishOf(reply) }],
      usage: usageOf(reply),
    }),
  );
}
