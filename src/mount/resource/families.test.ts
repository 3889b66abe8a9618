/** What families make of what a service says of itself: names of other records, messages, tables of rows. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ServiceRequest } from '../../changes/change.ts';
import { Replica } from '../../replica/replica.ts';
import type { Values } from '../record/record.ts';
import { ServiceStore } from '../table/service-store.ts';
import { conversations } from './conversations.ts';
import {
  identity,
  type Place,
  type Resource,
  resource,
  type Scope,
  type View,
} from './definition.ts';
import type { Family } from './family.ts';
import { type Meant, nameFields, namesAt, naming } from './name-fields.ts';
import { people } from './people.ts';
import { isNamed, keyOf, nameOf, namesOf, putNames } from './record-names.ts';
import { type TableInput, type TableRow, tableSchema } from './table-fields.ts';
import { type Selection, type TableStore, tableRows } from './table-rows.ts';
import type { Channel, Message } from './talk.ts';

type Held = Readonly<Record<string, readonly unknown[]>>;

/** A place at which so much is held, by the ids of the resources. */
function placeOf(held: Held, more: object = {}): Scope<never> {
  const all = (of: { id: string }) => [...(held[of.id] ?? [])];
  const keyed = (of: { id: string; key(one: never): string }, key: string) =>
    all(of).find((one) => of.key(one as never) === key) ?? null;
  return {
    params: {},
    all,
    held: keyed,
    only: (of: { id: string }) => all(of)[0] ?? null,
    record: (of: { id: string }) => all(of)[0],
    now: () => new Date('2026-01-31T10:00:00Z'),
    ensure: async () => undefined,
    ...more,
  } as unknown as Scope<never>;
}

