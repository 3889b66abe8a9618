/**
 * The local copy of what services said. Reads are served from it, deltas keep
 * it fresh, and its feed lets an index follow. One file may be shared by
 * several processes: each method is one transaction.
 */
import { createHash } from 'node:crypto';
import { Accounts } from './accounts.ts';
import { Database, type Row } from './database.ts';
import { Probes } from './probes.ts';
import { type Reads, Revisions, type Scope, scopeOfKey, scopeOfTag } from './revisions.ts';
import { REPLICA_MIGRATIONS } from './schema.ts';
import { UnderWays } from './underway.ts';

/** What a listing knows of a record, without its content. */
export interface RecordHead {
  key: string;
  /** What the service's own table groups by: the issue of a comment, `pull` or `issue`. */
  tag: string;
  version: string;
  /** ISO 8601, as the service gave it; '' when it gave none. */
  updatedAt: string;
  /** Estimate of the rendered size in bytes, above 0. */
  size: number;
  /** Its main path in the mount, or null when it has none of its own. */
  path: string | null;
  /** When the service last confirmed it, ms since the epoch. */
  checkedAt: number;
}

/** A record with the service's answer, as JSON gave it. */
export interface StoredRecord extends RecordHead {
  value: unknown;
}

/** What a caller hands in; the version is made from updatedAt and the value. */
export interface RecordInput {
  key: string;
  tag?: string;
  updatedAt: string;
  size: number;
  path: string | null;
  value: unknown;
  /** When the service confirmed it, ms since the epoch, where that is not now. */
  checkedAt?: number;
}

/** What is known of a listing as a whole. Times are ms since the epoch. */
export interface ListingState {
  /** True when every record of the collection was seen. */
  complete: boolean;
  syncedAt: number;
  /** When the collection was last listed from end to end. */
  reconciledAt: number;
  /** The newest updated_at known, or the service's own cursor. */
  cursor: string | null;
}

/** One step of the feed. A path has one entry at most: its latest. */
export interface FeedEntry {
  seq: number;
  path: string;
  version: string;
  op: 'upsert' | 'delete';
}

const HEAD = 'key, tag, version, updated_at, size, path, checked_at';

/** How much of a mount is held. */
export interface HeldMount {
  mount: string;
  records: number;
  /** When the service last confirmed one of them. ISO 8601, UTC. */
  confirmedAt: string;
}

/** The replica of all mounts that share one file (or ':memory:'). */
export class Replica {
  /** Which account each credential belongs to. */
  readonly accounts: Accounts;
  /** Whose turn it is to look for changes, and what was found. */
  readonly probes: Probes;
  /** Listings that were begun and are not at their ends. */
  readonly underWay: UnderWays;
  readonly #database: Database;
  readonly #now: () => Date;
  readonly #revisions: Revisions;
  /** What the work that is watched has read; null while none is. */
  #watched: { scopes: Set<Scope>; more: boolean } | null = null;

