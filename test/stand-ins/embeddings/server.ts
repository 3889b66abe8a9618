/**
 * A server of embeddings as OpenAI and Ollama have it: `POST /v1/embeddings`, on
 * loopback. What it makes of texts is handed in; faults are queued.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

/** What happens to a request instead of an answer. */
export type Fault =
  | { kind: 'status'; status: number; headers?: Record<string, string>; message?: string }
  /** The connection is cut in the middle of the answer. */
  | { kind: 'cut' }
  /** No answer ever comes. */
  | { kind: 'hang' }
  /** Vectors of another length. */
  | { kind: 'dimension'; dimensions: number }
  /** A vector less than there are texts. */
  | { kind: 'fewer' };

export interface EmbeddingServerOptions {
  embed(texts: string[]): Promise<number[][]> | number[][];
  /** The one model that it has. */
  model: string;
  /** Asked for as a bearer token; without one anybody may ask. */
  key?: string;
  /** A text longer than this is refused with 400. Characters. */
  longestText?: number;
  /** Answers wait so long, in ms. */
  delayMs?: number;
  port?: number;
}

export interface EmbeddingServer {
  /** `http://127.0.0.1:PORT/v1`. */
  readonly baseUrl: string;
  /** The texts of each request that was answered with vectors. */
  readonly answered: string[][];
  /** Requests that came, the refused ones too. */
  readonly requests: number;
  /** The most that were under way at once. */
  readonly mostAtOnce: number;
  /** The next requests meet these, one each. */
  fail(...faults: Fault[]): void;
  /** From now on texts become other vectors. */
  become(embed: EmbeddingServerOptions['embed']): void;
  close(): Promise<void>;
}

const body = z.object({ model: z.string(), input: z.union([z.string(), z.array(z.string())]) });

export async function startEmbeddingServer(
  options: EmbeddingServerOptions,
): Promise<EmbeddingServer> {
  const answered: string[][] = [];
  const faults: Fault[] = [];
  let { embed } = options;
  const counts = { requests: 0, underWay: 0, mostAtOnce: 0 };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const fault = faults.shift();
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'status') {
      const { status, headers = {}, message = 'as the test wants it' } = fault;
      return refuse(response, status, message, headers);
    }
    if (request.url !== '/v1/embeddings') return refuse(response, 404, 'no such route');
    const { key, model, longestText = Number.POSITIVE_INFINITY } = options;
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`) {
      return refuse(response, 401, 'Incorrect API key provided');
    }
    const asked = body.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    if (asked.model !== model) {
      return refuse(response, 404, `model "${asked.model}" not found, try pulling it first`);
    }
    const texts = typeof asked.input === 'string' ? [asked.input] : asked.input;
    if (texts.some((text) => text.length > longestText)) {
      return refuse(response, 400, 'the input length exceeds the context length');
    }
    let vectors = await embed(texts);
    if (options.delayMs !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, options.delayMs));
    }
    if (fault?.kind === 'dimension') vectors = vectors.map(() => cycle(fault.dimensions));
    if (fault?.kind === 'fewer') vectors = vectors.slice(1);
    const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
    const tokens = texts.join(' ').split(/\s+/).length;
    const usage = { prompt_tokens: tokens, total_tokens: tokens };
    const text = JSON.stringify({ object: 'list', model, data, usage });
    response.setHeader('content-type', 'application/json');
    if (fault?.kind === 'cut') {
      response.setHeader('content-length', text.length);
      response.write(text.slice(0, text.length / 2), () => response.destroy());
      return;
    }
    if (fault === undefined) answered.push(texts);
    response.end(text);
  }

  const server = createServer((request, response) => {
    counts.requests += 1;
    counts.underWay += 1;
    counts.mostAtOnce = Math.max(counts.mostAtOnce, counts.underWay);
    response.on('close', () => {
      counts.underWay -= 1;
    });
    answer(request, response).catch((error: unknown) => refuse(response, 500, String(error)));
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    answered,
    get requests() {
      return counts.requests;
    },
    get mostAtOnce() {
      return counts.mostAtOnce;
    },
    fail: (...more) => void faults.push(...more),
    become: (other) => {
      embed = other;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', code: null } }));
}

const cycle = (length: number): number[] => Array.from({ length }, (_, index) => (index % 3) - 1);
