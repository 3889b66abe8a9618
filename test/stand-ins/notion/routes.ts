/** The table of endpoints beside pages: search, blocks, data sources, databases, comments, users. */

import { z } from 'zod';
import { findBlock, swapped } from './find-block.ts';
import { checkLimits } from './limits.ts';
import { dashed } from './markdown.ts';
import type { Block, Comment, Json, Page } from './model.ts';
import {
  blockObject,
  commentObject,
  databaseObject,
  dataSourceObject,
  pageObject,
} from './objects.ts';
import { draftOf, pageRoutes } from './pages-api.ts';
import { userObject } from './properties.ts';
import { notFound, Refusal } from './refusal.ts';
import { runsOf } from './rich-text.ts';
import type { SchemaName } from './schemas.ts';
import { minuteOf, type Store } from './store.ts';

/** A request, decoded. */
export interface Call {
  store: Store;
  /** The id in the path, with dashes; '' where there is none. */
  id: string;
  query: URLSearchParams;
  body: Json;
  bytes: number;
  /** The id of the bot that the token belongs to. */
  viewer: string;
  /** ms by which listings lag. */
  lag: number;
}

export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Its first group is the id. */
  path: RegExp;
  request?: SchemaName;
  response: SchemaName;
  /** How the request's schema calls the id of the path. */
  idName?: string;
  handle(call: Call): Json;
}

/** `page_size` up to 100, `start_cursor` an id. https://developers.notion.com/reference/intro#pagination */
function paged<T>(
  call: Call,
  items: readonly T[],
  type: string,
  show: (item: T) => Json & { id?: unknown },
): Json {
  const { query, body } = call;
  const size = Number(query.get('page_size') ?? body['page_size'] ?? 100);
  if (!Number.isInteger(size) || size < 1 || size > 100) {
    throw new Refusal(
      'validation_error',
      `body failed validation: body.page_size should be ≤ \`100\`, instead was \`${size}\`.`,
    );
  }
  const shown = items.map(show);
  const cursor = query.get('start_cursor') ?? body['start_cursor'];
  const from = typeof cursor === 'string' ? shown.findIndex(({ id }) => id === dashed(cursor)) : 0;
  if (from < 0) throw new Refusal('validation_error', 'The start_cursor provided is invalid.');
  const results = shown.slice(from, from + size);
  const next = shown[from + size];
  return {
    object: 'list',
    type,
    [type]: {},
    results,
    next_cursor: next === undefined ? null : String(next.id),
    has_more: next !== undefined,
  };
}

/** https://developers.notion.com/reference/post-search: pages and data sources, not what is in the trash. */
function search(call: Call): Json {
  const { store, body, lag } = call;
  const filter = body['filter'] as { value?: string } | undefined;
  const query = String(body['query'] ?? '').toLowerCase();
  const sort = body['sort'] as { direction?: string } | undefined;
  const { searchLeavesOut } = store.habits;
  const pages = store
    .listed(lag)
    .filter((page) => !isTrashed(store, page) && store.isShared(page.id, call.viewer))
    .filter(({ parent }) => !searchLeavesOut || parent.type === 'workspace');
  const databases = [...store.databases.values()].filter(
    ({ parent }) => !searchLeavesOut || parent === null,
  );
  const items = [
    ...(filter?.value === 'data_source'
      ? []
      : pages.map((page) => ({
          at: page.editedAt,
          id: page.id,
          title: store.titleOf(page),
          object: pageObject(page, store.databases.values()),
        }))),
    ...(filter?.value === 'page'
      ? []
      : databases.map((one) => ({
          at: one.editedAt,
          id: one.dataSourceId,
          title: one.title,
          object: dataSourceObject(one),
        }))),
  ].filter(({ title }) => title.toLowerCase().includes(query));
  const sign = sort?.direction === 'ascending' ? 1 : -1;
  items.sort((a, b) => (a.at === b.at ? (a.id < b.id ? -1 : 1) : a.at < b.at ? -sign : sign));
  return paged(call, items, 'page_or_data_source', ({ object }) => object);
}

