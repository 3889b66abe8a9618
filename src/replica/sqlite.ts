/**
 * Node's SQLite. It is asked for by name and not imported: where there is none
 * the package still loads, and says in a sentence which Node is needed.
 */
import process from 'node:process';
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { ConfigError } from '../errors.ts';

const sqlite = process.getBuiltinModule?.('node:sqlite');

/**
 * Opens (or makes) a database.
 * @param file its path, or `:memory:`
 */
export function openSqlite(file: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  if (sqlite === undefined) throw new ConfigError('', 'this runtime has no node:sqlite');
  return new sqlite.DatabaseSync(file, options);
}
