/** What the control surface of Notion's stand-in can do beside what every stand-in can. */
import { type DumpedPage, type Edit, editSchema } from './control.ts';
import { parseBlocks, renderBlocks } from './markdown.ts';
import type { Block, Json, Page } from './model.ts';
import { plain, richTextOf } from './rich-text.ts';
import { minuteOf, type Store } from './store.ts';

/** Carries out a control request, `METHOD /path`; undefined where there is no such one. */
export function control(store: Store, what: string, input: unknown): unknown {
  switch (what) {
    case 'POST /edits':
      return { id: applyEdit(store, editSchema.parse(input)) };
    case 'GET /dump':
      return [...store.pages.values()].map((page) => dumped(store, page));
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
    comments: [...store.comments.values()]
      .filter((comment) => comment.page === page.id)
      .map(({ text }) => text),
  };
}

function applyEdit(store: Store, edit: Edit): string {
  const someone = store.users.find(({ email }) => email !== null)?.id ?? '';
  if (edit.op === 'comment') {
    const id = store.newId();
    const now = minuteOf(store.now);
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
  if (edit.op === 'trash-database') {
    store.dropDatabase(edit.id, someone);
    return edit.id;
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