describe('fields that name others', () => {
  const labels = resource('labels', {
    about: 'a label',
    schema: z.object({ id: z.string(), title: z.string(), open: z.boolean() }),
    key: ({ id }) => id,
    shown: ({ title }) => title,
    list: async () => [],
  });
  const bare = resource('bare', {
    about: 'by its key',
    schema: z.object({ id: z.string() }),
    key: ({ id }) => id,
    list: async () => [],
  });
  const at = placeOf({
    labels: [
      { id: '2', title: 'later', open: true },
      { id: '1', title: 'urgent', open: false },
      { id: '3', title: 'Bug', open: true },
    ],
    bare: [{ id: 'b' }],
  });

  it('offer what others show of a resource, in its order, and what may be named alone', () => {
    const names = (options?: Parameters<typeof naming<z.output<typeof labels.schema>>>[1]) =>
      naming(labels as never, options as never).named(at);
    expect(names().map(({ name }) => name)).toEqual(['Bug', 'later', 'urgent']);
    expect(names()[0]).toEqual({ id: '3', name: 'Bug' });
    expect(names({ order: (a, b) => Number(a.id) - Number(b.id) }).map(({ id }) => id)).toEqual([
      '1',
      '2',
      '3',
    ]);
    expect(names({ where: ({ open }) => open, id: ({ id }) => Number(id) })).toEqual([
      { id: 3, name: 'Bug' },
      { id: 2, name: 'later' },
    ]);
    expect(naming(bare).named(at)).toEqual([{ id: 'b', name: 'b' }]);
    expect([naming(bare).what, naming(bare).of]).toEqual(['bare', bare]);
    expect(namesAt(at, labels, ['3', 'none', '1'])).toEqual(['Bug', 'none', 'urgent']);
  });

  it('that are asked for by name are asked once, and are spelled and sent as what was found', async () => {
    const asked: string[] = [];
    const found: Record<string, Meant> = {
      ada: { id: 7, name: 'Ada' },
      bob: { id: 8, name: 'bob' },
      none: { refused: 'there is nobody of that name' },
    };
    const fields = nameFields([
      {
        field: 'owner',
        sent: 'ownerId',
        find: async (name) => {
          asked.push(name);
          return found[name.toLowerCase()] ?? { refused: 'odd' };
        },
      },
    ]);
    expect([fields.offers, fields.allowed(at)]).toEqual([[], {}]);
    expect(await fields.check({ owner: 'none' }, at)).toEqual([
      { field: 'owner', message: 'there is nobody of that name' },
    ]);
    expect(await fields.check({ owner: ['ADA', 'bob'] }, at)).toEqual([]);
    expect(asked).toEqual(['none', 'ADA', 'bob']);
    expect(fields.spelled({ owner: 'ada', title: 'x' }, at)).toEqual({ owner: 'Ada', title: 'x' });
    expect(fields.spelled({ owner: ['ada', 'ADA', 'bob'] }, at)).toEqual({ owner: ['Ada', 'bob'] });
    expect(fields.ids({ owner: 'Ada' }, at)).toEqual({ ownerId: 7 });
    expect(fields.ids({ owner: ['ada', 'Bob'] }, at)).toEqual({ ownerId: [7, 8] });
    expect(fields.ids({ owner: null }, at)).toEqual({ ownerId: null });
    expect(fields.ids({ title: 'x' }, at)).toEqual({});
    expect(fields.spelled({ owner: null }, at)).toEqual({ owner: null });
    expect(fields.spelled({ owner: 'never' }, at)).toEqual({ owner: 'never' });
    expect(() => fields.ids({ owner: 'never' }, at)).toThrow('the name never was not checked');
    expect(await fields.check({ owner: null }, at)).toEqual([]);
  });

  it('that are held are asked for when they are named, and what tells more only where that is not enough', async () => {
    const ensured: string[] = [];
    const scope = {
      ...at,
      ensure: async (of: { id: string }) => void ensured.push(of.id),
    } as never;
    let more = 0;
    const fields = nameFields<never>([
      {
        field: 'labels',
        ...naming(labels),
        more: async () => {
          more += 1;
        },
      },
    ]);
    expect(fields.offers).toEqual([labels]);
    expect(fields.allowed(at)).toEqual({ labels: ['Bug', 'later', 'urgent'] });
    expect(await fields.check({ labels: [] }, scope)).toEqual([]);
    expect(ensured).toEqual([]);
    expect(await fields.check({ labels: ['BUG'] }, scope)).toEqual([]);
    expect([ensured, more]).toEqual([['labels'], 0]);
    expect((await fields.check({ labels: ['buk'] }, scope))[0]?.message).toContain('nearest: Bug');
    expect(more).toBe(1);
    expect(fields.ids({ labels: ['bug'] }, at)).toEqual({ labels: ['3'] });
  });
});

describe('names that lead to records', () => {
  const of = {
    id: 'docs',
    key: ({ id }: { id: string }) => id,
    name: ({ name }: { name: string }) => name,
    formerNames: ({ was = [] }: { was?: string[] }) => was,
  } as unknown as Resource<unknown>;
  const named = (id: string, name: string, ...was: string[]) => ({ id, name, was });

  it('are those of a record now and before, until another has the name', () => {
    const store = new ServiceStore(
      new Replica(':memory:', () => new Date(0)),
      'm',
      () => new Date(0),
    );
    const put = (key: string, before: unknown, now: unknown) =>
      putNames(store, of, 'docs', key, { before, now });
    const led = (...names: string[]) => names.map((name) => keyOf(store, 'docs', name));
    put('1', undefined, named('1', 'new', 'old'));
    expect(led('new', 'old', 'none')).toEqual(['1', '1', null]);
    // A former name of one is no reason to take the name of another.
    put('2', undefined, named('2', 'two', 'new'));
    expect(led('new', 'two')).toEqual(['1', '2']);
    put('3', undefined, named('3', 'old'));
    expect(led('old')).toEqual(['3']);
    put('1', named('1', 'new', 'old'), named('1', 'newer', 'new'));
    expect(led('newer', 'new', 'old')).toEqual(['1', '1', '3']);
    put('1', named('1', 'newer', 'new'), null);
    expect(led('newer', 'new', 'old', 'two')).toEqual([null, null, '3', '2']);
    expect(store.replica.heads('m', namesOf('docs'))).toHaveLength(2);
  });

  it('are those of what a resource is made of, or its keys', () => {
    const plain = { id: 'x', key: ({ id }: { id: string }) => id } as unknown as Resource<unknown>;
    const made = { id: 'y', of, key: () => 'k' } as unknown as Resource<unknown>;
    expect([of, plain, made].map((one) => nameOf(one, named('1', 'n')))).toEqual(['n', '1', 'n']);
    expect([of, plain, made].map(isNamed)).toEqual([true, false, true]);
  });
});

