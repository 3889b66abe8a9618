/** The file of the change journal, `changes.sqlite`, in which others keep tables of their own. */
import { join } from 'node:path';
import { Database } from '../replica/database.ts';

/** Its path in a state directory. */
export const changesFile = (state: string): string => join(state, 'changes.sqlite');

/**
 * Opens it, or makes it.
 * @param schema the journal's migrations; of anybody else, whose version the
 *   file does not bear, statements that do nothing where the tables are there
 * @throws ConfigError when it cannot be used
 */
export function openChangesFile(file: string, schema: readonly string[] | string): Database {
  return new Database(
    file,
    schema,
    'it holds what waits to be written and what came of it: restore it, or move it away to begin an empty one',
  );
}
