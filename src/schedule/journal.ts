/**
 * The schedule of a state directory: dated prompts, in the journal that all of
 * its processes share. A prompt that is due is taken by one process before its
 * turn begins, and ended after it; what a killed process had taken is shown,
 * and not run again by itself. Of a prompt that comes again each time is an
 * entry of its own, made when it has come.
 */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { openChangesFile } from '../changes/file.ts';
import { isAlive, newOwner } from '../changes/owner.ts';
import { type Author, authorText, bothAuthors, PERSON, parseAuthor } from '../policy/author.ts';
import type { Database, Row } from '../replica/database.ts';

/**
 * - `waiting`: it is a file of the schedule, with its time to come, or to be taken;
 * - `due`: a time of one that comes again has come, and no process has taken it;
 * - `running`: a process has taken it, and has not ended it.
 */
export const SCHEDULE_STATES = ['waiting', 'due', 'running', 'done'] as const;
export type ScheduleState = (typeof SCHEDULE_STATES)[number];

/** A file of the schedule. Times are ms since the epoch. */
export interface ScheduleEntry {
  id: number;
  name: string;
  text: string;
  /** Who wrote it: whose rights its turn has at most. */
  author: Author;
  state: ScheduleState;
  /** Which process took it. */
  owner: string | null;
  updatedAt: number;
  /** Of one that comes again: its next time is the first one later than this. */
  since: number;
  /** Of one time of such a prompt: which one, and the entry that it is of. */
  dueAt: number | null;
  series: number | null;
  endedAt: number | null;
  /** The status of its turn. */
  outcome: string | null;
}

/** A step of an entry, for the log. */
export interface ScheduleStep {
  name: string;
  state: ScheduleState | 'removed';
  text?: string;
  outcome?: string;
}

const TABLE = `
  CREATE TABLE IF NOT EXISTS schedule (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    state TEXT NOT NULL,
    owner TEXT,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    outcome TEXT,
    author TEXT,
    since INTEGER,
    due_at INTEGER,
    series INTEGER
  );
  CREATE UNIQUE INDEX IF NOT EXISTS schedule_waiting ON schedule (name) WHERE state = 'waiting';
`;

/** What the table did not have at first: a place for the author, and for what comes again. */
const ADDED = ['author TEXT', 'since INTEGER', 'due_at INTEGER', 'series INTEGER'];

/** Times of a prompt that comes again, of those that were carried out. */
const KEPT = 100;

/** The file of the journal in a state directory. */
export const scheduleFile = (state: string): string => join(state, 'changes.sqlite');

/** The names of what waits; makes no file where there is none. */
export function scheduledNames(state: string): string[] {
  if (!existsSync(scheduleFile(state))) return [];
  const journal = new ScheduleJournal(scheduleFile(state));
  try {
    return journal.list().flatMap(({ state: at, name }) => (at === 'done' ? [] : [name]));
  } finally {
    journal.close();
  }
}

/** The dated prompts, and what becomes of them. */
export class ScheduleJournal {
  readonly #database: Database;
  readonly #now: () => number;
  /** What is taken through this object is its. */
  readonly owner = newOwner();
  readonly #listeners = new Set<(step: ScheduleStep) => void>();

  /** @param file `changes.sqlite` of a state directory */
  constructor(file: string, now: () => number = Date.now) {
    this.#database = openChangesFile(file, TABLE);
    this.#database.exec('PRAGMA synchronous = FULL');
    this.#database.addColumns('schedule', ADDED);
    this.#now = now;
  }

  close(): void {
    this.#database.close();
  }

  /** Told of every step made through this object. */
  onStep(listener: (step: ScheduleStep) => void): void {
    this.#listeners.add(listener);
  }

  /** Oldest first. */
  list(): ScheduleEntry[] {
    return this.#database.all('SELECT * FROM schedule ORDER BY id').map(fromRow);
  }

