/** The sessions of clients over HTTP: each has a transport of its own, and ends when nobody uses it. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { type HttpLimits, HttpRefusal } from './http-limits.ts';

/** One client's. */
export interface HttpSession {
  transport: StreamableHTTPServerTransport;
  /** Answers under way, streams included. */
  open: number;
  /** When the last one ended, ms since the epoch. */
  usedAt: number;
}

/** All of one server. */
export class HttpSessions {
  readonly #serve: () => Server;
  readonly #limits: HttpLimits;
  readonly #now: () => number;
  readonly #sessions = new Map<string, HttpSession>();
  /** Sessions that have no id yet. */
  #beginning = 0;
  readonly #sweep: NodeJS.Timeout;

  /**
   * @param serve makes the server of one client
   * @param now ms since the epoch
   */
  constructor(serve: () => Server, limits: HttpLimits, now: () => number) {
    this.#serve = serve;
    this.#limits = limits;
    this.#now = now;
    this.#sweep = setInterval(() => this.#endIdle(), Math.max(10, limits.idleMs / 10)).unref();
  }

  /** @throws HttpRefusal 404 where there is none of this id */
  get(id: string): HttpSession {
    this.#endIdle();
    const session = this.#sessions.get(id);
    if (session !== undefined) return session;
    throw new HttpRefusal(404, 'no such session: begin another one with initialize');
  }

  /** @throws HttpRefusal 503 where there are too many */
  async begin(): Promise<HttpSession> {
    this.#endIdle();
    if (this.#sessions.size + this.#beginning >= this.#limits.sessions) {
      throw new HttpRefusal(
        503,
        `there are ${this.#limits.sessions} sessions, and no more at once: end one (DELETE), or try again later`,
        { headers: { 'retry-after': '60' } },
      );
    }
    this.#beginning++;
    try {
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => {
          this.#sessions.set(id, session);
        },
        onsessionclosed: (id) => {
          this.#sessions.delete(id);
        },
      });
      const session: HttpSession = { transport, open: 0, usedAt: this.#now() };
      await this.#serve().connect(transport as Parameters<Server['connect']>[0]);
      return session;
    } finally {
      this.#beginning--;
    }
  }

  /** A session is in use until its answer has ended. */
  use(session: HttpSession, response: ServerResponse): void {
    session.open++;
    response.once('close', () => {
      session.open--;
      session.usedAt = this.#now();
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
      this.#sessions.delete(id);
      // Its client is told that there is no such session, whatever becomes of the transport.
      transport.close().catch(() => undefined);
    }
  }
}
