/** Notion's deliveries, signed by Notion's own package. */
import { signWebhookPayload, verifyWebhookSignature } from '@notionhq/client';
import { expect, test } from 'vitest';
import { type Delivery, DeliveryRefusal } from '../../src/mount/index.ts';
import { notionWebhook } from './webhook.ts';

const TOKEN = 'secret_of_the_tests';
const NOW = new Date('2026-01-02T00:00:00Z');

/** As the page on webhooks has it. */
const payload = (more: object = {}) => ({
  id: '367cba44-b6f3-4c92-81e7-6a2e9659efd4',
  timestamp: '2026-01-01T23:55:34.285Z',
  workspace_id: '13950b26-c203-4f3b-b97d-93ec06319565',
  workspace_name: 'Quantify Labs',
  subscription_id: '29d75c0d-5546-4414-8459-7b7a92f1fc4b',
  integration_id: '0ef2e755-4912-8096-91c1-00376a88a5ca',
  type: 'page.content_updated',
  authors: [{ id: 'c7c11cca-1d73-471d-9b6e-bdef51470190', type: 'person' }],
  accessible_by: [],
  attempt_number: 1,
  entity: { id: '153104cd-477e-809d-8dc4-ff2d96ae3090', type: 'page' },
  data: { parent: { id: '13950b26-c203-4f3b-b97d-93ec06319565', type: 'space' } },
  ...more,
});

async function delivered(value: unknown, signature?: string): Promise<Delivery> {
  const body = JSON.stringify(value);
  const signed = await signWebhookPayload({ body, verificationToken: TOKEN });
  const header = (name: string) => (name === 'x-notion-signature' ? (signature ?? signed) : null);
  return { header, body: Buffer.from(body) };
}

const outcome = (delivery: Delivery): string => {
  try {
    notionWebhook.receive(delivery, { secret: TOKEN, now: NOW });
    return 'taken';
  } catch (error) {
    if (error instanceof DeliveryRefusal) return error.kind;
    throw error;
  }
};

test('what is taken is what Notion’s own package verifies', async () => {
  const rightly = (await delivered(payload())).header('x-notion-signature') ?? '';
  for (const signature of [rightly, rightly.toUpperCase(), '', rightly.slice(7), `${rightly}0`]) {
    const delivery = await delivered(payload(), signature);
    const body = Buffer.from(delivery.body);
    const theirs = await verifyWebhookSignature({ body, signature, verificationToken: TOKEN });
    expect(outcome(delivery)).toBe(theirs ? 'taken' : 'unsigned');
  }
});

test('a delivery of days ago is stale, and one without its fields malformed', async () => {
  expect(outcome(await delivered(payload({ timestamp: '2025-12-30T00:00:00Z' })))).toBe('stale');
  expect(outcome(await delivered(payload({ entity: { id: '../x', type: 'page' } })))).toBe(
    'malformed',
  );
});

test('the secret that Notion offers is taken as one where it signed with it', async () => {
  expect(notionWebhook.offered?.(await delivered({ verification_token: TOKEN }))).toBe(TOKEN);
  expect(notionWebhook.offered?.(await delivered(payload()))).toBeNull();
  const other = await delivered({ verification_token: 'another' });
  expect(() => notionWebhook.offered?.(other)).toThrow(DeliveryRefusal);
});

test('a delivery says who it was, and where it is: a page by its id, whatever it is called', async () => {
  const read = async (more: object) =>
    notionWebhook.receive(await delivered(payload(more)), { secret: TOKEN, now: NOW });
  expect(await read({})).toMatchObject({
    id: '367cba44-b6f3-4c92-81e7-6a2e9659efd4',
    type: 'page.content_updated',
    by: 'c7c11cca-1d73-471d-9b6e-bdef51470190',
    paths: ['/by-id/153104cd477e809d8dc4ff2d96ae3090'],
  });
  const comment = {
    type: 'comment.created',
    entity: { id: '8cbd46f2-9a3c-4c60-a9ff-000000000001', type: 'comment' },
    data: { page_id: '153104cd-477e-809d-8dc4-ff2d96ae3090' },
  };
  expect((await read(comment)).paths).toEqual([
    '/Page--ff2d96ae3090/comments/8cbd46f29a3c4c60a9ff000000000001.md',
    '/by-id/153104cd477e809d8dc4ff2d96ae3090',
  ]);
  const database = { entity: { id: '153104cd-477e-809d-8dc4-ff2d96ae3090', type: 'database' } };
  expect((await read(database)).paths).toEqual(['/by-id/153104cd477e809d8dc4ff2d96ae3090']);
  const block = { entity: { id: '153104cd-477e-809d-8dc4-ff2d96ae3090', type: 'block' } };
  expect((await read(block)).paths).toEqual([]);
  expect((await read({ ...comment, data: null })).paths).toEqual([]);
  const [ana, bot] = [
    'c7c11cca-1d73-471d-9b6e-bdef51470190',
    '0ef2e755-4912-8096-91c1-00376a88a5ca',
  ];
  const authors = [
    { id: ana, type: 'person' },
    { id: bot, type: 'bot' },
  ];
  expect(await read({ authors })).toMatchObject({
    by: `${ana},${bot}`,
    actor: `person ${ana}`,
    at: new Date('2026-01-01T23:55:34.285Z'),
    gone: [],
    text: `event: page.content_updated\nby: person ${ana}, bot ${bot}\npage: 153104cd-477e-809d-8dc4-ff2d96ae3090`,
  });
  expect(await read({ authors: [] })).toMatchObject({
    by: null,
    actor: null,
    text: expect.stringContaining('by: unknown'),
  });
});
