/**
 * In the worker: what the mounts do for one call, and the requests that they
 * send for it, told as it happens. Only for calls whose caller wants it; the
 * others pay for one comparison. Requests are met where Node's own client tells
 * of them, so a mount need not know of any of this.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** What a mount does, on its way to whoever called. Times are ms since the epoch. */
export type TrafficEvent =
  | { kind: 'mount'; mount: string; at: number }
  | { kind: 'mount-end'; mount: string; at: number; operations: number }
  | { kind: 'request'; key: number; mount: string; at: number; method: string; url: string }
  | { kind: 'request-end'; key: number; at: number; status?: number; error?: string };

/** Where the traffic of one call goes. */
export interface CallTraffic {
  /** Runs an operation of a mount that may send requests. */
  around<T>(mount: string, work: () => Promise<T>): Promise<T>;
  /** Tells how it ended; what goes on afterwards is not the call's. */
  end(): void;
}

/** Watches the traffic of one thread. */
export class Traffic {
  readonly #calls = new AsyncLocalStorage<{ call: Call; mount: string }>();
  readonly #sent = new WeakMap<object, { call: Call; key: number }>();
  #open = 0;
  #next = 1;

  /** Begins to watch a call. */
  begin(tell: (event: TrafficEvent) => void): CallTraffic {
    if (this.#open++ === 0) {
      for (const [channel, listener] of this.#listeners) subscribe(channel, listener);
    }
    const call = new Call(tell, () => {
      if (--this.#open > 0) return;
      for (const [channel, listener] of this.#listeners) unsubscribe(channel, listener);
    });
    return {
      around: (mount, work) => {
        call.operation(mount);
        return this.#calls.run({ call, mount }, work).finally(() => call.operated(mount));
      },
      end: () => call.end(),
    };
  }

  readonly #listeners: readonly (readonly [string, (message: unknown) => void])[] = [
    ['undici:request:create', (message) => this.#created((message as Message).request)],
    [
      'undici:request:headers',
      (message) => {
        const { request, response } = message as Message;
        this.#sent.get(request)?.call.answered(request, response?.statusCode);
      },
    ],
    ['undici:request:trailers', (message) => this.#ended((message as Message).request)],
    [
      'undici:request:error',
      (message) => {
        const { request, error } = message as Message;
        this.#ended(request, error instanceof Error ? error.message : String(error));
      },
    ],
  ];

  #created(request: Message['request']): void {
    const within = this.#calls.getStore();
    if (within === undefined || within.call.ended) return;
    const { call, mount } = within;
    const key = this.#next++;
    this.#sent.set(request, { call, key });
    const { method, origin, path } = request;
    call.tell({ kind: 'request', key, mount, at: now(), method, url: `${origin}${path}` });
  }

  #ended(request: Message['request'], error?: string): void {
    const sent = this.#sent.get(request);
    if (sent === undefined) return;
    this.#sent.delete(request);
    const status = sent.call.statusOf(request);
    sent.call.tell({
      kind: 'request-end',
      key: sent.key,
      at: now(),
      ...(status === undefined ? {} : { status }),
      ...(error === undefined ? {} : { error }),
    });
  }
}

/** What Node's client tells of a request; the same object from its beginning to its end. */
interface Message {
  request: { origin: string | URL; path: string; method: string };
  response?: { statusCode: number };
  error?: unknown;
}

/** One call, while it runs. */
class Call {
  ended = false;
  readonly #tell: (event: TrafficEvent) => void;
  readonly #onEnd: () => void;
  readonly #mounts = new Map<string, { operations: number; last: number }>();
  readonly #status = new WeakMap<object, number>();

  constructor(tell: (event: TrafficEvent) => void, onEnd: () => void) {
    this.#tell = tell;
    this.#onEnd = onEnd;
  }

  tell(event: TrafficEvent): void {
    if (!this.ended) this.#tell(event);
  }

  operation(mount: string): void {
    const at = now();
    const known = this.#mounts.get(mount);
    if (known === undefined) {
      this.#mounts.set(mount, { operations: 1, last: at });
      this.tell({ kind: 'mount', mount, at });
    } else known.operations += 1;
  }

  operated(mount: string): void {
    const known = this.#mounts.get(mount);
    if (known !== undefined) known.last = now();
  }

  answered(request: object, status: number | undefined): void {
    if (status !== undefined) this.#status.set(request, status);
  }

  statusOf(request: object): number | undefined {
    return this.#status.get(request);
  }

  end(): void {
    if (this.ended) return;
    for (const [mount, { operations, last }] of this.#mounts)
      this.tell({ kind: 'mount-end', mount, at: last, operations });
    this.ended = true;
    this.#onEnd();
  }
}

const now = (): number => performance.timeOrigin + performance.now();
