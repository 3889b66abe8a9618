import { expect, test } from 'vitest';
import { linkOf, summarize } from './summary.ts';

const record = (fields: string, body = 'Text') => `---\n${fields}\n---\n\n${body}\n`;
const issue = record('number: 12\ntitle: A\nstate: open\nlabels: [x, y]');

test.each([
  ['close #12', record('number: 12\ntitle: A\nstate: closed\nlabels: [x, y]')],
  ['close #12 (title)', record('number: 12\ntitle: B\nstate: closed\nlabels: [x, y]')],
  ['edit #12 (labels, text)', record('number: 12\ntitle: A\nstate: open\nlabels: [x]', 'Other')],
  ['edit #12', record('number: 12\ntitle: A\nstate: open\nlabels: [y, x]')],
])('an edit is told by what it changes: %s', (told, mine) => {
  expect(summarize({ op: 'update', path: '/o/r/issues/12.md', base: issue, mine })).toBe(told);
});

test('other operations, and files that are no records, are told by their names', () => {
  const none = { base: null, mine: null };
  expect(summarize({ op: 'delete', path: '/o/r/issues/12/comments/3.md', ...none })).toBe(
    'remove #3',
  );
  const mine = record('title: A new one');
  const create = { op: 'create', path: '/o/r/issues/new.md', base: null } as const;
  expect(summarize({ ...create, mine })).toBe('make issues/new.md (A new one)');
  expect(summarize({ ...create, mine: 'plain' })).toBe('make issues/new.md');
  const file = { op: 'update', path: '/o/r/files/a.ts', base: 'x', mine: '---\nbroken' } as const;
  expect(summarize(file)).toBe('edit a.ts');
  expect(summarize({ ...file, path: '/PLT-3.md' })).toBe('edit PLT-3');
});

test('the address is the one that the record gives', () => {
  expect(linkOf({ base: record('url: https://x.org/1'), mine: record('title: a') })).toBe(
    'https://x.org/1',
  );
  expect(linkOf({ base: null, mine: 'url: https://x.org/1' })).toBeNull();
});
