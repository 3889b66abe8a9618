/** The fields that records of most services have: what they take, what they refuse and in which words. */
import { expect, test } from 'vitest';
import { choice, line, list, listChanges, prose, shown } from './fields.ts';
import {
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
