/**
 * The network that commands have: hosts that the deployment allows, each request
 * an operation that the gate is asked about. The address that is connected to is
 * the one that was looked at, so that no name can lead elsewhere in between.
 */
import { createHash } from 'node:crypto';
import { type LookupAddress, type LookupAllOptions, lookup as resolveName } from 'node:dns';
import http, { type IncomingMessage, validateHeaderName, validateHeaderValue } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { DefenseInDepthBox } from 'just-bash';
import type { GateDecision, ToolCallFacts } from '../policy/gate.ts';
import {
  isPrivateHeader,
  type Network,
  type NetworkAnswer,
  NetworkError,
  type NetworkRequest,
} from '../shell/command.ts';
import {
  type AllowedHost,
  allowedFor,
  namesPrivate,
  parseAllowed,
  privateAddresses,
} from './allowed-hosts.ts';

export interface NetworkOptions {
  /** As the config has them. */
  allow: readonly string[];
  permit(call: ToolCallFacts): Promise<GateDecision>;
  /** What a host said is about to be read. */
  noteRead(url: string): void;
  /** How names become addresses; the system's way by default. */
  resolve?: Resolve;
}

type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/** What an answer may have. Bytes. */
const MOST_BYTES = 256 * 1024 * 1024;
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
/** With one of these a GET stands for another method. */
const OVERRIDES = /method/i;
/** What these say is ours to say: two lengths of one body are two requests to somebody. */
const OURS = /^(?:host|connection|content-length|transfer-encoding|upgrade)$/i;
/** Above, a timer of Node.js fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Makes the network; null where no host is allowed. */
export function createNetwork({
  allow,
  permit,
  noteRead,
  resolve = resolveName,
}: NetworkOptions): Network | null {
  const rows = allow.flatMap((text) => parseAllowed(text) ?? []);
  if (rows.length === 0) return null;
  const isPrivate = privateAddresses();
  return {
    allow,
    ask: (request) =>
      DefenseInDepthBox.runTrustedAsync(async () => {
        const url = new URL(request.url);
        const row = /^https?:$/.test(url.protocol) ? allowedFor(url, rows) : undefined;
        if (row === undefined) {
          throw new NetworkError(
            'refused',
            `${url.origin} is not among the hosts that this world may ask: ${allow.join(', ')}`,
          );
        }
        requireWellFormed(request);
        const decision = await permit(callOf(request, url));
        if (decision.decision !== 'allow')
          throw new NetworkError('refused', `${decision.rule}: ${decision.reason}`);
        try {
          const answer = await send(request, url, lookupFor(row, isPrivate, resolve));
          noteRead(url.origin);
          return answer;
        } catch (error) {
          // What is told of these may quote the host: the names in its certificate.
          if (error instanceof NetworkError && ['tls', 'other'].includes(error.kind))
            noteRead(url.origin);
          throw error;
        }
      }),
  };
}

/** Refuses, before anything is asked or connected, what no request can be made of. */
function requireWellFormed({ method, headers, timeoutMs }: NetworkRequest): void {
  try {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method)) throw new Error('the method is no token');
    for (const [name, value] of headers) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    if (Number.isNaN(timeoutMs)) throw new Error('the time limit is no number');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new NetworkError('other', `Malformed request: ${why}`, { cause: error });
  }
}

/**
 * The request as the policy and the log see it: a call of the tool `network`, which
 * only reads unless it sends something. What is secret in it is there as a digest,
 * so that an approval is of this very request.
 */
function callOf({ method, headers, body }: NetworkRequest, url: URL): ToolCallFacts {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  const whole = createHash('sha256').update(JSON.stringify([method, url.href, headers]));
  if (body !== null) whole.update(body);
  const input = {
    method,
    url: shown.href,
    headers: headers.map(([name, value]) => `${name}: ${isPrivateHeader(name) ? '…' : value}`),
    body: body === null ? null : body.toString('utf8'),
    digest: whole.digest('hex'),
  };
  return {
    name: 'network',
    host: true,
    readOnly: READS.has(method) && body === null && !headers.some(([name]) => OVERRIDES.test(name)),
    input: JSON.stringify(input),
  };
}

