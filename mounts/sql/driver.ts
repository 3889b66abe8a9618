/** What the mount asks of a database, whichever it is. */
import type { MountUsage } from '../../src/mount/index.ts';

/** One column. */
export interface Column {
  name: string;
  /** As the database calls it. */
  type: string;
  /** Its place in the primary key, from 1; 0 where it is none of it. */
  key: number;
  isNullable: boolean;
  /** Computed by the database. */
  isGenerated: boolean;
  /** The expression, as the schema has it. */
  preset: string | null;
}

export interface Table {
  name: string;
  columns: Column[];
  /** The statement that makes it, or the like. */
  schema: string;
}

/** A value as JSON has it: what JSON has no form for is text. */
export type Value = string | number | boolean | null | object;

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
  /** Carries out one statement in a transaction of its own; undone unless it gives exactly one row. */
  write(statement: Statement): Promise<Result>;
  /** What stands for a value in a statement. @param index from 1; @param type of its column */
  parameter(index: number, type: string): string;
  usage(): MountUsage;
}

/** A name in a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
