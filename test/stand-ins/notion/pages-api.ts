/** Pages: https://developers.notion.com/reference/page, and their text as markdown. */

import { findBlock } from './find-block.ts';
import { written } from './habits.ts';
import { checkLimits } from './limits.ts';
import { type Draft, parseBlocks, renderBlocks } from './markdown.ts';
import type { Block, Json, Page } from './model.ts';
import { pageObject } from './objects.ts';
import { Refusal } from './refusal.ts';
import { richTextOf, runsOf } from './rich-text.ts';
import type { Call, Route } from './routes.ts';
import type { Store } from './store.ts';

const show = ({ store }: Call, page: Page): Json => pageObject(page, store.databases.values());

export const pageRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: /^\/v1\/pages\/([^/]+)$/,
    response: 'GetPageResponse',
    // A page in the trash is still given, with in_trash (reference/retrieve-a-page).
    handle: (call) => show(call, call.store.page(call.id)),
  },
  {
    method: 'POST',
    path: /^\/v1\/pages$/,
    request: 'CreatePageParameters',
    response: 'CreatePageResponse',
    handle: createPage,
  },
  {
    method: 'PATCH',
    path: /^\/v1\/pages\/([^/]+)$/,
    request: 'UpdatePageParameters',
    response: 'UpdatePageResponse',
    idName: 'page_id',
    handle: updatePage,
  },
  {
    method: 'GET',
    path: /^\/v1\/pages\/([^/]+)\/markdown$/,
    response: 'PageMarkdownResponse',
    handle: textOf,
  },
  {
    method: 'PATCH',
    path: /^\/v1\/pages\/([^/]+)\/markdown$/,
    request: 'UpdatePageMarkdownParameters',
    response: 'PageMarkdownResponse',
    idName: 'page_id',
    handle: updateMarkdown,
  },
];

function markdownOf({ store }: Call, { id, blocks }: { id: string; blocks: Block[] }): Json {
  const { markdown, unknown } = loaded(store, blocks);
  return {
    object: 'page_markdown',
    id,
    markdown,
    truncated: unknown.length > 0,
    unknown_block_ids: unknown,
  };
}

/** The text of so many blocks; for each of the others a line. */
function loaded(
  { habits }: Store,
  blocks: readonly Block[],
): { markdown: string; unknown: string[] } {
  const count = (all: readonly Block[]): number =>
    all.reduce((sum, { children }) => sum + 1 + count(children), 0);
  const unknown: string[] = [];
  let taken = 0;
  const lines = blocks.map((block) => {
    taken += count([block]);
    // One that is asked for by itself is loaded, however large.
    if (taken <= habits.blocksMost || blocks.length === 1) return block;
    unknown.push(block.id);
    return { ...block, type: 'unknown', children: [] };
  });
  return { markdown: written(renderBlocks(lines), habits), unknown };
}

/** "Pass these ids back to this endpoint": of a page, or of a block in one. */
function textOf(call: Call): Json {
  const { store, id } = call;
  const page = store.pages.get(id);
  return markdownOf(call, page ?? { id, blocks: [findBlock(store, id).block] });
}

/** https://developers.notion.com/reference/post-page */
function createPage(call: Call): Json {
  const { store, body, viewer } = call;
  checkLimits(body, call.bytes);
  const given = body['parent'] as Json | undefined;
  const parent = parentOf(call, given);
  const properties = (body['properties'] ?? {}) as Record<string, Json>;
  if (body['markdown'] !== undefined && (body['children'] ?? body['content']) !== undefined) {
    // "The markdown parameter is mutually exclusive with children and content."
    throw new Refusal('validation_error', 'markdown and children cannot be used together.');
  }
  let drafts = draftsOf(body);
  if (!Object.keys(properties).some((key) => key === 'title') && parent.type === 'page') {
    // "If properties.title is omitted, the first # h1 heading is extracted as the page title."
    const first = drafts.find(({ type }) => type === 'heading_1');
    if (first !== undefined) properties['title'] = { title: first.content['rich_text'] };
    drafts = drafts.filter((draft) => draft !== first);
  }
  const blank = { parent, properties: store.blank(parent) };
  return show(call, store.create(parent, store.propertiesOf(blank, properties), drafts, viewer));
}

function draftsOf(body: Json): Draft[] {
  if (typeof body['markdown'] === 'string') return parseBlocks(body['markdown']);
  return ((body['children'] ?? body['content'] ?? []) as Json[]).map(draftOf);
}

/** A block of a request. */
export function draftOf(block: Json): Draft {
  const type = String(block['type'] ?? Object.keys(block).find((key) => key !== 'object'));
  const { children, ...content } = block[type] as Json;
  for (const name of ['rich_text', 'caption']) {
    if (Array.isArray(content[name])) content[name] = normalised(content[name]);
  }
  if (Array.isArray(content['cells'])) content['cells'] = content['cells'].map(normalised);
  return { type, content, children: ((children ?? []) as Json[]).map(draftOf) };
}

