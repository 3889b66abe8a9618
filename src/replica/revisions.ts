/**
 * Whether what was read is still so. Each change of a record, by whatever process, has a number in
 * the file; what was read before it, and is none of what it touched, would be read the same now.
 */
import type { Database } from './database.ts';

/** A record, the records of one tag, or a whole collection, as {@link Revisions} names them. */
export type Scope = string;

/** What a piece of work read; null where it looked at more than records. */
export type Reads = readonly Scope[] | null;

export function scopeOfKey(mount: string, collection: string, key: string): Scope {
  return `${mount}\0${collection}\0k${key}`;
}

/** Without a tag: of all records of the collection. */
export function scopeOfTag(mount: string, collection: string, tag?: string): Scope {
  return tag === undefined ? `${mount}\0${collection}` : `${mount}\0${collection}\0t${tag}`;
}

/** Follows the changes of one file from when it is first asked. */
export class Revisions {
  readonly #database: Database;
  /** The latest change of what was changed since it was first asked. */
  readonly #changed = new Map<Scope, number>();
  #generation: string | null = null;
  #latest = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The number of the latest change; null within a transaction, which may be taken back. */
  latest(): number | null {
    if (this.#database.inTransaction) return null;
    const generation = this.#database.generation();
    if (generation === this.#generation) return this.#latest;
    if (this.#generation === null) {
      this.#latest = Number(
        this.#database.one('SELECT max(revision) AS latest FROM revisions')?.['latest'] ?? 0,
      );
    } else this.#follow();
    this.#generation = generation;
    return this.#latest;
  }

  /**
   * Would the same be read at the latest revision as at an earlier one?
   * @param since a revision that {@link latest} gave; it is to be asked for the latest before
   */
  holds(reads: readonly Scope[], since: number): boolean {
    return reads.every((scope) => (this.#changed.get(scope) ?? 0) <= since);
  }

  #follow(): void {
    const rows = this.#database.all(
      'SELECT revision, mount, collection, scope FROM revisions WHERE revision > ? ORDER BY revision',
      this.#latest,
    );
    for (const row of rows) {
      const revision = Number(row['revision']);
      const collection = `${row['mount']}\0${row['collection']}`;
      this.#changed.set(collection, revision);
      this.#changed.set(`${collection}\0${row['scope']}`, revision);
      this.#latest = revision;
    }
  }
}
