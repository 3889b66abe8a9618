/** Linear's front: a request meets the faults that are on, is answered, and is logged. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { graphqlFaults, type Meeting } from '../faults.ts';
import { type Answer, breakOff, deliver, type Place, StandInServer } from '../server.ts';
import { Api, bodySchema } from './api.ts';
import {
  type Edit,
  editSchema,
  type Fault,
  faultSchema,
  type LoggedRequest,
  namedSeedSchema,
} from './control.ts';
import { forbidden, ratelimited, unauthenticated } from './errors.ts';
import { Limits } from './limits.ts';
import { type Row, type SeedData, TABLES, type TableName } from './model.ts';
import { seedOf } from './seed.ts';
import { Store, type StoreState } from './store.ts';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

export class Front {
  readonly #api = new Api();
  readonly #faults = graphqlFaults<Fault>();
  readonly #log: LoggedRequest[] = [];
  #limits = new Limits(() => Date.now());
  #store: Store;
  readonly #server = new StandInServer({
    faultSchema,
    faults: this.#faults,
    log: this.#log,
    seedSchema: namedSeedSchema,
    reseed: (seed) => {
      this.#store = new Store(seedOf(seed));
      this.#limits = new Limits(() => Date.now());
    },
    state: () => this.#store.state(),
    restore: (state) => {
      this.#store = Store.of(state as StoreState, this.#store.tokens);
    },
    serve: async ({ method, url, text, request }, response) => {
      if (url.pathname === '/graphql' && method === 'POST') {
        await this.#graphql(request, response, text);
      } else if (method === 'GET' && this.#upload(url.pathname) !== undefined) {
        this.#serveUpload(url.pathname, request, response);
      } else response.writeHead(404).end();
    },
    control: (what, input) => this.#control(what, input),
  });

  constructor(seed: SeedData) {
    this.#store = new Store(seed);
  }

  /** @returns the port */
  listen(place: Place): Promise<number> {
    return this.#server.listen(place);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #graphql(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    const body = bodySchema.parse(JSON.parse(text));
    const parsed = this.#api.read(body);
    const refused = 'errors' in parsed;
    const row: LoggedRequest = {
      at: new Date().toISOString(),
      operation: refused ? 'none' : parsed.operation,
      fields: refused ? [] : parsed.fields,
      query: body.query,
      variables: body.variables ?? {},
      status: null,
      complexity: refused ? 0 : parsed.complexity,
      bytes: 0,
      fault: null,
    };
    this.#log.push(row);
    const meeting = this.#faults.meet(row);
    row.fault = meeting.breaking?.kind ?? (meeting.delay > 0 ? 'slow' : null);
    if (meeting.breaking?.kind === 'cut') return breakOff(response);
    const reply =
      this.#early(request, meeting, row) ?? (await this.#answer(request, parsed, meeting));
    // Linear acts at once: it is the answer that is late.
    if (meeting.delay > 0) await sleep(meeting.delay);
    const sent = deliver(response, reply, meeting.breaking?.kind);
    if (sent === null) return;
    row.status = reply.status;
    row.bytes = sent;
  }

  /**
   * A file that was uploaded, for who has a key: https://linear.app/developers/file-storage-authentication
   * ("Authorization" as for the API).
   */
  #serveUpload(path: string, request: IncomingMessage, response: ServerResponse): void {
    const upload = this.#upload(path);
    if (upload === undefined) return;
    const { base64, contentType, location } = upload;
    const status = this.#userOf(request) === null ? 401 : location === null ? 200 : 302;
    const body = status === 200 ? Buffer.from(base64, 'base64') : Buffer.alloc(0);
    const elsewhere = status === 302 && location !== null ? { location } : {};
    this.#log.push({
      at: new Date().toISOString(),
      operation: 'none',
      fields: [`GET ${path}`],
      query: '',
      variables: {},
      status,
      complexity: 0,
      bytes: body.length,
      fault: null,
    });
    response.writeHead(status, { 'content-type': contentType, ...elsewhere }).end(body);
  }

  #upload(path: string): Row<'uploads'> | undefined {
    return [...this.#store.now.uploads.values()].find((one) => one.path === path);
  }

  /** An answer that is decided before the request is looked at. */
  #early(
    request: IncomingMessage,
    { breaking }: Meeting<Fault>,
    row: LoggedRequest,
  ): Answer | null {
    if (breaking?.kind === 'server-error') {
      return {
        status: breaking.status,
        body: 'upstream error',
        headers: { 'content-type': 'text/plain' },
      };
    }
    if (breaking?.kind === 'answer') {
      const { status, body, type } = breaking;
      return { status, body, headers: { 'content-type': type } };
    }
    // An API key is the whole header; an OAuth token comes with Bearer: linear.app/developers/graphql.
    if (this.#userOf(request) === null) return json(401, { errors: [unauthenticated] });
    if (breaking?.kind === 'forbidden') return json(403, { errors: [forbidden] });
    const searches = row.fields.some((field) => field.startsWith('search'));
    const retryAfter =
      breaking?.kind === 'limited' ? breaking.retryAfter : searches ? this.#limits.search() : null;
    const allowed = retryAfter === null && this.#limits.take(row.complexity);
    if (allowed) return null;
    const status = breaking?.kind === 'limited' ? breaking.status : 400;
    const headers = this.#limits.headers(row.complexity, retryAfter);
    return { ...json(status, { errors: [ratelimited] }), headers: { ...JSON_TYPE, ...headers } };
  }

  async #answer(
    request: IncomingMessage,
    parsed: ReturnType<Api['read']>,
    { lag }: Meeting<Fault>,
  ): Promise<Answer> {
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

  #control(what: string, input: unknown): unknown {
    switch (what) {
      case 'PUT /limits':
        this.#limits.set(z.object({ requests: z.number().int() }).parse(input).requests);
        return {};
      case 'PUT /deprecated':
        this.#api.answerDeprecated(z.object({ answered: z.boolean() }).parse(input).answered);
        return {};
      case 'POST /edits':
        return { id: this.#edit(editSchema.parse(input)) };
      case 'GET /dump':
        return this.#store.dump();
      default:
        return undefined;
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

function json(status: number, value: unknown): Answer {
  return { status, body: JSON.stringify(value), headers: JSON_TYPE };
}
