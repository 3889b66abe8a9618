/**
 * The notifications of whoever the key belongs to, read whole each time: one that is read or snoozed
 * in Linear is no update of anything else. Writing `read: true` marks one read.
 */
import { z } from 'zod';
import {
  type Collection,
  dateOf,
  type Params,
  type RecordType,
  type Route,
  renderRecord,
  type ServiceParts,
  type StoredRecord,
  tsvContent,
  tsvEntry,
  type Values,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { everyPage } from './paging.ts';
import { type PlainKind, plainEdit } from './plain-writes.ts';
import { PAGE } from './queries.ts';
import { readOnly } from './records.ts';
import { expectShape } from './schemas.ts';
import { type LinearStore, teamIn } from './store.ts';

const INBOX = 'inbox';

const NOTIFICATION = `fragment notification on Notification {
  id type category title subtitle url readAt snoozedUntilAt createdAt updatedAt archivedAt
  actor { displayName }
  ... on IssueNotification { issue { identifier } comment { id body } }
  ... on ProjectNotification { project { slugId name } comment { id body } }
  ... on InitiativeNotification { initiative { slugId name } }
}`;

const SYNC_INBOX = `query SyncInbox($inboxAfter: String, $withinbox: Boolean!) {
  inbox: notifications(first: 250, after: $inboxAfter) @include(if: $withinbox) {
    nodes { ...notification } ${PAGE}
  }
}
${NOTIFICATION}`;

const LOOK_UP_NOTIFICATION = `query LookUpNotification($id: String!) {
  notification(id: $id) { ...notification }
}
${NOTIFICATION}`;

const UPDATE_NOTIFICATION = `mutation UpdateNotification(
  $id: String!, $input: NotificationUpdateInput!
) {
  notificationUpdate(id: $id, input: $input) { success notification { ...notification } }
}
${NOTIFICATION}`;

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
    title: readOnly('one line'),
    subtitle: readOnly('one line'),
    type: readOnly('name'),
    category: readOnly('name'),
    actor: readOnly('display name'),
    issue: readOnly('name'),
    comment: readOnly('UUID'),
    project: readOnly('name'),
    initiative: readOnly('name'),
    created_at: readOnly('time'),
    read_at: readOnly('time'),
    url: readOnly('address'),
    body: readOnly('the comment, where it is about one'),
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

/** All notifications that are not archived. */
export function inboxCollection({
  client,
  store,
}: ServiceParts<LinearClient, LinearStore>): Collection {
  return {
    scope: [],
    heldSince: () => store.heldSince(INBOX),
    sync: async () => {
      const seen = new Set<string>();
      await everyPage(client, SYNC_INBOX, {}, [INBOX], (_name, nodes) => {
        for (const node of nodes) {
          const value = expectShape(notificationSchema, node, 'a notification');
          seen.add(value.id);
          put(store, value, 'listing');
        }
      });
      for (const { key } of store.replica.heads(store.mount, INBOX)) {
        if (!seen.has(key)) store.replica.remove(store.mount, INBOX, key);
      }
      store.listed(INBOX);
    },
  };
}

function put(store: LinearStore, value: ApiNotification, origin: 'listing' | 'lookup'): void {
  const held = store.replica.head(store.mount, INBOX, value.id);
  if (origin === 'listing' && held !== null && held.updatedAt > value.updatedAt) return;
  store.replica.upsert(store.mount, INBOX, {
    key: value.id,
    updatedAt: value.updatedAt,
    size: 400 + (value.comment?.body ?? '').length,
    path: null,
    value,
  });
}

/** What the inbox is made of. */
interface InboxParts extends ServiceParts<LinearClient, LinearStore> {
  sync: { ensure(collection: string, params: Params): Promise<void> };
}

/** `only`: the key of the one team that is shown; then what is about its issues and projects is. */
export function inboxRoutes(parts: InboxParts, only: string | null): Route[] {
  const { store } = parts;
  const all = () =>
    store.replica
      .all(store.mount, INBOX)
      .map((record) => ({ record, value: notificationSchema.parse(record.value) }))
      .filter(({ value }) => only === null || isAbout(store, value, only))
      .sort((a, b) => (a.value.createdAt < b.value.createdAt ? 1 : -1));
  const find = (params: Params) => all().find(({ record }) => record.key === params['id']) ?? null;
  return [
    { pattern: '/inbox', type: 'directory', about: 'the notifications of whose key it is' },
    {
      pattern: '/inbox/index.tsv',
      type: 'file',
      about:
        'one line each, the newest first: file, read or unread, type, issue, title, actor, created',
      needs: [INBOX],
      stat: () => tsvEntry(all().map(({ record }) => record)),
      read: () => {
        const rows = all();
        return tsvContent(
          ['file', 'read', 'type', 'issue', 'title', 'actor', 'created'],
          rows.map(({ value }) => [
            value.id,
            (value.readAt ?? null) === null ? 'unread' : 'read',
            value.type,
            value.issue?.identifier ?? '',
            value.title,
            value.actor?.displayName ?? '',
            value.createdAt,
          ]),
          rows.map(({ record }) => record),
        );
      },
    },
    {
      pattern: '/inbox/:id.md',
      type: 'file',
      about: 'a notification; `read: true` marks it read',
      needs: [INBOX],
      entries: () => all().map(({ record }) => ({ ...entryOf(record), name: record.key })),
      stat: (params) => {
        const found = find(params);
        return found === null ? null : entryOf(found.record);
      },
      read: (params) => {
        const found = find(params);
        if (found === null) return null;
        const { version, updatedAt } = found.record;
        const text = renderRecord(notificationRecord, notificationValues(found.value));
        return { text, version, mtime: dateOf(updatedAt) };
      },
      edit: plainEdit(inboxKind(parts, find)),
      removeHint: 'mark it read with `read: true`',
    },
  ];
}

function inboxKind(
  { client, store, sync, now }: InboxParts,
  find: (params: Params) => { record: StoredRecord; value: ApiNotification } | null,
): PlainKind<ApiNotification> {
  return {
    client,
    record: notificationRecord,
    field: 'notification',
    schema: notificationSchema,
    lookUp: LOOK_UP_NOTIFICATION,
    update: UPDATE_NOTIFICATION,
    held: (params) => {
      const found = find(params);
      if (found === null) return null;
      const { record, value } = found;
      return { id: value.id, values: notificationValues(value), version: record.version };
    },
    ensure: () => sync.ensure(INBOX, {}),
    put: (_params, value) => {
      put(store, value, 'lookup');
      return { path: `/inbox/${value.id}.md`, url: value.url };
    },
    drop: (params) => {
      store.replica.remove(store.mount, INBOX, params['id'] ?? '');
    },
    input: (_params, { read, snoozed_until }) => ({
      ...(read === undefined ? {} : { readAt: read === true ? now().toISOString() : null }),
      ...(snoozed_until === undefined ? {} : { snoozedUntilAt: snoozed_until }),
    }),
  };
}

function isAbout(store: LinearStore, { issue, project }: ApiNotification, team: string): boolean {
  if (issue) return teamIn(issue.identifier) === team;
  return (
    project != null &&
    store.all('projects', team).some(({ value }) => named.parse(value).slugId === project.slugId)
  );
}

function entryOf({ size, updatedAt, version }: StoredRecord) {
  return { size, version, mtime: dateOf(updatedAt) };
}
