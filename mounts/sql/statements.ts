/** What is asked and changed of a table, in the SQL that each database takes. */
import {
  keyColumns,
  type Table,
  type TableKey,
  type TableRow,
  type TableValue,
} from '../../src/mount/index.ts';
import { type Driver, quoted, type Statement } from './driver.ts';

/** A value of a statement, by its column; what stands for it. */
type Add = (column: string, value: TableValue | undefined) => string;

export function statementsOf({ parameter }: Pick<Driver, 'parameter'>, table: Table) {
  const keys = keyColumns(table);
  const into = quoted(table.name);
  const named = (columns: readonly { name: string }[]) =>
    columns.map(({ name }) => quoted(name)).join(', ');
  const all = named(table.columns);
  const typeOf = (column: string) =>
    table.columns.find(({ name }) => name === column)?.type ?? 'text';
  const statement = (write: (add: Add) => string): Statement => {
    const values: TableValue[] = [];
    const add: Add = (column, value) => parameter(values.push(value ?? null), typeOf(column));
    return { sql: write(add), values };
  };
  const has = (add: Add, key: TableKey) =>
    keys.map(({ name }, index) => `${quoted(name)} = ${add(name, key[index])}`).join(' AND ');
  return {
    /** The rows for which a condition holds, all by default, in the order of their keys. */
    rows: (condition?: string) =>
      statement(() => {
        const where = condition === undefined ? '' : ` WHERE (${condition}\n)`;
        const order = keys.length === 0 ? '' : ` ORDER BY ${named(keys)}`;
        return `SELECT ${all} FROM ${into}${where}${order}`;
      }),
    one: (key: TableKey) => statement((add) => `SELECT ${all} FROM ${into} WHERE ${has(add, key)}`),
    insert: (row: TableRow) =>
      statement((add) => {
        const names = Object.keys(row);
        const given = names.map((name) => add(name, row[name])).join(', ');
        const what = `(${names.map(quoted).join(', ')}) VALUES (${given})`;
        return `INSERT INTO ${into} ${given === '' ? 'DEFAULT VALUES' : what} RETURNING ${all}`;
      }),
    /** Changes columns of a row, if they are what they were. */
    update: (key: TableKey, delta: TableRow, row: TableRow) =>
      statement((add) => {
        const set = Object.keys(delta).map((name) => `${quoted(name)} = ${add(name, delta[name])}`);
        // JSON of PostgreSQL has no equality.
        const was = Object.keys(delta)
          .filter((name) => typeOf(name) !== 'json')
          .map((name) => `${quoted(name)} IS NOT DISTINCT FROM ${add(name, row[name])}`);
        const where = [has(add, key), ...was].join(' AND ');
        return `UPDATE ${into} SET ${set.join(', ')} WHERE ${where} RETURNING ${all}`;
      }),
    remove: (key: TableKey) =>
      statement((add) => `DELETE FROM ${into} WHERE ${has(add, key)} RETURNING ${all}`),
  };
}