/** With what a response has and a request may leave out. */
function normalised(richText: Json[]): Json[] {
  const whole = richText.map((item) => {
    const { equation } = item as { equation?: { expression: string } };
    return equation === undefined ? item : { plain_text: equation.expression, ...item };
  });
  return richTextOf(runsOf(whole));
}

function parentOf({ store }: Call, given: Json | undefined): Page['parent'] {
  if (given === undefined || given['workspace'] === true) {
    // Only a public integration's user can own such a page (reference/post-page).
    throw new Refusal(
      'validation_error',
      'body.parent should be defined, instead was `undefined`.',
    );
  }
  if (typeof given['page_id'] === 'string') {
    return { type: 'page', id: store.page(given['page_id']).id };
  }
  if (typeof given['data_source_id'] === 'string') {
    return { type: 'data_source', id: store.dataSource(given['data_source_id']).dataSourceId };
  }
  throw new Refusal('validation_error', 'body.parent should name a page or a data source.');
}

/** https://developers.notion.com/reference/patch-page */
function updatePage(call: Call): Json {
  const { store, body, id, viewer } = call;
  checkLimits(body, call.bytes);
  const page = store.page(id);
  const trash = (body['in_trash'] ?? body['archived']) as boolean | undefined;
  if (page.inTrash && trash !== false) {
    throw new Refusal(
      'validation_error',
      "Can't edit block that is archived. You must unarchive the block before editing.",
    );
  }
  const properties = store.propertiesOf(page, (body['properties'] ?? {}) as Record<string, Json>);
  const next = store.put({ ...page, properties, inTrash: trash ?? page.inTrash }, viewer);
  if (page.parent.type === 'page') retitle(call, store.page(page.parent.id), next);
  return show(call, next);
}

/** The parent's block of a page follows its title, and goes to the trash with it. */
function retitle({ store }: Call, parent: Page, page: Page): void {
  const title = store.titleOf(page);
  const others = parent.blocks.filter(({ id }) => id !== page.id);
  const blocks = parent.blocks.map(
    (block): Block => (block.id === page.id ? { ...block, content: { title } } : block),
  );
  store.pages.set(parent.id, { ...parent, blocks: page.inTrash ? others : blocks });
}

/** https://developers.notion.com/reference/update-page-markdown, "Errors" */
function updateMarkdown(call: Call): Json {
  const { store, body, id, viewer } = call;
  const page = store.page(id);
  if (page.inTrash) throw new Refusal('validation_error', "Can't edit page that is in the trash.");
  if (call.bytes > 500_000) throw new Refusal('validation_error', 'body is larger than 500 KB.');
  const text = loaded(store, page.blocks).markdown;
  const type = String(body['type']);
  const wanted = (body[type] ?? {}) as Json;
  const allow = wanted['allow_deleting_content'] === true;
  const next =
    type === 'update_content'
      ? replaced(text, wanted['content_updates'] as Update[])
      : type === 'replace_content'
        ? String(wanted['new_str'])
        : type === 'insert_content'
          ? inserted(text, wanted)
          : unsupported(type);
  const blocks = store.rewrite(page.blocks, next, allow, viewer);
  return markdownOf(call, store.put({ ...page, blocks }, viewer));
}

interface Update {
  old_str: string;
  new_str: string;
  replace_all_matches?: boolean;
}

function replaced(text: string, updates: readonly Update[]): string {
  if (updates.length > 100)
    throw new Refusal('validation_error', 'content_updates has more than 100 elements.');
  let next = text;
  for (const { old_str, new_str, replace_all_matches } of updates) {
    const found = old_str === '' ? 0 : next.split(old_str).length - 1;
    if (found === 0)
      throw new Refusal(
        'validation_error',
        `No matches found for old_str: ${old_str.slice(0, 80)}`,
      );
    if (found > 1 && replace_all_matches !== true) {
      throw new Refusal(
        'validation_error',
        `Multiple matches found for old_str: ${old_str.slice(0, 80)}`,
      );
    }
    next = next.split(old_str).join(new_str);
  }
  return next;
}

function inserted(text: string, { content, after, position }: Json): string {
  if (after !== undefined) unsupported('insert_content with after');
  const start = (position as { type: string } | undefined)?.type === 'start';
  return start ? `${String(content)}\n${text}` : `${text}\n${String(content)}`;
}

/** Legacy selections by ellipsis, which nothing here uses. */
function unsupported(what: string): never {
  throw new Refusal('validation_error', `the stand-in does not know ${what}`);
}
