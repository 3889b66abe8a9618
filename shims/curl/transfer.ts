/** One transfer, redirects followed as curl follows them. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import {
  isPrivateHeader,
  type Network,
  type NetworkAnswer,
  NetworkError,
} from '../../src/shell/command.ts';
import type { Tool } from '../support/tool.ts';

export interface Transfer {
  url: URL;
  method: string;
  /** The method that is sent in place of `method`, which still tells how redirects are followed. */
  saidMethod: string | undefined;
  headers: ReadonlyArray<readonly [name: string, value: string]>;
  body: Buffer | null;
  follows: boolean;
  mostRedirects: number;
  /** The method is kept where a redirect would make a GET of it. */
  keepsMethod: boolean;
  timeoutMs: number;
}

/** All answers of a transfer, the last of them the one that counts. */
export interface Transferred {
  answers: NetworkAnswer[];
  url: URL;
  method: string;
  redirects: number;
  /** Where a redirect would lead that was not followed. */
  redirectUrl: string;
  seconds: number;
}

/** More redirects than were to be followed. */
export class TooManyRedirects extends Error {
  override readonly name = 'TooManyRedirects';
}

/** What a body may become that came compressed. Bytes. */
const MOST_DECODED = 256 * 1024 * 1024;

export const headerOf = ({ headers }: NetworkAnswer, name: string): string | undefined =>
  headers.find(([key]) => key.toLowerCase() === name)?.[1];

/** @throws NetworkError, TooManyRedirects */
export async function transfer(
  tool: Tool,
  network: Network,
  request: Transfer,
): Promise<Transferred> {
  const began = performance.now();
  const answers: NetworkAnswer[] = [];
  let { url, method, body, headers } = request;
  for (let redirects = 0; ; redirects++) {
    const { timeoutMs } = request;
    const { signal } = tool.ctx;
    const sent = request.saidMethod ?? method;
    const ask = { method: sent, url: url.href, headers, body, timeoutMs, signal };
    const answer = await network.ask(ask);
    answers.push(answer);
    const location = headerOf(answer, 'location');
    const leads =
      answer.status >= 300 &&
      answer.status < 400 &&
      location !== undefined &&
      URL.canParse(location, url.href);
    const next = leads ? new URL(location, url) : undefined;
    if (next === undefined || !request.follows) {
      const seconds = (performance.now() - began) / 1000;
      return { answers, url, method: sent, redirects, redirectUrl: next?.href ?? '', seconds };
    }
    if (redirects >= request.mostRedirects)
      throw new TooManyRedirects(`Maximum (${request.mostRedirects}) redirects followed`);
    if (!/^https?:$/.test(next.protocol))
      throw new NetworkError(
        'other',
        `Protocol "${next.protocol.slice(0, -1)}" not supported or disabled in libcurl`,
      );
    const becomesGet =
      answer.status === 303 ? method !== 'HEAD' : method === 'POST' && answer.status < 307;
    if (becomesGet && !request.keepsMethod) {
      method = 'GET';
      body = null;
      headers = headers.filter(([name]) => !/^content-/i.test(name));
    }
    if (next.origin !== url.origin) headers = headers.filter(([name]) => !isPrivateHeader(name));
    // Of an answer that leads on, the head alone is shown; bodies of a loop would add up.
    answers[answers.length - 1] = { ...answer, body: Buffer.alloc(0) };
    url = next;
  }
}

/** A body that is not compressed as its head says, or that has no end. */
export class NotDecoded extends Error {
  override readonly name = 'NotDecoded';
}

/**
 * The body as it was before it was compressed on the way.
 * @throws NotDecoded
 */
export function decoded(answer: NetworkAnswer): Buffer {
  try {
    return inflated(answer);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const why =
      code === 'ERR_BUFFER_TOO_LARGE'
        ? `more than ${MOST_DECODED} bytes`
        : 'not what its head says';
    throw new NotDecoded(`Error while processing content unencoding: ${why}`, { cause: error });
  }
}

function inflated(answer: NetworkAnswer): Buffer {
  const limit = { maxOutputLength: MOST_DECODED };
  switch (headerOf(answer, 'content-encoding')?.toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(answer.body, limit);
    case 'deflate':
      return inflateSync(answer.body, limit);
    case 'br':
      return brotliDecompressSync(answer.body, limit);
    default:
      return answer.body;
  }
}

/** Status line and headers, as they came. */
export function headText({ httpVersion, status, statusText, headers }: NetworkAnswer): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/${httpVersion} ${status}${statusText === '' ? '' : ` ${statusText}`}\r\n${lines.join('')}\r\n`;
}
