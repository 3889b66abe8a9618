/** Listings that were begun and are not at their ends, so that any process can go on with them. */
import type { Database, Row } from './database.ts';

/** A listing that was begun and is not at its end. Times are ms since the epoch. */
export interface UnderWay {
  /** What people call it: `issues octo/hello`. */
  what: string;
  /** Who is at it, in a word of its own; null for nobody. */
  owner: string | null;
  beganAt: number;
  /** When its owner was heard of last. */
  touchedAt: number;
  /** Where it goes on, as its reader wrote it; null at its start. */
  cursor: string | null;
  /** What came so far. */
  records: number;
  pages: number;
  /** Of pages, where that was told. */
  total: number | null;
}

export class UnderWays {
  readonly #database: Database;
  readonly #noteMore: () => void;

  /** @param noteMore told of each look: what is made of it is not to be remembered */
  constructor(database: Database, noteMore: () => void) {
    this.#database = database;
    this.#noteMore = noteMore;
  }

  /** How far a listing is; null where none is under way. */
  get(mount: string, collection: string): UnderWay | null {
    this.#noteMore();
    const row = this.#database.one(
      'SELECT * FROM underway WHERE mount = ? AND collection = ?',
      mount,
      collection,
    );
    return row === undefined ? null : underWay(row);
  }

  /** All of a mount. */
  all(mount: string): UnderWay[] {
    this.#noteMore();
    return this.#database
      .all('SELECT * FROM underway WHERE mount = ? ORDER BY collection', mount)
      .map(underWay);
  }

  /**
   * Takes a listing up.
   *
   * @param choose from what is there (null: nothing) what it is to be; null leaves it alone
   * @returns what it is now; null where it was left alone
   */
  takeUp(
    mount: string,
    collection: string,
    choose: (found: UnderWay | null) => UnderWay | null,
  ): UnderWay | null {
    return this.#database.transaction(() => {
      const chosen = choose(this.get(mount, collection));
      if (chosen === null) return null;
      const { what, owner, beganAt, touchedAt, cursor, records, pages, total } = chosen;
      this.#database
        .prepare('INSERT OR REPLACE INTO underway VALUES (?,?,?,?,?,?,?,?,?,?)')
        .run(mount, collection, what, owner, beganAt, touchedAt, cursor, records, pages, total);
      return chosen;
    });
  }

  /** Notes how far it is; false where it is its owner's no longer. */
  keep(mount: string, collection: string, now: UnderWay): boolean {
    const { owner, touchedAt, cursor, records, pages, total } = now;
    const { changes } = this.#database
      .prepare(
        `UPDATE underway SET touched_at = ?, cursor = ?, records = ?, pages = ?, total = ?
         WHERE mount = ? AND collection = ? AND owner = ?`,
      )
      .run(touchedAt, cursor, records, pages, total, mount, collection, owner);
    return changes === 1;
  }

  /** Leaves it to whoever takes it up next. */
  leave(mount: string, collection: string, owner: string): void {
    this.#database
      .prepare('UPDATE underway SET owner = NULL WHERE mount = ? AND collection = ? AND owner = ?')
      .run(mount, collection, owner);
  }

  /** The same of all listings of a mount. */
  leaveAll(mount: string): void {
    this.#database.prepare('UPDATE underway SET owner = NULL WHERE mount = ?').run(mount);
  }

  /** It is at its end, or nothing is left of it. */
  end(mount: string, collection: string): void {
    this.#database
      .prepare('DELETE FROM underway WHERE mount = ? AND collection = ?')
      .run(mount, collection);
  }
}

function underWay(row: Row): UnderWay {
  const { owner, cursor, total } = row;
  return {
    what: String(row['what']),
    owner: typeof owner === 'string' ? owner : null,
    beganAt: Number(row['began_at']),
    touchedAt: Number(row['touched_at']),
    cursor: typeof cursor === 'string' ? cursor : null,
    records: Number(row['records']),
    pages: Number(row['pages']),
    total: total === null ? null : Number(total),
  };
}