/** In the trash, or below something that is. */
function isTrashed(store: Store, page: Page): boolean {
  if (page.inTrash) return true;
  const { parent } = page;
  if (parent.type === 'workspace') return false;
  const id = parent.type === 'page' ? parent.id : store.dataSource(parent.id).parent;
  const above = id === null ? undefined : store.pages.get(id);
  return above !== undefined && isTrashed(store, above);
}

interface TimeFilter {
  timestamp: 'created_time' | 'last_edited_time';
  [name: string]: unknown;
}

/** Of the filters by a property, those that ask whether an option is chosen. */
const optionSchema = z.object({ equals: z.string() });
const optionFilterSchema = z.union([
  z.strictObject({ property: z.string(), status: optionSchema }),
  z.strictObject({ property: z.string(), select: optionSchema }),
]);

/** Which rows a filter by a property leaves. @throws Refusal for one that the stand-in does not know */
function hasOption(filter: unknown): (page: Page) => boolean {
  const known = optionFilterSchema.safeParse(filter).data;
  if (known === undefined) {
    throw new Refusal('validation_error', 'the stand-in knows filters by timestamp and by option');
  }
  const kind = 'status' in known ? 'status' : 'select';
  const wanted = 'status' in known ? known.status.equals : known.select.equals;
  return ({ properties }) => {
    const chosen = properties[known.property]?.[kind] as { name?: string } | null | undefined;
    return chosen?.name === wanted;
  };
}

/** https://developers.notion.com/reference/query-a-data-source; of the filters, those by time and by option. */
function queryDataSource(call: Call): Json {
  const { store, body, id, lag } = call;
  store.dataSource(id);
  const filter = body['filter'] as TimeFilter | undefined;
  const isAsked =
    filter === undefined || filter.timestamp !== undefined ? () => true : hasOption(filter);
  const since = String(
    (filter?.[filter.timestamp] as { on_or_after?: string } | undefined)?.on_or_after ?? '',
  );
  const timeOf = (page: Page) =>
    filter?.timestamp === 'created_time' ? page.createdAt : page.editedAt;
  const rows = store
    .listed(lag)
    .filter(
      (page) =>
        page.parent.type === 'data_source' && page.parent.id === id && !isTrashed(store, page),
    )
    .filter(isAsked)
    .filter((page) => since === '' || Date.parse(timeOf(page)) >= Date.parse(since))
    .sort((a, b) =>
      a.editedAt === b.editedAt ? (a.id < b.id ? -1 : 1) : a.editedAt < b.editedAt ? 1 : -1,
    );
  return paged(call, rows, 'page_or_data_source', (page) =>
    pageObject(page, store.databases.values()),
  );
}

/** https://developers.notion.com/reference/get-block-children; a page is a block too. */
function listChildren(call: Call): Json {
  const { store, id, lag } = call;
  const page = store.listed(lag).find((one) => one.id === id);
  const blocks = page === undefined ? findBlock(store, id).block.children : page.blocks;
  const parent =
    page === undefined ? { type: 'block_id', block_id: id } : { type: 'page_id', page_id: id };
  const shown = blocks.filter(({ id: one }) => store.pages.get(one)?.inTrash !== true);
  return paged(call, shown, 'block', (block) => blockObject(asOfNow(store, block), parent));
}

/**
 * The block of a child page is the page: it has its title, its times, and children where the page
 * has (recordings: `DELETE /v1/blocks/ID` of a page).
 */
function asOfNow(store: Store, block: Block): Block {
  const { file } = block.content as { file?: { url: string } };
  if (file !== undefined) {
    // "URLs to files are valid for one hour": each answer has one that is signed anew (reference/file-object).
    const url = `${file.url}?signature=${store.newId()}`;
    const expiry_time = new Date(store.now + 3_600_000).toISOString();
    return { ...block, content: { ...block.content, file: { url, expiry_time } } };
  }
  const page = block.type === 'child_page' ? store.pages.get(block.id) : undefined;
  if (page === undefined) return block;
  const { createdAt, editedAt, createdBy: by, blocks: children } = page;
  return { ...block, content: { title: store.titleOf(page) }, createdAt, editedAt, by, children };
}

