/**
 * Which files of which mounts turns have read: rows of the journal that all
 * processes share, until the mount has its first facts.
 */
import { openChangesFile } from '../../changes/file.ts';
import { isWithin } from '../../paths.ts';
import type { Database } from '../../replica/database.ts';

const TABLE = `
  CREATE TABLE IF NOT EXISTS memory_readings (
    owner TEXT NOT NULL,
    mount TEXT NOT NULL,
    turn TEXT NOT NULL,
    source TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (owner, mount, turn, source)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS memory_begun (
    owner TEXT NOT NULL,
    mount TEXT NOT NULL,
    PRIMARY KEY (owner, mount)
  ) WITHOUT ROWID;
`;

/** A mount that was read in so many turns is worth remembering. */
const TURNS = 3;
/** Files that the first facts are derived from. */
const SOURCES = 3;
/** Lists of records and descriptions say little that lasts. */
const PASSING = /\.(?:tsv|csv|json|jsonl|diff|patch|lock)$|\/README\.md$/;

/** The readings of one memory. */
export class Readings {
  readonly #file: string;
  readonly #owner: string;
  readonly #now: () => number;
  #opened: Database | null = null;

  /**
   * @param file `changes.sqlite` of a state directory; opened when it is first needed
   * @param owner what tells this memory from others of the deployment
   */
  constructor(file: string, owner: string, now: () => number = Date.now) {
    this.#file = file;
    this.#owner = owner;
    this.#now = now;
  }

  /**
   * Notes what a turn has read.
   * @param known mounts that have facts already
   * @returns the mounts that were read in enough turns by now, each once, with the files that were
   *   read in the most of them
   */
  due(
    turn: string,
    mounts: readonly string[],
    known: readonly string[],
    files: ReadonlySet<string>,
  ): Map<string, string[]> {
    const due = new Map<string, string[]>();
    for (const mount of mounts.filter((each) => each.startsWith('/mnt/'))) {
      if (known.includes(mount)) continue;
      const read = [...files].filter((path) => isWithin(mount, path) && !PASSING.test(path));
      if (read.length === 0) continue;
      const sources = this.#database.transaction(() => this.#note(turn, mount, read));
      if (sources.length > 0) due.set(mount, sources);
    }
    return due;
  }

  close(): void {
    this.#opened?.close();
    this.#opened = null;
  }

  #note(turn: string, mount: string, files: readonly string[]): string[] {
    const database = this.#database;
    const its = [this.#owner, mount] as const;
    if (
      database.one('SELECT 1 FROM memory_begun WHERE owner = ? AND mount = ?', ...its) !== undefined
    )
      return [];
    const insert = database.prepare('INSERT OR IGNORE INTO memory_readings VALUES (?, ?, ?, ?, ?)');
    for (const file of files) insert.run(...its, turn, file, this.#now());
    const where = 'FROM memory_readings WHERE owner = ? AND mount = ?';
    const turns = database.one(`SELECT count(DISTINCT turn) AS turns ${where}`, ...its)?.['turns'];
    if (Number(turns) < TURNS) return [];
    const sources = database
      .all(
        `SELECT source ${where} GROUP BY source ORDER BY count(*) DESC, max(at) DESC, source LIMIT ${SOURCES}`,
        ...its,
      )
      .map((row) => String(row['source']));
    // Once, whatever comes of it: where nothing is worth remembering, nobody asks again.
    database.prepare('INSERT INTO memory_begun VALUES (?, ?)').run(...its);
    database.prepare(`DELETE ${where}`).run(...its);
    return sources;
  }

  get #database(): Database {
    this.#opened ??= openChangesFile(this.#file, TABLE);
    return this.#opened;
  }
}
