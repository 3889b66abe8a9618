/**
 * What people are asked, in the journal that all processes of a deployment
 * share: a table of its own in that file, which outlives whoever asked, and is
 * answered from any process.
 */
import { openChangesFile } from '../changes/file.ts';
import type { Database, Row } from '../replica/database.ts';
import { createUlidFactory } from '../ulid.ts';

/** What is so of whatever a person is asked. Times are ms since the epoch. */
export interface Asked {
  /** Sortable by time of creation. */
  id: string;
  session: string;
  /** `pending` until somebody answers. */
  state: string;
  /** Tells what a person was shown from anything else. */
  digest: string;
  /** Who answered: a user of the host, or a front end. */
  answeredBy: string | null;
  createdAt: number;
  answeredAt: number | null;
  /** It holds no longer than this. */
  expiresAt: number;
}

/** Unanswered requests, and answers, hold for a day. */
export const ASKED_LIFE_MS = 24 * 60 * 60 * 1000;

/** How rows are kept. */
export interface AskedTable<Each> {
  name: 'approvals' | 'questions';
  /** Statements that do nothing where it is there. */
  definition: string;
  /** The states that end with their time. */
  passing: readonly string[];
  fromRow(row: Row): Each;
}

/** Requests to people, and what became of them. */
export abstract class AskedJournal<Each extends Asked> {
  protected readonly database: Database;
  protected readonly now: () => number;
  protected readonly nextId: () => string;
  protected readonly table: AskedTable<Each>;
  readonly #listeners = new Set<(asked: Each) => void>();

  /** @param file `changes.sqlite` of a state directory, or ':memory:' */
  constructor(file: string, table: AskedTable<Each>, now: () => number) {
    this.database = openChangesFile(file, table.definition);
    // An answer is a person's word: it is on the disk before anything acts on it.
    this.database.exec('PRAGMA synchronous = FULL');
    this.table = table;
    this.now = now;
    const nextId = createUlidFactory(now);
    this.nextId = () => nextId().toLowerCase();
  }

  close(): void {
    this.database.close();
  }

  /** Told of every step made through this object. Returns how to stop. */
  onStep(listener: (asked: Each) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** An answer of another process was met: it is told here as if it had been given here. */
  noticed(asked: Each): void {
    this.tell(asked);
  }

  get(id: string): Each | null {
    this.expire();
    const row = this.database.one(`SELECT * FROM ${this.table.name} WHERE id = ?`, id);
    return row === undefined ? null : this.table.fromRow(row);
  }

  /** Oldest first. */
  list(state?: Each['state']): Each[] {
    return state === undefined ? this.rows('1') : this.rows('state = ?', state);
  }

  /**
   * Lets requests that nobody has answered wait longer.
   * @param until ms since the epoch; one that waits longer already is left as it is
   */
  keep(ids: readonly string[], until: number): void {
    const keep = this.database.prepare(
      `UPDATE ${this.table.name} SET expires_at = ?1 WHERE id = ?2 AND state = 'pending' AND expires_at < ?1`,
    );
    for (const id of ids) keep.run(until, id);
  }

  /** Those of which a condition holds, oldest first. */
  protected rows(condition: string, ...values: (string | number)[]): Each[] {
    this.expire();
    return this.database
      .all(`SELECT * FROM ${this.table.name} WHERE ${condition} ORDER BY id`, ...values)
      .map((row) => this.table.fromRow(row));
  }

  protected expire(): void {
    const { name, passing } = this.table;
    this.database
      .prepare(
        `UPDATE ${name} SET state = 'expired' WHERE state IN (${passing.map(() => '?').join(', ')}) AND expires_at <= ?`,
      )
      .run(...passing, this.now());
  }

  protected tell(asked: Each): void {
    for (const listener of this.#listeners) listener(asked);
  }
}

/** The columns that all of them have. */
export const ASKED_COLUMNS = `
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    actor TEXT NOT NULL,
    origin TEXT NOT NULL,
    digest TEXT NOT NULL,
    state TEXT NOT NULL,
    answered_by TEXT,
    created_at INTEGER NOT NULL,
    answered_at INTEGER,
    expires_at INTEGER NOT NULL`;

/** Reads the columns of a row. */
export function columnsOf(row: Row) {
  const text = (name: string): string => String(row[name]);
  return {
    text,
    orNull: (name: string): string | null => (row[name] === null ? null : text(name)),
    asked: {
      id: text('id'),
      session: text('session'),
      digest: text('digest'),
      answeredBy: row['answered_by'] === null ? null : text('answered_by'),
      createdAt: Number(row['created_at']),
      answeredAt: row['answered_at'] === null ? null : Number(row['answered_at']),
      expiresAt: Number(row['expires_at']),
    },
  };
}
