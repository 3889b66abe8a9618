/** Opening a SQLite file that several processes share, and bringing its schema forward. */
import { DatabaseSync } from 'node:sqlite';

/** How long one process waits for another's transaction, in ms. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens (or makes) a database with the journal mode that lets one process
 * write while others read. `migrations[n]` brings schema version n to n + 1;
 * the version is kept in `user_version`.
 *
 * @throws Error when the file was written by a newer program.
 */
export function openDatabase(file: string, migrations: readonly string[]): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    migrate(database, file, migrations);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

function migrate(database: DatabaseSync, file: string, migrations: readonly string[]): void {
  if (schemaVersion(database) === migrations.length) return;
  transaction(database, () => {
    // Asked again inside the transaction: another process may have been first.
    const version = schemaVersion(database);
    if (version > migrations.length) {
      throw new Error(
        `${file} has schema version ${version}, this program knows ${migrations.length}: use a newer one`,
      );
    }
    for (const step of migrations.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
}

/** Runs `work` as one transaction; inside another one, as part of it. */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  if (database.isTransaction) return work();
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
