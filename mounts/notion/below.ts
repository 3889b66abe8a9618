/**
 * What is right below a page, by its own list of blocks. Notion's search is a help and no more: it
 * does not promise to return everything, and what inherits its access from a page above may never
 * appear in it.
 */
import {
  type Eagerness,
  expectShape,
  type Origin,
  type Question,
  type RecordHead,
  ServiceFailure,
} from '../../src/mount/index.ts';
import { whole } from './markdown/parts.ts';
import { referencesIn } from './markdown/references.ts';
import { keyOf } from './names.ts';
import { titleOf } from './properties.ts';
import {
  type ApiBlock,
  type ApiNode,
  blockSchema,
  databaseSchema,
  pageSchema,
  sourceSchema,
} from './schemas.ts';
import type { SyncOptions } from './sync-options.ts';
import type { PageTexts } from './texts.ts';

/** So many pages at the top are asked for what is below them when the top is listed. */
const TOPS_MOST = 20;
/** So many lists are asked for before a walk; each level below them is another round. */
const WALK_MOST = 50;
/** So many that a list left out are asked for by themselves before they go. */
const VERIFY_MOST = 25;
/** How long a count of such pages is believed, in ms: one walk asks for every directory. */
const COUNT_MS = 1_000;
/** Blocks that hold no pages, whatever is below them. */
const CLOSED: ReadonlySet<string> = new Set(['child_page', 'child_database', 'table']);

/** Pages below which something may be that is not held. */
interface Candidates {
  /** Of the replica's records; null where that is not known. */
  revision: number | null;
  /** With something below them that no search gives. */
  parents: ReadonlySet<string>;
  /** Whose texts name something that is not held; when they were read, ms. */
  naming: ReadonlyMap<string, number>;
}

export interface BelowOptions extends SyncOptions {
  texts: PageTexts;
  /** Stores nodes, and finds their places. */
  put(nodes: readonly ApiNode[], origin: Origin): Promise<void>;
  /** One page, authoritatively. */
  lookupPage(id: string): Promise<void>;
  /** One data source, likewise. */
  lookupSource(id: string): Promise<void>;
}

export class Below {
  readonly #options: BelowOptions;
  /** When the walk ended that asked for a page's list, ms: for the reads of that walk it is new. */
  readonly #walked = new Map<string, number>();

  #found: Candidates | null = null;
  #open = { at: Number.NEGATIVE_INFINITY, many: false };

  constructor(options: BelowOptions) {
    this.#options = options;
  }

  /** The question for what is right below a page; null for what is no page. */
  question(key: string): Question | null {
    const { store } = this.#options;
    const found = store.page(key);
    if (found === null) return null;
    return {
      key: `below ${key}`,
      heldSince: () => this.heldSince(key),
      ask: () => this.#ask(key, found.page.id),
    };
  }