  /** Of several with one name, the last. */
  find(state: ScheduleState, name: string): ScheduleEntry | null {
    const row = this.#database.one(
      'SELECT * FROM schedule WHERE state = ? AND name = ? ORDER BY id DESC LIMIT 1',
      state,
      name,
    );
    return row === undefined ? null : fromRow(row);
  }

  /** Writes a file that waits, whole. */
  write(name: string, text: string, author: Author = PERSON): void {
    this.#database
      .prepare(
        `INSERT INTO schedule (name, text, author, state, updated_at) VALUES (?, ?, ?, 'waiting', ?)
           ON CONFLICT (name) WHERE state = 'waiting'
           DO UPDATE SET text = excluded.text, author = excluded.author,
             updated_at = excluded.updated_at, since = NULL`,
      )
      .run(name, text, authorText(author), this.#now());
    if (text !== '') this.#tell({ name, state: 'waiting', text });
  }

  /** Adds to a file that waits: what comes of it is what all may do who have written it. */
  append(name: string, text: string, author: Author = PERSON): void {
    const before = this.find('waiting', name);
    if (before === null) return this.write(name, text, author);
    // An empty file says nothing, whoever has made it.
    const by = before.text === '' ? author : bothAuthors(before.author, author);
    this.write(name, before.text + text, by);
  }

  /** Removes an entry, and times of it that no process has taken. */
  remove({ id, name }: ScheduleEntry): void {
    const { changes } = this.#database
      .prepare("DELETE FROM schedule WHERE id = ? OR (series = ? AND state = 'due')")
      .run(id, id);
    if (changes > 0) this.#tell({ name, state: 'removed' });
  }

  /** Renames a file that waits, over another one. A name can make a prompt of what was none. */
  rename({ id, name, text, author }: ScheduleEntry, to: string, by: Author = PERSON): void {
    if (to === name) return;
    const over = this.find('waiting', to);
    if (over !== null) this.remove(over);
    this.#database
      .prepare('UPDATE schedule SET name = ?, author = ?, updated_at = ? WHERE id = ?')
      .run(to, authorText(bothAuthors(author, by)), this.#now(), id);
    this.#tell({ name, state: 'removed' });
    this.#tell({ name: to, state: 'waiting', text });
  }

  /**
   * Makes an entry of a time that has come; its next time is one later than now.
   * @param dueAt ms since the epoch
   * @returns it; null where another process was sooner, the prompt was written anew, or the time
   *   before this one has not been carried out
   */
  fall(
    { id, name, text, updatedAt, since, author }: ScheduleEntry,
    dueAt: number,
  ): ScheduleEntry | null {
    const now = this.#now();
    const fallen = this.#database.transaction(() => {
      const { changes } = this.#database
        .prepare(
          `UPDATE schedule SET since = ? WHERE id = ? AND state = 'waiting' AND text = ?
             AND updated_at = ? AND coalesce(since, updated_at) = ?
             AND NOT EXISTS (SELECT 1 FROM schedule WHERE series = ? AND state = 'due')`,
        )
        .run(Math.max(now, dueAt), id, text, updatedAt, since, id);
      if (changes === 0) return null;
      const row = this.#database.one(
        `INSERT INTO schedule (name, text, author, state, updated_at, due_at, series)
           VALUES (?, ?, ?, 'due', ?, ?, ?) RETURNING *`,
        name,
        text,
        authorText(author),
        now,
        dueAt,
        id,
      );
      return row === undefined ? null : fromRow(row);
    });
    if (fallen !== null) this.#tell({ name, state: 'due' });
    return fallen;
  }

  /** Takes what waits for this process alone; false when another one was sooner, or it was rewritten. */
  take({ id, name, text, updatedAt }: ScheduleEntry): boolean {
    const { changes } = this.#database
      .prepare(
        "UPDATE schedule SET state = 'running', owner = ?, updated_at = ? WHERE id = ? AND state IN ('waiting', 'due') AND text = ? AND updated_at = ?",
      )
      .run(this.owner, this.#now(), id, text, updatedAt);
    if (changes === 1) this.#tell({ name, state: 'running' });
    return changes === 1;
  }

  /** Puts away a prompt whose turn has ended; of one that comes again the last ones are kept. */
  end({ id, name, series }: ScheduleEntry, outcome: string): void {
    this.#database
      .prepare("UPDATE schedule SET state = 'done', ended_at = ?, outcome = ? WHERE id = ?")
      .run(this.#now(), outcome, id);
    if (series !== null)
      this.#database
        .prepare(
          `DELETE FROM schedule WHERE series = ? AND state = 'done' AND id NOT IN
             (SELECT id FROM schedule WHERE series = ? AND state = 'done' ORDER BY id DESC LIMIT ?)`,
        )
        .run(series, series, KEPT);
    this.#tell({ name, state: 'done', outcome });
  }

  #tell(step: ScheduleStep): void {
    for (const listener of this.#listeners) listener(step);
  }
}

/** Does the process that took an entry still run? Of another machine it is not known, and assumed. */
export function isUnderWay({ state, owner }: ScheduleEntry): boolean {
  if (state !== 'running' || owner === null) return false;
  const [host = '', pid = ''] = owner.split(' ');
  return host !== hostname() || isAlive(Number(pid));
}

function fromRow(row: Row): ScheduleEntry {
  const text = (name: string): string => String(row[name]);
  const number = (name: string): number => Number(row[name]);
  return {
    id: number('id'),
    name: text('name'),
    text: text('text'),
    author: parseAuthor(row['author'] === null ? null : text('author')),
    state: text('state') as ScheduleState,
    owner: row['owner'] === null ? null : text('owner'),
    updatedAt: number('updated_at'),
    since: number(row['since'] === null ? 'updated_at' : 'since'),
    dueAt: row['due_at'] === null ? null : number('due_at'),
    series: row['series'] === null ? null : number('series'),
    endedAt: row['ended_at'] === null ? null : number('ended_at'),
    outcome: row['outcome'] === null ? null : text('outcome'),
  };
}
