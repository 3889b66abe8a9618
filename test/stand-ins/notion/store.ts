/**
 * The stand-in's store. Pages are replaced and never changed, so that a listing can be answered
 * from an earlier state while a `lag` fault is on.
 */
import { createHash } from 'node:crypto';
import { type Draft, parseBlocks, renderBlock } from './markdown.ts';
import type {
  Block,
  Comment,
  Database,
  Habits,
  Json,
  Page,
  PropertyConfig,
  SeedData,
  User,
} from './model.ts';
import { configOf, emptyValue, givenValue, seededValue } from './properties.ts';
import { notFound, Refusal } from './refusal.ts';
import { textOf } from './rich-text.ts';

/** `last_edited_time` and `created_time` are "rounded to the nearest minute" in practice: down. */
export function minuteOf(ms: number): string {
  return new Date(Math.floor(ms / 60_000) * 60_000).toISOString();
}

/** All of a store but for its tokens, which are in no file; may be structured-cloned. */
export interface StoreState {
  users: User[];
  databases: Map<string, Database>;
  comments: Map<string, Comment>;
  pages: Map<string, Page>;
  habits: Habits;
  sharedWith: SeedData['sharedWith'];
  /** So many ids were made. */
  made: number;
}

const LAG_KEPT_MS = 60_000;

export class Store {
  readonly users: User[];
  readonly tokens: ReadonlyMap<string, string>;
  readonly databases = new Map<string, Database>();
  readonly comments: Map<string, Comment>;
  readonly habits: Habits;
  pages = new Map<string, Page>();
  readonly #sharedWith: SeedData['sharedWith'];
  readonly #clock: () => number;
  readonly #history: { until: number; pages: Map<string, Page> }[] = [];
  #made = 0;

  constructor(seed: SeedData, clock: () => number = Date.now) {
    this.#clock = clock;
    this.users = seed.users;
    this.habits = seed.habits;
    this.#sharedWith = seed.sharedWith;
    this.tokens = new Map(Object.entries(seed.tokens));
    this.comments = new Map(seed.comments.map((comment) => [comment.id, comment]));
    for (const { properties: _, ...rest } of seed.databases) {
      // Another data source of a database that is there has a place of its own.
      const key = this.databases.has(rest.id) ? rest.dataSourceId : rest.id;
      this.databases.set(key, { ...rest, properties: {}, editedAt: rest.createdAt });
    }
    for (const { dataSourceId, properties } of seed.databases) {
      for (const [name, property] of Object.entries(properties)) {
        const target = this.databases.get(property.target ?? '');
        const { properties: own } = this.dataSource(dataSourceId);
        own[name] = configOf(name, property, target);
      }
    }
    for (const page of seed.pages) this.#plant(page);
    for (const page of seed.pages) {
      const parent = page.parent === null ? undefined : this.pages.get(page.parent);
      if (!page.inTrash && parent !== undefined && !hasBlock(parent.blocks, page.id))
        parent.blocks.push(childBlock('child_page', page.id, page.title, page.createdAt, page.by));
    }
    for (const { id, parent, title, createdAt, by } of this.databases.values()) {
      const above = parent === null ? undefined : this.pages.get(parent);
      if (above === undefined || hasBlock(above.blocks, id)) continue;
      above.blocks.push(childBlock('child_database', id, title, createdAt, by));
    }
  }

  /** The store that {@link state} was taken of. */
  static of(
    { users, databases, comments, pages, habits, sharedWith, made }: StoreState,
    tokens: SeedData['tokens'],
  ): Store {
    const store = new Store({
      users,
      tokens,
      sharedWith,
      databases: [],
      comments: [],
      pages: [],
      habits,
    });
    for (const [id, database] of databases) store.databases.set(id, database);
    for (const [id, comment] of comments) store.comments.set(id, comment);
    store.pages = pages;
    store.#made = made;
    return store;
  }

