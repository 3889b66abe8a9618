/** How pages, rows and comments are changed, made and moved to the trash. */
import type { ServiceRequest } from '../../src/changes/change.ts';
import { expectShape, ServiceFailure } from '../../src/mount/failure.ts';
import { nearest, someOf } from '../../src/mount/nearest.ts';
import type { Problem, Values } from '../../src/mount/record.ts';
import type { Create, Edit, Outcome, Params, Remove } from '../../src/mount/route.ts';
import type { NotionClient } from './client.ts';
import { keyOf, keyOfPlace } from './names.ts';
import { type Ids, requested, richText, shown, shownText, titleProperty } from './properties.ts';
import {
  commentRecord,
  commentValues,
  fieldOf,
  pageKey,
  pageRecord,
  rowRecord,
} from './records.ts';
import { nameIn, nameOfUser, pageFields, recordOf } from './render.ts';
import {
  type ApiComment,
  type ApiPage,
  type ApiSource,
  type ApiUser,
  blockSchema,
  commentSchema,
  markdownSchema,
  type PropertyConfig,
  pageSchema,
} from './schemas.ts';
import type { NotionStore } from './store.ts';
import type { NotionSync } from './sync.ts';
import { contentUpdates, lostReferences } from './text-edits.ts';

/** Notion's clock is rounded down to the minute where it matters here. */
const MINUTE_MS = 60_000;
const CLOCK_SLACK_MS = 2_000;

export interface WriteParts {
  client: NotionClient;
  store: NotionStore;
  sync: NotionSync;
}

const keyIn = (params: Params): string => keyOfPlace(params['place'] ?? '');

/** Changes a page's title, properties and text: of the text only the lines that differ. */
export function pageEdit(parts: WriteParts): Edit {
  const { store, sync } = parts;
  return {
    record: (params) => recordOf(store, keyIn(params)),
    current: (params) => {
      const found = pageFields(store, keyIn(params));
      return found === null ? null : { values: found.values, version: found.version };
    },
    refresh: async (params) => {
      await sync.ensurePlace(params['place'] ?? '');
      const key = keyIn(params);
      const id = store.page(key)?.page.id;
      if (id === undefined) return;
      await sync.lookupPage(id);
      await sync.lookupBody(key);
    },
    check: (params, delta) => checkEdit(parts, keyIn(params), delta),
    request: (params, delta) => editRequest(parts, keyIn(params), delta),
    send: (params, request) => sendEdit(parts, keyIn(params), request),
  };
}

async function checkEdit(parts: WriteParts, key: string, delta: Values): Promise<Problem[]> {
  const { store } = parts;
  const found = pageFields(store, key);
  if (found === null) return [];
  const problems = await checkNames(parts, store.sourceOf(found.page), delta);
  for (const [name, value] of Object.entries(found.page.properties)) {
    const field = fieldOf({ name, type: value.type });
    const { fixed } = shown(value, (id) => nameIn(store, id));
    if (Object.hasOwn(delta, field) && fixed !== null) {
      problems.push({ field, message: `${fixed}: change it in Notion` });
    }
  }
  if (typeof delta['body'] === 'string') {
    const [lost] = lostReferences(String(found.values['body']), delta['body']);
    if (lost !== undefined) {
      const message = `the line ${lost} stands for something that a text cannot hold: leave it as it is (pages are made with new.md, and moved to the trash with rm)`;
      problems.push({ field: 'body', message });
    }
  }
  return problems;
}

/** People and pages must be there; people are looked up once, and only when one is named. */
async function checkNames(
  { store, sync }: WriteParts,
  source: ApiSource | null,
  values: Values,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const config of Object.values(source?.properties ?? {})) {
    const names = values[fieldOf(config)];
    if (!Array.isArray(names) || names.length === 0) continue;
    if (config.type === 'people') await sync.ensureUsers();
    const ids = idsOf(store);
    const find = config.type === 'people' ? ids.user : config.type === 'relation' ? ids.page : null;
    if (find === null) continue;
    for (const name of names as string[]) {
      if (find(name) !== null) continue;
      const known = config.type === 'people' ? peopleNames(store) : [];
      const alike = nearest(name, known);
      const hint = alike.length > 0 ? `nearest: ${alike.join(', ')}; ` : '';
      const what = config.type === 'people' ? 'person' : 'page';
      const allowed = config.type === 'people' ? someOf(known) : 'file names or ids of pages here';
      const message = `there is no ${what} "${name}", or more than one (${hint}allowed: ${allowed})`;
      problems.push({ field: fieldOf(config), message });
    }
  }
  return problems;
}

