/** Rows as files: their names, their fields, their values as text. */
import { z } from 'zod';
import { type FieldSpec, fileNameOf as nameOf, type RecordType } from '../../src/mount/index.ts';
import type { Column, Table, Value } from './driver.ts';

/** Names that stand for something else beside tables or rows. */
const RESERVED = /^(?:new|queries|search|index\.tsv)$/;

export const keyOf = (values: readonly Value[]): string => JSON.stringify(values);

/** The values of a key as the name of a file. */
export const fileNameOf = (values: readonly Value[]): string =>
  nameOf(values.map(textOf), (name) => RESERVED.test(name));

export function textOf(value: Value): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The columns of the primary key, in its order. */
export function keysOf({ columns }: Table): Column[] {
  return columns.filter(({ key }) => key > 0).sort((a, b) => a.key - b.key);
}

/** What a row is written as: its key stays, and what the database computes is its own. */
export function typeOf(table: Table, isNew: boolean): RecordType {
  const isFixed = ({ key, isGenerated }: Column) =>
    isGenerated || keysOf(table).length === 0 || (!isNew && key > 0);
  const fields = table.columns.map((one) => [one.name, fieldOf(one, isFixed(one))]);
  return { name: `row of ${table.name}`, form: 'json', fields: Object.fromEntries(fields) };
}

function fieldOf(column: Column, isFixed: boolean): FieldSpec {
  const { type, isNullable, preset, key } = column;
  const isJson = /^jsonb?$/.test(type);
  const schema = isJson
    ? z.json()
    : z.union([z.string(), z.number(), z.boolean(), z.null()], 'is no value of a column');
  const notes = [type, isNullable ? '' : 'not null', preset === null ? '' : `default ${preset}`];
  const about = notes.filter((one) => one !== '').join(', ') || 'any value';
  if (!isFixed) return { schema, access: 'create', about };
  const otherMeans =
    key > 0 ? 'the key stays: make another row, and remove this one' : 'leave it as it is';
  return { schema, access: 'read', about, otherMeans };
}
