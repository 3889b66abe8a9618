/** What a server of MCP over HTTP lets its clients take. */

/** Times in ms, sizes in bytes. */
export interface HttpLimits {
  /** Of one message. */
  bodyBytes: number;
  /** At once; one more is refused until another one has ended. */
  sessions: number;
  /** Calls under way at once, of all sessions. */
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
