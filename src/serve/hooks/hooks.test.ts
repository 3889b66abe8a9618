/** Deliveries, taken and acted on without a world. */
import { expect, onTestFinished, test } from 'vitest';
import type { Webhook } from '../../mount/contract/webhook.ts';
import { Deliveries } from './deliveries.ts';
import { Hooks } from './hooks.ts';

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