function peopleNames(store: NotionStore): string[] {
  return store.users().map(({ name, id }) => name ?? id);
}

function idsOf(store: NotionStore): Ids {
  const only = (found: ApiUser[]): string | null =>
    found.length === 1 ? (found[0]?.id ?? null) : null;
  return {
    user: (name) => {
      const users = store.users();
      return (
        only(users.filter(({ id, person }) => id === name || person?.email === name)) ??
        only(users.filter((user) => user.name === name))
      );
    },
    page: (name) => {
      const key = pageKey(name);
      return key === null ? null : (store.page(key)?.page.id ?? null);
    },
  };
}

/** Properties of a request; the title under the name that its property has. */
function propertiesOf(
  store: NotionStore,
  configs: readonly Pick<PropertyConfig, 'name' | 'type'>[],
  values: Values,
): Record<string, unknown> {
  const ids = idsOf(store);
  const given = configs.filter((config) => values[fieldOf(config)] !== undefined);
  return Object.fromEntries(
    given.map((config) => [
      config.name,
      { [config.type]: requested(config.type, values[fieldOf(config)], ids) },
    ]),
  );
}

/** The text first: it is what Notion may still refuse, and then nothing has changed. */
function editRequest({ store }: WriteParts, key: string, delta: Values): ServiceRequest {
  const found = pageFields(store, key);
  if (found === null) throw new Error(`nothing is held of the page ${key}`);
  const { body, ...fields } = delta;
  const { page } = found;
  const configs = Object.entries(page.properties).map(([name, { type }]) => ({ name, type }));
  const properties: ServiceRequest | null =
    Object.keys(fields).length === 0
      ? null
      : {
          method: 'PATCH',
          url: `/v1/pages/${page.id}`,
          body: { properties: propertiesOf(store, configs, fields) },
        };
  const text =
    typeof body === 'string' ? textRequest(page.id, String(found.values['body']), body) : null;
  if (text === null && properties === null) throw new Error('an edit that changes nothing');
  if (text === null) return properties as ServiceRequest;
  return properties === null ? text : { ...text, next: properties };
}

function textRequest(id: string, before: string, after: string): ServiceRequest {
  const body =
    before === ''
      ? { type: 'insert_content', insert_content: { content: after } }
      : {
          type: 'update_content',
          update_content: { content_updates: contentUpdates(before, after) },
        };
  return { method: 'PATCH', url: `/v1/pages/${id}/markdown`, body };
}

async function sendEdit(parts: WriteParts, key: string, request: ServiceRequest): Promise<Outcome> {
  const { sync, store } = parts;
  const { next, ...first } = request;
  await sendOne(parts, key, first);
  if (next !== undefined) await sendSecond(parts, key, next);
  else if (first.url.endsWith('/markdown')) {
    // The text's answer has no time: without it the next listing would make us ask again.
    const id = store.page(key)?.page.id;
    if (id !== undefined) await lookupAfter(parts, id);
  }
  const page = store.page(key)?.page;
  if (page === undefined)
    throw new ServiceFailure('protocol', 'Notion changed the page, and does not have it any more');
  const text = store.body(key)?.body.markdown;
  if (text !== undefined) sync.putBody(key, text);
  return outcome(store, page);
}

/** The edit is made, whatever becomes of this question: the next listing will tell, too. */
async function lookupAfter({ sync }: WriteParts, id: string): Promise<void> {
  try {
    await sync.lookupPage(id);
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
  }
}

async function sendOne(parts: WriteParts, key: string, request: ServiceRequest): Promise<void> {
  const { client, store, sync } = parts;
  const answer = await client.send(request);
  if (!request.url.endsWith('/markdown')) {
    await sync.putPage(
      expectShape('Notion', pageSchema, answer, 'the page that was written'),
      'write',
    );
    return;
  }
  const before = store.body(key)?.body.markdown;
  const { markdown } = expectShape('Notion', markdownSchema, answer, 'the text that was written');
  sync.putBody(key, markdown);
  if (markdown === before) {
    throw new ServiceFailure('protocol', 'Notion took the text and left the page as it was');
  }
}

/** The first half is made: a refusal of the second one is not "nothing changed". */
async function sendSecond(parts: WriteParts, key: string, request: ServiceRequest): Promise<void> {
  try {
    await sendOne(parts, key, request);
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    throw new ServiceFailure(
      'protocol',
      `the text was changed, and the fields were not: ${error.message}`,
      {
        cause: error,
      },
    );
  }
}

