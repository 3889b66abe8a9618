import { describe, expect, it } from 'vitest';
import { SchemaFault, untrustedSchema } from './json-schema.ts';

const accepts = (schema: Record<string, unknown>, value: unknown): boolean =>
  untrustedSchema(schema).safeParse(value).success;

describe('a schema that somebody else wrote checks what it says', () => {
  const word = { type: 'string', pattern: '^[a-z]+$' };
  const CASES: [schema: Record<string, unknown>, good: unknown, bad: unknown][] = [
    [word, 'word', '3'],
    [{ type: 'object', properties: { a: word } }, { a: 'word' }, { a: '3' }],
    // What is no schema but true or false stays that.
    [{ type: 'object', properties: { a: word }, additionalProperties: false }, {}, { b: 1 }],
    [{ type: 'object', additionalProperties: word }, { a: 'word' }, { a: '3' }],
    [{ type: 'array', items: word }, ['word'], ['3']],
    [{ type: 'array', prefixItems: [word, { type: 'number' }] }, ['word', 3], [3, 3]],
    [{ anyOf: [word, { type: 'null' }] }, null, 3],
  ];
  it.each(CASES)('%j', (schema, good, bad) => {
    expect(accepts(schema, good)).toBe(true);
    expect(accepts(schema, bad)).toBe(false);
  });
});

describe('a schema that could multiply itself, or be misread, is refused', () => {
  it.each([
    { $ref: '#' },
    { properties: { a: { $ref: '#' } } },
    { allOf: [{ patternProperties: { a: {} } }] },
    { type: 'string', pattern: '(a{1000}){1000}' },
    { type: 'string', pattern: '(' },
  ])('%j', (schema) => {
    expect(() => untrustedSchema(schema)).toThrow(SchemaFault);
  });
});
