/**
 * What the models of a deployment were sent, and what that cost: a row for each
 * request, in the journal that all processes share. A row is written before its
 * request, with the most that it may come to, and says afterwards what it came
 * to: what runs at this moment counts, in whatever process it runs.
 */
import { openChangesFile } from '../changes/file.ts';
import type { Database } from '../replica/database.ts';

const TABLE = `
  CREATE TABLE IF NOT EXISTS spending (
    id INTEGER PRIMARY KEY,
    day TEXT NOT NULL,
    at INTEGER NOT NULL,
    agent TEXT NOT NULL,
    principal TEXT NOT NULL,
    session TEXT NOT NULL,
    turn TEXT NOT NULL,
    model TEXT NOT NULL,
    held INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    micros INTEGER NOT NULL
  );
  CREATE INDEX IF NOT EXISTS spending_by_day ON spending (day);
  CREATE INDEX IF NOT EXISTS spending_by_session ON spending (session);
`;

/** On whose account a request goes. */
export interface Account {
  agent: string;
  principal: string;
  session: string;
  turn: string;
}

/** What requests came to, and what those may come to that run now. */
export interface Spent {
  requests: number;
  tokens: number;
  /** Millionths of a USD. */
  micros: number;
  /** Tokens of requests that have not ended. */
  heldTokens: number;
}

/** Which requests are summed. `day`: of this day (UTC). */
export type Sum = Partial<Account> & { day?: boolean };

/** What was spent, by requests, over all processes of a state directory. */
export class Ledger {
  readonly #file: string;
  readonly #now: () => Date;
  #opened: Database | null = null;

  /** @param file `changes.sqlite` of a state directory, or ':memory:'; opened when it is first needed */
  constructor(file: string, now: () => Date = () => new Date()) {
    this.#file = file;
    this.#now = now;
  }

  /** Looks at the sums, and writes, as one step that no other process comes between. */
  transaction<T>(work: () => T): T {
    return this.#database.transaction(work);
  }

  sum({ day = false, ...account }: Sum): Spent {
    const fields = Object.entries(account);
    const where = [...(day ? ['day = ?'] : []), ...fields.map(([name]) => `${name} = ?`)];
    const row = this.#database.one(
      `SELECT count(*) AS requests, total(tokens) AS tokens, total(micros) AS micros,
         total(CASE held WHEN 1 THEN tokens ELSE 0 END) AS held
       FROM spending${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`}`,
      ...(day ? [this.#day()] : []),
      ...fields.map(([, value]) => value),
    );
    const number = (name: string): number => Number(row?.[name] ?? 0);
    return {
      requests: number('requests'),
      tokens: number('tokens'),
      micros: number('micros'),
      heldTokens: number('held'),
    };
  }

  /** Counts a request with the most that it may come to. @returns its id */
  hold(account: Account, model: string, most: Pick<Spent, 'tokens' | 'micros'>): number {
    const { lastInsertRowid } = this.#database
      .prepare(
        `INSERT INTO spending (day, at, agent, principal, session, turn, model, held, tokens, micros)
         VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?)`,
      )
      .run(
        this.#day(),
        this.#now().getTime(),
        account.agent,
        account.principal,
        account.session,
        account.turn,
        model,
        most.tokens,
        most.micros,
      );
    return Number(lastInsertRowid);
  }

  /** Says what a request came to. */
  settle(id: number, { tokens, micros }: Pick<Spent, 'tokens' | 'micros'>): void {
    this.#database
      .prepare('UPDATE spending SET held = 0, tokens = ?, micros = ? WHERE id = ?')
      .run(tokens, micros, id);
  }

  /** Takes back a request that was not made. */
  release(id: number): void {
    this.#database.prepare('DELETE FROM spending WHERE id = ?').run(id);
  }

  /** All tokens, and USD where prices are known, by day (UTC), from a time on, in ms since the epoch. */
  byDay(since: number): { day: string; tokens: number; money: number }[] {
    const first = new Date(since).toISOString().slice(0, 10);
    return this.#database
      .all(
        `SELECT day, sum(tokens) AS tokens, sum(micros) AS micros FROM spending
         WHERE day >= ? GROUP BY day ORDER BY day`,
        first,
      )
      .map((row) => ({
        day: String(row['day']),
        tokens: Number(row['tokens']),
        money: Number(row['micros']) / 1e6,
      }));
  }

  close(): void {
    this.#opened?.close();
    this.#opened = null;
  }

  get #database(): Database {
    this.#opened ??= openChangesFile(this.#file, TABLE);
    return this.#opened;
  }

  #day(): string {
    return this.#now().toISOString().slice(0, 10);
  }
}
