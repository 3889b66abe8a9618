/** The HTTP server: reads a request, lets it meet the faults that are on, answers, logs. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { CONTROL } from '../process.ts';
import { Api, bodySchema } from './api.ts';
import { type Edit, editSchema, faultSchema, type LoggedRequest } from './control.ts';
import { ratelimited, unauthenticated } from './errors.ts';
import { Faults, type Meeting } from './faults.ts';
import { Limits } from './limits.ts';
import { type Row, type SeedData, seedSchema, TABLES, type TableName } from './model.ts';
import { Store } from './store.ts';

interface Reply {
  status: number;
  body: string;
  headers: Record<string, string>;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

export class Front {
  readonly #api = new Api();
  readonly #faults = new Faults();
  #limits = new Limits(() => Date.now());
  readonly #log: LoggedRequest[] = [];
  readonly #server: Server;
  #store: Store;

  constructor(seed: SeedData) {
    this.#store = new Store(seed);
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        const text = error instanceof Error ? error.message : String(error);
        response.writeHead(500, JSON_TYPE).end(JSON.stringify({ error: text }));
      });
    });
    // A connection that ends just when a client sends on it would look like a fault that nobody asked for.
    this.#server.keepAliveTimeout = 600_000;
  }

  /** @returns the port */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    const path = request.url ?? '/';
    if (path.startsWith(`${CONTROL}/`)) {
      const reply = this.#control(`${request.method} ${path.slice(CONTROL.length)}`, text);
      response.writeHead(200, JSON_TYPE).end(JSON.stringify(reply));
      return;
    }
    if (path !== '/graphql' || request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    await this.#graphql(request, response, text);
  }

  async #graphql(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    const parsed = this.#api.read(bodySchema.parse(JSON.parse(text)));
    const refused = 'errors' in parsed;
    const row: LoggedRequest = {
      at: new Date().toISOString(),
      operation: refused ? 'none' : parsed.operation,
      fields: refused ? [] : parsed.fields,
      status: null,
      complexity: refused ? 0 : parsed.complexity,
      bytes: 0,
      fault: null,
    };
    this.#log.push(row);
    const meeting = this.#faults.meet(row.operation, row.fields);
    row.fault = meeting.breaking?.kind ?? (meeting.delay > 0 ? 'slow' : null);
    if (meeting.breaking?.kind === 'cut') {
      request.socket.destroy();
      return;
    }
    const reply =
      this.#early(request, meeting, row) ?? (await this.#answer(request, parsed, meeting));
    if (meeting.delay > 0) await sleep(meeting.delay);
    if (meeting.breaking?.kind === 'lost-answer') {
      request.socket.destroy();
      return;
    }
    row.status = reply.status;
    row.bytes = Buffer.byteLength(reply.body);
    const length = { 'content-length': String(row.bytes) };
    response.writeHead(reply.status, { ...reply.headers, ...length });
    if (meeting.breaking?.kind === 'cut-body') {
      response.write(reply.body.slice(0, reply.body.length / 2), () => request.socket.destroy());
    } else {
      response.end(reply.body);
    }
  }

  /** An answer that is decided before the request is looked at. */
  #early(request: IncomingMessage, { breaking }: Meeting, row: LoggedRequest): Reply | null {
    if (breaking?.kind === 'server-error') {
      return {
        status: breaking.status,
        body: 'upstream error',
        headers: { 'content-type': 'text/plain' },
      };
    }
    // An API key is the whole header; an OAuth token comes with Bearer: linear.app/developers/graphql.
    if (this.#userOf(request) === null) return json(401, { errors: [unauthenticated] });
    const retryAfter = breaking?.kind === 'limited' ? breaking.retryAfter : null;
    const allowed = retryAfter === null && this.#limits.take(row.complexity);
    if (allowed) return null;
    const status = breaking?.kind === 'limited' ? breaking.status : 400;
    const headers = this.#limits.headers(row.complexity, retryAfter);
    return { ...json(status, { errors: [ratelimited] }), headers: { ...JSON_TYPE, ...headers } };
  }

  async #answer(
    request: IncomingMessage,
    parsed: ReturnType<Api['read']>,
    { lag }: Meeting,
  ): Promise<Reply> {
    if ('errors' in parsed) return json(400, parsed);
    const result = await this.#api.execute(parsed, this.#store, this.#userOf(request) ?? '', lag);
    const reply = json(200, result);
    return {
      ...reply,
      headers: { ...reply.headers, ...this.#limits.headers(parsed.complexity, null) },
    };
  }

  #userOf(request: IncomingMessage): string | null {
    const key = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    return this.#store.tokens[key] ?? null;
  }

  #control(what: string, text: string): unknown {
    const body = (): unknown => JSON.parse(text);
    switch (what) {
      case 'GET /requests':
        return this.#log;
      case 'DELETE /requests':
        this.#log.length = 0;
        return {};
      case 'POST /faults':
        this.#faults.add(faultSchema.parse(body()));
        return {};
      case 'DELETE /faults':
        this.#faults.clear();
        return {};
      case 'PUT /limits':
        this.#limits.set(z.object({ requests: z.number().int() }).parse(body()).requests);
        return {};
      case 'POST /edits':
        return { id: this.#edit(editSchema.parse(body())) };
      case 'POST /reset':
        this.#store = new Store(seedSchema.parse(body()));
        this.#limits = new Limits(() => Date.now());
        this.#faults.clear();
        this.#log.length = 0;
        return {};
      case 'GET /dump':
        return this.#store.dump();
      default:
        throw new Error(`no such control: ${what}`);
    }
  }

  #edit(edit: Edit): string {
    const store = this.#store;
    const at = store.tick();
    if (edit.op === 'add') {
      const row = { id: crypto.randomUUID(), createdAt: at, updatedAt: at, ...edit.fields };
      store.put(edit.table, TABLES[edit.table].parse(row) as Row<TableName>);
      return String(row.id);
    }
    const table = store.now[edit.table];
    const found = edit.table === 'issues' ? store.issue(store.now, edit.id) : table.get(edit.id);
    if (found === undefined) throw new Error(`${edit.table} has no ${edit.id}`);
    if (edit.op === 'remove') store.remove(edit.table, found.id);
    else {
      const row = { ...found, updatedAt: at, ...edit.fields };
      store.put(edit.table, TABLES[edit.table].parse(row) as Row<TableName>);
    }
    return found.id;
  }
}

function json(status: number, value: unknown): Reply {
  return { status, body: JSON.stringify(value), headers: JSON_TYPE };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString();
}
