/** The control surface's server side: JSON in, JSON out, every input parsed. */
import { type DumpedPage, type Edit, editSchema, faultSchema } from './control.ts';
import { parseBlocks, renderBlocks } from './markdown.ts';
import { type Block, type Json, type Page, seedDataSchema } from './model.ts';
import { plain, richTextOf } from './rich-text.ts';
import { demoSeed } from './seed.ts';
import type { NotionServer } from './server.ts';
import { Store } from './store.ts';

/** Carries out a control request, `METHOD PATH`. */
export function act(
  server: NotionServer,
  what: string,
  text: string,
): { status: number; body: unknown } {
  try {
    const body = handle(server, what, text === '' ? {} : JSON.parse(text));
    return body === undefined
      ? { status: 404, body: { error: `no control ${what}` } }
      : { status: 200, body };
  } catch (error) {
    // Whatever went wrong here, the caller of the control surface is the one who must read it.
    if (!(error instanceof Error)) throw error;
    return { status: 400, body: { error: error.message } };
  }
}

function handle(server: NotionServer, what: string, input: unknown): unknown {
  switch (what) {
    case 'GET /requests':
      return server.log;
    case 'DELETE /requests':
      server.log.length = 0;
      return {};
    case 'POST /faults':
      server.addFault(faultSchema.parse(input));
      return {};
    case 'DELETE /faults':
      server.faults = [];
      return {};
    case 'POST /edits':
      return { id: applyEdit(server.store, editSchema.parse(input)) };
    case 'GET /dump':
      return [...server.store.pages.values()].map((page) => dumped(server.store, page));
    case 'PUT /seed': {
      const { seed } = input as { seed: unknown };
      server.store = new Store(seed === 'demo' ? demoSeed() : seedDataSchema.parse(seed));
      server.faults = [];
      server.log.length = 0;
      return {};
    }
    default:
      return undefined;
  }
}

function dumped(store: Store, page: Page): DumpedPage {
  const ids = (blocks: readonly Block[]): string[] =>
    blocks.flatMap(({ id, children }) => [id, ...ids(children)]);
  return {
    id: page.id,
    title: store.titleOf(page),
    markdown: renderBlocks(page.blocks),
    properties: page.properties,
    blocks: ids(page.blocks),
    inTrash: page.inTrash,
  };
}

function applyEdit(store: Store, edit: Edit): string {
  const someone = store.users.find(({ email }) => email !== null)?.id ?? '';
  if (edit.op === 'comment') {
    const id = store.newId();
    const now = new Date(store.now).toISOString();
    store.comments.set(id, {
      id,
      page: edit.page,
      discussion: store.newId(),
      text: edit.text,
      by: someone,
      createdAt: now,
    });
    return id;
  }
  if (edit.op === 'create') {
    const database = store.databases.get(edit.parent);
    const parent: Page['parent'] =
      database === undefined
        ? { type: 'page', id: edit.parent }
        : { type: 'data_source', id: database.dataSourceId };
    const blank = { parent, properties: store.blank(parent) };
    const properties = store.propertiesOf(blank, { title: titleValue(edit.title) });
    return store.create(parent, properties, parseBlocks(edit.markdown), someone).id;
  }
  const page = store.page(edit.id);
  store.put({ ...page, ...changed(store, page, edit, someone) }, someone);
  return page.id;
}

function changed(store: Store, page: Page, edit: Edit, by: string): Partial<Page> {
  switch (edit.op) {
    case 'title':
      return { properties: store.propertiesOf(page, { title: titleValue(edit.title) }) };
    case 'text':
      return { blocks: store.rewrite(page.blocks, edit.markdown, true, by) };
    case 'property':
      return { properties: store.propertiesOf(page, { [edit.name]: edit.value }) };
    case 'trash':
      return { inTrash: true };
    default:
      return {};
  }
}

function titleValue(title: string): Json {
  return { title: richTextOf(plain(title)) };
}
