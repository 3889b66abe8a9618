/** Fields that name other records, by `nameFields`, on a small service of tickets. */
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
  line,
  list,
  nameFields,
  openResourceMount,
  type Resource,
  resource,
  type Scope,
  type ServiceRequest,
} from '../../../src/mount/index.ts';
import { failure, ServiceBench, text, write } from '../../../src/mount-testing/index.ts';

/** Tickets name a queue by its number, tags by their words, an owner by an id; what was asked is told. */
class Desk {
  queues = [
    { number: 7, title: 'Repairs' },
    { number: 8, title: 'repairs' },
    { number: 9, title: 'Sales' },
  ];
  tags = ['urgent', 'Later'];
  people = [{ id: 'p1', login: 'ada' }];
  /** Who is called what, asked for only where a login does not tell. */
  called = [{ id: 'p1', name: 'Ada Lovelace' }];
  ticket = { id: 't1', queue: 9, tags: ['urgent'], owner: 'p1' };
  asked: string[] = [];
  sent: ServiceRequest[] = [];

  usage() {
    return { requests: this.asked.length, bytes: 0 };
  }
  ask<T>(what: string, rows: readonly T[]): readonly T[] {
    this.asked.push(what);
    return rows;
  }
  async send(request: ServiceRequest) {
    this.sent.push(request);
    Object.assign(this.ticket, request.body);
    return { ...this.ticket };
  }
}
type At = Scope<Desk>;

const queues = resource('queues', {
  about: 'a queue',
  schema: z.object({ number: z.number(), title: z.string() }),
  key: ({ number }) => String(number),
  list: async ({ client }: At) => client.ask('queues', client.queues),
});
const tags = resource('tags', {
  about: 'a tag',
  schema: z.string(),
  key: (tag) => tag,
  list: async ({ client }: At) => client.ask('tags', client.tags),
});
const people = resource('people', {
  about: 'somebody',
  schema: z.object({ id: z.string(), login: z.string() }),
  key: ({ id }) => id,
  list: async ({ client }: At) => client.ask('people', client.people),
});
const called = resource('called', {
  about: 'their names',
  schema: z.object({ id: z.string(), name: z.string() }),
  key: ({ id }) => id,
  list: async ({ client }: At) => client.ask('called', client.called),
});
const names = nameFields<Desk>([
  {
    field: 'queue',
    what: 'queue',
    of: queues,
    named: (place) => place.all(queues).map(({ number, title }) => ({ id: number, name: title })),
  },
  {
    field: 'tags',
    what: 'tag',
    of: tags,
    named: (place) => place.all(tags).map((tag) => ({ id: tag, name: tag })),
  },
  {
    field: 'owner',
    of: people,
    people: (place) =>
      place.all(people).map(({ id, login }) => ({
        id,
        name: login,
        also: place.all(called).flatMap((one) => (one.id === id ? [one.name] : [])),
      })),
    more: (at) => at.ensure(called),
  },
]);
const tickets = resource('tickets', {
  about: 'a ticket',
  path: '/:ticket.md',
  with: [queues, people],
  schema: z.object({
    id: z.string(),
    queue: z.number().nullable(),
    tags: z.array(z.string()),
    owner: z.string(),
  }),
  key: ({ id }) => id,
  type: {
    name: 'ticket',
    fields: {
      queue: { schema: z.string().nullable(), access: 'create', about: 'a queue, or null' },
      tags: list('tags, in brackets'),
      owner: line('whoever has it'),
    },
  },
  values: (one, place) => ({
    queue: place.held(queues, String(one.queue))?.title ?? null,
    tags: one.tags,
    owner: place.held(people, one.owner)?.login ?? one.owner,
  }),
  offers: names.offers,
  allowed: (place) => names.allowed(place),
  check: (values, _, at) => names.check(values, at),
  normal: (values, place) => names.spelled(values, place),
  list: async ({ client }: At) => client.ask('tickets', [client.ticket]),
  get: async (_, { client }) => ({ data: client.ask('ticket', [client.ticket])[0] }),
  create: (values, at) => ({ method: 'POST', url: 'tickets', body: names.ids(values, at) }),
  update: (_, delta, at) => ({ method: 'PATCH', url: 't1', body: names.ids(delta, at) }),
  made: (answer) => answer,
});

function opened() {
  const desk = new Desk();
  const resources = [queues, tags, people, called, tickets] as unknown as Resource<unknown>[];
  const params = { ticket: { matches: /^t\d+$/, example: 't1' } };
  const [kind, title, about] = ['desk', 'Desk', 'Tickets.'];
  const bench = new ServiceBench(
    kind,
    (options) =>
      openResourceMount(options, { kind, title, about, client: () => desk, params, resources }),
    {},
  );
  onTestFinished(() => bench.end());
  const mount = bench.mount();
  const put = async (from: string, to: string) =>
    write(mount, '/t1.md', (await text(mount, '/t1.md')).replace(from, to));
  const refused = async (from: string, to: string) => {
    const wanted = (await text(mount, '/t1.md')).replace(from, to);
    const { code, reason } = await failure(mount.write?.('/t1.md', Buffer.from(wanted)));
    expect(code).toBe('EINVAL');
    return reason;
  };
  return { desk, mount, put, refused };
}

test('names are written whatever their case, sent as ids, and shown as the service spells them', async () => {
  const { desk, mount, put } = opened();
  await put('[urgent]', '[LATER, urgent, later]');
  expect(desk.sent.at(-1)?.body).toEqual({ tags: ['Later', 'urgent'] });
  await put('queue: Sales', 'queue: Repairs');
  expect(desk.sent.at(-1)?.body).toEqual({ queue: 7 });
  await put('queue: Repairs', 'queue: repairs');
  expect(desk.sent.at(-1)?.body).toEqual({ queue: 8 });
  await put('queue: repairs', 'queue: null');
  expect(desk.sent.at(-1)?.body).toEqual({ queue: null });
  expect(await text(mount, '/t1.md')).toMatch(/queue: null\ntags: \[Later, urgent\]\nowner: ada\n/);
  const before = desk.sent.length;
  await put('[Later, urgent]', '[later, URGENT]');
  expect(desk.sent).toHaveLength(before);
});

test('a name of nothing, and one of two things, is refused for its field, with what there is', async () => {
  const { desk, refused } = opened();
  expect(await refused('queue: Sales', 'queue: REPAIRS')).toMatch(
    /queue: there are 2 with the name/,
  );
  const wrong = await refused('queue: Sales\ntags: [urgent]', 'queue: Slaes\ntags: [later, none]');
  expect(wrong).toContain('queue: there is no queue "Slaes" here (nearest: Sales');
  expect(wrong).toContain('tags: there is no tag "none" here');
  expect(wrong).not.toContain('"later"');
  expect(desk.sent).toEqual([]);
});

test('what a field may name is asked for when it is named, and what tells more only where that is not enough', async () => {
  const { desk, put, refused } = opened();
  await put('[urgent]', '[later]');
  expect(desk.asked).not.toContain('called');
  expect(await refused('owner: ada', 'owner: Grace Hopper')).toContain('there is no person');
  expect(desk.asked.filter((what) => what === 'called')).toHaveLength(1);
  // It is who has it already, by another name: there is nothing to change.
  const before = desk.sent.length;
  await put('owner: ada', 'owner: ada lovelace');
  expect(desk.sent).toHaveLength(before);
});

test('the template of a new record offers every name once', async () => {
  const { mount } = opened();
  const template = await text(mount, '/new.md');
  expect(template).toContain('any of: Repairs, repairs, Sales');
  expect(template).toContain('any of: ada');
});
