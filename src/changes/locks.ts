/** Locks on the records of services, shared by the processes of a state directory. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { FsError } from '../errors.ts';
import type { Database } from '../replica/database.ts';

/** A lock that its owner did not release is void after this, in ms. */
const LOCK_LEASE_MS = 60_000;
/** How long a writer waits for another's lock, in ms. */
const LOCK_WAIT_MS = 10_000;

/** The locks in one file. */
export class RecordLocks {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Runs `work` while no other process that shares the file writes the record.
   *
   * @throws FsError EBUSY when another holds it for longer than 10 s.
   */
  async hold<T>(mount: string, path: string, work: () => Promise<T>): Promise<T> {
    const owner = randomUUID();
    const deadline = Date.now() + LOCK_WAIT_MS;
    while (!this.#tryLock(mount, path, owner)) {
      if (Date.now() > deadline) {
        throw new FsError('EBUSY', {
          path,
          op: 'write',
          reason: 'another process is writing this record: try again in a moment',
        });
      }
      await delay(25);
    }
    try {
      return await work();
    } finally {
      this.#database
        .prepare('DELETE FROM locks WHERE mount = ? AND path = ? AND owner = ?')
        .run(mount, path, owner);
    }
  }

  #tryLock(mount: string, path: string, owner: string): boolean {
    const now = Date.now();
    return (
      this.#database
        .prepare(
          `INSERT INTO locks VALUES (?1, ?2, ?3, ?4) ON CONFLICT (mount, path)
           DO UPDATE SET owner = ?3, expires_at = ?4 WHERE expires_at < ?5`,
        )
        .run(mount, path, owner, now + LOCK_LEASE_MS, now).changes === 1
    );
  }
}
