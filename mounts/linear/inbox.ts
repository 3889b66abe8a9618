/**
 * The notifications of whoever the key belongs to, read whole each time: one that is read or snoozed
 * in Linear is no update of anything else. Writing `read: true` marks one read.
 */
import {
  descending,
  type Place,
  resource,
  type Scope,
  type View,
  view,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { graph } from './graph.ts';
import { teamIn } from './paths.ts';
import { type ApiNotification, notification } from './records.ts';
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

const notificationKind = graph.kind<ApiNotification>('notification', FIELDS);

/** `only`: the key of the one team that is shown; then what is about its issues and projects is. */
export function inboxOf(only: string | null) {
  const { get, made } = notificationKind.ways;
  const inbox = resource('inbox', {
    ...notification,
    ...(get && { get }),
    ...(made && { made }),
    about: 'a notification; `read: true` marks it read',
    directory: 'the notifications of whose key it is',
    removeHint: 'mark it read with `read: true`',
    path: '/inbox/:id.md',
    ...(only === null ? {} : { with: [projects], where: isAbout(only) }),
    list: ({ client }: Scope<LinearClient>) => graph.all(client, SYNC_INBOX),
    update: ({ id }, { read, ...delta }, { now }) =>
      notificationKind.update(id, {
        ...(read === undefined ? {} : { readAt: read === true ? now().toISOString() : null }),
        ...notification.input(delta),
      }),
  });
  const index: View<ApiNotification> = view({
    about:
      'one line each, the newest first: file, read or unread, type, issue, title, actor, created',
    path: '/inbox/index.tsv',
    of: inbox,
    columns: [
      'file',
      ['read', ({ readAt }) => ((readAt ?? null) === null ? 'unread' : 'read')],
      'type',
      'issue',
      'title',
      'actor',
      ['created', 'created_at'],
    ],
    order: descending(({ createdAt }) => createdAt),
  });
  return { resources: [inbox], views: [index] };
}

const isAbout =
  (team: string) =>
  ({ issue, project }: ApiNotification, place: Place): boolean => {
    if (issue) return teamIn(issue.identifier) === team;
    return place.all(projects).some(({ slugId }) => slugId === project?.slugId);
  };
