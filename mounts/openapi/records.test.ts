/** Records of a description: how answers are held, which fields a file has, and what is sent of it. */
import { describe, expect, it } from 'vitest';
import { Checks } from './checking.ts';
import { Description } from './description.ts';
import { type Hints, hintsOf } from './hints.ts';
import { planOf } from './plan.ts';
import { type Held, Records } from './records.ts';

const text = { type: 'string' };
const fixed = { type: 'string', readOnly: true };
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const answers = (schema: object) => ({ responses: { 200: json(schema) } });
const ROW = { id: text, title: text, state: text, updated_at: text, created_at: text };
const object = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
});

interface Service {
  row?: object;
  one?: object;
  create?: object;
  update?: object;
  method?: 'patch' | 'put';
  hints?: Hints;
}

function recordsOf({ row = ROW, one, create, update, method = 'patch', hints = {} }: Service = {}) {
  const paths = {
    '/notes': {
      get: answers({ type: 'array', items: object(row) }),
      ...(create && { post: { requestBody: json(create), responses: {} } }),
    },
    '/notes/{noteId}': {
      ...(one && { get: answers(object(one)) }),
      ...(update && { [method]: { requestBody: json(update), responses: {} } }),
    },
  };
  const from = new Description({ openapi: '3.0.3', paths }, 'a.json');
  const [plan] = planOf(from, hints).resources;
  if (plan === undefined) throw new Error('nothing is mounted');
  return new Records(plan, from, new Checks(from), new Set(['new']));
}

const held = (value: Held['value'], more: Partial<Held> = {}): Held => ({
  id: String(value['id']),
  value,
  isWhole: true,
  ...more,
});
const nobody = (): null => null;

describe('an answer', () => {
  it.each([
    [{ id: 'a' }, 'a'],
    [{ id: 7 }, '7'],
    [{ id: 0 }, '0'],
    [{ id: false }, 'false'],
    [{ id: '' }, null],
    [{ id: null }, null],
    [{ id: {} }, null],
    [{ name: 'a' }, null],
    ['a', null],
    [null, null],
  ])('of the row %j: its id is %j', (row, id) => {
    expect(recordsOf().idIn(row)).toBe(id);
  });

  it('whose row has no id names no file', () => {
    expect(() => recordsOf().ofRow({ title: 'x' }, nobody)).toThrow(
      'one of notes came without its `id`',
    );
    expect(() => recordsOf().ofRow('x', nobody)).toThrow('came without its `id`');
  });

  it('of a row is all of a record only where rows show all', () => {
    const row = { id: 'a', title: 'x' };
    expect(recordsOf().ofRow(row, nobody)).toEqual({ id: 'a', value: row, isWhole: true });
    const partial = recordsOf({ one: { ...ROW, body: text } });
    expect(partial.ofRow(row, nobody)).toEqual({ id: 'a', value: row, isWhole: false });
  });

  it('of a row keeps what is held of the record, as long as its time is the same', () => {
    const records = recordsOf({ one: { ...ROW, body: text } });
    const known = held({ id: 'a', title: 'old', updated_at: '1', body: 'long' });
    const of = (row: object, before: Held | null = known) =>
      records.ofRow({ id: 'a', ...row }, () => before);
    expect(of({ title: 'new', updated_at: '1' })).toEqual({
      id: 'a',
      value: { id: 'a', title: 'new', updated_at: '1', body: 'long' },
      isWhole: true,
    });
    for (const [row, before] of [
      [{ title: 'new', updated_at: '2' }, known],
      [{ title: 'new' }, held({ id: 'a', title: 'old', body: 'long' })],
      [
        { title: 'new', updated_at: '1' },
        { ...known, isWhole: false },
      ],
      [{ title: 'new', updated_at: '1' }, null],
    ] as const)
      expect(of(row, before)).toEqual({ id: 'a', value: { id: 'a', ...row }, isWhole: false });
  });

  it('for one is the record by its own id, or by that which it was asked for by', () => {
    const records = recordsOf();
    expect(records.ofOne({ id: 'a', x: 1 }, null)).toEqual({
      id: 'a',
      value: { id: 'a', x: 1 },
      isWhole: true,
    });
    expect(records.ofOne({ id: 'a' }, 'b').id).toBe('b');
    expect(records.ofOne(['x'], 'b')).toEqual({ id: 'b', value: {}, other: ['x'], isWhole: true });
    expect(() => records.ofOne({ x: 1 }, null)).toThrow(
      'the answer for one of notes does not say which it is',
    );
  });

  it('may be of a request by what was sent, and by when it was made', () => {
    const records = recordsOf();
    const sentAt = Date.parse('2025-01-01T00:10:00Z');
    const may = (value: Held['value'], body: unknown = { title: 'x' }) =>
      records.mayBeOf(held({ id: 'a', title: 'x', ...value }), body, sentAt);
    expect(may({})).toBe(true);
    expect(may({ title: 'y' })).toBe(false);
    expect(may({ created_at: '2025-01-01T00:09:00Z' })).toBe(true);
    expect(may({ created_at: '2025-01-01T00:08:59Z' })).toBe(false);
    // What was changed since was made before.
    expect(may({ created_at: '2025-01-01T00:08:59Z', updated_at: '2025-01-01T00:11:00Z' })).toBe(
      false,
    );
    expect(may({ tags: ['a', { b: 1 }] }, { tags: ['a', { b: 1 }] })).toBe(true);
    expect(may({ tags: ['a'] }, { tags: ['b'] })).toBe(false);
    expect(may({}, { note: null })).toBe(true);
    expect(may({}, { note: 'x' })).toBe(false);
    expect(may({}, null)).toBe(true);
    const { created_at: _, ...untimed } = ROW;
    const byChange = recordsOf({ row: untimed });
    expect(
      byChange.mayBeOf(held({ id: 'a', updated_at: '2025-01-01T00:08:59Z' }), {}, sentAt),
    ).toBe(false);
  });

  it('has the time of its last change', () => {
    expect(recordsOf().updatedAt(held({ id: 'a', updated_at: '2025-01-02' }))).toBe(
      '2025-01-02T00:00:00.000Z',
    );
    expect(
      recordsOf({ row: { id: text } }).updatedAt(held({ id: 'a', updated_at: '2025-01-02' })),
    ).toBe('');
  });
});

