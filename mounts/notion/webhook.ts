/** What Notion sends by itself: https://developers.notion.com/reference/webhooks */
import { z } from 'zod';
import {
  type Delivery,
  readBody,
  requireRecent,
  requireSignature,
  type Webhook,
  type WebhookEvent,
} from '../../src/mount/index.ts';
import { keyOf } from './names.ts';

/** Notion tries again for a day, and a delivery says when it happened, not when it was sent. */
const RECENT_MS = 2 * 86_400_000;

const id = z.string().regex(/^[0-9a-f-]{32,36}$/i);
const payload = z.looseObject({
  id: z.string().regex(/^[\w-]{1,100}$/),
  type: z.string(),
  timestamp: z.iso.datetime({ offset: true }),
  authors: z.array(z.looseObject({ id, type: z.string() })),
  entity: z.looseObject({ id, type: z.string() }),
  data: z.looseObject({ page_id: id.nullish() }).nullish(),
});

const offer = z.looseObject({ verification_token: z.string().min(1).max(200) });

export const notionWebhook: Webhook = {
  name: 'notion',
  secretEnv: 'NOTION_WEBHOOK_SECRET',
  receive(delivery, check): WebhookEvent {
    requireSignature(delivery, check, signatureOf(delivery));
    const body = readBody(delivery, payload);
    const at = new Date(body.timestamp);
    requireRecent(at.getTime(), check, RECENT_MS);
    const { type, authors, entity, data } = body;
    const [author, ...others] = authors;
    const paths = pathsOf(entity, data?.page_id ?? null);
    return {
      id: body.id,
      type,
      at,
      // Changes of several are one event: it is then nobody’s alone.
      by: author === undefined ? null : [author, ...others].map((one) => one.id).join(','),
      actor: author === undefined ? null : `${author.type} ${author.id}`,
      paths,
      gone: [],
      text: [
        `event: ${type}`,
        `by: ${authors.map((one) => `${one.type} ${one.id}`).join(', ') || 'unknown'}`,
        `${entity.type}: ${entity.id}`,
      ].join('\n'),
    };
  },
  offered(delivery) {
    const token = offer.safeParse(parsed(delivery)).data?.verification_token;
    if (token === undefined) return null;
    // It is signed with the very token that it brings.
    requireSignature(delivery, { secret: token, now: new Date(0) }, signatureOf(delivery));
    return token;
  },
};

/** A page is found by its id whatever it is called; of a comment, the page that it stands on. */
function pathsOf({ id, type }: { id: string; type: string }, page: string | null): string[] {
  if (type === 'page') return [`/by-id/${id.replaceAll('-', '')}`];
  if (type === 'comment' && page !== null)
    return [
      `/Page--${keyOf(page)}/comments/${id.replaceAll('-', '')}.md`,
      `/by-id/${page.replaceAll('-', '')}`,
    ];
  return type === 'database' ? [`/by-id/${id.replaceAll('-', '')}`] : [];
}

function signatureOf(delivery: Delivery): string | null {
  const [, hex = null] = /^sha256=(.*)$/.exec(delivery.header('x-notion-signature') ?? '') ?? [];
  return hex;
}

const parsed = (delivery: Delivery): unknown => readBody(delivery, z.unknown());
