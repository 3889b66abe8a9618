/**
 * The notifications of whoever the key belongs to, read whole each time: one that is read or snoozed
 * in Linear is no update of anything else. Writing `read: true` marks one read.
 */
import { z } from 'zod';
import {
  type Place,
  type RecordType,
  resource,
  type Scope,
  shown,
  type Values,
  type View,
  view,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { graph } from './graph.ts';
import { teamIn } from './paths.ts';
import { projects } from './teams.ts';

const FIELDS = `
  id type category title subtitle url readAt snoozedUntilAt createdAt updatedAt archivedAt
  actor { displayName }
  ... on IssueNotification { issue { identifier } comment { id body } }
  ... on ProjectNotification { project { slugId name } comment { id body } }
  ... on InitiativeNotification { initiative { slugId name } }
`;

const SYNC_INBOX = graph.collections(
  'SyncInbox',
  {},
  { inbox: { of: FIELDS, field: 'notifications' } },
);

const named = z.looseObject({ slugId: z.string(), name: z.string() });

const notificationSchema = z.looseObject({
  id: z.string(),
  type: z.string(),
  category: z.string(),
  title: z.string(),
  subtitle: z.string(),
  url: z.string(),
  readAt: z.string().nullish(),
  snoozedUntilAt: z.string().nullish(),
  createdAt: z.string(),
  updatedAt: z.string(),
  archivedAt: z.string().nullish(),
  actor: z.looseObject({ displayName: z.string() }).nullish(),
  issue: z.looseObject({ identifier: z.string() }).nullish(),
  comment: z.looseObject({ id: z.string(), body: z.string() }).nullish(),
  project: named.nullish(),
  initiative: named.nullish(),
});
type ApiNotification = z.infer<typeof notificationSchema>;

const notificationRecord: RecordType = {
  name: 'notification',
  fields: {
    read: {
      schema: z.boolean({ error: 'must be true or false' }),
      access: 'edit',
      about: 'true marks it read, false unread',
    },
    snoozed_until: {
      schema: z.iso
        .datetime({ error: 'must be a time such as 2026-03-31T09:00:00Z, or null' })
        .nullable(),
      access: 'edit',
      about: 'a time such as 2026-03-31T09:00:00Z until which it is out of sight, or null',
    },
    title: shown('one line'),
    subtitle: shown('one line'),
    type: shown('name'),
    category: shown('name'),
    actor: shown('display name'),
    issue: shown('name'),
    comment: shown('UUID'),
    project: shown('name'),
    initiative: shown('name'),
    created_at: shown('time'),
    read_at: shown('time'),
    url: shown('address'),
    body: shown('the comment, where it is about one'),
  },
};

function notificationValues(value: ApiNotification): Values {
  return {
    read: (value.readAt ?? null) !== null,
    snoozed_until: value.snoozedUntilAt ?? null,
    title: value.title,
    subtitle: value.subtitle,
    type: value.type,
    category: value.category,
    actor: value.actor?.displayName ?? null,
    issue: value.issue?.identifier,
    comment: value.comment?.id,
    project: value.project?.name,
    initiative: value.initiative?.name,
    created_at: value.createdAt,
    read_at: value.readAt ?? undefined,
    url: value.url,
    body: value.comment?.body ?? '',
  };
}

const notification = graph.kind<ApiNotification>('notification', FIELDS);

/** `only`: the key of the one team that is shown; then what is about its issues and projects is. */
export function inboxOf(only: string | null) {
  const { get, made } = notification.ways;
  const inbox = resource('inbox', {
    ...(get && { get }),
    ...(made && { made }),
    about: 'a notification; `read: true` marks it read',
    directory: 'the notifications of whose key it is',
    removeHint: 'mark it read with `read: true`',
    path: '/inbox/:id.md',
    schema: notificationSchema,
    ...(only === null ? {} : { with: [projects], where: isAbout(only) }),
    key: ({ id }) => id,
    updatedAt: ({ updatedAt }) => updatedAt,
    url: ({ url }) => url,
    type: notificationRecord,
    values: notificationValues,
    list: ({ client }: Scope<LinearClient>) => graph.all(client, SYNC_INBOX),
    update: ({ id }, { read, snoozed_until }, { now }) =>
      notification.update(id, {
        ...(read === undefined ? {} : { readAt: read === true ? now().toISOString() : null }),
        ...(snoozed_until === undefined ? {} : { snoozedUntilAt: snoozed_until }),
      }),
  });
  const index: View<ApiNotification> = view({
    about:
      'one line each, the newest first: file, read or unread, type, issue, title, actor, created',
    path: '/inbox/index.tsv',
    of: inbox,
    columns: ['file', 'read', 'type', 'issue', 'title', 'actor', 'created'],
    order: (a, b) => (a.createdAt < b.createdAt ? 1 : -1),
    rows: (one) => [
      [
        one.id,
        (one.readAt ?? null) === null ? 'unread' : 'read',
        one.type,
        one.issue?.identifier ?? '',
        one.title,
        one.actor?.displayName ?? '',
        one.createdAt,
      ],
    ],
  });
  return { resources: [inbox], views: [index] };
}

const isAbout =
  (team: string) =>
  ({ issue, project }: ApiNotification, place: Place): boolean => {
    if (issue) return teamIn(issue.identifier) === team;
    return place.all(projects).some(({ slugId }) => slugId === project?.slugId);
  };
