/** What the mount asks of a database, whichever it is. */
import {
  type MountUsage,
  ServiceFailure,
  type Table,
  type TableColumn,
  type TableValue,
} from '../../src/mount/index.ts';

export interface Result {
  columns: readonly string[];
  rows: readonly (readonly TableValue[])[];
}

/** A statement, with a {@link Driver.parameter} for each of its values. */
export interface Statement {
  sql: string;
  values: readonly TableValue[];
}

/** An open database. Every method throws ServiceFailure. */
export interface Driver {
  /** Of tables and views, by name. */
  tables(): Promise<Table[]>;
  /**
   * Carries out one statement that reads, and gives at most so many rows. What would change
   * something, or look outside of the database, is refused.
   */
  read(statement: Statement, most: number): Promise<Result>;
  /**
   * Carries out statements in one transaction, which is undone unless each gives exactly one row; a
   * failure says which was refused.
   */
  write(statements: readonly Statement[]): Promise<Result[]>;
  /** What stands for a value in a statement. @param index from 1; @param type of its column */
  parameter(index: number, type: string): string;
  usage(): MountUsage;
}

/** What one of several statements gave: exactly one row. Throws ServiceFailure. */
export function oneRow(result: Result): Result {
  if (result.rows.length === 1) return result;
  const text = 'the row was changed or removed meanwhile: read it again, and write it again';
  throw new ServiceFailure('invalid', text);
}

/** A name in a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** What a column takes, by its type. */
export function takesOf(type: string): TableColumn['takes'] {
  if (type === 'uuid') return 'uuid';
  return /^jsonb?$/.test(type) ? 'json' : 'scalar';
}
