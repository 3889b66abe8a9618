/** What is asked and changed of a table, in the SQL that each database takes. */
import { type Driver, quoted, type Statement, type Table, type Value } from './driver.ts';
import { keysOf } from './rows.ts';

type Dialect = Pick<Driver, 'parameter'>;
type Row = Readonly<Record<string, unknown>>;

/** The rows for which a condition holds, all by default. */
export function selection(table: Table, condition?: string): string {
  const where = condition === undefined ? '' : ` WHERE ${condition}`;
  return `SELECT ${columnsOf(table)} FROM ${quoted(table.name)}${where}`;
}

/** All rows, in the order of their keys. */
export function ordered(table: Table): string {
  const keys = keysOf(table).map(({ name }) => quoted(name));
  return `${selection(table)}${keys.length === 0 ? '' : ` ORDER BY ${keys.join(', ')}`}`;
}

/** The row of a key. */
export function selectionOf(dialect: Dialect, table: Table, key: readonly Value[]): Statement {
  const { values, whole } = parameters(dialect, table);
  return { sql: selection(table, whole(key).join(' AND ')), values };
}

/** Makes a row. */
export function insertion(dialect: Dialect, table: Table, row: Row): Statement {
  const { values, add } = parameters(dialect, table);
  const names = Object.keys(row);
  const what = names.map((name) => add(name, row[name])).join(', ');
  const given = `(${names.map(quoted).join(', ')}) VALUES (${what})`;
  const sql = `INSERT INTO ${quoted(table.name)} ${names.length === 0 ? 'DEFAULT VALUES' : given}`;
  return { sql: returning(table, sql), values };
}

/** Changes columns of the row of a key, if they are what they were. */
export function update(
  dialect: Dialect,
  table: Table,
  { key, delta, row }: { key: readonly Value[]; delta: Row; row: Row },
): Statement {
  const { values, add, whole } = parameters(dialect, table);
  const set = Object.entries(delta).map(([name, value]) => `${quoted(name)} = ${add(name, value)}`);
  // JSON of PostgreSQL has no equality.
  const was = Object.keys(delta)
    .filter((name) => typeOf(table, name) !== 'json')
    .map((name) => `${quoted(name)} IS NOT DISTINCT FROM ${add(name, row[name])}`);
  const where = [...whole(key), ...was].join(' AND ');
  const sql = `UPDATE ${quoted(table.name)} SET ${set.join(', ')} WHERE ${where}`;
  return { sql: returning(table, sql), values };
}

/** Removes the row of a key. */
export function deletion(dialect: Dialect, table: Table, key: readonly Value[]): Statement {
  const { values, whole } = parameters(dialect, table);
  const sql = `DELETE FROM ${quoted(table.name)} WHERE ${whole(key).join(' AND ')}`;
  return { sql: returning(table, sql), values };
}

const columnsOf = ({ columns }: Table) => columns.map(({ name }) => quoted(name)).join(', ');
const returning = (table: Table, sql: string) => `${sql} RETURNING ${columnsOf(table)}`;
const typeOf = ({ columns }: Table, name: string) =>
  columns.find((one) => one.name === name)?.type ?? 'text';

/** Values of a statement, numbered as they come, and the condition that names one row. */
function parameters(dialect: Dialect, table: Table) {
  const values: Value[] = [];
  const add = (name: string, value: unknown): string =>
    dialect.parameter(values.push(value as Value), typeOf(table, name));
  const whole = (key: readonly Value[]) =>
    keysOf(table).map(({ name }, index) => `${quoted(name)} = ${add(name, key[index])}`);
  return { values, add, whole };
}
