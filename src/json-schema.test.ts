import { describe, expect, it } from 'vitest';
import { SchemaFault, trustedSchema, untrustedSchema } from './json-schema.ts';

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

describe('wherever a schema can stand', () => {
  const ONE = [
    'items',
    'additionalItems',
    'additionalProperties',
    'unevaluatedItems',
    'unevaluatedProperties',
    'contains',
    'propertyNames',
    'not',
    'if',
    'then',
    'else',
  ];
  const LISTS = ['items', 'prefixItems', 'allOf', 'anyOf', 'oneOf'];
  const MAPS = ['properties', '$defs', 'definitions', 'dependentSchemas'];
  const places: [string, (inner: object) => Record<string, unknown>][] = [
    ...ONE.map((name) => [name, (inner: object) => ({ [name]: inner })] as const),
    ...LISTS.map(
      (name) => [`${name}, a list`, (inner: object) => ({ [name]: [{}, inner] })] as const,
    ),
    ...MAPS.map((name) => [name, (inner: object) => ({ [name]: { a: {}, b: inner } })] as const),
  ].map(([name, of]) => [name, of]);

  it.each(places)('%s: what multiplies is found', (_, of) => {
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef'])
      expect(() => untrustedSchema(of({ [keyword]: '#' }))).toThrow(
        `${keyword} is not allowed: write out what it stands for`,
      );
    expect(() => untrustedSchema(of(of({ patternProperties: {} })))).toThrow(
      'patternProperties is not allowed: name the properties, or use additionalProperties',
    );
    expect(() => untrustedSchema(of({ type: 'string', pattern: '(a{1000}){1000}' }))).toThrow(
      /pattern: .* (repeats too much|is not understood: .*)$/,
    );
  });
});

describe('a pattern', () => {
  it('is held against strings up to a length that is read soon', () => {
    const schema = { type: 'string', pattern: '^a*$' };
    expect(accepts(schema, 'a'.repeat(100_000))).toBe(true);
    expect(accepts(schema, 'a'.repeat(100_001))).toBe(false);
  });

  it('is the one that is meant, where there are many of them', () => {
    const letters = [...'abcdefghijkl'];
    const properties = Object.fromEntries(
      letters.map((letter) => [letter, { type: 'string', pattern: `^${letter}$` }]),
    );
    const all = Object.fromEntries(letters.map((letter) => [letter, letter]));
    expect(accepts({ type: 'object', properties }, all)).toBe(true);
    for (const letter of letters)
      expect(accepts({ type: 'object', properties }, { ...all, [letter]: 'z' }), letter).toBe(
        false,
      );
  });

  it('finds what it says anywhere, and says so when it does not', () => {
    const result = untrustedSchema({ type: 'string', pattern: 'b+' }).safeParse('xyz');
    expect(accepts({ type: 'string', pattern: 'b+' }, 'abbc')).toBe(true);
    expect(result.error?.issues[0]?.message).toContain('/b+/');
  });

  it('is refused where it checks nothing, or repeats too much', () => {
    expect(() => untrustedSchema({ type: 'number', pattern: 'b+' })).toThrow(
      'pattern: /b+/ stands where no pattern is understood',
    );
    expect(() => untrustedSchema({ type: 'string', pattern: 'a{998}' })).not.toThrow();
    expect(() => untrustedSchema({ type: 'string', pattern: 'a{999}' })).toThrow(
      'pattern: /a{999}/ repeats too much',
    );
    expect(() => untrustedSchema({ type: 'string', pattern: '(' })).toThrow(
      /^pattern: \/\(\/ is not understood: ./,
    );
  });
});

it('a schema that is none says why', () => {
  expect(() => trustedSchema({ type: 'nothing' })).toThrow(
    /^it is no JSON Schema that is understood: ./,
  );
  expect(trustedSchema({ type: 'string', pattern: '^a$' }).safeParse('a').success).toBe(true);
});
