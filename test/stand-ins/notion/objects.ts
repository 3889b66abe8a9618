/** The store's records as responses have them: the schemas of `@notionhq/client` are their judge. */
import { pageUrl } from './markdown.ts';
import type { Block, Comment, Database, Json, Page } from './model.ts';
import { plain, richTextOf } from './rich-text.ts';

const user = (id: string): Json => ({ object: 'user', id });

export function pageObject(page: Page, databases: Iterable<Database>): Json {
  const { id, parent, createdAt, editedAt, inTrash } = page;
  const database = [...databases].find(
    ({ dataSourceId }) => parent.type === 'data_source' && dataSourceId === parent.id,
  );
  return {
    object: 'page',
    id,
    created_time: createdAt,
    last_edited_time: editedAt,
    in_trash: inTrash,
    archived: inTrash,
    is_archived: false,
    is_locked: false,
    url: pageUrl(id),
    public_url: null,
    parent:
      parent.type === 'workspace'
        ? { type: 'workspace', workspace: true }
        : parent.type === 'page'
          ? { type: 'page_id', page_id: parent.id }
          : { type: 'data_source_id', data_source_id: parent.id, database_id: database?.id ?? '' },
    properties: page.properties,
    icon: null,
    cover: null,
    created_by: user(page.createdBy),
    last_edited_by: user(page.editedBy),
  };
}

function databaseParent(parent: string | null): Json {
  return parent === null
    ? { type: 'workspace', workspace: true }
    : { type: 'page_id', page_id: parent };
}

/** A database with its data sources. */
export function databaseObject(database: Database, all: readonly Database[]): Json {
  const { id, title, parent, createdAt, editedAt } = database;
  return {
    object: 'database',
    id,
    title: richTextOf(plain(title)),
    description: [],
    parent: databaseParent(parent),
    is_inline: false,
    in_trash: false,
    archived: false,
    is_locked: false,
    created_time: createdAt,
    last_edited_time: editedAt,
    data_sources: all.map((one) => ({ id: one.dataSourceId, name: one.title })),
    icon: null,
    cover: null,
    url: pageUrl(id),
    public_url: null,
  };
}

export function dataSourceObject(database: Database): Json {
  const { id, dataSourceId, title, parent, createdAt, editedAt, by } = database;
  return {
    object: 'data_source',
    id: dataSourceId,
    title: richTextOf(plain(title)),
    description: [],
    parent: { type: 'database_id', database_id: id },
    database_parent: databaseParent(parent),
    is_inline: false,
    in_trash: false,
    archived: false,
    created_time: createdAt,
    last_edited_time: editedAt,
    created_by: user(by),
    last_edited_by: user(by),
    properties: database.properties,
    icon: null,
    cover: null,
    url: pageUrl(id),
    public_url: null,
  };
}

export function blockObject(block: Block, parent: Json): Json {
  const { id, type, content, children, createdAt, editedAt, by } = block;
  const colored = 'rich_text' in content && type !== 'code';
  const heading = type.startsWith('heading_') ? { is_toggleable: false } : {};
  return {
    object: 'block',
    id,
    parent,
    type,
    created_time: createdAt,
    last_edited_time: editedAt,
    created_by: user(by),
    last_edited_by: user(by),
    has_children: children.length > 0,
    in_trash: false,
    archived: false,
    [type]: { ...(colored ? { color: 'default', ...heading } : {}), ...content },
  };
}

export function commentObject({ id, page, block, discussion, text, by, createdAt }: Comment): Json {
  return {
    object: 'comment',
    id,
    parent:
      block === undefined
        ? { type: 'page_id', page_id: page }
        : { type: 'block_id', block_id: block },
    discussion_id: discussion,
    created_time: createdAt,
    last_edited_time: createdAt,
    created_by: user(by),
    rich_text: richTextOf(plain(text)),
    display_name: { type: 'user', resolved_name: null },
  };
}
