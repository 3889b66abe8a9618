/** Tables and their rows as data: columns, keys, the fields of a row's file, values as text. */
import { z } from 'zod';
import { shown } from '../record/fields.ts';
import { fileNameOf } from '../record/file-name.ts';
import type { FieldSpec, RecordType } from '../record/record.ts';
import type { FileOf } from './definition.ts';

const valueSchema = z.json();
/** A value as JSON has it: what JSON has no form for is text. */
export type TableValue = z.infer<typeof valueSchema>;

const columnSchema = z.object({
  name: z.string(),
  /** As the store calls it; '' where it has no types. */
  type: z.string().default(''),
  /** What may be written: no lists and objects, anything, or an id that whoever makes a row may choose. */
  takes: z.enum(['scalar', 'json', 'uuid']).default('scalar'),
  /** Its place in the key, from 1; 0 where it is none of it. */
  key: z.number().default(0),
  isNullable: z.boolean().default(true),
  /** Computed by the store. */
  isGenerated: z.boolean().default(false),
  /** What it is where nothing is given, as the store says it. */
  preset: z.string().nullable().default(null),
});
/** A column of a table. */
export type TableColumn = z.infer<typeof columnSchema>;

/** `schema`: the store's own text of what the table is; '' where it has none. */
export const tableSchema = z.object({
  name: z.string(),
  columns: z.array(columnSchema),
  schema: z.string().default(''),
});
/** A table: its name, its columns, and the store's own text of it. */
export type Table = z.infer<typeof tableSchema>;
/** The same as a store may give it: what it does not say is as most columns are. */
export type TableInput = z.input<typeof tableSchema>;

const rowSchema = z.record(z.string(), valueSchema);
/** Values by the names of their columns. */
export type TableRow = z.infer<typeof rowSchema>;
/** The values of a key, in its order. */
export type TableKey = readonly TableValue[];

/** A row as it is held: `key` is its key as JSON; of a table without one, its place in the index. */
export const heldSchema = z.object({ key: z.string(), isKeyed: z.boolean(), row: rowSchema });
export type HeldRow = z.infer<typeof heldSchema>;

/** Names that stand for something else beside tables or rows. */
const RESERVED = /^(?:new|queries|search|index\.tsv)$/;
const SCALAR = z.union([z.string(), z.number(), z.boolean(), z.null()], 'is no value of a column');

/** The values of a key as the name of a file. */
export const rowNameOf = (values: TableKey): string =>
  fileNameOf(values.map(cellOf), (name) => RESERVED.test(name));

/** A value as text: nothing for null. */
export function cellOf(value: TableValue | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The columns of the key, in its order. */
export function keyColumns({ columns }: Table): TableColumn[] {
  return columns.filter(({ key }) => key > 0).sort((a, b) => a.key - b.key);
}

/** Rows as they are held: every column of the table, and no other. */
export const heldOf =
  (table: Table) =>
  (given: TableRow, at: number): HeldRow => {
    const row = Object.fromEntries(table.columns.map(({ name }) => [name, given[name] ?? null]));
    const key = keyColumns(table).map(({ name }) => row[name] ?? null);
    return { key: JSON.stringify(key.length === 0 ? [at] : key), isKeyed: key.length > 0, row };
  };

export const keyIn = ({ key }: HeldRow): TableKey => z.array(valueSchema).parse(JSON.parse(key));

/** What a row is written as: what the store computes is its own, and a row without a key stays. */
export function typeOf(table: Table): RecordType {
  const isFixed = keyColumns(table).length === 0;
  const fields = table.columns.map((one): [string, FieldSpec] => {
    const about = notesOf(one).join(', ') || 'any value';
    if (isFixed || one.isGenerated)
      return [one.name, { ...shown(about), otherMeans: 'leave it as it is' }];
    const schema = one.takes === 'json' ? valueSchema : SCALAR;
    return [one.name, { schema, access: 'create', about }];
  });
  return { name: `row of ${table.name}`, form: 'json', fields: Object.fromEntries(fields) };
}

function notesOf({ type, isNullable, preset }: TableColumn): string[] {
  const notes = [type, isNullable ? '' : 'not null', preset === null ? '' : `default ${preset}`];
  return notes.filter((one) => one !== '');
}

/** A row keeps its key. */
export const fixedOf = (table: Table): Readonly<Record<string, string>> =>
  Object.fromEntries(
    keyColumns(table).map(({ name }) => [
      name,
      'the key stays: make another row, and remove this one',
    ]),
  );

/** What a table is, where its store has no text of its own for that. */
export const COLUMNS: FileOf<Table> = {
  about: 'its columns and its key',
  columns: ['column', 'type', 'key', 'null', 'computed', 'default'],
  rows: ({ columns }) =>
    columns.map(({ name, type, key, isNullable, isGenerated, preset }) => [
      name,
      type,
      key > 0 ? String(key) : '',
      isNullable ? 'yes' : '',
      isGenerated ? 'yes' : '',
      preset ?? '',
    ]),
};
