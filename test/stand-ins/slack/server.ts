/** Slack's side: tokens, methods, faults, the log. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { restFaults } from '../faults.ts';
import { breakOff, deliver, type Incoming, type Place, StandInServer } from '../server.ts';
import { type Edit, editSchema, type Fault, faultSchema, type LoggedRequest } from './control.ts';
import { deleteMessage, kept, METHODS, Refusal } from './methods.ts';
import { type Seed, seedSchema } from './model.ts';
import { Store, type StoreState } from './store.ts';

interface Answer {
  status: number;
  body: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, string>>;
}

export class SlackServer {
  #store: Store;
  readonly #log: LoggedRequest[] = [];
  readonly #faults = restFaults<Fault>();
  readonly #server = new StandInServer({
    faultSchema,
    faults: this.#faults,
    log: this.#log,
    seedSchema,
    reseed: (seed) => {
      this.#store = Store.of(seed);
    },
    state: () => this.#store.state(),
    restore: (state) => {
      this.#store = new Store(this.#store, state as StoreState);
    },
    serve: (incoming, response) => this.#serve(incoming, response),
    control: (what, input) => control(this.#store, what, input),
  });

  constructor(seed: Seed) {
    this.#store = Store.of(seed);
  }

  /** Listens on loopback. @returns the port */
  listen(place: Place): Promise<number> {
    return this.#server.listen(place);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #serve(incoming: Incoming, response: ServerResponse): Promise<void> {
    const { url, method } = incoming;
    const name = url.pathname.replace(/^\/(?:api\/)?/, '');
    const { breaking, delay, lag } = this.#faults.meet({ method, paths: [url.pathname] });
    const fault = breaking?.kind ?? (lag > 0 ? 'lag' : null);
    const entry: LoggedRequest = { method: name, status: null, fault, error: null };
    this.#log.push(entry);
    if (delay > 0) await sleep(delay);
    if (breaking?.kind === 'cut') return breakOff(response);
    const { status, ...answer } = this.#answer(name, incoming, breaking, lag);
    const headers = { 'content-type': 'application/json; charset=utf-8', ...answer.headers };
    const body = JSON.stringify(answer.body);
    if (deliver(response, { status, headers, body }, breaking?.kind) === null) return;
    entry.status = status;
    entry.error = typeof answer.body['error'] === 'string' ? answer.body['error'] : null;
  }

  #answer(
    name: string,
    { url, text, request }: Incoming,
    fault: Fault | null,
    lag: number,
  ): Answer {
    if (fault?.kind === 'rate-limited') {
      const headers = { 'retry-after': String(fault.retryAfter) };
      return { status: 429, headers, body: { ok: false, error: 'ratelimited' } };
    }
    if (fault?.kind === 'server-error') return { status: fault.status, headers: {}, body: {} };
    try {
      if (fault?.kind === 'refused') throw new Refusal(fault.error);
      const viewer = this.#viewer(request);
      const args = new URLSearchParams(text === '' ? url.search : text);
      const method = METHODS[name];
      if (method === undefined) throw new Refusal('unknown_method');
      const body = { ok: true, ...method({ store: this.#store, args, viewer, lag }) };
      return { status: 200, headers: {}, body };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: 200, headers: {}, body: { ok: false, error: error.message } };
    }
  }

  #viewer({ headers }: IncomingMessage): Seed['tokens'][string] {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (token === undefined) throw new Refusal('not_authed');
    const viewer = this.#store.tokens[token];
    if (viewer === undefined) throw new Refusal('invalid_auth');
    return viewer;
  }
}

/** Carries out a control request, `METHOD /path`; undefined where there is no such one. */
function control(store: Store, what: string, input: unknown): unknown {
  if (what === 'POST /edits') return { ts: edited(store, editSchema.parse(input)) };
  if (what !== 'GET /dump') return undefined;
  return store.channels.flatMap(({ id }) =>
    store.messages(id).map((message) => ({ ...message, channel: id })),
  );
}

function edited(store: Store, edit: Edit): string {
  if (edit.op === 'rename-user') {
    for (const user of store.users) if (user.id === edit.id) user.name = edit.name;
    return '';
  }
  if (edit.op === 'rename-channel') {
    for (const one of store.channels.filter(({ id }) => id === edit.id)) {
      one.previous_names = [...one.previous_names, one.name];
      one.name = edit.name;
    }
    return '';
  }
  const ts = edit.op === 'post' ? store.newTs() : edit.ts;
  const { channel } = edit;
  const found = store.message(channel, ts);
  if (edit.op === 'post') {
    const user = edit.user ?? store.users[0]?.id ?? '';
    const thread = edit.thread === undefined ? {} : { thread_ts: edit.thread };
    store.put(channel, ts, { ts, user, text: kept(edit.text), reactions: {}, ...thread });
  } else if (found === undefined) throw new Error(`the channel has no message ${ts}`);
  else if (edit.op === 'delete') deleteMessage(store, channel, found);
  else {
    const mark = { user: found.user, ts: store.newTs() };
    store.put(channel, ts, { ...found, text: kept(edit.text), edited: mark });
  }
  return ts;
}