describe('a file', () => {
  it('is named by the id of its record, and found by that name', () => {
    const records = recordsOf();
    for (const id of ['a', '7', 'a/b', 'new', '.', 'ä b', '%']) {
      const name = records.nameOf(held({ id }));
      expect([id, name.includes('/'), name === 'new', records.idNamed(name)]).toEqual([
        id,
        false,
        false,
        id,
      ]);
    }
  });

  it('is markdown where its record has a text, and else JSON', () => {
    const plain = recordsOf();
    expect([plain.form, plain.ending]).toEqual(['json', 'json']);
    expect(plain.values(held({ id: 'a', title: 'x' }))).toEqual({ id: 'a', title: 'x' });
    const worded = recordsOf({ row: { ...ROW, description: text } });
    expect([worded.form, worded.ending]).toEqual(['markdown', 'md']);
    expect(worded.values(held({ id: 'a', description: 'long' }))).toEqual({
      id: 'a',
      body: 'long',
    });
    expect(worded.values(held({ id: 'a', description: 3 }))).toEqual({ id: 'a', body: '' });
    expect(worded.values(held({ id: 'a' }))).toEqual({ id: 'a', body: '' });
  });

  it('has the columns that there are, each once, and cells of text', () => {
    expect(recordsOf().columns()).toEqual(['id', 'title', 'state', 'updated_at']);
    expect(recordsOf({ row: { id: text } }).columns()).toEqual(['id']);
    const named = recordsOf({
      row: { name: text, id: text },
      hints: hintsOf({ collections: { '/notes': { id: 'name' } } }, 'h'),
    });
    expect(named.columns()).toEqual(['id']);
    const row = recordsOf().row(
      held({ id: 'a', title: null, state: { b: 1 } as never, updated_at: 7 }),
    );
    expect(row).toEqual(['a', '', '{"b":1}', '7']);
    expect(recordsOf().row(held({ id: 'a', title: true }))).toEqual(['a', 'true', '', '']);
  });

  const MADE = object(
    { title: text, kind: { ...text, default: 'idea' }, number: fixed, once: text },
    ['title', 'number'],
  );
  const CHANGED = object({ title: text, note: text, number: fixed });

  it('has the fields that are known, described or taken, and says of each what can be done', () => {
    const records = recordsOf({ create: MADE, update: CHANGED });
    const existing = records.typeOf(held({ id: 'a', other: 1 }));
    expect(existing).toMatchObject({ name: 'notes', form: 'json' });
    const access = (fields: typeof existing.fields) =>
      Object.fromEntries(Object.entries(fields).map(([name, { access: how }]) => [name, how]));
    expect(access(existing.fields)).toEqual({
      id: 'read',
      other: 'read',
      title: 'edit',
      state: 'read',
      updated_at: 'read',
      created_at: 'read',
      kind: 'read',
      number: 'read',
      once: 'read',
      note: 'edit',
    });
    expect(existing.fields['once']?.otherMeans).toBe('it is set once, when the record is made');
    expect(existing.fields['id']?.otherMeans).toBe('it is the service’s own: leave it as it is');
    const made = records.typeOf(null);
    expect(access(made.fields)).toEqual({
      title: 'create',
      kind: 'create',
      number: 'read',
      once: 'create',
      note: 'read',
    });
    expect(made.fields).toMatchObject({ title: { required: true }, kind: { initial: 'idea' } });
    expect(made.fields['kind']).not.toHaveProperty('required');
    expect(existing.fields['title']).not.toHaveProperty('required');
    expect(access(records.described().fields)).toMatchObject({
      title: 'create',
      once: 'create',
      note: 'edit',
      id: 'read',
    });
  });

  it('has its text below the other fields', () => {
    const records = recordsOf({
      row: { ...ROW, notes: text },
      update: object({ notes: { ...text, maxLength: 3 } }),
    });
    const { fields } = records.typeOf(held({ id: 'a', notes: 'x' }));
    expect(Object.keys(fields).at(-1)).toBe('body');
    expect(fields).not.toHaveProperty('notes');
    expect(fields['body']?.access).toBe('edit');
    expect(fields['body']?.schema.safeParse('long').success).toBe(false);
    expect(fields['body']?.schema.safeParse('abc').success).toBe(true);
  });
});