  /** When the list of a page was last read, ms; null when it never was. */
  heldSince(key: string): number | null {
    const held = this.#options.store.heldSince(`below:${key}`);
    return held === null ? null : Math.max(held, this.#walked.get(key) ?? 0);
  }

  /** Asks for a page's list, unless it is fresh. Throws ServiceFailure. */
  async ensure(key: string, eagerness: Eagerness = 'cover'): Promise<void> {
    const question = this.question(key);
    if (question !== null) await this.#options.freshness.ensure(question, eagerness);
  }

  /** Before a page's directory is listed: its list, where the search shows nothing below it. */
  async ensureListed(key: string, eagerness: Eagerness): Promise<void> {
    if (!this.#isSearched(key)) await this.ensure(key, eagerness);
  }

  /**
   * Before the top is listed: the lists of the pages there, which were shared by themselves. Not
   * where there are many, nor where the search gives pages below others.
   */
  async ensureTops(): Promise<void> {
    const { store } = this.#options;
    const tops = store.below('').filter(({ path }) => path?.endsWith('.md') === true);
    if (tops.length > TOPS_MOST || tops.some(({ key }) => this.#isSearched(key))) return;
    const unknown = tops.filter(({ key }) => this.heldSince(key) === null);
    await this.#tried(() => Promise.all(unknown.map(({ key }) => this.ensure(key))));
  }

  /** What is below is a help here: where it cannot be asked for, that is said, and what is held is shown. */
  async #tried(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      this.#options.freshness.notice(`pages below others may be missing: ${error.message}`);
    }
  }

  /**
   * May there be pages below one, for all that is known? Its list was never read, and no search
   * gives the page, so that none would give those below it either.
   */
  isOpen({ key, tag }: RecordHead): boolean {
    const { store } = this.#options;
    if (!store.isUnsearched(key) || store.source(tag) !== null) return false;
    if (this.heldSince(key) !== null) return false;
    const body = store.body(key)?.body;
    return body === undefined || referencesIn(whole(body)).length > 0;
  }

  /** Are there so many pages whose lists were never read that a walk would ask for too long? */
  areManyOpen(): boolean {
    const { store, now } = this.#options;
    const at = now().getTime();
    if (Math.abs(at - this.#open.at) > COUNT_MS) {
      const count = store.heads().filter((head) => this.isOpen(head)).length;
      this.#open = { at, many: count > WALK_MOST };
    }
    return this.#open.many;
  }

  /** Does the search give something right below a page? */
  #isSearched(key: string): boolean {
    const { store } = this.#options;
    return store.below(key).some((head) => !store.isUnsearched(head.key));
  }

  /**
   * The pages whose lists a walk has to ask for: those with something below them that no search
   * gives, and those whose texts name something that is not held.
   */
  wanted(keys: readonly string[]): string[] {
    const { parents, naming } = this.#candidates();
    const wanted = keys.filter((key) => {
      if (parents.has(key)) return true;
      const readAt = naming.get(key);
      return readAt !== undefined && (this.heldSince(key) ?? 0) < readAt;
    });
    return wanted.slice(0, WALK_MOST);
  }

  /** What the records alone tell of that, looked through once for each change of any of them. */
  #candidates(): Candidates {
    const { store } = this.#options;
    store.replica.noteMore();
    const revision = store.replica.revision();
    const known = this.#found;
    if (revision !== null && known?.revision === revision) return known;
    const heads = store.heads();
    const unsearched = store.unsearched();
    const pages = new Set(heads.flatMap(({ key, path }) => (path?.endsWith('.md') ? key : [])));
    const tags = heads.flatMap(({ key, tag }) =>
      unsearched.has(key) && pages.has(tag) ? tag : [],
    );
    const held = store.heldIds();
    const naming = new Map<string, number>();
    for (const key of pages) {
      const text = store.body(key);
      if (text === null || !text.body.markdown.includes('<')) continue;
      const named = referencesIn(whole(text.body));
      if (named.some((id) => !held(id))) naming.set(key, text.record.checkedAt);
    }
    this.#found = { revision, parents: new Set(tags), naming };
    return this.#found;
  }

  /** Is the list at hand that a walk would ask for? */
  readsFresh(key: string): boolean {
    const question = this.question(key);
    return question === null || this.#options.freshness.readsFresh(question);
  }

  /** Notes that a walk which asked for these lists has ended. */
  walked(keys: Iterable<string>): void {
    const at = this.#options.now().getTime();
    for (const key of keys) this.#walked.set(key, at);
  }

  /** After a text was read: the list of its page, where the text names what is not held. */
  async seed(key: string): Promise<void> {
    if (this.#names(key)) await this.#tried(() => this.ensure(key));
  }

  /** Does a page's text name a page or a database that is not held, and was not asked for since? */
  #names(key: string): boolean {
    const { store } = this.#options;
    const held = store.body(key);
    if (held === null || (this.heldSince(key) ?? 0) >= held.record.checkedAt) return false;
    return referencesIn(whole(held.body)).some((id) => !store.holds(id));
  }

  async #ask(key: string, page: string): Promise<void> {
    const { client, store, put, texts } = this.#options;
    const before = new Set(store.below(key).map((head) => head.key));
    const databases: string[] = [];
    let open = false;
    for await (const { results } of client.pages(`blocks/${page}/children`, {})) {
      const blocks = expectShape('Notion', blockSchema.array(), results, 'the blocks of a page');
      await put(
        blocks.flatMap((block) => this.#node(block, page)),
        'listing',
      );
      for (const block of blocks) {
        before.delete(keyOf(block.id));
        if (block.type === 'child_page' && block.has_children === false)
          store.listed(`below:${keyOf(block.id)}`);
        if (block.type === 'child_database') databases.push(block.id);
        open ||= block.has_children === true && !CLOSED.has(block.type);
      }
    }
    // What stands in a column or a toggle is in the text of the page, which is one request.
    if (open) {
      await texts.ensure(key);
      const held = store.body(key);
      const named = held === null ? [] : referencesIn(whole(held.body));
      for (const id of named) {
        before.delete(keyOf(id));
        for (const source of store.sourcesOf(id)) before.delete(keyOf(source.id));
      }
      for (const id of named.filter((one) => !store.holds(one))) await this.#lookup(id);
    }
    for (const id of databases) {
      await this.#ensureDatabase(id);
      for (const source of store.sourcesOf(id)) before.delete(keyOf(source.id));
    }
    for (const gone of [...before].slice(0, VERIFY_MOST)) await this.#verify(gone);
    store.listed(`below:${key}`);
  }

  /** The page that a block stands for: with its title and times, which are the page's own. */
  #node(block: ApiBlock, page: string): ApiNode[] {
    if (block.type !== 'child_page') return [];
    const { store } = this.#options;
    const { id, created_time, last_edited_time, created_by } = block;
    const title = block.child_page?.title ?? '';
    const held = store.page(keyOf(id))?.page;
    const isSame = held?.last_edited_time === last_edited_time && titleOf(held) === title;
    if (held !== undefined && isSame) return [held];
    const run = { type: 'text', plain_text: title, text: { content: title, link: null } };
    return [
      {
        object: 'page',
        created_time,
        url: `https://app.notion.com/p/${id.replaceAll('-', '')}`,
        created_by,
        ...held,
        id,
        last_edited_time,
        in_trash: false,
        parent: { type: 'page_id', page_id: page },
        properties: { title: { id: 'title', type: 'title', title: title === '' ? [] : [run] } },
      },
    ];
  }

