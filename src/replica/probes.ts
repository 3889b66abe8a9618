/** What the processes of a state directory know of each other's looking for changes: whose turn it is, and what was found. */
import type { Database } from './database.ts';

/** So long a process has for one round, in ms; one that ended in it holds up the others no longer. */
const ROUND_MS = 60_000;

/** When to look again. Times are ms since the epoch. */
export interface ProbeTurn {
  nextAt: number;
  /** Between two rounds, in ms. */
  interval: number;
  /** When something of the mount was read last, by any process. */
  readAt: number;
  /** The part of an hour's limit that was used since `windowAt`. */
  spent: number;
  windowAt: number;
}

/** What a probe tells apart, such as a repository. */
export interface ProbedSubject {
  subject: string;
  /** What the last probe told of it; null before the first. */
  mark: string | null;
  /** When it was found changed last. */
  changedAt: number;
}

const DAY_MS = 86_400_000;

/** One per replica. */
export class Probes {
  readonly #database: Database;
  /** How many changes of the file these were, which no record shows. */
  changes = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** When it is time, as all processes have it; null where nothing was read yet. */
  turn(mount: string): ProbeTurn | null {
    const row = this.#database.one('SELECT * FROM probes WHERE mount = ?', mount);
    if (row === undefined) return null;
    return {
      nextAt: Number(row['next_at']),
      interval: Number(row['every_ms']),
      readAt: Number(row['read_at']),
      spent: Number(row['spent']),
      windowAt: Number(row['window_at']),
    };
  }

  /**
   * Notes what was read and when, and that the next round is to come within so many ms of it.
   */
  read(mount: string, subjects: ReadonlyMap<string, number>, within: number): void {
    const first = Math.min(...subjects.values());
    this.#database.transaction(() => {
      this.#change(
        `INSERT INTO probes VALUES (?1, ?2 + ?3, ?3, ?2, 0, 0, 0, ?2)
         ON CONFLICT (mount) DO UPDATE SET read_at = max(read_at, ?2),
         every_ms = min(every_ms, ?3), next_at = min(next_at, max(probed_at, ?2) + ?3)`,
        mount,
        first,
        within,
      );
      for (const [subject, at] of subjects)
        this.#change(
          `INSERT INTO probed VALUES (?1, ?2, NULL, ?3, 0)
           ON CONFLICT (mount, subject) DO UPDATE SET read_at = ?3`,
          mount,
          subject,
          at,
        );
    });
  }

  /** Takes the turn if it is time and nobody has it: the one process of the next round. */
  take(mount: string, now: number): boolean {
    const taken = this.#change(
      `UPDATE probes SET taken_until = ?2 + ?3, probed_at = ?2
       WHERE mount = ?1 AND next_at <= ?2 AND taken_until <= ?2`,
      mount,
      now,
      ROUND_MS,
    );
    return taken === 1;
  }

  /** Ends a round. */
  done(mount: string, { nextAt, interval, spent, windowAt }: Omit<ProbeTurn, 'readAt'>): void {
    this.#change(
      `UPDATE probes SET next_at = ?, every_ms = ?, spent = ?, window_at = ?, taken_until = 0
       WHERE mount = ?`,
      nextAt,
      interval,
      spent,
      windowAt,
      mount,
    );
  }

  /** What was read within a day, the latest first. */
  subjects(mount: string, now: number, most: number): ProbedSubject[] {
    return this.#subjects(
      'WHERE mount = ? AND read_at > ? ORDER BY read_at DESC LIMIT ?',
      mount,
      now - DAY_MS,
      most,
    );
  }

  /** What was found changed after a time, by any process. */
  changed(mount: string, after: number): ProbedSubject[] {
    return this.#subjects('WHERE mount = ? AND changed_at > ?', mount, after);
  }

  /** Keeps what a probe told; `changedAt` where that is another thing than before. */
  told(mount: string, { subject, mark, changedAt }: ProbedSubject): void {
    this.#database
      .prepare('UPDATE probed SET mark = ?, changed_at = ? WHERE mount = ? AND subject = ?')
      .run(mark, changedAt, mount, subject);
  }

  /** Writes what no record shows. @returns how many rows that changed */
  #change(sql: string, ...values: (string | number)[]): number {
    const changes = Number(this.#database.prepare(sql).run(...values).changes);
    this.changes += changes;
    return changes;
  }

  #subjects(where: string, ...values: (string | number)[]): ProbedSubject[] {
    return this.#database
      .all(`SELECT subject, mark, changed_at FROM probed ${where}`, ...values)
      .map(({ subject, mark, changed_at: changedAt }) => ({
        subject: String(subject),
        mark: typeof mark === 'string' ? mark : null,
        changedAt: Number(changedAt),
      }));
  }
}
