/** What Linear sends by itself: https://linear.app/developers/webhooks */
import { z } from 'zod';
import {
  eventText,
  readBody,
  requireHeader,
  requireRecent,
  requireSignature,
  type Webhook,
  type WebhookEvent,
} from '../../src/mount/index.ts';
import { pathOf } from './paths.ts';

/** Linear signs when it sends, each attempt anew, and says that a minute is enough. */
const RECENT_MS = 60_000;

const issueOf = z.looseObject({
  identifier: z.string().regex(/^[A-Z][A-Z0-9]*-\d+$/),
  title: z.string(),
});
const payload = z.looseObject({
  action: z.string(),
  type: z.string(),
  webhookTimestamp: z.number(),
  createdAt: z.string().nullish(),
  actor: z.looseObject({ id: z.string(), name: z.string().nullish() }).nullish(),
  data: z
    .looseObject({
      id: z.string(),
      identifier: z.string().nullish(),
      previousIdentifiers: z.array(z.string()).nullish(),
      slugId: z.string().nullish(),
      title: z.string().nullish(),
      name: z.string().nullish(),
      body: z.string().nullish(),
      description: z.string().nullish(),
      issue: issueOf.nullish(),
      team: z.looseObject({ key: z.string() }).nullish(),
      number: z.number().nullish(),
    })
    .nullish(),
});
type Data = NonNullable<z.infer<typeof payload>['data']>;

const isIdentifier = (text: string): boolean => /^[A-Z][A-Z0-9]*-\d+$/.test(text);
const isPlain = (text: string): boolean => /^[\w-]{1,100}$/.test(text);

export const linearWebhook: Webhook = {
  name: 'linear',
  secretEnv: 'LINEAR_WEBHOOK_SECRET',
  receive(delivery, check): WebhookEvent {
    requireSignature(delivery, check, delivery.header('linear-signature'));
    const body = readBody(delivery, payload);
    requireRecent(body.webhookTimestamp, check, RECENT_MS);
    const { action, type, actor, data, createdAt } = body;
    const paths = data ? pathsOf(type, data) : [];
    return {
      id: requireHeader(delivery, 'linear-delivery'),
      type: `${type}.${action}`,
      at: createdAt ? new Date(createdAt) : null,
      by: actor?.id ?? null,
      actor: actor?.name ?? null,
      paths,
      gone: action === 'remove' ? paths.slice(0, 1) : [],
      text: eventText(
        {
          event: `${type}.${action}`,
          by: actor?.name ?? 'unknown',
          title: (data?.title ?? data?.name ?? data?.issue?.title) || null,
        },
        data?.body ?? data?.description ?? '',
      ),
    };
  },
};

/** What an event is about; the thing itself first. */
function pathsOf(type: string, data: Data): string[] {
  const { identifier, previousIdentifiers, issue, slugId, team } = data;
  switch (type) {
    case 'Issue': {
      const all = [identifier, ...(previousIdentifiers ?? [])];
      return all.flatMap((one) => (one && isIdentifier(one) ? [`${pathOf(one)}.md`] : []));
    }
    case 'Comment': {
      const at = issue && pathOf(issue.identifier);
      return at && isPlain(data.id) ? [`${at}/comments/${data.id}.md`, `${at}.md`] : [];
    }
    case 'IssueLabel':
      return team ? [`/teams/${team.key}/labels.tsv`] : [];
    case 'Document':
      return slugId && isPlain(slugId) ? [`/documents/${slugId}.md`] : [];
    case 'Initiative':
      return slugId && isPlain(slugId) ? [`/initiatives/${slugId}.md`] : [];
    default:
      // Of a project and a cycle only the ids of their teams are told: the next look for changes finds them.
      return issue ? [`${pathOf(issue.identifier)}.md`] : [];
  }
}