/** Looks a name up, and takes no address of a private network unless the config names one. */
function lookupFor(
  row: AllowedHost,
  isPrivate: (address: string) => boolean,
  resolve: Resolve,
): LookupFunction {
  const mayBePrivate = namesPrivate(row);
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '', 0);
      const good = found.filter(({ address }) => mayBePrivate || !isPrivate(address));
      const [first] = good;
      if (first === undefined) {
        const refused = new NetworkError(
          'refused',
          `${hostname} leads to a private address, which has to be named in network.allow itself`,
        );
        return callback(refused, '', 0);
      }
      if (options.all === true) callback(null, good);
      else callback(null, first.address, first.family);
    });
  };
}

const KINDS: Readonly<Record<string, NetworkError['kind']>> = {
  ENOTFOUND: 'name',
  EAI_AGAIN: 'name',
  ECONNREFUSED: 'connect',
  ECONNRESET: 'connect',
  EHOSTUNREACH: 'connect',
  ENETUNREACH: 'connect',
  ETIMEDOUT: 'timeout',
};

function failureOf(error: Error): NetworkError {
  if (error instanceof NetworkError) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const tls = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code);
  return new NetworkError(KINDS[code] ?? (tls ? 'tls' : 'other'), error.message || code, {
    cause: error,
  });
}

function send(request: NetworkRequest, url: URL, lookup: LookupFunction): Promise<NetworkAnswer> {
  const { method, headers, body, timeoutMs, signal } = request;
  const client = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.timeout(Math.min(Math.max(0, Math.round(timeoutMs)), LONGEST_MS));
    const stop = signal === undefined ? limit : AbortSignal.any([limit, signal]);
    const fail = (error: Error): void =>
      reject(
        limit.aborted
          ? new NetworkError('timeout', `nothing came within ${timeoutMs} ms`)
          : failureOf(error),
      );
    const sent = client.request(url, {
      method,
      lookup,
      signal: stop,
      agent: false,
      setDefaultHeaders: false,
    });
    sent.on('error', fail);
    for (const [name, value] of grouped(headers, url)) sent.setHeader(name, value);
    sent.on('response', (answer) => {
      collect(answer).then(
        (bytes) => resolve(answerOf(answer, bytes)),
        (error: unknown) => fail(error instanceof Error ? error : new Error(String(error))),
      );
    });
    if (body !== null) sent.setHeader('Content-Length', body.length);
    sent.end(body ?? undefined);
  });
}

/** Headers of one name together; without a Host of one's own, that of the address. */
function grouped(headers: NetworkRequest['headers'], url: URL): Map<string, string | string[]> {
  const out = new Map<string, string | string[]>([
    ['Host', url.host],
    ['Connection', 'close'],
  ]);
  for (const [name, value] of headers) {
    // What is allowed is a host, whatever a request calls it.
    if (OURS.test(name)) continue;
    const key = [...out.keys()].find((one) => one.toLowerCase() === name.toLowerCase());
    if (key === undefined) out.set(name, value);
    else out.set(key, [out.get(key) ?? [], value].flat());
  }
  return out;
}

async function collect(answer: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer) {
    const bytes = part as Buffer;
    size += bytes.length;
    if (size > MOST_BYTES) {
      answer.destroy();
      throw new NetworkError('other', `the answer has more than ${MOST_BYTES} bytes`);
    }
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

function answerOf(answer: IncomingMessage, body: Buffer): NetworkAnswer {
  const { rawHeaders } = answer;
  const headers = rawHeaders.flatMap((name, i) =>
    i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? ''] as const] : [],
  );
  const address = answer.socket.remoteAddress ?? '';
  return {
    status: answer.statusCode ?? 0,
    statusText: answer.statusMessage ?? '',
    httpVersion: answer.httpVersion,
    headers,
    body,
    address: isIP(address) === 0 ? '' : address,
  };
}
