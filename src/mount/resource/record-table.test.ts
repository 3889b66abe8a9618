import { expect, test } from 'vitest';
import { z } from 'zod';
import { coded, line, list, named, prose, shown } from '../record/fields.ts';
import { renderTemplate, type Values } from '../record/record.ts';
import { selectionOf } from './graph.ts';
import { at, ifAny, record, times } from './record-table.ts';

const task = record(
  'task',
  {
    number: at('number', shown('number'), { given: z.number() }),
    title: at('title', line('one line', { required: true })),
    urgency: at('priority', coded({ none: 0, high: 2 })),
    owner: at('owner?.name', named('somebody'), { sent: 'ownerId' }),
    group: at('team.name', named('a group')),
    labels: list('names'),
    closed: at('closedAt?', shown('true or false'), { shows: () => true, none: false }),
    estimate: ifAny('estimate?', line()),
    state: 'state',
    ...times('createdAt', 'updatedAt'),
    url: 'url',
    body: at('text?', prose('the text')),
  },
  { name: 'number', also: { 'owner?.id': z.string(), 'team.key': z.string() } },
);

const given = {
  id: 'a1',
  number: 7,
  title: 'First',
  priority: 2,
  owner: { name: 'Ada', id: 'u1' },
  team: { name: 'Harbor', key: 'HB' },
  closedAt: '2026-01-02',
  estimate: '3',
  state: 'open',
  createdAt: '2026-01-01',
  updatedAt: '2026-01-03',
  url: 'https://example.com/7',
  text: 'Long',
};
const valuesOf = (raw: unknown): Values => task.values(task.schema.parse(raw));

test('the values of a file are those at the places of its fields', () => {
  expect(valuesOf(given)).toEqual({
    number: 7,
    title: 'First',
    urgency: 'high',
    owner: 'Ada',
    group: 'Harbor',
    closed: true,
    estimate: '3',
    state: 'open',
    created_at: '2026-01-01',
    updated_at: '2026-01-03',
    url: 'https://example.com/7',
    body: 'Long',
  });
});

test.each([null, undefined])('what is %s where it may be is null, empty or left out', (none) => {
  const bare = { ...given, owner: none, closedAt: none, estimate: none, text: none };
  expect(valuesOf(bare)).toMatchObject({ owner: null, closed: false, body: '' });
  expect(valuesOf(bare)['estimate']).toBeUndefined();
});

test.each([
  ['title', { title: null }],
  ['priority', { priority: true }],
  ['number', { number: '7' }],
  ['team.key', { team: { name: 'Harbor' } }],
  ['owner.id', { owner: { name: 'Ada' } }],
])('an answer without what is always at %s is not taken', (place, wrong) => {
  const read = task.schema.safeParse({ ...given, ...wrong });
  expect(read.error?.issues.map(({ path }) => path.join('.'))).toEqual([place]);
});

test('the key, the name, the time and the address of a record are at their places', () => {
  const one = task.schema.parse(given);
  expect([task.key(one), task.name?.(one), task.updatedAt?.(one)]).toEqual([
    'a1',
    '7',
    '2026-01-03',
  ]);
  expect(task.url?.(one)).toBe(given.url);
});

test('a change is sent under the names of the service, and only what is written of the record itself', () => {
  const written = { title: 'Other', urgency: 'none', owner: null, group: 'X', labels: ['a'] };
  expect(task.input({ ...written, state: 'done', number: 9 })).toEqual({
    title: 'Other',
    priority: 0,
    ownerId: null,
  });
  expect(task.input({ body: '' })).toEqual({ text: '' });
  expect(task.input({})).toEqual({});
});

test('a document asks for every place once, and a template shows what may be given', () => {
  expect(selectionOf(task.schema)).toBe(
    'id updatedAt number title priority owner { name id } team { name key } closedAt estimate state createdAt url text',
  );
  expect(renderTemplate(task.type)).toBe(
    '---\ntitle: null # required, one line\nurgency: none # none, high\nowner: null # somebody, or null\ngroup: null # a group, or null\nlabels: [] # names\nestimate: null # one line\n---\n',
  );
});

test('a place that is optional here and not there is refused', () => {
  expect(() => record('task', { a: 'owner.name', b: 'owner?.id' })).toThrow('owner');
});

test('places are checked by the compiler', () => {
  const { schema } = record('task', { name: 'owner?.name' });
  type Task = z.infer<typeof schema>;
  const one: Task = { id: 'a1', owner: { name: 'Ada' } };
  // @ts-expect-error it may be absent
  expect(one.owner.name).toBe('Ada');
  // @ts-expect-error there is no such place
  record('task', { name: 'owner?.name' }, { name: 'owner?.nam' });
});