  /** What a text names where no list has it: a page, or else a database. */
  async #lookup(id: string): Promise<void> {
    const { client, put } = this.#options;
    try {
      await put([await client.get(pageSchema, `pages/${id}`, 'a page')], 'lookup');
    } catch (error) {
      if (!(error instanceof ServiceFailure && error.absent)) throw error;
      await this.#ensureDatabase(id);
    }
  }

  /** The data sources of a database, all of them; asked for once. */
  async #ensureDatabase(id: string): Promise<void> {
    const { store } = this.#options;
    const into = `database:${id}`;
    if (store.heldSince(into) === null) await this.lookupDatabase(id);
    store.listed(into);
  }

  /** The data sources of a database that are not held. Throws ServiceFailure. */
  async lookupDatabase(id: string): Promise<void> {
    const { client, store, put } = this.#options;
    try {
      const { data_sources } = await client.get(databaseSchema, `databases/${id}`, 'a database');
      for (const source of data_sources.filter((one) => store.pathOf(one.id) === null)) {
        await put(
          [await client.get(sourceSchema, `data_sources/${source.id}`, 'a data source')],
          'lookup',
        );
      }
    } catch (error) {
      // A view of a database that is not shared: there is nothing to be shown of it.
      if (!(error instanceof ServiceFailure && error.absent)) throw error;
    }
  }

  /** What the list has no more: moved, in the trash, or not shared any longer. */
  async #verify(key: string): Promise<void> {
    const { store, lookupPage, lookupSource } = this.#options;
    const node = store.node(key)?.node;
    if (node?.object === 'page') await lookupPage(node.id);
    else if (node !== undefined) await lookupSource(node.id);
  }
}
