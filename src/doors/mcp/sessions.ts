/** Sessions of the older protocol over HTTP: each has a transport of its own, and ends when nobody uses it. */
import { randomUUID } from 'node:crypto';
import {
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { type HttpLimits, HttpRefusal, Share } from '../http/limits.ts';

/** One of a client. */
export interface HttpSession {
  /** Whose it is. */
  client: string;
  transport: WebStandardStreamableHTTPServerTransport;
  /** Answers under way, streams included. */
  open: number;
  /** When the last one ended, ms since the epoch. */
  usedAt: number;
  release(): void;
}

/** All of one door. */
export class HttpSessions {
  readonly #limits: HttpLimits;
  readonly #now: () => number;
  readonly #share: Share;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #sweep: NodeJS.Timeout;

  /**
   * @param clients how many there are now
   * @param now ms since the epoch
   */
  constructor(limits: HttpLimits, clients: () => number, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#share = new Share(limits.sessions, clients, refusal);
    this.#sweep = setInterval(() => this.#endIdle(), Math.max(10, limits.idleMs / 10)).unref();
  }

  /** @throws HttpRefusal 404 where the client has none of this id */
  get(id: string, client: string): HttpSession {
    this.#endIdle();
    const session = this.#sessions.get(id);
    if (session?.client === client) return session;
    throw new HttpRefusal(404, 'no such session: begin another one with initialize');
  }

  /**
   * @param serve makes the server of the client
   * @throws HttpRefusal 503 where there are too many
   */
  async begin(client: string, serve: () => Promise<Server>): Promise<HttpSession> {
    this.#endIdle();
    const release = this.#share.take(client);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, session);
      },
      onsessionclosed: (id) => this.#end(id),
    });
    const session: HttpSession = { client, transport, open: 0, usedAt: this.#now(), release };
    try {
      await (await serve()).connect(transport);
      return session;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** A session is in use until its answer has ended; one that was refused never was one. */
  use(session: HttpSession, onEnd: (listener: () => void) => void): void {
    session.open++;
    onEnd(() => {
      session.open--;
      session.usedAt = this.#now();
      const { sessionId } = session.transport;
      if (sessionId === undefined || !this.#sessions.has(sessionId)) session.release();
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  #endIdle(): void {
    const before = this.#now() - this.#limits.idleMs;
    for (const [id, { transport, open, usedAt }] of this.#sessions) {
      if (open > 0 || usedAt > before) continue;
      this.#end(id);
      // Its client is told that there is no such session, whatever becomes of the transport.
      transport.close().catch(() => undefined);
    }
  }

  #end(id: string): void {
    this.#sessions.get(id)?.release();
    this.#sessions.delete(id);
  }
}

const refusal = (most: number): HttpRefusal =>
  new HttpRefusal(
    503,
    `there are ${most} sessions, and no more at once: end one (DELETE), or try again later`,
    { headers: { 'retry-after': '60' } },
  );