/** Makes a page below a page, or a row of a database. */
export function pageCreate(parts: WriteParts): Create {
  const { store } = parts;
  const sourceAt = (params: Params) => store.source(keyIn(params))?.source ?? null;
  return {
    record: (params) => {
      const source = sourceAt(params);
      return source === null ? pageRecord : rowRecord(source);
    },
    check: async (params, values) => {
      const problems = await checkNames(parts, sourceAt(params), values);
      const [line] = typeof values['body'] === 'string' ? lostReferences('', values['body']) : [];
      if (line === undefined) return problems;
      return [
        ...problems,
        { field: 'body', message: `the line ${line} names something of another page` },
      ];
    },
    request: (params, values) => createRequest(store, keyIn(params), values),
    send: async (_params, request) => {
      const answer = await parts.client.send(request);
      return made(parts, expectShape('Notion', pageSchema, answer, 'the page that was made'));
    },
    find: (params, request, sentAt) => findPage(parts, keyIn(params), request, sentAt),
  };
}

function createRequest(store: NotionStore, key: string, values: Values): ServiceRequest {
  const { body, ...fields } = values;
  const found = store.node(key);
  if (found === null) throw new ServiceFailure('missing', 'there is no such page');
  const { node } = found;
  const configs =
    node.object === 'page' ? [{ name: 'title', type: 'title' }] : Object.values(node.properties);
  return {
    method: 'POST',
    url: '/v1/pages',
    body: {
      parent: node.object === 'page' ? { page_id: node.id } : { data_source_id: node.id },
      properties: propertiesOf(store, configs, fields),
      ...(typeof body === 'string' ? { markdown: body } : {}),
    },
  };
}

async function made({ sync, store }: WriteParts, page: ApiPage): Promise<Outcome> {
  await sync.putPage(page, 'write');
  return outcome(store, page);
}

function outcome(store: NotionStore, { id, url }: ApiPage): Outcome {
  return { path: store.head(keyOf(id))?.path ?? '/', url };
}

/** The one page of ours below this one, made since the request, with its very title. */
async function findPage(
  parts: WriteParts,
  key: string,
  request: ServiceRequest,
  sentAt: number,
): Promise<Outcome | null> {
  const { client, sync, store } = parts;
  const since = Math.floor((client.serverTime(sentAt) - CLOCK_SLACK_MS) / MINUTE_MS) * MINUTE_MS;
  const node = store.node(key)?.node;
  if (node === undefined) return null;
  const wanted = wantedTitle(request);
  const pages =
    node.object === 'page'
      ? await newChildren(client, node.id, since)
      : await newRows(client, node.id, since);
  const me = await sync.me();
  const found = pages.filter((page) => {
    const title = page.properties[titleProperty(page)]?.['title'];
    const text = shownText((title ?? []) as { plain_text: string }[]).value;
    return text === wanted && page.created_by.id === me && !knownBefore(store, page, sentAt);
  });
  const [page] = found;
  return page === undefined || found.length > 1 ? null : made(parts, page);
}

function wantedTitle(request: ServiceRequest): string {
  const { properties } = request.body as {
    properties: Record<string, { title?: { text: { content: string } }[] }>;
  };
  const title = Object.values(properties).find((value) => value.title !== undefined)?.title ?? [];
  return title.map(({ text }) => text.content).join('');
}

async function newRows(client: NotionClient, id: string, since: number): Promise<ApiPage[]> {
  const filter = {
    timestamp: 'created_time',
    created_time: { on_or_after: new Date(since).toISOString() },
  };
  const { results } = await client.list(`data_sources/${id}/query`, { body: { filter } }, null);
  return results.map((one) => expectShape('Notion', pageSchema, one, 'a new row'));
}

/** By the parent's own list of blocks, which does not lag as a search does. */
async function newChildren(client: NotionClient, id: string, since: number): Promise<ApiPage[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const answer = await client.list(`blocks/${id}/children`, { query: {} }, cursor);
    for (const one of answer.results) {
      const block = expectShape('Notion', blockSchema, one, 'a block');
      if (block.type === 'child_page' && Date.parse(block.created_time) >= since)
        ids.push(block.id);
    }
    cursor = answer.has_more ? (answer.next_cursor ?? null) : null;
  } while (cursor !== null);
  return Promise.all(ids.map((one) => client.get(pageSchema, `pages/${one}`, 'a new page')));
}

