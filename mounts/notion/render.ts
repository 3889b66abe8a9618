/** What the mount's files say, made from the replica. */
import {
  type Content,
  dateOf,
  renderRecord,
  type StoredRecord,
  tsvContent,
  type Values,
} from '../../src/mount/index.ts';
import { type Owner, outlineOf } from './commented.ts';
import { shownBody } from './markdown/index.ts';
import { whole } from './markdown/parts.ts';
import { keyOf } from './names.ts';
import { titleOf } from './properties.ts';
import {
  commentRecord,
  commentValues,
  fieldOf,
  optionsOf,
  pageRecord,
  pageValues,
  rowRecord,
} from './records.ts';
import type { ApiPage } from './schemas.ts';
import { type NotionStore, placeOf } from './store.ts';

/** The fields of a page with its text; null until both are held. */
export function pageFields(
  store: NotionStore,
  key: string,
): { values: Values; version: string; page: ApiPage; record: StoredRecord } | null {
  const found = store.page(key);
  const body = store.body(key);
  if (found === null || body === null) return null;
  const { page, record } = found;
  const values = {
    ...pageValues(page, store.sourceOf(page), (id) => nameIn(store, id)),
    incomplete: body.body.lacking ?? undefined,
    body: shownBody(whole(body.body)),
  };
  return { values, page, record, version: `${record.version} ${body.record.version.slice(-10)}` };
}

export function recordOf(store: NotionStore, key: string) {
  const found = store.page(key);
  const source = found === null ? null : store.sourceOf(found.page);
  return source === null ? pageRecord : rowRecord(source);
}

/** The last segment of a page's place. */
export function nameIn(store: NotionStore, id: string): string | null {
  const path = store.head(keyOf(id))?.path;
  return path === undefined || path === null ? null : (placeOf(path).split('/').at(-1) ?? null);
}

export function pageContent(store: NotionStore, key: string): Content | null {
  const found = pageFields(store, key);
  if (found === null) return null;
  const text = renderRecord(recordOf(store, key), found.values);
  return { text, version: found.version, mtime: dateOf(found.record.updatedAt) };
}

/** A database as its files need it: which properties there are, and which can be written. */
export function schemaContent(store: NotionStore, key: string): Content | null {
  const found = store.source(key);
  if (found === null) return null;
  const { source, record } = found;
  const { fields } = rowRecord(source);
  const properties = Object.values(source.properties).map((config) => {
    const options = optionsOf(config);
    const spec = fields[fieldOf(config)];
    return [
      fieldOf(config),
      {
        type: config.type,
        writable: spec?.access !== 'read',
        allowed: spec?.about,
        ...(options.length === 0 ? {} : { options }),
      },
    ];
  });
  const { id, url, parent } = source;
  const schema = {
    title: titleOf(source),
    id,
    database_id: parent.database_id,
    url,
    properties: Object.fromEntries(properties),
  };
  return {
    text: `${JSON.stringify(schema, null, 2)}\n`,
    version: record.version,
    mtime: dateOf(record.updatedAt),
  };
}

/** A database's rows, newest first: file, title, each property, when it was last edited. */
export function indexContent(store: NotionStore, key: string): Content | null {
  const found = store.source(key);
  if (found === null) return null;
  const names = Object.values(found.source.properties)
    .filter(({ type }) => type !== 'title')
    .map(fieldOf);
  const rows = store
    .below(key)
    .map((head) => store.page(head.key))
    .filter((row) => row !== null)
    .sort((a, b) => (a.record.updatedAt < b.record.updatedAt ? 1 : -1));
  return tsvContent(
    ['file', 'title', ...names, 'last_edited_time'],
    rows.map(({ page, record }) => {
      const values = pageValues(page, found.source, (id) => nameIn(store, id));
      const shown = names.map((name) => cellOf(values[name]));
      return [
        (record.path ?? '').split('/').at(-1) ?? '',
        titleOf(page),
        ...shown,
        page.last_edited_time,
      ];
    }),
    [found.record, ...rows.map(({ record }) => record)],
  );
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.join(',') : String(value);
}

/** Everything that the integration sees, by path. */
export function treeContent(store: NotionStore): Content {
  const heads = store.heads().sort((a, b) => ((a.path ?? '') < (b.path ?? '') ? -1 : 1));
  return tsvContent(
    ['path', 'title', 'kind', 'last_edited_time'],
    heads.map((head) => {
      const node = store.node(head.key)?.node;
      const database = node?.object === 'data_source';
      return [
        `${(head.path ?? '').slice(1)}${database ? '/' : ''}`,
        node === undefined ? '' : titleOf(node),
        database
          ? 'database'
          : store.head(head.tag)?.path?.endsWith('.md') === false
            ? 'row'
            : 'page',
        head.updatedAt,
      ];
    }),
    heads,
  );
}

export function commentContent(store: NotionStore, owner: Owner, id: string): Content | null {
  const found = store.comment(owner, id);
  if (found === null) return null;
  const values = commentValues(found.comment, (user) => nameOfUser(store, user));
  return {
    text: renderRecord(commentRecord, values),
    version: found.record.version,
    mtime: dateOf(found.record.updatedAt),
  };
}

export function nameOfUser(store: NotionStore, id: string): string | null {
  return store.users().find((user) => user.id === id)?.name ?? null;
}

/** The blocks of a page: what can be commented on. */
export function outlineContent(store: NotionStore, key: string): Content | null {
  const found = store.outline(key);
  if (found === null) return null;
  const rows = outlineOf(found.value).map(({ id, depth, type, text }) => [
    id,
    String(depth),
    type,
    text,
  ]);
  return tsvContent(['block', 'depth', 'type', 'text'], rows, [found]);
}
