/**
 * Which files hold text that came from a service: those that were written in a
 * turn that had read some. A mark names the services; it is kept in the state,
 * so that whoever reads the file later, in whatever session, has read text of
 * theirs. Nothing looks at what was written: rather one mark too many.
 */
import { existsSync } from 'node:fs';
import { openChangesFile } from '../changes/file.ts';
import { isWithin } from '../paths.ts';
import { BUSY_TIMEOUT_MS, type Database } from '../replica/database.ts';
import { openSqlite } from '../replica/sqlite.ts';

const TABLE = `
  CREATE TABLE IF NOT EXISTS untrusted_files (
    scope TEXT NOT NULL,
    path TEXT NOT NULL,
    origins TEXT NOT NULL,
    PRIMARY KEY (scope, path)
  ) WITHOUT ROWID;
`;

/** A marked file. */
interface Mark {
  path: string;
  /** The session whose files in memory are meant; '' for what all sessions share. */
  scope: string;
  /** Mount points of services, sorted. */
  origins: readonly string[];
}

/** Where marks are kept, and whose they are. */
export interface MarksPlace {
  /** `changes.sqlite` of a state directory. */
  file: string;
  /** The session, and the one that it was forked from: files in memory are theirs alone. */
  session: string;
  parent: string | null;
}

/** Are there any marks? Makes nothing. */
export function hasMarks({ file }: MarksPlace): boolean {
  if (!existsSync(file)) return false;
  const database = openSqlite(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const table = database
      .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'untrusted_files'")
      .get();
    if (table === undefined) return false;
    return database.prepare('SELECT 1 FROM untrusted_files LIMIT 1').get() !== undefined;
  } finally {
    database.close();
  }
}

/** The marks of a state directory, as one session sees them. Paths are absolute, links resolved. */
export class UntrustedMarks {
  readonly #database: Database;
  readonly #place: MarksPlace;
  readonly #marks = new Map<string, Mark>();
  #seen = -1;

  constructor(place: MarksPlace) {
    this.#place = place;
    this.#database = openChangesFile(place.file, TABLE);
    this.refresh();
  }

  close(): void {
    this.#database.close();
  }

  /** Takes in what other processes have marked. */
  refresh(): void {
    const row = this.#database.one('PRAGMA data_version');
    const version = Number(row?.['data_version']);
    if (version === this.#seen) return;
    this.#seen = version;
    this.#marks.clear();
    for (const each of this.#database.all('SELECT * FROM untrusted_files')) {
      const mark: Mark = {
        scope: String(each['scope']),
        path: String(each['path']),
        origins: JSON.parse(String(each['origins'])) as string[],
      };
      this.#marks.set(keyOf(mark.scope, mark.path), mark);
    }
  }

  /** The services that text in a file came from; none where it is not marked. */
  of(path: string, inMemory: boolean): readonly string[] {
    if (this.#marks.size === 0) return [];
    return this.#scopes(inMemory).flatMap(
      (scope) => this.#marks.get(keyOf(scope, path))?.origins ?? [],
    );
  }

  /** The services of all that is marked at and below a path. */
  within(path: string): string[] {
    const scopes = new Set([...this.#scopes(true), '']);
    const found = [...this.#marks.values()].filter(
      (mark) => scopes.has(mark.scope) && isWithin(path, mark.path),
    );
    return [...new Set(found.flatMap(({ origins }) => origins))];
  }

  mark(path: string, inMemory: boolean, origins: readonly string[]): void {
    const scope = this.#own(inMemory);
    const known = this.#marks.get(keyOf(scope, path))?.origins ?? [];
    const all = [...new Set([...known, ...origins])].sort();
    if (known.length === all.length) return;
    this.#put({ scope, path, origins: all });
  }

  /** Forgets a path and all below it. */
  remove(path: string, inMemory: boolean): void {
    const scopes = this.#scopes(inMemory);
    for (const mark of [...this.#marks.values()]) {
      if (!scopes.includes(mark.scope) || !isWithin(path, mark.path)) continue;
      this.#marks.delete(keyOf(mark.scope, mark.path));
      this.#database
        .prepare('DELETE FROM untrusted_files WHERE scope = ? AND path = ?')
        .run(mark.scope, mark.path);
    }
  }

  /** A path, and all below it, has another name now, or a second one. */
  follow(from: string, to: string, inMemory: boolean, stays: boolean): void {
    const scopes = this.#scopes(inMemory);
    const moved = [...this.#marks.values()].filter(
      (mark) => scopes.includes(mark.scope) && isWithin(from, mark.path),
    );
    // What was there until now is gone.
    this.remove(to, inMemory);
    for (const { path, origins } of moved)
      this.#put({
        scope: this.#own(inMemory),
        path: to + path.slice(from.length),
        origins,
      });
    if (!stays) this.remove(from, inMemory);
  }

  #put(mark: Mark): void {
    this.#marks.set(keyOf(mark.scope, mark.path), mark);
    this.#database
      .prepare('INSERT OR REPLACE INTO untrusted_files (scope, path, origins) VALUES (?, ?, ?)')
      .run(mark.scope, mark.path, JSON.stringify(mark.origins));
  }

  #own(inMemory: boolean): string {
    return inMemory ? this.#place.session : '';
  }

  #scopes(inMemory: boolean): string[] {
    const { session, parent } = this.#place;
    if (!inMemory) return [''];
    return parent === null ? [session] : [session, parent];
  }
}

const keyOf = (scope: string, path: string): string => `${scope}\0${path}`;
