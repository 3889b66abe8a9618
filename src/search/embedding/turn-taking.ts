/**
 * One process embeds at a time, or two would pay for the same texts. The lock is
 * SQLite's on an empty database beside the index: the system lets go of it when
 * the process dies, however it dies.
 */
import { isBusy } from '../../replica/database.ts';
import { openSqlite } from '../../replica/sqlite.ts';

/** Takes the turn at embedding for an index; null where another process has it. Give it back by calling it. */
export function takeTurn(index: string): (() => void) | null {
  if (index === ':memory:') return () => undefined;
  const database = openSqlite(`${index}.embedding`, { timeout: 0 });
  try {
    // In memory, or an empty journal would be left beside the lock.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return () => database.close();
}
