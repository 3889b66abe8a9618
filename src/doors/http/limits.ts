/** What a door over HTTP lets its clients take. */

/** Times in ms, sizes in bytes. */
export interface HttpLimits {
  /** Of one message. */
  bodyBytes: number;
  /** At once, of all clients; one more is refused until another one has ended. */
  sessions: number;
  /** Requests under way at once, of all clients. */
  requests: number;
  /** A session without a request, and without a stream that is open, ends after this. */
  idleMs: number;
  /** Until the head of a request is here. */
  headMs: number;
  /** Until all of a request is here. */
  requestMs: number;
  /** Sockets at once. */
  connections: number;
}

export const HTTP_LIMITS: HttpLimits = {
  bodyBytes: 1024 * 1024,
  sessions: 32,
  requests: 64,
  idleMs: 30 * 60_000,
  headMs: 10_000,
  requestMs: 30_000,
  connections: 256,
};

/** A request that is answered with a status and a sentence. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Of JSON-RPC. */
  readonly code: number;

  constructor(
    status: number,
    message: string,
    { headers = {}, code = -32_000 }: { headers?: Record<string, string>; code?: number } = {},
  ) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.code = code;
  }
}

/** What is there in a number, of which one client of several has half at most: the others are served, too. */
export class Share {
  readonly #most: number;
  readonly #each: () => number;
  readonly #refusal: (most: number) => HttpRefusal;
  readonly #taken = new Map<string, number>();
  #all = 0;

  /** @param clients how many there are now */
  constructor(most: number, clients: () => number, refusal: (most: number) => HttpRefusal) {
    this.#most = most;
    this.#each = () => (clients() > 1 ? Math.ceil(most / 2) : most);
    this.#refusal = refusal;
  }

  /** Takes one. @returns how to give it back @throws HttpRefusal */
  take(client: string): () => void {
    const taken = this.#taken.get(client) ?? 0;
    const each = this.#each();
    if (this.#all >= this.#most || taken >= each)
      throw this.#refusal(taken >= each ? each : this.#most);
    this.#all++;
    this.#taken.set(client, taken + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#all--;
      const left = (this.#taken.get(client) ?? 1) - 1;
      if (left === 0) this.#taken.delete(client);
      else this.#taken.set(client, left);
    };
  }
}
