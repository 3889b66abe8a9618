/** What the mount asks of a database, whichever it is. */
import { z } from 'zod';
import { type MountUsage, ServiceFailure } from '../../src/mount/index.ts';

const columnSchema = z.object({
  name: z.string(),
  /** As the database calls it. */
  type: z.string(),
  /** Its place in the primary key, from 1; 0 where it is none of it. */
  key: z.number(),
  isNullable: z.boolean(),
  /** Computed by the database. */
  isGenerated: z.boolean(),
  /** The expression, as the schema has it. */
  preset: z.string().nullable(),
});
export type Column = z.infer<typeof columnSchema>;

/** `schema`: the statement that makes it, or the like. */
export const tableSchema = z.object({
  name: z.string(),
  columns: z.array(columnSchema),
  schema: z.string(),
});
export type Table = z.infer<typeof tableSchema>;

export const valueSchema = z.json();
/** A value as JSON has it: what JSON has no form for is text. */
export type Value = z.infer<typeof valueSchema>;

export interface Result {
  columns: readonly string[];
  rows: readonly (readonly Value[])[];
}

/** A statement, with a {@link Driver.parameter} for each of its values. */
export interface Statement {
  sql: string;
  values: readonly Value[];
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
