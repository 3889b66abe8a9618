/** What is asked and changed of a table, in the SQL that each database takes. */
import { type Driver, quoted, type Statement, type Table, type Value } from './driver.ts';
import { keysOf } from './rows.ts';

type Row = Readonly<Record<string, unknown>>;
type Key = readonly Value[];
/** A value of a statement, by its column; what stands for it. */
type Add = (column: string, value: unknown) => string;

export function statementsOf(
  { parameter }: Pick<Driver, 'parameter'>,
  { name, columns, ...table }: Table,
) {
  const keys = keysOf({ name, columns, ...table });
  const all = columns.map((one) => quoted(one.name)).join(', ');
  const rows = `SELECT ${all} FROM ${quoted(name)}`;
  const typeOf = (column: string) => columns.find((one) => one.name === column)?.type ?? 'text';
  const statement = (write: (add: Add) => string): Statement => {
    const values: Value[] = [];
    const add: Add = (column, value) => parameter(values.push(value as Value), typeOf(column));
    return { sql: write(add), values };
  };
  const is = (add: Add, key: Key) =>
    keys.map((one, index) => `${quoted(one.name)} = ${add(one.name, key[index])}`).join(' AND ');
  return {
    /** All rows, in the order of their keys. */
    all: statement(() =>
      keys.length === 0
        ? rows
        : `${rows} ORDER BY ${keys.map((one) => quoted(one.name)).join(', ')}`,
    ),
    where: (condition: string) => statement(() => `${rows} WHERE (${condition}\n)`),
    one: (key: Key) => statement((add) => `${rows} WHERE ${is(add, key)}`),
    insert: (row: Row) =>
      statement((add) => {
        const names = Object.keys(row);
        const given = names.map((one) => add(one, row[one])).join(', ');
        const what =
          names.length === 0
            ? 'DEFAULT VALUES'
            : `(${names.map(quoted).join(', ')}) VALUES (${given})`;
        return `INSERT INTO ${quoted(name)} ${what} RETURNING ${all}`;
      }),
    /** Changes columns of a row, if they are what they were. */
    update: (key: Key, delta: Row, row: Row) =>
      statement((add) => {
        const changed = Object.keys(delta);
        const set = changed.map((one) => `${quoted(one)} = ${add(one, delta[one])}`).join(', ');
        // JSON of PostgreSQL has no equality.
        const was = changed
          .filter((one) => typeOf(one) !== 'json')
          .map((one) => ` AND ${quoted(one)} IS NOT DISTINCT FROM ${add(one, row[one])}`);
        return `UPDATE ${quoted(name)} SET ${set} WHERE ${is(add, key)}${was.join('')} RETURNING ${all}`;
      }),
    remove: (key: Key) =>
      statement((add) => `DELETE FROM ${quoted(name)} WHERE ${is(add, key)} RETURNING ${all}`),
  };
}