  state(): StoreState {
    const { users, databases, comments, pages, habits } = this;
    return {
      users,
      databases,
      comments,
      pages,
      habits,
      sharedWith: this.#sharedWith,
      made: this.#made,
    };
  }

  /** May a bot see a page, or what has this id and is none? */
  isShared(id: string, bot: string): boolean {
    const page = this.pages.get(id);
    const bots = this.#sharedWith[id];
    if (bots !== undefined) return bots.includes(bot);
    return page?.parent.type !== 'page' || this.isShared(page.parent.id, bot);
  }

  get now(): number {
    return this.#clock();
  }

  /** Pages as listings show them, `lag` ms late. */
  listed(lag: number): Page[] {
    const at = this.now - lag;
    const old = this.#history.find(({ until }) => until > at);
    return [...(lag > 0 && old !== undefined ? old.pages : this.pages).values()];
  }

  /** @throws Refusal object_not_found */
  page(id: string): Page {
    const found = this.pages.get(id);
    if (found === undefined) throw notFound('page', id);
    return found;
  }

  dataSource(id: string): Database {
    const found = [...this.databases.values()].find(({ dataSourceId }) => dataSourceId === id);
    if (found === undefined) throw notFound('data source', id);
    return found;
  }

  /** A database goes, and with it its block on the page that it is on. */
  dropDatabase(id: string, by: string): void {
    for (const [key, database] of this.databases) {
      if (database.id !== id) continue;
      this.databases.delete(key);
      for (const { id: row, parent } of this.pages.values()) {
        const isIn = parent.type === 'data_source' && parent.id === database.dataSourceId;
        if (isIn) this.pages.delete(row);
      }
    }
    for (const page of this.pages.values()) {
      const blocks = page.blocks.filter((block) => block.id !== id);
      if (blocks.length < page.blocks.length) this.put({ ...page, blocks }, by);
    }
  }

  /** A page's title, whatever its property is called. */
  titleOf(page: Page): string {
    const title = Object.values(page.properties).find(({ type }) => type === 'title');
    return title === undefined ? '' : textOf(title['title']);
  }

