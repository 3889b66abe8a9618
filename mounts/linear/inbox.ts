/**
 * The notifications of whoever the key belongs to, read whole each time: one that is read or snoozed
 * in Linear is no update of anything else. Writing `read: true` marks one read.
 */
import { descending, type Place, resource } from '../../src/mount/index.ts';
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

const notificationKind = graph.kind<ApiNotification>('notification', FIELDS);

export const inbox = resource('inbox', {
  ...notification,
  ...notificationKind.ways,
  about: 'a notification; `read: true` marks it read',
  directory: 'the notifications of whose key it is',
  removeHint: 'mark it read with `read: true`',
  path: '/inbox/:id.md',
  with: [projects],
  where: isShown,
  list: graph.list('notifications', FIELDS),
  update: ({ id }, { read, ...delta }, { now }) =>
    notificationKind.update(id, {
      ...(read === undefined ? {} : { readAt: read === true ? now().toISOString() : null }),
      ...notification.input(delta),
    }),
  table: {
    about:
      'one line each, the newest first: file, read or unread, type, issue, title, actor, created',
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
  },
});

/** Is there no team that is shown alone, or is it about an issue or a project of that team? */
function isShown({ issue, project }: ApiNotification, place: Place): boolean {
  const { team } = place.narrowed;
  if (team === undefined) return true;
  if (issue) return teamIn(issue.identifier) === team;
  return place.all(projects).some(({ slugId }) => slugId === project?.slugId);
}
