/** Linear's deliveries, beside what Linear's own package makes of them. */
import { createHmac } from 'node:crypto';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { expect, test } from 'vitest';
import { type Delivery, DeliveryRefusal } from '../../src/mount/index.ts';
import { linearWebhook } from './webhook.ts';

const SECRET = 'lin_wh_of_the_tests';

const payload = (more: object = {}) => ({
  action: 'create',
  type: 'Comment',
  actor: { id: 'b5ea5f1f-8adc-4f52-b4bd-ab4e84cf51ba', type: 'user', name: 'Ana' },
  createdAt: new Date().toISOString(),
  data: {
    id: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9',
    body: 'Please look.',
    issue: { id: 'x', identifier: 'ENG-12', title: 'It is slow', team: { key: 'ENG' } },
  },
  organizationId: 'o',
  webhookId: 'w',
  webhookTimestamp: Date.now(),
  ...more,
});

function delivered(value: unknown, changed: { body?: string; signature?: string } = {}) {
  const body = JSON.stringify(value);
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const headers: Record<string, string> = {
    'linear-delivery': '234d1a4e-b617-4388-90fe-adc3633d6b72',
    'linear-signature': changed.signature ?? signature,
  };
  return {
    header: (name: string) => headers[name] ?? null,
    body: Buffer.from(changed.body ?? body),
  };
}

const isTaken = (delivery: Delivery): boolean => {
  try {
    linearWebhook.receive(delivery, { secret: SECRET, now: new Date() });
    return true;
  } catch (error) {
    if (error instanceof DeliveryRefusal) return false;
    throw error;
  }
};

const isTakenByLinear = (delivery: Delivery): boolean => {
  const signature = delivery.header('linear-signature') ?? '';
  try {
    return new LinearWebhookClient(SECRET).verify(Buffer.from(delivery.body), signature);
  } catch {
    return false;
  }
};

test('what is taken is what Linear’s own package takes', () => {
  const deliveries: Delivery[] = [
    delivered(payload()),
    delivered(payload(), { body: JSON.stringify(payload({ action: 'remove' })) }),
    delivered(payload(), { signature: '0'.repeat(64) }),
    delivered(payload(), { signature: '' }),
    delivered(payload({ webhookTimestamp: Date.now() - 61_000 })),
    delivered(payload({ webhookTimestamp: Date.now() + 61_000 })),
    delivered(payload({ webhookTimestamp: undefined })),
    delivered(payload({ webhookTimestamp: Date.now() - 50_000 })),
  ];
  const taken = deliveries.map(isTaken);
  expect(taken).toEqual(deliveries.map(isTakenByLinear));
  expect(taken).toEqual([true, false, false, false, false, false, false, true]);
});

test('a delivery says who it was, and where it is', () => {
  const read = (value: object) =>
    linearWebhook.receive(delivered(value), { secret: SECRET, now: new Date() });
  const comment = '/teams/ENG/issues/ENG-12/comments/2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9.md';
  expect(read(payload())).toMatchObject({
    type: 'Comment.create',
    by: 'b5ea5f1f-8adc-4f52-b4bd-ab4e84cf51ba',
    paths: [comment, '/teams/ENG/issues/ENG-12.md'],
    gone: [],
    text: 'event: Comment.create\nby: Ana\ntitle: It is slow\n\nPlease look.',
  });
  expect(read(payload({ action: 'remove' })).gone).toEqual([comment]);
  const moved = { id: 'x', identifier: 'OPS-3', previousIdentifiers: ['ENG-12'], title: 'It' };
  expect(read(payload({ type: 'Issue', action: 'update', data: moved })).paths).toEqual([
    '/teams/OPS/issues/OPS-3.md',
    '/teams/ENG/issues/ENG-12.md',
  ]);
  // What is no identifier makes no path.
  const hostile = { id: 'x', identifier: '../../x', title: 'It' };
  expect(read(payload({ type: 'Issue', data: hostile })).paths).toEqual([]);
});