  newId(): string {
    const hex = createHash('sha256')
      .update(`made ${++this.#made} ${this.now}`)
      .digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  put(page: Page, by: string): Page {
    const edited = { ...page, editedAt: minuteOf(this.now), editedBy: by };
    this.#remember();
    this.pages.set(page.id, edited);
    return edited;
  }

  create(
    parent: Page['parent'],
    properties: Record<string, Json>,
    drafts: readonly Draft[],
    by: string,
  ): Page {
    const now = minuteOf(this.now);
    const page: Page = {
      id: this.newId(),
      parent,
      properties,
      blocks: drafts.map((draft) => this.blockOf(draft, by)),
      createdAt: now,
      editedAt: now,
      createdBy: by,
      editedBy: by,
      inTrash: false,
    };
    this.put(page, by);
    if (parent.type === 'page') {
      const above = this.page(parent.id);
      const block = childBlock('child_page', page.id, this.titleOf(page), now, by);
      this.put({ ...above, blocks: [...above.blocks, block] }, by);
    }
    return this.page(page.id);
  }

  /** Values of a request over those that a page has. */
  propertiesOf(
    page: Pick<Page, 'parent' | 'properties'>,
    given: Record<string, Json>,
  ): Record<string, Json> {
    const configs = this.#configs(page.parent);
    const next = { ...page.properties };
    for (const [key, value] of Object.entries(given)) {
      const config = Object.values(configs).find(({ id, name }) => id === key || name === key);
      if (config === undefined) {
        throw new Refusal('validation_error', `${key} is not a property that exists.`);
      }
      next[config.name] = givenValue(config, value, this.users);
    }
    return next;
  }

  /** What a new page starts with. */
  blank(parent: Page['parent']): Record<string, Json> {
    const configs = Object.values(this.#configs(parent));
    return Object.fromEntries(configs.map((config) => [config.name, emptyValue(config)]));
  }

  blockOf(draft: Draft, by: string): Block {
    const now = minuteOf(this.now);
    const { type, content, children } = draft;
    const below = children.map((child) => this.blockOf(child, by));
    return {
      id: draft.ref ?? this.newId(),
      type,
      content,
      children: below,
      createdAt: now,
      editedAt: now,
      by,
    };
  }

  /**
   * The blocks that a text asks for: what reads the same stays the very block that it was.
   * @throws Refusal when a page would go, or one is named that is not here
   */
  rewrite(blocks: readonly Block[], markdown: string, allowDeleting: boolean, by: string): Block[] {
    const drafts = parseBlocks(markdown);
    const kept = new Set<Block>();
    const take = (fits: (block: Block) => boolean): Block | undefined => {
      const found = blocks.find((block) => !kept.has(block) && fits(block));
      if (found !== undefined) kept.add(found);
      return found;
    };
    const next = drafts.map((draft) => {
      const text = renderBlock(draft);
      const same = take((block) =>
        draft.ref === undefined ? renderBlock(block) === text : block.id === draft.ref,
      );
      if (same === undefined && draft.ref !== undefined) {
        throw new Refusal('validation_error', `Invalid Notion page or block URL: ${text}`);
      }
      return same ?? this.blockOf(draft, by);
    });
    const gone = blocks.filter((block) => !kept.has(block) && block.type.startsWith('child_'));
    if (gone.length > 0 && !allowDeleting) {
      throw new Refusal(
        'validation_error',
        `This operation would delete ${gone.length} child page(s) or database(s): ${gone.map(({ id }) => id).join(', ')}. Set allow_deleting_content to true to proceed.`,
      );
    }
    return next;
  }

  #configs(parent: Page['parent']): Record<string, PropertyConfig> {
    if (parent.type === 'data_source') return this.dataSource(parent.id).properties;
    return { title: configOf('title', { type: 'title', options: [] }) };
  }

  #plant(seed: SeedData['pages'][number]): void {
    const { id, title, createdAt, editedAt, by, inTrash } = seed;
    const database =
      seed.parent === null
        ? undefined
        : [...this.databases].find(([key, { dataSourceId }]) =>
            [key, dataSourceId].includes(seed.parent ?? ''),
          )?.[1];
    const parent: Page['parent'] =
      seed.parent === null
        ? { type: 'workspace' }
        : database === undefined
          ? { type: 'page', id: seed.parent }
          : { type: 'data_source', id: database.dataSourceId };
    const properties = this.blank(parent);
    const configs = this.#configs(parent);
    for (const config of Object.values(configs)) {
      const value = config.type === 'title' ? title : seed.values[config.name];
      if (value !== undefined) properties[config.name] = seededValue(config, value, this.users);
    }
    const drafts = [
      ...parseBlocks(seed.markdown),
      ...seed.extra.map((one) => ({ ...one, children: [] })),
    ];
    const blocks = drafts.map((draft) => ({ ...this.blockOf(draft, by), createdAt, editedAt }));
    this.pages.set(id, {
      id,
      parent,
      properties,
      blocks,
      createdAt,
      editedAt,
      createdBy: by,
      editedBy: by,
      inTrash,
    });
  }

  #remember(): void {
    this.#history.push({ until: this.now, pages: new Map(this.pages) });
    while ((this.#history[0]?.until ?? Infinity) < this.now - LAG_KEPT_MS) this.#history.shift();
  }
}

/** Is it there, at any depth? A text may name a page where it is: in a column, in a toggle. */
function hasBlock(blocks: readonly Block[], id: string): boolean {
  return blocks.some((block) => block.id === id || hasBlock(block.children, id));
}

function childBlock(type: string, id: string, title: string, at: string, by: string): Block {
  return { id, type, content: { title }, children: [], createdAt: at, editedAt: at, by };
}
