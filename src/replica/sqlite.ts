/**
 * Node's SQLite. It is asked for by name and not imported: where there is none
 * the package still loads, and says in a sentence which Node is needed.
 */
import process from 'node:process';
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { ConfigError } from '../errors.ts';
import { closeFile, makePrivateFile } from '../state.ts';

const sqlite = process.getBuiltinModule?.('node:sqlite');

/** What SQLite keeps beside a file; it makes them with the rights of the file. */
const BESIDE = ['-wal', '-shm', '-journal'];

/**
 * Opens (or makes) a database, which is its owner's alone.
 * @param file its path, or `:memory:`
 */
export function openSqlite(file: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  if (sqlite === undefined) throw new ConfigError('', 'this runtime has no node:sqlite');
  if (file !== ':memory:' && options.readOnly !== true) {
    makePrivateFile(file);
    for (const ending of BESIDE) closeFile(file + ending);
  }
  return new sqlite.DatabaseSync(file, options);
}
