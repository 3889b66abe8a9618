/**
 * Who may come in: names with a role, each with a token of which the digest
 * alone is kept, and the cookies of those who have come in by a browser.
 */
import { createHash, randomBytes } from 'node:crypto';
import { openChangesFile } from '../changes/file.ts';
import type { BearerClient } from '../doors/http/bearer.ts';
import { checkPrincipal } from '../doors/principal.ts';
import { ConfigError } from '../errors.ts';
import type { Database, Row } from '../replica/database.ts';
import { type Caller, may, type Role } from './rights.ts';

/** Somebody who may come in. Times are ms since the epoch. */
export interface ServePrincipal extends Caller {
  createdAt: number;
}

const TABLE = `
  CREATE TABLE IF NOT EXISTS serve_principals (
    actor TEXT PRIMARY KEY,
    role TEXT NOT NULL,
    agent TEXT,
    digest TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS serve_cookies (
    digest TEXT PRIMARY KEY,
    actor TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
`;

/** A browser is let in for so long, in ms. */
const COOKIE_MS = 7 * 24 * 60 * 60 * 1000;

const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
/** What nobody guesses: 256 bits. */
const newSecret = (): string => randomBytes(32).toString('base64url');

/** Those who may come in to a deployment. */
export class Principals {
  readonly #database: Database;
  readonly #now: () => number;

  /** @param file `changes.sqlite` of a state directory, or ':memory:' */
  constructor(file: string, now: () => number = Date.now) {
    this.#database = openChangesFile(file, TABLE);
    this.#database.exec('PRAGMA synchronous = FULL');
    this.#now = now;
  }

  close(): void {
    this.#database.close();
  }

  /** By name. */
  list(): ServePrincipal[] {
    return this.#database.all('SELECT * FROM serve_principals ORDER BY actor').map(fromRow);
  }

  /** Those who have sessions, by their tokens: who comes in by another door of the same server. */
  clients(): BearerClient[] {
    return this.#database.all('SELECT * FROM serve_principals').flatMap((row) => {
      const who = fromRow(row);
      if (!may(who, 'converse')) return [];
      const { actor, agent } = who;
      return {
        digest: Buffer.from(String(row['digest']), 'hex'),
        principal: { actor, ...(agent === null ? {} : { agent }) },
      };
    });
  }

  /** Somebody of this name; null where nobody is let in by it. */
  get(actor: string): ServePrincipal | null {
    return this.#one('SELECT * FROM serve_principals WHERE actor = ?', actor);
  }

  /**
   * Lets somebody in.
   * @returns their token, which is told this once
   * @throws ConfigError for a name that cannot be, or that is there
   */
  add(actor: string, role: Role, agent: string | null = null): string {
    checkPrincipal({ actor, ...(agent === null ? {} : { agent }) });
    const token = newSecret();
    const { changes } = this.#database
      .prepare('INSERT INTO serve_principals VALUES (?, ?, ?, ?, ?) ON CONFLICT (actor) DO NOTHING')
      .run(actor, role, agent, digestOf(token), this.#now());
    if (changes === 1) return token;
    throw new ConfigError(
      'serve token',
      `${actor} has a token already; remove it first, and add another one then`,
    );
  }

  /** Their token and their cookies let nobody in from now on. @returns whether there was one of that name */
  remove(actor: string): boolean {
    return this.#database.transaction(() => {
      this.#database.prepare('DELETE FROM serve_cookies WHERE actor = ?').run(actor);
      const gone = this.#database
        .prepare('DELETE FROM serve_principals WHERE actor = ?')
        .run(actor);
      return gone.changes === 1;
    });
  }

  /** Whose token it is; null for nobody's. */
  byToken(token: string): ServePrincipal | null {
    return this.#one('SELECT * FROM serve_principals WHERE digest = ?', digestOf(token));
  }

  /** Lets a browser in. @returns what its cookie holds, and until when, in ms since the epoch */
  newCookie({ actor }: Caller): { cookie: string; expiresAt: number } {
    const cookie = newSecret();
    const now = this.#now();
    const expiresAt = now + COOKIE_MS;
    this.#database.prepare('DELETE FROM serve_cookies WHERE expires_at <= ?').run(now);
    this.#database
      .prepare('INSERT INTO serve_cookies VALUES (?, ?, ?)')
      .run(digestOf(cookie), actor, expiresAt);
    return { cookie, expiresAt };
  }

  /** Whose cookie it is; null for nobody's, and for one that is too old. */
  byCookie(cookie: string): ServePrincipal | null {
    return this.#one(
      `SELECT serve_principals.* FROM serve_cookies JOIN serve_principals USING (actor)
       WHERE serve_cookies.digest = ? AND expires_at > ?`,
      digestOf(cookie),
      this.#now(),
    );
  }

  endCookie(cookie: string): void {
    this.#database.prepare('DELETE FROM serve_cookies WHERE digest = ?').run(digestOf(cookie));
  }

  #one(sql: string, ...values: (string | number)[]): ServePrincipal | null {
    const row = this.#database.one(sql, ...values);
    return row === undefined ? null : fromRow(row);
  }
}

/** What a page sends beside its cookie: no other page can read it. */
export const csrfOf = (cookie: string): string => digestOf(`csrf ${cookie}`);

function fromRow(row: Row): ServePrincipal {
  return {
    actor: String(row['actor']),
    role: String(row['role']) as Role,
    agent: row['agent'] === null ? null : String(row['agent']),
    createdAt: Number(row['created_at']),
  };
}
