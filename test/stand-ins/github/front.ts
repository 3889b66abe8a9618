/** The HTTP server: reads a request, lets it meet the faults that are on, answers, logs. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  answerRequest,
  canonicalPath,
  commonHeaders,
  type Incoming,
  type Parts,
} from './answer.ts';
import { CONTROL, type Fault, type LoggedRequest } from './control.ts';
import { ControlSurface } from './control-surface.ts';
import { Faults } from './faults.ts';
import { RateLimits, rateHeaders } from './limits.ts';
import type { SeedData } from './model.ts';
import { RouteTable } from './routes/table.ts';
import { Store } from './store.ts';
import { Upstream } from './upstream.ts';

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString();
}

/** The answer that a limit or a 5xx fault gives in place of the real one, or null. */
function faultAnswer(fault: Fault, parts: Parts, login: string | null): Answer | null {
  const docs = 'https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api';
  const now = Math.floor(parts.clock() / 1000);
  const window = parts.limits.window(login, 'core');
  const json = (status: number, message: string, headers: Record<string, string>): Answer => ({
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    data: Buffer.from(JSON.stringify({ message, documentation_url: docs, status: String(status) })),
    passedThrough: false,
  });
  if (fault.kind === 'primary-limit') {
    const spent = { ...window, used: window.limit, reset: now + fault.retryAfter };
    return json(fault.status, 'API rate limit exceeded for user.', rateHeaders(spent));
  }
  if (fault.kind === 'secondary-limit') {
    const text =
      'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
    const retry = { 'retry-after': String(fault.retryAfter) };
    return json(fault.status, text, { ...retry, ...rateHeaders(window) });
  }
  if (fault.kind === 'server-error') return json(fault.status, 'Server Error', {});
  return null;
}

/** The front: create it, then {@link listen}. */
export class Front {
  private readonly parts: Parts;
  private readonly faults = new Faults();
  private readonly control: ControlSurface;
  private readonly server: Server;

  constructor(seed: SeedData) {
    const clock = () => Date.now();
    this.parts = {
      store: new Store(seed, clock),
      limits: new RateLimits(clock),
      routes: new RouteTable(),
      upstream: new Upstream(seed),
      url: '',
      clock,
    };
    this.control = new ControlSurface(this.parts, this.faults);
    this.server = createServer((request, response) => {
      this.serve(request, response).catch((error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
        if (!response.headersSent) response.writeHead(500);
        response.end();
      });
    });
  }

  /** Listens on loopback. @param port 0 for any @returns the port */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, '127.0.0.1', resolve);
    });
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening on TCP');
    this.parts.url = `http://127.0.0.1:${address.port}`;
    return address.port;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.parts.url);
    const method = request.method ?? 'GET';
    const text = await textOf(request);
    if (url.pathname.startsWith(`${CONTROL}/`)) {
      this.control.serve(method, url.pathname.slice(CONTROL.length), text, response);
      return;
    }
    const incoming: Incoming = {
      method: method === 'HEAD' ? 'GET' : method,
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      text,
    };
    const entry: LoggedRequest = {
      at: new Date(this.parts.clock()).toISOString(),
      method,
      url: request.url ?? '/',
      status: null,
      conditional: Boolean(
        request.headers['if-none-match'] ?? request.headers['if-modified-since'],
      ),
      bytes: 0,
      fault: null,
      passedThrough: false,
    };
    this.control.log.push(entry);
    await this.meetAndAnswer(incoming, entry, response);
  }

  private async meetAndAnswer(
    incoming: Incoming,
    entry: LoggedRequest,
    response: ServerResponse,
  ): Promise<void> {
    const paths = [incoming.path, canonicalPath(this.parts.store, incoming.path)];
    const { breaking, delay, lag } = this.faults.meet(entry.method, paths);
    entry.fault = breaking?.kind ?? (delay > 0 ? 'slow' : lag > 0 ? 'lag' : null);
    if (delay > 0) await sleep(delay);
    if (breaking?.kind === 'cut') {
      response.socket?.destroy();
      return;
    }
    const login = [...this.parts.store.tokens.values()][0] ?? null;
    const instead = breaking ? faultAnswer(breaking, this.parts, login) : null;
    const answer = instead ?? (await answerRequest(this.parts, incoming, lag));
    entry.passedThrough = answer.passedThrough;
    if (breaking?.kind === 'lost-answer') {
      response.socket?.destroy();
      return;
    }
    entry.status = answer.status;
    this.write(answer, entry, response, breaking?.kind === 'cut-body');
  }

  private write(
    answer: Answer,
    entry: LoggedRequest,
    response: ServerResponse,
    cutBody: boolean,
  ): void {
    const empty = answer.status === 204 || answer.status === 304;
    response.writeHead(answer.status, {
      ...commonHeaders(this.parts.clock),
      ...answer.headers,
      ...(empty ? {} : { 'content-length': String(answer.data.length) }),
    });
    if (cutBody) {
      const half = answer.data.subarray(0, Math.floor(answer.data.length / 2));
      entry.bytes = half.length;
      response.write(half, () => response.socket?.destroy());
      return;
    }
    entry.bytes = entry.method === 'HEAD' ? 0 : answer.data.length;
    response.end(entry.method === 'HEAD' ? undefined : answer.data);
  }
}
