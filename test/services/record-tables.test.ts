/** The tables of records, whatever a service gives for their fields: what a file says, and what is made of it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import * as github from '../../mounts/github/records.ts';
import * as linear from '../../mounts/linear/records.ts';
import { readRecord, renderRecord, valuesOf } from '../../src/mount/record/record.ts';
import type { RecordTable } from '../../src/mount/resource/record-table.ts';

const TABLES = Object.entries({ ...tablesIn(linear, 'Linear'), ...tablesIn(github, 'GitHub') });

function tablesIn(module: object, service: string): Record<string, RecordTable<z.ZodType>> {
  const all = Object.entries(module as Record<string, unknown>).filter(
    (entry): entry is [string, RecordTable<z.ZodType>] =>
      typeof entry[1] === 'object' && entry[1] !== null && 'input' in entry[1],
  );
  return Object.fromEntries(all.map(([name, table]) => [`${service}: ${name}`, table]));
}

/** Text as a hostile service has it. JSON can hold halves of characters, too. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    ' ',
    '---',
    'a\n---\nb',
    'null',
    '~',
    'true',
    '1e3',
    '0x10',
    '.nan',
    '2026-01-02',
    '# heading',
    'a #b',
    'a: b',
    '\u202Etxet',
    '\u001B[31mred',
    '\0',
    '\u0085\u2028\uFEFF',
    'a\r\nb\rc\n\n',
    '\n\na',
    '\uD800',
    'a\uDC00b',
    '__proto__',
    'constructor',
    'x'.repeat(300),
  ),
  fc.string({ unit: fc.constantFrom('\uD83D', '\uDE00', 'a', '\n', '"', "'", '\\') }),
);

type Def = Readonly<Record<string, unknown>> & { type: string };
const definition = (schema: unknown): Def => (schema as { _zod: { def: Def } })._zod.def;

/** What a schema takes, as JSON has it. */
function givenFor(schema: unknown): fc.Arbitrary<unknown> {
  const def = definition(schema);
  switch (def.type) {
    case 'string':
      return hostile;
    case 'number':
      return fc.oneof(fc.integer(), fc.maxSafeInteger());
    case 'bigint':
      return fc.bigInt({ min: 0n, max: 2n ** 53n - 1n });
    case 'boolean':
      return fc.boolean();
    case 'nullable':
      return fc.oneof(fc.constant(null), givenFor(def['innerType']));
    case 'optional':
      return fc.oneof(fc.constant(undefined), givenFor(def['innerType']));
    case 'default':
      return givenFor(def['innerType']);
    case 'array':
      return fc.array(givenFor(def['element']), { maxLength: 3 });
    case 'union':
      return fc.oneof(...(def['options'] as unknown[]).map(givenFor));
    case 'pipe':
      return givenFor(definition(def['in']).type === 'unknown' ? def['out'] : def['in']);
    case 'catch':
      return fc.oneof(givenFor(def['innerType']), fc.integer());
    case 'custom':
      return fc.oneof(fc.integer({ min: -1, max: 5 }), hostile);
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(def['shape'] as object).map(([name, one]) => [name, givenFor(one)]),
        ),
      );
    default:
      throw new Error(`nothing is given for ${def.type}`);
  }
}

/** Of each property of each table. */
const RUNS = { numRuns: 25 };

const inAFile = (text: string): string => Buffer.from(text).toString('utf8');

const wellFormed = (values: object): unknown =>
  JSON.parse(JSON.stringify(values), (_name, value) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );

describe.each(TABLES)('%s', (_name, table) => {
  const { type } = table;
  const given = givenFor(table.schema).map((raw) => table.schema.parse(raw));
  const fileOf = (one: unknown): string => renderRecord(type, table.values(one));

  test('a file that is written back as it was read changes nothing', () => {
    fc.assert(
      fc.property(given, (one) => {
        const base = fileOf(one);
        const text = inAFile(base);
        expect(readRecord(type, text, valuesOf(type, base))).toEqual({ values: {}, problems: [] });
      }),
      RUNS,
    );
  });

  test('a field of the service that is written anew is refused by its name, and no other field is', () => {
    const shown = Object.keys(type.fields).filter(
      (name) => type.fields[name]?.access === 'read' && name !== 'body',
    );
    if (shown.length === 0) return;
    fc.assert(
      fc.property(given, fc.constantFrom(...shown), (one, name) => {
        const base = fileOf(one);
        const values = { ...valuesOf(type, base), [name]: 'another \uFFFD one' };
        const read = readRecord(type, renderRecord(type, values), valuesOf(type, base));
        expect(read.values).toEqual({});
        expect(read.problems.map(({ field }) => field)).toEqual([name]);
      }),
      RUNS,
    );
  });

  test('what a file says of a record is what the table says', () => {
    fc.assert(
      fc.property(given, (one) => {
        const told = { body: '', ...table.values(one) };
        expect(wellFormed(valuesOf(type, inAFile(fileOf(one))))).toEqual(wellFormed(told));
      }),
      RUNS,
    );
  });
});