/** https://developers.notion.com/reference/patch-block-children */
function appendChildren(call: Call): Json {
  const { store, body, id, viewer } = call;
  checkLimits(body, call.bytes);
  const made = (body['children'] as Json[]).map((block) => store.blockOf(draftOf(block), viewer));
  const page = store.pages.get(id);
  if (page === undefined) {
    const found = findBlock(store, id);
    const blocks = swapped(found.page.blocks, id, (block) => ({
      ...block,
      children: placed(block.children, made, body),
    }));
    store.put({ ...found.page, blocks }, viewer);
  } else store.put({ ...page, blocks: placed(page.blocks, made, body) }, viewer);
  const parent =
    page === undefined ? { type: 'block_id', block_id: id } : { type: 'page_id', page_id: id };
  return {
    object: 'list',
    type: 'block',
    block: {},
    next_cursor: null,
    has_more: false,
    results: made.map((block) => blockObject(block, parent)),
  };
}

/** "position": at the end where it is not given. */
function placed(blocks: readonly Block[], made: readonly Block[], body: Json): Block[] {
  const { type, after_block } = (body['position'] ?? {}) as {
    type?: string;
    after_block?: { id: string };
  };
  if (type === 'start') return [...made, ...blocks];
  if (after_block === undefined) return [...blocks, ...made];
  const at = blocks.findIndex(({ id }) => id === dashed(after_block.id));
  if (at < 0) throw notFound('block', after_block.id);
  return [...blocks.slice(0, at + 1), ...made, ...blocks.slice(at + 1)];
}

function updateBlock(call: Call): Json {
  const { store, body, id, viewer } = call;
  checkLimits(body, call.bytes);
  const { page, block, parent } = findBlock(store, id);
  const given = body[block.type] as Json | undefined;
  if (given === undefined)
    throw new Refusal('validation_error', `body.${block.type} should be defined.`);
  const next = {
    ...block,
    content: { ...block.content, ...draftOf({ [block.type]: given }).content },
  };
  store.put({ ...page, blocks: swapped(page.blocks, id, () => next) }, viewer);
  return blockObject(next, parent);
}

function deleteBlock({ store, id, viewer }: Call): Json {
  const { page, block, parent } = findBlock(store, id);
  store.put({ ...page, blocks: swapped(page.blocks, id, () => null) }, viewer);
  return { ...blockObject(block, parent), in_trash: true, archived: true };
}

function commentText(body: Json): string {
  if (typeof body['markdown'] === 'string') return body['markdown'];
  return runsOf(body['rich_text'] ?? [])
    .map(({ text }) => text)
    .join('');
}

/** https://developers.notion.com/reference/create-a-comment; it does not bump the page. */
function createComment(call: Call): Json {
  const { store, body, viewer } = call;
  checkLimits(body, call.bytes);
  const comment: Comment = {
    id: store.newId(),
    ...threadOf(store, body),
    text: commentText(body),
    by: viewer,
    createdAt: minuteOf(store.now),
  };
  store.comments.set(comment.id, comment);
  return commentObject(comment);
}

/** A new thread on a page or on a block, or one that is there. */
function threadOf(store: Store, body: Json): Pick<Comment, 'page' | 'block' | 'discussion'> {
  const { page_id, block_id } = (body['parent'] ?? {}) as { page_id?: string; block_id?: string };
  if (typeof body['discussion_id'] === 'string') {
    const thread = dashed(body['discussion_id']);
    const there = [...store.comments.values()].find(({ discussion }) => discussion === thread);
    if (there === undefined) throw notFound('discussion', thread);
    const { page, block, discussion } = there;
    return { page, discussion, ...(block === undefined ? {} : { block }) };
  }
  const discussion = store.newId();
  if (block_id === undefined) return { page: store.page(dashed(page_id ?? '')).id, discussion };
  const { page, block } = findBlock(store, dashed(block_id));
  return { page: page.id, block: block.id, discussion };
}

function commentOf(store: Store, id: string): Comment {
  const found = store.comments.get(id);
  if (found === undefined) throw notFound('comment', id);
  return found;
}