  constructor(file: string, now: () => Date = () => new Date()) {
    this.#database = new Database(
      file,
      REPLICA_MIGRATIONS,
      'it is a copy of what services said: remove it, and it is fetched anew',
    );
    this.#now = now;
    this.#revisions = new Revisions(this.#database);
    this.accounts = new Accounts(this.#database);
    this.probes = new Probes(this.#database);
    this.underWay = new UnderWays(this.#database, () => this.noteMore());
  }

  /** Closes the database. */
  close(): void {
    this.#database.close();
  }

  /** Several steps as one transaction: all of them or none. */
  transaction<T>(work: () => T): T {
    return this.#database.transaction(work);
  }

  /**
   * Does a piece of work that asks nobody, and says what it read here. The times at which records
   * were confirmed do not count: what is made of them is not to be remembered.
   */
  watch<T>(work: () => T): { result: T; reads: Reads } {
    const outer = this.#watched;
    const watched = { scopes: new Set<Scope>(), more: false };
    this.#watched = watched;
    try {
      const result = work();
      return { result, reads: watched.more ? null : [...watched.scopes] };
    } finally {
      this.#watched = outer;
      if (outer !== null) outer.more = true;
    }
  }

  /** Tells whoever watches that more than records is looked at: a listing's state, the time. */
  noteMore(): void {
    if (this.#watched !== null) this.#watched.more = true;
  }

  /** The number of the latest change of a record, by any process; null within a transaction. */
  revision(): number | null {
    return this.#revisions.latest();
  }

  /** Another text after any change of what is held, by any process; null within a transaction. */
  stamp(): string | null {
    return this.#database.inTransaction ? null : this.#database.generation(this.probes.changes);
  }

  /** Would the same be read at the revision that was asked for last as at an earlier one? */
  holds(reads: readonly Scope[], since: number): boolean {
    return this.#revisions.holds(reads, since);
  }

  /** Is anything held of a mount: a record, or a listing, be it an empty one? */
  holdsAny(mount: string): boolean {
    return ['records', 'listings'].some(
      (table) =>
        this.#database.one(`SELECT 1 FROM ${table} WHERE mount = ? LIMIT 1`, mount) !== undefined,
    );
  }

  /**
   * Gives what is held of one mount to another, under another name, together with its place in the
   * feed. Where the other holds something itself, that is newer, and the rest is fetched anew.
   */
  adopt(from: string, to: string): void {
    this.transaction(() => {
      const isTaken = this.holdsAny(to);
      for (const table of ['records', 'listings', 'validators', 'feed', 'underway']) {
        if (isTaken) this.#database.prepare(`DELETE FROM ${table} WHERE mount = ?`).run(from);
        else
          this.#database
            .prepare(`UPDATE OR REPLACE ${table} SET mount = ? WHERE mount = ?`)
            .run(to, from);
      }
      // Whoever is at a listing is at that of the other name.
      this.underWay.leaveAll(to);
    });
  }

  /** What is held of each mount. */
  held(): HeldMount[] {
    return this.#database
      .all(
        'SELECT mount, COUNT(*) AS records, MAX(checked_at) AS confirmed FROM records GROUP BY mount',
      )
      .map(({ mount, records, confirmed }) => ({
        mount: String(mount),
        records: Number(records),
        confirmedAt: new Date(Number(confirmed)).toISOString(),
      }));
  }

  /** A record as it was stored last; null where it is not held. */
  get(mount: string, collection: string, key: string): StoredRecord | null {
    this.#watched?.scopes.add(scopeOfKey(mount, collection, key));
    const row = this.#database
      .prepare(`SELECT ${HEAD}, value FROM records WHERE mount = ? AND collection = ? AND key = ?`)
      .get(mount, collection, key);
    return row === undefined ? null : stored(row);
  }

  /** One record without its value. */
  head(mount: string, collection: string, key: string): RecordHead | null {
    this.#watched?.scopes.add(scopeOfKey(mount, collection, key));
    const row = this.#database
      .prepare(`SELECT ${HEAD} FROM records WHERE mount = ? AND collection = ? AND key = ?`)
      .get(mount, collection, key);
    return row === undefined ? null : head(row);
  }

  /** Heads of a collection (of one tag), in no particular order. */
  heads(mount: string, collection: string, tag?: string): RecordHead[] {
    return this.#rows(HEAD, mount, collection, tag).map(head);
  }

  /** Records of a collection (of one tag) with their values. */
  all(mount: string, collection: string, tag?: string): StoredRecord[] {
    return this.#rows(`${HEAD}, value`, mount, collection, tag).map(stored);
  }

  /** Keys and times of the records updated after `updatedAt`. */
  newerThan(mount: string, collection: string, updatedAt: string): RecordHead[] {
    this.#watched?.scopes.add(scopeOfTag(mount, collection));
    return this.#database
      .prepare(`SELECT ${HEAD} FROM records WHERE mount = ? AND collection = ? AND updated_at > ?`)
      .all(mount, collection, updatedAt)
      .map(head);
  }

  /** The collections of a mount that were listed and whose names start with a prefix. */
  listed(mount: string, prefix: string): string[] {
    this.noteMore();
    return this.#database
      .prepare('SELECT collection FROM listings WHERE mount = ? AND substr(collection, 1, ?) = ?')
      .all(mount, prefix.length, prefix)
      .map((row) => String(row['collection']));
  }

  /** The collections of a mount that were listed, or hold a record, and whose names start with a prefix. */
  collections(mount: string, prefix: string): string[] {
    this.noteMore();
    const begins = 'mount = ? AND collection >= ? AND collection < ?';
    const values = [mount, prefix, `${prefix}\u{10ffff}`];
    return this.#database
      .prepare(
        `SELECT collection FROM listings WHERE ${begins} UNION SELECT collection FROM records WHERE ${begins}`,
      )
      .all(...values, ...values)
      .map((row) => String(row['collection']));
  }

  /** Every record of a mount that has a path. */
  paths(mount: string): { path: string; version: string }[] {
    this.noteMore();
    return this.#database
      .prepare(
        'SELECT path, version FROM records WHERE mount = ? AND path IS NOT NULL ORDER BY path',
      )
      .all(mount)
      .map((row) => ({ path: String(row['path']), version: String(row['version']) }));
  }

  /** Stores a record; true when its content changed, and then the feed says so. */
  upsert(mount: string, collection: string, input: RecordInput): boolean {
    const value = JSON.stringify(input.value, bigintAsText);
    const version = versionOf(input.updatedAt, value);
    const checkedAt = input.checkedAt ?? this.#now().getTime();
    return this.transaction(() => {
      const old = this.#database
        .prepare('SELECT version, path FROM records WHERE mount = ? AND collection = ? AND key = ?')
        .get(mount, collection, input.key);
      if (old?.['version'] === version && old['path'] === input.path) {
        this.#database
          .prepare(
            'UPDATE records SET checked_at = ? WHERE mount = ? AND collection = ? AND key = ?',
          )
          .run(checkedAt, mount, collection, input.key);
        return false;
      }
      this.#database
        .prepare('INSERT OR REPLACE INTO records VALUES (?,?,?,?,?,?,?,?,?,?)')
        .run(
          mount,
          collection,
          input.key,
          input.tag ?? '',
          version,
          input.updatedAt,
          Math.max(1, input.size),
          input.path,
          checkedAt,
          value,
        );
      const before = old?.['path'];
      if (typeof before === 'string' && before !== input.path) {
        this.#tellGone(mount, before, String(old?.['version']));
      }
      if (input.path !== null) this.#tell(mount, input.path, version, 'upsert');
      return true;
    });
  }

  /** Notes that the service confirmed a record unchanged. */
  touch(mount: string, collection: string, key: string): void {
    this.#database
      .prepare('UPDATE records SET checked_at = ? WHERE mount = ? AND collection = ? AND key = ?')
      .run(this.#now().getTime(), mount, collection, key);
  }

  /** Forgets a record that is gone upstream; true when it was held. */
  remove(mount: string, collection: string, key: string): boolean {
    return this.transaction(() => {
      const row = this.#database
        .prepare(
          'DELETE FROM records WHERE mount = ? AND collection = ? AND key = ? RETURNING path, version',
        )
        .get(mount, collection, key);
      if (row === undefined) return false;
      if (typeof row['path'] === 'string') {
        this.#tellGone(mount, row['path'], String(row['version']));
      }
      return true;
    });
  }

  /** Forgets what is held at a path of a mount: it is gone upstream. */
  removeAt(mount: string, path: string): void {
    const rows = this.#database
      .prepare('SELECT collection, key FROM records WHERE mount = ? AND path = ?')
      .all(mount, path);
    for (const { collection, key } of rows) this.remove(mount, String(collection), String(key));
  }

  /** Forgets a whole collection and what is known of its listing. */
  removeCollection(mount: string, collection: string): void {
    this.transaction(() => {
      for (const { key } of this.heads(mount, collection)) this.remove(mount, collection, key);
      this.#database
        .prepare('DELETE FROM listings WHERE mount = ? AND collection = ?')
        .run(mount, collection);
      this.underWay.end(mount, collection);
    });
  }

  /** What is known of a listing: when it was made, and whether it was complete; null before the first. */
  listing(mount: string, collection: string): ListingState | null {
    this.noteMore();
    const row = this.#database
      .prepare('SELECT * FROM listings WHERE mount = ? AND collection = ?')
      .get(mount, collection);
    if (row === undefined) return null;
    return {
      complete: row['complete'] === 1,
      syncedAt: Number(row['synced_at']),
      reconciledAt: Number(row['reconciled_at']),
      cursor: textOrNull(row['cursor']),
    };
  }

  /** Says that a collection was listed. */
  setListing(mount: string, collection: string, state: ListingState): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO listings VALUES (?,?,?,?,?,?)')
      .run(
        mount,
        collection,
        state.complete ? 1 : 0,
        state.syncedAt,
        state.reconciledAt,
        state.cursor,
      );
  }

  /** The ETag that the service gave for a URL, or null. */
  validator(mount: string, url: string): string | null {
    this.noteMore();
    return textOrNull(
      this.#database
        .prepare('SELECT etag FROM validators WHERE mount = ? AND url = ?')
        .get(mount, url)?.['etag'],
    );
  }

  /** Keeps the ETag of a URL; null forgets it. */
  setValidator(mount: string, url: string, etag: string | null): void {
    if (etag === null) {
      this.#database.prepare('DELETE FROM validators WHERE mount = ? AND url = ?').run(mount, url);
    } else {
      this.#database
        .prepare('INSERT OR REPLACE INTO validators VALUES (?,?,?)')
        .run(mount, url, etag);
    }
  }

  /** What changed in a mount after `afterSeq`, oldest first. */
  feed(mount: string, afterSeq: number, limit = 1_000): FeedEntry[] {
    this.noteMore();
    return this.#database
      .prepare(
        'SELECT seq, path, version, op FROM feed WHERE mount = ? AND seq > ? ORDER BY seq LIMIT ?',
      )
      .all(mount, afterSeq, limit)
      .map((row) => ({
        seq: Number(row['seq']),
        path: String(row['path']),
        version: String(row['version']),
        op: row['op'] === 'delete' ? 'delete' : 'upsert',
      }));
  }

  /**
   * Says in the feed that the texts of records changed with something that they
   * only refer to, such as the name of a state or a body that is kept apart.
   *
   * @param key of one record; all of the collection without it
   */
  announce(mount: string, collection: string, key?: string): void {
    this.transaction(() => {
      const heads =
        key === undefined ? this.heads(mount, collection) : [this.head(mount, collection, key)];
      for (const each of heads)
        if (each !== null && each.path !== null)
          this.#tell(mount, each.path, each.version, 'upsert');
    });
  }

  #rows(columns: string, mount: string, collection: string, tag?: string) {
    this.#watched?.scopes.add(scopeOfTag(mount, collection, tag));
    const where = 'WHERE mount = ? AND collection = ?';
    return tag === undefined
      ? this.#database.prepare(`SELECT ${columns} FROM records ${where}`).all(mount, collection)
      : // Without statistics SQLite would choose the index of keys, and read the whole collection.
        this.#database
          .prepare(`SELECT ${columns} FROM records INDEXED BY records_by_tag ${where} AND tag = ?`)
          .all(mount, collection, tag);
  }

  /** A path that another record has by now is not gone. */
  #tellGone(mount: string, path: string, version: string): void {
    const taken = this.#database
      .prepare('SELECT 1 FROM records WHERE mount = ? AND path = ?')
      .get(mount, path);
    if (taken === undefined) this.#tell(mount, path, version, 'delete');
  }

  #tell(mount: string, path: string, version: string, op: FeedEntry['op']): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO feed (mount, path, version, op) VALUES (?,?,?,?)')
      .run(mount, path, version, op);
  }
}

/** A version that differs when the content does, even within one second of the service's clock. */
function versionOf(updatedAt: string, value: string): string {
  return `${updatedAt}~${createHash('sha256').update(value).digest('hex').slice(0, 10)}`;
}

/** Numbers past 2^53 arrive as bigint, which JSON cannot hold. */
function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function head(row: Row): RecordHead {
  return {
    key: String(row['key']),
    tag: String(row['tag']),
    version: String(row['version']),
    updatedAt: String(row['updated_at']),
    size: Number(row['size']),
    path: textOrNull(row['path']),
    checkedAt: Number(row['checked_at']),
  };
}

function stored(row: Row): StoredRecord {
  return { ...head(row), value: JSON.parse(String(row['value'])) };
}
