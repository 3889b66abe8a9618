/** Deliveries, taken and acted on without a world. */
import { expect, onTestFinished, test } from 'vitest';
import type { Delivery, Told, Webhook } from '../../mount/contract/webhook.ts';
import { Deliveries } from './deliveries.ts';
import { type HookParts, Hooks } from './hooks.ts';
import type { Happening } from './triggers.ts';

/** Takes the body for the id, and for what it is about. */
const webhook: Webhook = {
  name: 'tracker',
  secretEnv: 'SECRET',
  receive: ({ body }) => {
    const id = Buffer.from(body).toString();
    const paths = [`/${id}.md`];
    return { id, type: 'changed', at: null, by: null, actor: null, paths, gone: [], text: id };
  },
};

test('a delivery that cannot be acted on keeps no other from what waits for it, and is tried again', async () => {
  const deliveries = new Deliveries(':memory:', Date.now);
  const happened: string[] = [];
  const all = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<unknown>();
  const hooks = new Hooks({
    hooks: [{ webhook, secret: 's', points: ['/mnt/t'] }],
    deliveries,
    hear: async (_, events) => {
      if (events.some(({ paths }) => paths.includes('/bad.md'))) throw new Error('it is no path');
      return { heard: null, notices: [] };
    },
    happened: ({ id }) => {
      happened.push(id);
      if (happened.length === 2) all.resolve();
    },
    now: Date.now,
    say: () => undefined,
    onFault: failed.resolve,
  });
  onTestFinished(async () => {
    await hooks.close();
    deliveries.close();
  });
  for (const id of ['one', 'bad', 'two'])
    hooks.receive('tracker', { body: Buffer.from(id), header: () => null });
  await all.promise;
  expect(happened).toEqual(['one', 'two']);
  expect(await failed.promise).toMatchObject({ message: 'it is no path' });
  expect(hooks.waiting).toBe(1);
});

/** Hooks with what was told to mounts, to triggers and to whoever runs the server. */
function open(more: Partial<HookParts> = {}, webhooks: Partial<Webhook> = {}) {
  const clock = { now: 5_000 };
  const deliveries = new Deliveries(':memory:', () => clock.now);
  const told: { point: string; events: readonly Told[] }[] = [];
  const happened: Happening[] = [];
  const lines: string[] = [];
  const faults: unknown[] = [];
  const hooks = new Hooks({
    hooks: [{ webhook: { ...webhook, ...webhooks }, secret: 's', points: ['/mnt/t', '/mnt/u'] }],
    deliveries,
    hear: async (point, events) => {
      if (events.length > 0) told.push({ point, events });
      return { heard: null, notices: [] };
    },
    happened: (happening) => happened.push(happening),
    now: () => clock.now,
    say: (line) => lines.push(line),
    onFault: (error) => faults.push(error),
    ...more,
  });
  onTestFinished(async () => {
    await hooks.close();
    deliveries.close();
  });
  const send = (body: string) =>
    hooks.receive('tracker', { body: Buffer.from(body), header: () => null });
  const done = () => expect.poll(() => hooks.waiting, { interval: 5 }).toBe(0);
  return { hooks, deliveries, clock, told, happened, lines, faults, send, done };
}

test('a delivery is told to each mount of its service and begins what waits for it, once, whatever id it comes with', async () => {
  let id = 0;
  const { send, done, told, happened } = open(
    {},
    {
      receive: ({ body }) => {
        const text = Buffer.from(body).toString();
        const at = text === 'dated' ? new Date(99) : null;
        const gone = text === 'dated' ? ['/x'] : undefined;
        const event = { id: `${id++}`, type: 'changed', at, by: 'ana', actor: null, paths: ['/a'] };
        return { ...event, text, ...(gone === undefined ? {} : { gone }) };
      },
    },
  );
  expect([send('one'), send('one')]).toEqual(['taken', 'known']);
  await done();
  expect(send('dated')).toBe('taken');
  await done();
  const event = { by: 'ana', paths: ['/a'] };
  expect(told).toEqual([
    { point: '/mnt/t', events: [{ ...event, gone: [], at: 5_000 }] },
    { point: '/mnt/u', events: [{ ...event, gone: [], at: 5_000 }] },
    { point: '/mnt/t', events: [{ ...event, gone: ['/x'], at: 99 }] },
    { point: '/mnt/u', events: [{ ...event, gone: ['/x'], at: 99 }] },
  ]);
  expect(happened.map(({ text, paths }) => [text, paths])).toEqual([
    ['one', ['/mnt/t/a', '/mnt/u/a']],
    ['dated', ['/mnt/t/a', '/mnt/u/a']],
  ]);
  expect(happened[0]).toMatchObject({
    hook: 'tracker',
    type: 'changed',
    points: ['/mnt/t', '/mnt/u'],
  });
});

