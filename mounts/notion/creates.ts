/** How pages and rows are made, and found again after a lost answer. */
import {
  type Create,
  expectShape,
  type Outcome,
  type Params,
  ServiceFailure,
  type ServiceRequest,
  type Values,
} from '../../src/mount/index.ts';
import type { NotionClient } from './client.ts';
import { notionBody } from './markdown/index.ts';
import { keyOf, keyOfPlace } from './names.ts';
import { shownText, titleProperty } from './properties.ts';
import { pageRecord, rowRecord } from './records.ts';
import { asShown, checkNames, propertiesOf } from './references.ts';
import { type ApiPage, blockSchema, pageSchema } from './schemas.ts';
import type { NotionStore } from './store.ts';
import { lostReferences } from './text-edits.ts';
import type { WriteParts } from './write-parts.ts';

/** Notion's clock is rounded down to the minute where it matters here. */
export const MINUTE_MS = 60_000;
const CLOCK_SLACK_MS = 2_000;

const keyIn = (params: Params): string => keyOfPlace(params['place'] ?? '');

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
    normal: (params, values) => asShown(store, sourceAt(params), values),
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
      ...(typeof body === 'string' ? { markdown: notionBody(body) } : {}),
    },
  };
}

async function made({ sync, store }: WriteParts, page: ApiPage): Promise<Outcome> {
  await sync.putPage(page, 'write');
  return outcome(store, page);
}

export function outcome(store: NotionStore, { id, url }: ApiPage): Outcome {
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
  const { results } = await client.list(`data_sources/${id}/query`, { body: { filter } });
  return results.map((one) => expectShape('Notion', pageSchema, one, 'a new row'));
}

/** By the parent's own list of blocks, which does not lag as a search does. */
async function newChildren(client: NotionClient, id: string, since: number): Promise<ApiPage[]> {
  const ids: string[] = [];
  for await (const { results } of client.pages(`blocks/${id}/children`, {})) {
    for (const one of results) {
      const block = expectShape('Notion', blockSchema, one, 'a block');
      if (block.type === 'child_page' && Date.parse(block.created_time) >= since)
        ids.push(block.id);
    }
  }
  return Promise.all(ids.map((one) => client.get(pageSchema, `pages/${one}`, 'a new page')));
}

/** What the replica held before the request went out cannot have come of it. */
function knownBefore(store: NotionStore, { id }: ApiPage, sentAt: number): boolean {
  const held = store.head(keyOf(id));
  return held !== null && held.checkedAt < sentAt;
}