/** What a resource can do, called with whatever a case needs. */
type Ways = Readonly<Record<string, (...given: unknown[]) => unknown>>;

function byId({ resources }: Family, id: string): Ways {
  const found = resources.find((one) => one.id === id);
  if (found === undefined) throw new Error(`there is no ${id}`);
  return found as unknown as Ways;
}

describe('messages', () => {
  const self = identity({
    schema: z.object({ id: z.string() }),
    key: ({ id }) => id,
    ask: async () => ({ id: 'me' }),
    says: ({ id }) => id,
  });
  const who = people<never>({ fields: { id: 'id', name: 'name' }, list: async () => [] });
  const channel = { id: 'C1', name: 'dock', isMember: true, createdAt: '' } as Channel;
  const asked: unknown[] = [];
  const chat = (more: object = {}, whole: object = {}, rows: readonly object[] = []) =>
    conversations<{ id: string }, never>({
      self: self as never,
      idsOf: ({ id }) => [id, ''],
      people: who,
      channels: {
        named: { matches: /^[a-z]+$/, example: 'dock' },
        fields: { id: 'id', name: 'name', isMember: 'in', createdAt: 'at' },
        list: async () => [],
      },
      messages: {
        fields: { id: 'id', at: 'at', authors: ['by'], text: 'text', key: 'key' },
        named: { matches: /^m\d+$/, example: 'm1' },
        pages: async (which) => {
          asked.push(which);
          return rows;
        },
        text: { about: 'text', most: 100 },
        post: (what) => ({ method: 'POST', url: 'post', body: what }),
        posted: { text: 'text', key: 'key' },
        answered: 'message',
        ...more,
      },
      ...whole,
    });
  const message = (id: string, more: Partial<Message> = {}): Message => ({
    id,
    at: '2026-01-31T09:08:07Z',
    authors: ['ada'],
    text: 'hello',
    answers: 0,
    reactions: [],
    ...more,
  });
  const mine = message('m2', { authors: ['bot', 'me'] });
  const at = placeOf(
    {
      channels: [channel],
      users: [{ id: 'ada', name: 'Ada', fullName: '', isGone: false }],
      [self.id]: [{ id: 'me' }],
    },
    { params: { channel: 'dock' } },
  );

  it('are ours by any of our ids: those alone are reworded and removed', () => {
    const talk = { channel, thread: undefined };
    const messages = byId(
      chat({
        reword: (one: Message, text: string, of: object) => ({
          method: 'PUT',
          url: one.id,
          body: [text, of],
        }),
        remove: (one: Message, of: object) => ({ method: 'DELETE', url: one.id, body: of }),
        sent: (text: string) => `<${text}>`,
      }),
      'messages',
    );
    expect(messages['fixed']?.(mine, at)).toBeNull();
    expect(messages['fixed']?.(message('m1'), at)).toEqual({
      body: 'only your own messages can be reworded',
    });
    expect(messages['remove']?.(mine, at)).toEqual({ method: 'DELETE', url: 'm2', body: talk });
    expect(messages['remove']?.(message('m1'), at)).toBe('only your own messages can be removed');
    expect(messages['update']?.(mine, { body: 'x' }, at)).toEqual([
      { method: 'PUT', url: 'm2', body: ['<x>', talk] },
    ]);
    expect(messages['update']?.(mine, {}, at)).toEqual([false]);
    const nobody = placeOf({ channels: [channel] });
    expect(messages['remove']?.(message('m3', { authors: [''] }), nobody)).toBeTypeOf('string');
    expect(messages['about']).toBe('a message; your own can be reworded and removed');
  });

  it('that cannot be changed say so, and where to answer instead', () => {
    const fixed = (more: object, whole: object = {}) =>
      ((byId(chat(more, whole), 'messages')['fixed']?.(message('m1'), at) ?? {}) as Values)['body'];
    const reword = () => ({ method: 'PUT', url: '', body: null }) as const;
    expect(fixed({})).toBe('what was said stays as it is');
    expect(fixed({ reword }, { threads: true })).toBe(
      'only your own messages can be reworded: answer in threads/ID/new.md',
    );
    const plain = byId(chat(), 'messages');
    expect([plain['update'], plain['remove'], plain['repeatable']]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(plain['about']).toBe('a message; it stays as it is');
    const only = byId(chat({ remove: reword, repeatable: true }), 'messages');
    expect([only['about'], only['repeatable']]).toEqual([
      'a message; your own can be removed',
      true,
    ]);
    const react = { named: z.string(), request: reword };
    expect(byId(chat({ react }), 'messages')['about']).toBe(
      'a message; it stays as it is, all can be reacted to',
    );
  });

  it('take reactions of our own, given and taken back', () => {
    const react = {
      named: z.string(),
      request: (one: Message, name: string, isGiven: boolean) =>
        ({ method: 'POST', url: `${one.id} ${name} ${isGiven}`, body: null }) as const,
    };
    const messages = byId(chat({ react }), 'messages');
    const one = message('m1', {
      reactions: [
        { name: 'eyes', by: ['ada', 'me'] },
        { name: 'heart', by: ['ada'] },
      ],
    });
    expect(messages['values']?.(one, at)).toMatchObject({
      author: 'Ada',
      reactions: ['eyes: Ada, me', 'heart: Ada'],
      my_reactions: ['eyes'],
      thread: undefined,
      body: 'hello',
    });
    const requests = messages['update']?.(one, { my_reactions: ['heart'] }, at) ?? [];
    const urls = (requests as (ServiceRequest | false)[]).map((each) => each !== false && each.url);
    expect(urls).toEqual([false, 'm1 heart true', 'm1 eyes false']);
    expect(messages['update']?.(one, { body: 'x' }, at)).toEqual([false]);
  });

  it('that were posted are found by their key, or as the only ones of ours that say so since', async () => {
    const sentAt = Date.parse('2026-01-31T10:00:00Z');
    const row = (id: string, by: string, text: string, key?: string) => ({
      id,
      at: '2026-01-31T10:00:00Z',
      by,
      text,
      ...(key && { key }),
    });
    const find = async (...rows: object[]) => {
      const messages = byId(chat({}, {}, rows), 'messages');
      const body = { text: 'hello', key: 'k' };
      const found = await messages['find']?.({ body }, at, sentAt);
      return (found as Message | null)?.id ?? null;
    };
    asked.length = 0;
    expect(await find(row('m1', 'me', 'hello'), row('m2', 'me', 'other', 'k'))).toBe('m2');
    expect(asked).toEqual([{ channel, thread: undefined, since: sentAt - 60_000 }]);
    expect(await find(row('m1', 'me', 'hello'), row('m2', 'ada', 'hello'))).toBe('m1');
    expect(await find(row('m1', 'me', 'hello'), row('m2', 'me', 'hello'))).toBeNull();
    expect(await find(row('m1', 'me', 'hello', 'other'))).toBeNull();
    expect(await find(row('m1', 'ada', 'hello', 'k'))).toBeNull();
    expect(await find(row('m1', 'me', 'another'))).toBeNull();
  });

  it('are asked for by their ids, made of answers, and made with the change’s own key', async () => {
    const rows = [
      { id: 'm1', at: 'x', text: 'a' },
      { id: 'm2', at: 'x', text: 'b' },
    ];
    const messages = byId(chat({}, {}, rows), 'messages');
    asked.length = 0;
    expect(await messages['get']?.('m2', at)).toMatchObject({ data: { id: 'm2', text: 'b' } });
    expect(await messages['get']?.('m9', at)).toEqual({ data: undefined });
    expect(asked[0]).toEqual({ channel, thread: undefined, id: 'm2' });
    expect(messages['create']?.({ body: 'hi' }, at, 'key-1')).toEqual({
      method: 'POST',
      url: 'post',
      body: { channel, thread: undefined, text: 'hi', key: 'key-1' },
    });
    const before = message('m1');
    expect(messages['made']?.({ message: { id: 'm1', at: 'y', text: 'c' } }, null, before)).toEqual(
      {
        ...before,
        at: 'y',
        text: 'c',
      },
    );
    for (const answer of [{}, { message: null }, { message: 'm1' }, null])
      expect(messages['made']?.(answer, null, before)).toBeNull();
    const updated = (more: Partial<Message>) => messages['updatedAt']?.(message('m1', more));
    expect([updated({}), updated({ edited: 'later' })]).toEqual(['2026-01-31T09:08:07Z', 'later']);
  });

  it('are read by their day, and in threads with those that they begin with', () => {
    const { views = [] } = chat({ shown: (text: string) => text.toUpperCase() }, { threads: true });
    const [daily, whole] = views as unknown as View<Message>[];
    const said = [message('m1', { answers: 2 }), message('m2', { authors: ['x'], text: 'b' })];
    expect(daily?.by?.(message('m1'))).toBe('2026-01-31');
    expect(daily?.text?.(said, at)).toBe(
      '## 09:08:07 Ada (m1)\n\nHELLO\n\n2 answers: threads/m1/\n\n## 09:08:07 x (m2)\n\nB\n',
    );
    const begun = placeOf({ channels: [channel], threads: [said[0]] });
    expect(whole?.text?.(said.slice(1), begun)).toBe(
      '## 09:08:07 ada (m1)\n\nHELLO\n\n## 09:08:07 x (m2)\n\nB\n',
    );
    const names = {
      readable: (text: string, nameOf: (id: string) => string) => `${text} ${nameOf('ada')}`,
    };
    const read = chat(names).views as unknown as View<Message>[];
    expect(read[0]?.text?.([message('m1')], at)).toContain('\n\nhello Ada\n');
    expect(chat().views).toHaveLength(1);
  });

  it('of a channel are listed so many days back, and what was said before is told', async () => {
    const pages = async (createdAt: string, days?: number) => {
      const place = { ...at, record: () => ({ ...channel, createdAt }) } as Place;
      const messages = byId(chat({}, { days }), 'messages');
      const found: { lacking?: unknown }[] = [];
      const list = messages['list'] as unknown as (...of: unknown[]) => AsyncIterable<object>;
      for await (const page of list(place, null, null)) found.push(page);
      return found.map(({ lacking }) => lacking);
    };
    asked.length = 0;
    const lacking = 'what was said before 2026-01-21 is found by its name alone';
    expect(await pages('2026-01-20T23:59:59Z', 10)).toEqual([lacking]);
    expect(await pages('2026-01-21T00:00:00.000Z', 10)).toEqual([null]);
    expect(asked[0]).toMatchObject({ since: Date.parse('2026-01-21T00:00:00Z') });
    await pages('');
    expect(asked.at(-1)).toMatchObject({ since: Date.parse('2025-11-02T00:00:00Z') });
  });
});

describe('tables of rows', () => {
  const orders: TableInput = {
    name: 'orders',
    columns: [{ name: 'id', key: 1, takes: 'uuid' }, { name: 'what' }],
  };
  const pairs: TableInput = {
    name: 'pairs',
    columns: [
      { name: 'a', key: 1, takes: 'uuid' },
      { name: 'b', key: 2 },
    ],
  };
  const keyless: TableInput = { name: 'notes', columns: [{ name: 'what' }] };
  const selected: Omit<Selection, 'table'>[] = [];
  const opened = (
    table: TableInput,
    rows: TableRow[] = [],
    more: Partial<TableStore<never>> = {},
  ) => {
    const family = tableRows<never>({
      tables: async () => [table],
      select: async ({ table: _, ...which }) => {
        selected.push(which);
        return rows;
      },
      insert: ({ name }, row) => ({ method: 'POST', url: name, body: row }),
      inserted: ({ body }) => body as TableRow,
      update: ({ name }, key, set, were) => ({
        method: 'PATCH',
        url: name,
        body: [key, set, were],
      }),
      remove: ({ name }, key) => ({ method: 'DELETE', url: name, body: key }),
      answered: (answer) => answer as TableRow | undefined,
      ...more,
    });
    const of = byId(family, 'rows');
    const parsed = tableSchema.parse(table);
    return { family, of, at: placeOf({ tables: [parsed] }) };
  };

  it('are made by an id of ours where the key is one, so that it is found after a lost answer', async () => {
    const create = ({ of, at }: ReturnType<typeof opened>, given: Values) =>
      ((of['create']?.(given, at, 'the-key') ?? {}) as Partial<ServiceRequest>).body;
    expect(create(opened(orders), { what: 'x' })).toEqual({ id: 'the-key', what: 'x' });
    expect(create(opened(orders), { id: 'own', what: 'x' })).toEqual({ id: 'own', what: 'x' });
    expect(create(opened(pairs), { b: 'x' })).toEqual({ b: 'x' });
    expect(create(opened(keyless), { what: 'x' })).toEqual({ what: 'x' });
  });

  it.each([
    [orders, { id: '1', what: 'x' }, { id: '1', what: 'x', more: 1 }, true],
    [orders, { id: '1', what: 7 }, { id: '1', what: '7' }, true],
    [orders, { id: '1', what: 'x' }, { id: '1', what: 'y' }, false],
    [orders, { what: 'x' }, { id: '1', what: 'x' }, null],
    [pairs, { a: '1' }, { a: '1', b: '2' }, null],
    [keyless, { what: 'x' }, { what: 'x' }, null],
  ])('of %o that was given as %o, and is %o, was made: %s', async (table, given, row, made) => {
    const { of, at } = opened(table, [row as TableRow]);
    const found = await of['find']?.({ body: given }, at);
    expect(found === null ? null : (found as { row: TableRow }).row).toEqual(
      made === true ? expect.objectContaining({ id: '1' }) : null,
    );
    const none = opened(table);
    expect((await none.of['find']?.({ body: given }, none.at)) ?? null).toBeNull();
  });

  it('are named by their keys, asked for one by one, and stay where they have none', async () => {
    const { of, at } = opened(pairs, [{ a: '1', b: 'x/y' }]);
    selected.length = 0;
    expect(await of['get']?.('1,x%2Fy', at)).toEqual({
      data: { key: '["1","x/y"]', isKeyed: true, row: { a: '1', b: 'x/y' } },
    });
    expect(await of['get']?.('1', at)).toBeNull();
    expect(await of['get']?.('~digest', at)).toBeNull();
    expect(selected).toEqual([{ key: ['1', 'x/y'], most: 1 }]);
    const held = { key: '["1","x/y"]', isKeyed: true, row: { a: '1', b: 'x/y' } };
    expect(of['remove']?.(held, at)).toMatchObject({ body: ['1', 'x/y'] });
    expect(of['remove']?.({ ...held, isKeyed: false }, at)).toContain('no primary key');
    expect(of['update']?.(held, { b: 'z' }, at)).toMatchObject({
      body: [['1', 'x/y'], { b: 'z' }, held.row],
    });
    expect([of['listed']?.(held), of['listed']?.({ ...held, isKeyed: false })]).toEqual([
      true,
      false,
    ]);
    expect(of['name']?.(held)).toBe('1,x%2Fy');
    expect(of['made']?.({ a: '1', b: '2' }, null, held, at)).toMatchObject({ key: '["1","2"]' });
    expect(of['made']?.(undefined, null, held, at)).toBeUndefined();
  });

  it('are listed so far, and say where the others are', async () => {
    const rows = [{ id: '1' }, { id: '2' }, { id: '3' }];
    const listed = async (more: Partial<TableStore<never>>) => {
      const { of, at } = opened(orders, rows, more);
      selected.length = 0;
      return (await of['list']?.(at)) as { rows: unknown[]; lacking: string | null };
    };
    const few = await listed({ most: { listed: 2 } });
    expect([few.rows.length, few.lacking]).toEqual([
      2,
      'only the first 2 rows; others are found by name',
    ]);
    expect(selected).toEqual([{ most: 3 }]);
    const searched = await listed({ most: { listed: 2 }, conditions: 'a condition' });
    expect(searched.lacking).toMatch(/by name, or in search\/$/);
    expect((await listed({})).lacking).toBeNull();
    expect(selected).toEqual([{ most: 1_001 }]);
  });

  it('are found by conditions, and by questions of somebody’s own, where the store takes them', async () => {
    const plain = opened(orders).family;
    expect([plain.findings, plain.inquiries]).toEqual([[], []]);
    expect(Object.keys(plain.params)).toEqual(['table', 'key']);
    const queries = {
      about: 'a query',
      ending: 'sql',
      ask: async (text: string, most: number) => ({
        columns: ['n'],
        rows: [[text], [most], [null]],
      }),
    };
    const rows = [{ id: '1' }, { id: '2' }];
    const most = { listed: 2, found: 1 };
    const { family, at } = opened(orders, rows, { conditions: 'a condition', queries, most });
    const [finding] = family.findings ?? [];
    expect([finding?.path, finding?.about]).toEqual(['/:table/search', 'a condition']);
    selected.length = 0;
    expect(await finding?.find('id > 0', at)).toMatchObject({
      rows: [{ key: '["1"]' }],
      lacking: 'only the first 1 rows; write a query to count them',
    });
    expect(selected).toEqual([{ condition: 'id > 0', most: 2 }]);
    const [inquiry] = family.inquiries ?? [];
    expect([inquiry?.question, inquiry?.answer]).toEqual([
      '/queries/:name.sql',
      '/queries/:name.tsv',
    ]);
    expect(await inquiry?.ask('select', at)).toEqual({
      columns: ['n'],
      rows: [['select'], ['3']],
      lacking: 'only the first 2 rows; ask for fewer',
    });
    const fewer = opened(orders, rows, { conditions: 'a', most }).family.findings?.[0];
    expect((await fewer?.find('x', at))?.lacking).toMatch(/; ask for fewer$/);
    expect(Object.keys(family.params)).toEqual(['table', 'key', 'name']);
  });

  it('have their columns beside them, or the files that the store has of a table', () => {
    const names = (more: Partial<TableStore<never>> = {}) =>
      Object.keys(byId(opened(orders, [], more).family, 'tables')['files'] ?? {});
    expect(names()).toEqual(['columns.tsv']);
    const file = { about: 'its text', text: () => 'x' };
    expect(names({ files: { 'schema.sql': file } })).toEqual(['schema.sql']);
  });

  it('that cannot be written are not offered to be', () => {
    const { of } = opened(orders, [], {
      insert: undefined,
      inserted: undefined,
      update: undefined,
      remove: undefined,
      answered: undefined,
    } as never);
    expect(['create', 'find', 'update', 'remove'].map((way) => of[way])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(of['made']?.({ id: '1' }, null, null, placeOf({}))).toBeUndefined();
  });
});