test('what a mount knows for an agent’s own begins nothing; what it was about is the mount’s to say; and its notices are passed on', async () => {
  const { send, done, happened, lines } = open({
    hear: async (point, events) => ({
      heard: events.map(({ paths }) => ({
        paths: point === '/mnt/t' ? ['/moved.md'] : [],
        isOwn: point === '/mnt/u' && paths.includes('/own.md'),
      })),
      notices: [`${point} is behind`],
    }),
  });
  send('own');
  send('other');
  await done();
  expect(happened.map(({ id, paths }) => [id, paths])).toEqual([['other', ['/mnt/t/moved.md']]]);
  expect(lines.slice(0, 2)).toEqual(['/mnt/t is behind', '/mnt/u is behind']);
});

test('a hook that is not there, or knows no secret, takes nothing, and says which', () => {
  const { hooks, send } = open({ hooks: [{ webhook, secret: null, points: [] }] });
  expect(() => hooks.receive('other', { body: Buffer.from(''), header: () => null })).toThrow(
    expect.objectContaining({ code: 'ENOENT' }),
  );
  expect(() => send('one')).toThrow(expect.objectContaining({ code: 'EAGAIN' }));
  expect(hooks.list).toEqual([{ name: 'tracker', secretEnv: 'SECRET', isReady: false }]);
  expect(open().hooks.list[0]?.isReady).toBe(true);
});

test('a secret that is offered is shown once, to who runs the server, and after five nobody’s any more', () => {
  const offered = ({ body }: Delivery) => (body.length === 0 ? null : Buffer.from(body).toString());
  const { send, lines } = open({
    hooks: [{ webhook: { ...webhook, offered }, secret: null, points: [] }],
  });
  expect(() => send('')).toThrow(expect.objectContaining({ code: 'EAGAIN' }));
  for (const secret of ['a', 'b', 'a', 'c', 'd', 'e']) expect(send(secret)).toBe('offered');
  expect(lines).toHaveLength(5);
  expect(lines[0]).toContain('"a"');
  expect(lines[0]).toContain('SECRET');
  expect(() => send('f')).toThrow('too many');
  expect(send('e')).toBe('offered');
});

test('with the beginning mounts are made ready, and what an earlier process left is acted on', async () => {
  const points: string[] = [];
  const { hooks, deliveries, done, happened, faults } = open({
    hear: async (point, events) => {
      points.push(`${point} ${events.length}`);
      if (events.length === 0 && point === '/mnt/u') throw new Error('not ready');
      return { heard: null, notices: [] };
    },
  });
  deliveries.add(
    'tracker',
    webhook.receive(
      { body: Buffer.from('left'), header: () => null },
      { secret: 's', now: new Date() },
    ),
    'd',
  );
  deliveries.add(
    'tracker',
    webhook.receive(
      { body: Buffer.from('left2'), header: () => null },
      { secret: 's', now: new Date() },
    ),
    'e',
  );
  hooks.start();
  await done();
  expect(points).toEqual(['/mnt/t 0', '/mnt/u 0', '/mnt/t 2', '/mnt/u 2']);
  expect(happened.map(({ id }) => id)).toEqual(['left', 'left2']);
  expect(faults).toMatchObject([{ message: 'not ready' }]);
  const without = open({ hooks: [{ webhook, secret: null, points: ['/mnt/t'] }] });
  without.hooks.start();
  expect(without.told).toEqual([]);
});

test('where everything fails it is not tried with each of very many, and none is lost', async () => {
  let tries = 0;
  const fault = Promise.withResolvers<unknown>();
  const { send, hooks } = open({
    hear: async () => {
      tries += 1;
      throw new Error('away');
    },
    onFault: fault.resolve,
  });
  for (let count = 0; count < 70; count++) send(`${count}`);
  expect(await fault.promise).toMatchObject({ message: 'away' });
  expect(hooks.waiting).toBe(70);
  // The first alone, then those that came meanwhile together, and one by one up to twenty failures.
  expect(tries).toBe(21);
});

test('that a delivery came is known for more than a year, and what nobody acted on for ever', () => {
  const { deliveries, clock } = open();
  const event = (id: string) =>
    webhook.receive(
      { body: Buffer.from(id), header: () => null },
      { secret: 's', now: new Date() },
    );
  expect(deliveries.add('tracker', event('done'), '1')).toBe(true);
  expect(deliveries.add('tracker', event('open'), '2')).toBe(true);
  expect(deliveries.add('other', event('done'), '1')).toBe(true);
  expect(deliveries.waiting(2, 0).map(({ event: { id } }) => id)).toEqual(['done', 'open']);
  for (const each of deliveries.waiting(1, 0)) deliveries.done(each);
  clock.now += 400 * 86_400_000;
  expect(deliveries.add('tracker', event('done'), '3')).toBe(false);
  clock.now += 1;
  expect(deliveries.add('tracker', event('done'), '1')).toBe(true);
  expect(deliveries.add('tracker', event('open'), '9')).toBe(false);
  expect(deliveries.add('tracker', event('new'), '2')).toBe(false);
});