/** What the replica held before the request went out cannot have come of it. */
function knownBefore(store: NotionStore, { id }: ApiPage, sentAt: number): boolean {
  const held = store.head(keyOf(id));
  return held !== null && held.checkedAt < sentAt;
}

/** Moves a page to the trash, from where Notion's own trash brings it back for 30 days. */
export function pageRemove({ client, store, sync }: WriteParts): Remove {
  const idOf = (params: Params) => store.page(keyIn(params))?.page.id ?? '';
  return {
    refuse: (params) => {
      const below = store.below(keyIn(params)).length;
      return below === 0
        ? null
        : `${below} ${below === 1 ? 'page is' : 'pages are'} below it, and would go with it: remove those first`;
    },
    request: (params) => ({
      method: 'PATCH',
      url: `/v1/pages/${idOf(params)}`,
      body: { in_trash: true },
    }),
    send: async (params, request) => {
      await client.send(request);
      store.put({ ...(store.page(keyIn(params))?.page as ApiPage), in_trash: true }, 'write');
    },
    gone: async (params) => {
      const key = keyIn(params);
      const id = idOf(params);
      if (id !== '') await sync.lookupPage(id);
      return store.page(key) === null;
    },
  };
}

/** Changes the text of a comment; Notion lets an integration change its own. */
export function commentEdit(parts: WriteParts): Edit {
  const { store, client } = parts;
  const found = (params: Params) => store.comment(keyIn(params), params['comment'] ?? '');
  return {
    record: commentRecord,
    current: (params) => {
      const one = found(params);
      if (one === null) return null;
      return {
        values: commentValues(one.comment, (id) => nameOfUser(store, id)),
        version: one.record.version,
      };
    },
    refresh: async (params) => {
      const id = params['comment'] ?? '';
      store.putComment(
        keyIn(params),
        await client.get(commentSchema, `comments/${id}`, 'a comment'),
      );
    },
    check: async (params) => {
      const fixed = shownText(found(params)?.comment.rich_text ?? []).fixed;
      return fixed === null ? [] : [{ field: 'body', message: `${fixed}: change it in Notion` }];
    },
    request: (params, delta) => ({
      method: 'PATCH',
      url: `/v1/comments/${params['comment']}`,
      body: { rich_text: richText(String(delta['body'])) },
    }),
    send: async (params, request) => commentMade(parts, params, await client.send(request)),
  };
}

export function commentCreate(parts: WriteParts): Create {
  const { store, sync, client } = parts;
  return {
    record: commentRecord,
    request: (params, values) => ({
      method: 'POST',
      url: '/v1/comments',
      body: {
        parent: { page_id: store.page(keyIn(params))?.page.id },
        rich_text: richText(String(values['body'])),
      },
    }),
    send: async (params, request) => commentMade(parts, params, await client.send(request)),
    find: async (params, request, sentAt) => {
      const key = keyIn(params);
      const known = new Set(
        store
          .commentHeads(key)
          .filter(({ checkedAt }) => checkedAt < sentAt)
          .map((head) => head.key),
      );
      const page = store.page(key)?.page.id ?? '';
      const me = await sync.me();
      const { rich_text } = request.body as { rich_text: { text: { content: string } }[] };
      const wanted = rich_text.map(({ text }) => text.content).join('');
      const found = (await allComments(client, page)).filter(
        (comment) =>
          comment.created_by.id === me &&
          shownText(comment.rich_text).value === wanted &&
          Date.parse(comment.created_time) >= client.serverTime(sentAt) - MINUTE_MS &&
          !known.has(comment.id.replaceAll('-', '')),
      );
      return found.length === 1 ? commentMade(parts, params, found[0]) : null;
    },
  };
}

async function allComments(client: NotionClient, page: string): Promise<ApiComment[]> {
  const comments: ApiComment[] = [];
  let cursor: string | null = null;
  do {
    const answer = await client.list('comments', { query: { block_id: page } }, cursor);
    comments.push(...expectShape('Notion', commentSchema.array(), answer.results, 'comments'));
    cursor = answer.has_more ? (answer.next_cursor ?? null) : null;
  } while (cursor !== null);
  return comments;
}

function commentMade({ store }: WriteParts, params: Params, answer: unknown): Outcome {
  const comment = expectShape('Notion', commentSchema, answer, 'the comment that was written');
  store.putComment(keyIn(params), comment);
  const page = store.head(keyIn(params))?.path?.replace(/\.md$/, '') ?? '';
  return { path: `${page}/comments/${comment.id.replaceAll('-', '')}.md` };
}