describe('a write', () => {
  it('calls the text as the service does', () => {
    const records = recordsOf({
      row: { ...ROW, notes: text },
      create: object({ title: text, notes: text }),
    });
    expect(records.bodyOfNew({ title: 'x', body: 'long' })).toEqual({ title: 'x', notes: 'long' });
    expect(records.bodyOfNew({ title: 'x' })).toEqual({ title: 'x' });
    expect(recordsOf().bodyOfNew({ title: 'x', body: 'own' })).toEqual({ title: 'x', body: 'own' });
    expect(recordsOf().bodyOfNew({ title: 'x' })).toEqual({ title: 'x' });
  });

  it('of a change sends what differs, and what is required beside it', () => {
    const records = recordsOf({
      update: object({ title: text, state: text, updated_at: text }, ['state']),
    });
    const one = held({ id: 'a', title: 'x', state: 'open', updated_at: '1' });
    expect(records.bodyOfUpdate(one, { title: 'y' })).toEqual({ state: 'open', title: 'y' });
    expect(records.bodyOfUpdate(one, { state: 'done' })).toEqual({ state: 'done' });
    expect(records.bodyOfUpdate(held({ id: 'a' }), { title: 'y' })).toEqual({ title: 'y' });
    expect(recordsOf().bodyOfUpdate(one, { title: 'y' })).toEqual({});
  });

  it('of a whole record sends all that it may, but null only where that is taken', () => {
    const update = object({
      title: text,
      state: { ...text, nullable: true },
      updated_at: fixed,
      created_at: text,
    });
    const records = recordsOf({ update, method: 'put' });
    const one = held({ id: 'a', title: 'x', state: null, updated_at: '1', created_at: null });
    expect(records.bodyOfUpdate(one, {})).toEqual({ title: 'x', state: null });
    expect(records.bodyOfUpdate(one, { title: 'y' })).toEqual({ title: 'y', state: null });
  });

  it('is told which of its fields are wrong, by the names that its file has', () => {
    const create = object({ title: text, notes: { ...text, minLength: 2 } }, ['title']);
    const records = recordsOf({ row: { ...ROW, notes: text }, create });
    expect(
      records
        .problems(records.create, { notes: 'x' })
        .map(({ field }) => field)
        .sort(),
    ).toEqual(['body', 'title']);
    expect(records.problems(records.update, { notes: 3 })).toEqual([]);
    const plain = recordsOf({ create });
    expect(
      plain.problems(plain.create, { title: 'x', notes: 'x' }).map(({ field }) => field),
    ).toEqual(['notes']);
  });
});
