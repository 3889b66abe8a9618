import { expect, test } from 'vitest';
import { Checks } from './checking.ts';
import { Description } from './description.ts';

const of = (schemas: Record<string, unknown>): Checks =>
  new Checks(
    new Description({ openapi: '3.0.3', paths: { '/a': {} }, components: { schemas } }, 'f'),
  );
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const wrong = (checks: Checks, schema: unknown, body: unknown) =>
  checks.problems(schema, body, (field) => field).map(({ field }) => field);

test('schemas that are composed in a circle are checked by what each says of itself', () => {
  const checks = of({
    One: { allOf: [ref('Two'), { required: ['one'] }] },
    Two: { allOf: [ref('Three'), { required: ['two'] }] },
    Three: { allOf: [ref('Two'), ref('Three'), ref('One'), { required: ['three'] }] },
  });
  expect(wrong(checks, ref('One'), {})).toHaveLength(3);
  expect(wrong(checks, ref('One'), { one: 1, two: 2, three: 3 })).toEqual([]);
  expect(wrong(checks, ref('Three'), { one: 1, two: 2 })).toHaveLength(1);
});

test('so are those any of which is the other', () => {
  const checks = of({
    One: { anyOf: [ref('Two')], required: ['one'] },
    Two: { anyOf: [ref('One'), { required: ['two'] }] },
  });
  expect(wrong(checks, ref('One'), { two: 2 })).toEqual(['one']);
});

test('a tree whose nodes are of its own kind is checked all the way down', () => {
  const checks = of({
    Tree: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, below: { type: 'array', items: ref('Tree') } },
    },
  });
  const tree = (leaf: unknown) => ({ name: 'a', below: [{ name: 'b', below: [leaf] }] });
  expect(wrong(checks, ref('Tree'), tree({ name: 'c' }))).toEqual([]);
  expect(wrong(checks, ref('Tree'), tree({ name: 3 }))).toEqual(['below.0.below.0.name']);
});

test.each([
  ['exclusiveMinimum', { minimum: 3, exclusiveMinimum: true }, [3], [4]],
  ['exclusiveMaximum', { maximum: 3, exclusiveMaximum: true }, [3], [2]],
  ['a number of 3.1 for it', { exclusiveMinimum: 3 }, [3], [4]],
  ['a flag that is off', { minimum: 3, exclusiveMinimum: false }, [2], [3]],
  ['nullable', { type: 'string', nullable: true, enum: ['a'] }, ['b', 1], ['a', null]],
  ['nullable without a type', { nullable: true, allOf: [{ type: 'string' }] }, [1], ['a', null]],
  ['not nullable', { type: 'string', nullable: false }, [null], ['a']],
  ['a pattern', { type: 'string', pattern: '^a+$' }, ['b'], ['aa']],
  ['a pattern that RE2 does not know', { type: 'string', pattern: '(?=a)b' }, [], ['x']],
])('%s is of the value that it says', (_name, schema, refused, taken) => {
  const checks = of({});
  for (const value of refused) expect([value, wrong(checks, schema, value)]).toEqual([value, ['']]);
  for (const value of taken) expect([value, wrong(checks, schema, value)]).toEqual([value, []]);
});

test('what only the service sets is not asked of a body; what else is required is', () => {
  const checks = of({ Id: { type: 'string', readOnly: true } });
  const schema = {
    required: ['id', 'at', 'name'],
    properties: { id: ref('Id'), at: { readOnly: true }, name: { readOnly: false } },
  };
  expect(wrong(checks, schema, {})).toHaveLength(1);
  expect(wrong(checks, schema, { name: 1 })).toEqual([]);
  expect(wrong(checks, { required: true, properties: {} }, {})).toEqual([]);
});
