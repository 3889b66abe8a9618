/** GitHub's front: a request meets the faults that are on, is answered, and is logged. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { restFaults } from '../faults.ts';
import {
  breakOff,
  deliver,
  type Place,
  type Incoming as Received,
  StandInServer,
} from '../server.ts';
import {
  type Answer,
  answerRequest,
  canonicalPath,
  commonHeaders,
  type Incoming,
  type Parts,
} from './answer.ts';
import { type Fault, faultSchema, type LoggedRequest, seedSchema } from './control.ts';
import { control } from './control-surface.ts';
import { RateLimits, rateHeaders } from './limits.ts';
import type { SeedData } from './model.ts';
import { RouteTable } from './routes/table.ts';
import { seedOf } from './seed.ts';
import { Store, type StoreState } from './store.ts';
import { Upstream } from './upstream.ts';

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
  if (fault.kind === 'taken-down') return takenDown(fault.status);
  if (fault.kind === 'server-error') return json(fault.status, 'Server Error', {});
  return null;
}

/** Without the `documentation_url` that other refusals have. */
function takenDown(status: 451 | 403): Answer {
  const dmca = status === 451;
  const html_url = dmca
    ? 'https://github.com/github/dmca/blob/master/2021/04/2021-04-20-example.md'
    : 'https://github.com/tos';
  const block = { reason: dmca ? 'dmca' : 'tos', created_at: '2021-04-22T17:53:56Z', html_url };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    data: Buffer.from(JSON.stringify({ message: 'Repository access blocked', block })),
    passedThrough: false,
  };
}

const clock = () => Date.now();

function partsOf(seed: SeedData, routes: RouteTable, url: string): Parts {
  const [store, limits, upstream] = [
    new Store(seed, clock),
    new RateLimits(clock),
    new Upstream(seed),
  ];
  return { store, limits, upstream, routes, url, clock };
}

/** The front: create it, then {@link listen}. */
export class Front {
  private parts: Parts;
  private readonly faults = restFaults<Fault>();
  private readonly log: LoggedRequest[] = [];
  private readonly server = new StandInServer({
    faultSchema,
    faults: this.faults,
    log: this.log,
    seedSchema,
    reseed: (named) => {
      this.parts.upstream.close();
      this.parts = partsOf(seedOf(named), this.parts.routes, this.parts.url);
    },
    state: () => this.parts.store.state(),
    restore: (state) => {
      this.parts.store = Store.of(
        state as StoreState,
        Object.fromEntries(this.parts.store.tokens),
        clock,
      );
    },
    serve: (received, response) => this.serve(received, response),
    control: (what, input) => control(this.parts, this.log, what, input),
  });

  constructor(seed: SeedData) {
    this.parts = partsOf(seed, new RouteTable(), '');
  }

  /** Listens on loopback. @returns the port */
  async listen(place: Place): Promise<number> {
    const taken = await this.server.listen(place);
    this.parts.url = `http://127.0.0.1:${taken}`;
    return taken;
  }

  async close(): Promise<void> {
    this.parts.upstream.close();
    await this.server.close();
  }

  private async serve(
    { method, url, text, request }: Received,
    response: ServerResponse,
  ): Promise<void> {
    const { headers } = request;
    const incoming: Incoming = {
      method: method === 'HEAD' ? 'GET' : method,
      path: url.pathname,
      query: url.searchParams,
      headers,
      text,
    };
    const entry: LoggedRequest = {
      at: new Date(clock()).toISOString(),
      method,
      url: request.url ?? '/',
      status: null,
      conditional: Boolean(headers['if-none-match'] ?? headers['if-modified-since']),
      version: headers['x-github-api-version']?.toString() ?? null,
      bytes: 0,
      fault: null,
      passedThrough: false,
    };
    this.log.push(entry);
    await this.meetAndAnswer(incoming, entry, response);
  }

  private async meetAndAnswer(
    incoming: Incoming,
    entry: LoggedRequest,
    response: ServerResponse,
  ): Promise<void> {
    const { parts } = this;
    const paths = [incoming.path, canonicalPath(parts.store, incoming.path)];
    const { breaking, delay, lag } = this.faults.meet({ method: entry.method, paths });
    entry.fault = breaking?.kind ?? (delay > 0 ? 'slow' : lag > 0 ? 'lag' : null);
    if (delay > 0) await sleep(delay);
    if (breaking?.kind === 'cut') return breakOff(response);
    const login = [...parts.store.tokens.values()][0] ?? null;
    const instead = breaking ? faultAnswer(breaking, parts, login) : null;
    const answer = instead ?? (await answerRequest(parts, incoming, lag));
    entry.passedThrough = answer.passedThrough;
    const { status, data: body } = answer;
    const headers = { ...commonHeaders(clock), ...answer.headers };
    const sent = deliver(response, { status, headers, body }, breaking?.kind);
    if (sent === null) return;
    entry.status = status;
    entry.bytes = sent;
  }
}
