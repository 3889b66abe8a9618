/**
 * Search by ranked keywords: the first form of grep by meaning. One SQLite
 * FTS5 table holds the text of everything searchable; disk files are put into
 * it, service mounts are followed by their feed.
 */
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase, transaction } from '../../replica/database.ts';
import type { FeedEntry } from '../../replica/replica.ts';
import type { SearchHit, SearchService } from '../../shell/command.ts';
import { ftsQuery, queryWords, tellingLine } from './words.ts';

/** A source that the index follows: a service mount, attached somewhere. */
export interface FollowedSource {
  /** Distinguishes it from other sources of the same index. */
  readonly name: string;
  feed(afterSeq: number): FeedEntry[];
  document(path: string): { text: string } | null;
}

/** The index. Paths are absolute in the namespace. */
export interface RankedSearch extends SearchService {
  /** Indexes a text, or replaces the one that was there. */
  put(path: string, text: string): void;
  /** Forgets a text, or all texts below a directory. */
  remove(path: string): void;
  /** From now on each search first catches up with this source, shown at `point`. */
  follow(point: string, source: FollowedSource): void;
  close(): void;
}

const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE documents (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, text TEXT NOT NULL);
  CREATE VIRTUAL TABLE postings USING fts5(
    title, body, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
  );
  CREATE TABLE sources (name TEXT NOT NULL, point TEXT NOT NULL, seq INTEGER NOT NULL,
    PRIMARY KEY (name, point)) WITHOUT ROWID;
  CREATE TABLE state (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  `,
];

/** How much more a word of the title counts than one of the body. */
const TITLE_WEIGHT = 4;

/** Opens the index in a file, made if it is missing, or in ':memory:'. */
export function createRankedSearch(file: string, now: () => Date = () => new Date()): RankedSearch {
  return new Ranked(file, now);
}

class Ranked implements RankedSearch {
  readonly #database: DatabaseSync;
  readonly #now: () => Date;
  readonly #sources: { point: string; source: FollowedSource }[] = [];

  constructor(file: string, now: () => Date) {
    this.#database = openDatabase(file, MIGRATIONS);
    this.#now = now;
  }

  close(): void {
    this.#database.close();
  }

  follow(point: string, source: FollowedSource): void {
    this.#sources.push({ point: point === '/' ? '' : point, source });
  }

  put(path: string, text: string): void {
    transaction(this.#database, () => {
      this.#delete('path = ?', path);
      const { lastInsertRowid } = this.#database
        .prepare('INSERT INTO documents (path, text) VALUES (?, ?)')
        .run(path, text);
      this.#database
        .prepare('INSERT INTO postings (rowid, title, body) VALUES (?, ?, ?)')
        .run(lastInsertRowid, titleOf(path, text), text);
      this.#touch();
    });
  }

  remove(path: string): void {
    transaction(this.#database, () => {
      this.#delete('path = ?', path);
      this.#delete("substr(path, 1, length(?1) + 1) = ?1 || '/'", path);
      this.#touch();
    });
  }

  async search(
    query: string,
    paths: readonly string[],
    limit: number,
  ): Promise<{ hits: SearchHit[]; note: string }> {
    this.#catchUp();
    const words = queryWords(query);
    const places = paths.map((path) => (path === '/' ? '' : path));
    const hits = words.length === 0 ? [] : this.#find(words, places, limit);
    return { hits, note: this.#note(places) };
  }

  #find(words: readonly string[], paths: readonly string[], limit: number): SearchHit[] {
    const { sql, values } = within(paths);
    const rows = this.#database
      .prepare(
        `SELECT path, text, bm25(postings, ${TITLE_WEIGHT}, 1) AS rank
         FROM postings JOIN documents ON documents.id = postings.rowid
         WHERE postings MATCH ? AND ${sql} ORDER BY rank, path LIMIT ?`,
      )
      .all(ftsQuery(words), ...values, limit);
    return rows.map((row) => ({
      path: String(row['path']),
      ...tellingLine(String(row['text']), words),
      // bm25 is the smaller the better, and below 0.
      score: -Number(row['rank']),
    }));
  }

  #note(paths: readonly string[]): string {
    const { sql, values } = within(paths);
    const row = this.#database
      .prepare(`SELECT count(*) AS count FROM documents WHERE ${sql}`)
      .get(...values);
    const touched = this.#database.prepare("SELECT value FROM state WHERE key = 'touched'").get();
    const count = Number(row?.['count'] ?? 0).toLocaleString('en');
    const age = Math.max(0, this.#now().getTime() - Number(touched?.['value'] ?? 0));
    const old = touched === undefined ? 'index empty' : `index ${Math.round(age / 1000)} s old`;
    return `searched ${count} documents by meaning (ranked keywords), ${old}`;
  }

  /** Takes in what the followed sources have changed since. */
  #catchUp(): void {
    for (const { point, source } of this.#sources) {
      for (let batch = this.#next(point, source); batch.length > 0; ) {
        transaction(this.#database, () => {
          for (const entry of batch) this.#take(point, source, entry);
          this.#database
            .prepare('INSERT OR REPLACE INTO sources VALUES (?, ?, ?)')
            .run(source.name, point, batch.at(-1)?.seq ?? 0);
        });
        batch = this.#next(point, source);
      }
    }
    if (this.#sources.length > 0) this.#touch();
  }

  #next(point: string, source: FollowedSource): FeedEntry[] {
    const row = this.#database
      .prepare('SELECT seq FROM sources WHERE name = ? AND point = ?')
      .get(source.name, point);
    return source.feed(Number(row?.['seq'] ?? 0));
  }

  #take(point: string, source: FollowedSource, { path, op }: FeedEntry): void {
    const document = op === 'delete' ? null : source.document(path);
    if (document === null) this.#delete('path = ?', `${point}${path}`);
    else this.put(`${point}${path}`, document.text);
  }

  #delete(where: string, path: string): void {
    this.#database
      .prepare(`DELETE FROM postings WHERE rowid IN (SELECT id FROM documents WHERE ${where})`)
      .run(path);
    this.#database.prepare(`DELETE FROM documents WHERE ${where}`).run(path);
  }

  #touch(): void {
    this.#database
      .prepare("INSERT OR REPLACE INTO state VALUES ('touched', ?)")
      .run(this.#now().getTime());
  }
}

/** At or below one of the paths; no path at all finds nothing. */
function within(paths: readonly string[]): { sql: string; values: string[] } {
  if (paths.length === 0) return { sql: '0', values: [] };
  const one = "(path = ? OR substr(path, 1, length(?) + 1) = ? || '/')";
  return {
    sql: `(${paths.map(() => one).join(' OR ')})`,
    values: paths.flatMap((path) => [path, path, path]),
  };
}

/** The title field of a record, the first heading, or the path's last part. */
function titleOf(path: string, text: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const title = /^title:[ \t]*(.+)$/m.exec(text.slice(0, 2_000)) ?? /^#+[ \t]+(.+)$/m.exec(text);
  return `${title?.[1] ?? ''} ${name}`;
}
