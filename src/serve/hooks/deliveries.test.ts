/** What services have sent is taken once, and waits until it was acted on. */
import { expect, onTestFinished, test } from 'vitest';
import type { WebhookEvent } from '../../mount/contract/webhook.ts';
import { Deliveries } from './deliveries.ts';

const DAY = 86_400_000;
const event = (id: string, more: Partial<WebhookEvent> = {}): WebhookEvent => ({
  ...{ id, type: 'issue.opened', at: null, by: null, actor: null, paths: ['/1.md'], text: 'x' },
  ...more,
});

function open() {
  const clock = { now: 1_000 };
  const deliveries = new Deliveries(':memory:', () => clock.now);
  onTestFinished(() => deliveries.close());
  return { clock, deliveries };
}

test('a delivery is taken once by its id, and once by what was signed', () => {
  const { deliveries } = open();
  expect(deliveries.add('tracker', event('1'), 'a')).toBe(true);
  expect(deliveries.add('tracker', event('1'), 'b')).toBe(false);
  expect(deliveries.add('tracker', event('2'), 'a')).toBe(false);
  expect(deliveries.add('other', event('1'), 'a')).toBe(true);
  expect(deliveries.waitingCount).toBe(2);
});

test('what waits comes oldest first, so many at a time, and goes once it is done', () => {
  const { clock, deliveries } = open();
  deliveries.add('tracker', event('1', { at: new Date(500), gone: ['/2.md'] }), 'a');
  clock.now = 2_000;
  for (const id of ['2', '3']) deliveries.add('tracker', event(id), id);
  const [first = expect.fail()] = deliveries.waiting(9, 0);
  expect(first).toEqual({
    ...{ seq: 1, hook: 'tracker', receivedAt: 1_000 },
    event: { ...event('1'), at: 500, gone: ['/2.md'] },
  });
  const ids = (most: number, after: number) =>
    deliveries.waiting(most, after).map(({ event: { id } }) => id);
  expect([ids(2, 0), ids(9, 1), ids(9, 3)]).toEqual([['1', '2'], ['2', '3'], []]);
  expect(deliveries.waiting(9, 1)[0]?.event).not.toHaveProperty('at');
  deliveries.done(first);
  expect([ids(9, 0), deliveries.waitingCount]).toEqual([['2', '3'], 2]);
  expect(deliveries.add('tracker', event('1'), 'a')).toBe(false);
});

test('that it came is known for four hundred days, and longer while nobody has acted on it', () => {
  const { clock, deliveries } = open();
  deliveries.add('tracker', event('1'), 'a');
  deliveries.add('tracker', event('2'), 'b');
  const [first = expect.fail()] = deliveries.waiting(1, 0);
  deliveries.done(first);
  clock.now += 400 * DAY;
  expect(deliveries.add('tracker', event('1'), 'a')).toBe(false);
  clock.now += 1;
  expect(deliveries.add('tracker', event('1'), 'a')).toBe(true);
  expect(deliveries.add('tracker', event('2'), 'b')).toBe(false);
});