/** Only comments of the integration itself can be changed (unverified). */
function updateComment({ store, body, id, viewer }: Call): Json {
  const comment = commentOf(store, id);
  if (comment.by !== viewer)
    throw new Refusal('restricted_resource', 'This comment was made by someone else.');
  const next = { ...comment, text: commentText(body) };
  store.comments.set(id, next);
  return commentObject(next);
}

/** "a comment does not bump" its page; times of comments are rounded as all others are (recordings). */
function listComments(call: Call): Json {
  const id = dashed(call.query.get('block_id') ?? '');
  if (!call.store.pages.has(id)) findBlock(call.store, id);
  // "Identifier for a Notion block or page": those on a page's blocks are listed by block.
  const comments = [...call.store.comments.values()].filter(
    ({ page, block }) => (block ?? page) === id,
  );
  return paged(call, comments, 'comment', commentObject);
}

const ID = '([^/]+)';
const route = (
  method: Route['method'],
  path: string,
  rest: Omit<Route, 'method' | 'path'>,
): Route => ({
  method,
  path: new RegExp(`^/v1/${path}$`),
  ...rest,
});

export const ROUTES: readonly Route[] = [
  ...pageRoutes,
  route('POST', 'search', {
    request: 'SearchParameters',
    response: 'SearchResponse',
    handle: search,
  }),
  route('GET', `databases/${ID}`, {
    response: 'GetDatabaseResponse',
    handle: ({ store, id }) => {
      const found = store.databases.get(id);
      if (found === undefined) throw notFound('database', id);
      const all = [...store.databases.values()].filter((one) => one.id === id);
      return databaseObject(found, all);
    },
  }),
  route('GET', `data_sources/${ID}`, {
    response: 'GetDataSourceResponse',
    handle: ({ store, id }) => dataSourceObject(store.dataSource(id)),
  }),
  route('POST', `data_sources/${ID}/query`, {
    request: 'QueryDataSourceParameters',
    response: 'QueryDataSourceResponse',
    idName: 'data_source_id',
    handle: queryDataSource,
  }),
  route('GET', `blocks/${ID}`, {
    response: 'GetBlockResponse',
    handle: ({ store, id }) => {
      const { block, parent } = findBlock(store, id);
      return blockObject(asOfNow(store, block), parent);
    },
  }),
  route('GET', `blocks/${ID}/children`, {
    response: 'ListBlockChildrenResponse',
    handle: listChildren,
  }),
  route('PATCH', `blocks/${ID}/children`, {
    request: 'AppendBlockChildrenParameters',
    response: 'AppendBlockChildrenResponse',
    idName: 'block_id',
    handle: appendChildren,
  }),
  route('PATCH', `blocks/${ID}`, {
    request: 'UpdateBlockParameters',
    response: 'UpdateBlockResponse',
    idName: 'block_id',
    handle: updateBlock,
  }),
  route('DELETE', `blocks/${ID}`, { response: 'DeleteBlockResponse', handle: deleteBlock }),
  route('GET', 'comments', { response: 'ListCommentsResponse', handle: listComments }),
  route('GET', `comments/${ID}`, {
    response: 'GetCommentResponse',
    handle: ({ store, id }) => commentObject(commentOf(store, id)),
  }),
  route('POST', 'comments', {
    request: 'CreateCommentParameters',
    response: 'CreateCommentResponse',
    handle: createComment,
  }),
  route('PATCH', `comments/${ID}`, {
    request: 'UpdateCommentParameters',
    response: 'UpdateCommentResponse',
    idName: 'comment_id',
    handle: updateComment,
  }),
  route('GET', 'users', {
    response: 'ListUsersResponse',
    handle: (call) => paged(call, call.store.users, 'user', userObject),
  }),
  route('GET', 'users/me', {
    response: 'GetUserResponse',
    handle: ({ store, viewer }) => {
      const me = store.users.find(({ id }) => id === viewer);
      if (me === undefined) throw notFound('user', viewer);
      return userObject(me);
    },
  }),
];
