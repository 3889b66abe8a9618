/** The fields that records of most services have: what they take, what they refuse and in which words. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  choice,
  coded,
  count,
  day,
  field,
  flag,
  flagSince,
  line,
  list,
  listChanges,
  moment,
  named,
  prose,
  shown,
} from './fields.ts';
import {
  type FieldSpec,
  parseRecord,
  RecordError,
  type RecordType,
  renderTemplate,
  type Values,
  withFixed,
} from './record.ts';

const type: RecordType = {
  name: 'note',
  fields: {
    id: shown('the id'),
    title: line('one line', { required: true, most: 5 }),
    state: choice(['open', 'late', 'done']),
    labels: list('labels, in brackets', { most: 2 }),
    owner: line('a name', { access: 'edit' }),
    body: prose('the text', { most: 10 }),
  },
};
const made = (text: string) => parseRecord(type, text, null);
const refused = (text: string, base: Values | null = null, of = type): string => {
  try {
    parseRecord(of, text, base);
  } catch (error) {
    if (error instanceof RecordError) return error.message;
    throw error;
  }
  return '';
};

test('a record takes what its fields say; an empty line of a list is none', () => {
  expect(made('---\ntitle: One\nstate: late\nlabels:\n---\n\nTwo\nlines\n')).toMatchObject({
    title: 'One',
    state: 'late',
    labels: [],
  });
  expect(made('---\ntitle: 🙂🙂🙂🙂🙂\n---\n')).toMatchObject({ title: '🙂🙂🙂🙂🙂' });
});

test.each([
  ['title: "  "', 'title: must not be empty'],
  ['title: "a\\nb"', 'title: must be one line'],
  ['title: 123456', 'title: must be text'],
  ['title: sixsix', 'title: is longer than 5 characters'],
  ['title: a\nstate: no', 'allowed: open, late or done'],
  ['title: a\nlabels: bug', 'a list is in brackets: ["bug"]'],
  ['title: a\nlabels: [a, b, c]', 'labels: at most 2'],
  ['title: a\nowner: bo', 'owner: cannot be given on creation'],
  ['title: a\nid: x', 'id: is set by the service'],
])('%s is refused: %s', (fields, said) => {
  expect(refused(`---\n${fields}\n---\n`)).toContain(said);
});

test('a field that is fixed is refused with its reason, and is in no way part of a write otherwise', () => {
  const fixed = withFixed(type, { body: 'ask its author' });
  const base = { title: 'a', body: 'theirs' };
  expect(refused('---\ntitle: a\n---\n\nmine\n', base, fixed)).toContain('ask its author');
  expect(parseRecord(fixed, '---\ntitle: b\n---\n\ntheirs', base)).toEqual({ title: 'b' });
});

test('the template has what a new record may be given, with the first choice filled in', () => {
  expect(renderTemplate(type)).toBe(
    '---\ntitle: null # required, one line\nstate: open # open, late or done\nlabels: [] # labels, in brackets\n---\n',
  );
});

test('what a write adds to names and takes from them; a field that is left out changes nothing', () => {
  expect(listChanges(['a', 'b'], ['b', 'c', 'c'])).toEqual({ added: ['c'], removed: ['a'] });
  expect(listChanges(['a'], [])).toEqual({ added: [], removed: ['a'] });
  expect(listChanges(['a'], undefined)).toEqual({ added: [], removed: [] });
});

const takes = ({ schema }: FieldSpec, value: unknown): string =>
  schema.safeParse(value).error?.issues[0]?.message ?? 'taken';

test.each([
  [day(), '2026-02-28', 'taken'],
  [day(), null, 'taken'],
  [day(), '2026-02-30', 'must be a date such as 2026-03-31, or null'],
  [moment('until then'), '2026-03-31T09:00:00Z', 'taken'],
  [moment('until then'), null, 'taken'],
  [moment('until then'), '2026-03-31', 'must be a time such as 2026-03-31T09:00:00Z, or null'],
  [count('points'), 0, 'taken'],
  [count('points'), null, 'taken'],
  [count('points'), 2_147_483_647, 'taken'],
  [count('points'), 2_147_483_648, 'is more than 2,147,483,647'],
  [count('points'), -1, 'must not be below 0'],
  [count('points'), 1.5, 'must be a whole number or null'],
  [named('the name of a project'), 'Home', 'taken'],
  [named('the name of a project'), null, 'taken'],
  [named('the name of a project'), 7, 'must be the name of a project or null'],
  [flag('is it put away?'), false, 'taken'],
  [flag('is it put away?'), 'no', 'must be true or false'],
  [prose('text', { required: true }), ' ', 'must not be empty'],
  [prose('text', { most: 3 }), 'abc', 'taken'],
  [prose('text', { most: 1234 }), 'x'.repeat(1235), 'is longer than 1,234 characters'],
  [prose('text'), 'x'.repeat(100_000), 'taken'],
  [line(), 'a\rb', 'must be one line'],
  [list('labels', { what: 'emoji', most: 2 }), ['a', 'b'], 'taken'],
  [list('labels', { what: 'emoji' }), [1], 'must be a list of emoji'],
  [list('labels', { what: 'emoji' }), 'a', 'must be a list of emoji'],
  [list('labels', { item: z.literal('a', 'no a') }), ['b'], 'no a'],
] as const)('%o and %o: %s', (spec, value, said) => {
  expect(takes(spec, value)).toBe(said);
});

test('each kind says what it is, who may write it, and what a new record begins with', () => {
  const told = ({ about, access, initial }: FieldSpec) => [about, access, initial];
  expect(told(shown('the id'))).toEqual(['the id', 'read', undefined]);
  expect(told(choice(['a', 'b', 'c']))).toEqual(['a, b or c', 'create', 'a']);
  expect(told(choice(['a', 'b'], { access: 'edit', initial: 'b' }))).toEqual([
    'a or b',
    'edit',
    'b',
  ]);
  expect(told(named('a project'))).toEqual(['a project, or null', 'create', null]);
  expect(told(named('a project', 'a name'))).toEqual(['a name', 'create', null]);
  expect(told(flag('away?'))).toEqual(['away?', 'edit', undefined]);
  expect(told(day())[2]).toBeNull();
  expect(told(moment('x', { access: 'edit' })).slice(1)).toEqual(['edit', null]);
  expect(told(count('points'))).toEqual(['points, a whole number from 0, or null', 'create', null]);
  expect(told(list('labels'))).toEqual(['labels', 'create', []]);
  expect(told(line())).toEqual(['one line', 'create', undefined]);
  expect(field(z.string(), 'x', { most: 3, required: true })).not.toHaveProperty('most');
});

test('a word stands for the code of a service, and a time for a yes', () => {
  const priority = coded({ none: 0, urgent: 1, high: 2 });
  expect([priority.about, priority.initial]).toEqual(['none, urgent, high', 'none']);
  expect([priority.shows(1), priority.shows(7 as never), priority.sends?.('high')]).toEqual([
    'urgent',
    7,
    2,
  ]);
  expect([takes(priority, 'urgent'), takes(priority, 'low')]).toEqual([
    'taken',
    'must be one of none, urgent, high',
  ]);
  const given = (value: unknown) => priority.given?.safeParse(value).success;
  expect([given(1), given('x'), given(null), given(true)]).toEqual([true, true, false, false]);
  const away = flagSince('away?');
  expect([away.shows?.('2026-01-31T10:00:00Z'), away.none]).toEqual([true, false]);
  expect(list('x').schema.parse(['a', 'b', 'a'])).toEqual(['a', 'b']);
  expect(list('x').schema.parse(null)).toEqual([]);
  expect(count('x').given?.safeParse(1.5).success).toBe(true);
});
