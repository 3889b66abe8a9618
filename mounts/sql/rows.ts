/** Rows as files: their names, their fields, their values as text. */
import { z } from 'zod';
import {
  type FieldSpec,
  fileNameOf as nameOf,
  type RecordType,
  shown,
} from '../../src/mount/index.ts';
import type { Column, Table, Value } from './driver.ts';

/** Names that stand for something else beside tables or rows. */
const RESERVED = /^(?:new|queries|search|index\.tsv)$/;
const SCALAR = z.union([z.string(), z.number(), z.boolean(), z.null()], 'is no value of a column');

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

/** What a row is written as: what the database computes is its own, and a row without a key stays. */
export function typeOf(table: Table): RecordType {
  const isFixed = keysOf(table).length === 0;
  const fields = table.columns.map((one): [string, FieldSpec] => {
    const { name, type, isNullable, preset } = one;
    const notes = [type, isNullable ? '' : 'not null', preset === null ? '' : `default ${preset}`];
    const about = notes.filter((one) => one !== '').join(', ') || 'any value';
    if (isFixed || one.isGenerated)
      return [name, { ...shown(about), otherMeans: 'leave it as it is' }];
    return [name, { schema: /^jsonb?$/.test(type) ? z.json() : SCALAR, access: 'create', about }];
  });
  return { name: `row of ${table.name}`, form: 'json', fields: Object.fromEntries(fields) };
}

/** A row keeps its key. */
export const fixedOf = (table: Table) =>
  Object.fromEntries(
    keysOf(table).map(({ name }) => [name, 'the key stays: make another row, and remove this one']),
  );
