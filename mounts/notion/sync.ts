/** What a path of Notion needs, and a walk: brought in step by listings and look-ups. */
import {
  type Collection,
  type Eagerness,
  type Origin,
  type Question,
  type RecordHead,
  ServiceFailure,
} from '../../src/mount/index.ts';
import { Below } from './below.ts';
import { CommentLists } from './comment-lists.ts';
import { NotionListings } from './listings.ts';
import { NotionLookups } from './lookups.ts';
import { keyOf } from './names.ts';
import { type ApiNode, userSchema } from './schemas.ts';
import { NODES, USERS } from './store.ts';
import type { SyncOptions } from './sync-options.ts';
import { PageTexts } from './texts.ts';

/** A walk fetches so many texts by itself; where more are missing, they are costly. */
export const WALK_MOST = 300;
/** So many databases are asked for their rows before a walk. */
const WALK_DATABASES = 20;

export class NotionSync {
  readonly #options: SyncOptions;
  readonly texts: PageTexts;
  readonly below: Below;
  readonly comments: CommentLists;
  readonly collections: Readonly<Record<'tree' | 'users', Collection>>;
  readonly #lookups: NotionLookups;
  readonly #listings: NotionListings;
  #me: string | null = null;

  constructor(options: SyncOptions) {
    this.#options = options;
    this.texts = new PageTexts(options);
    this.#lookups = new NotionLookups(options, this.texts);
    this.comments = new CommentLists(options);
    this.below = new Below({
      ...options,
      texts: this.texts,
      put: (nodes, origin) => this.#lookups.put(nodes, origin),
      lookupPage: (id) => this.#lookups.page(id),
      lookupSource: (id) => this.#lookups.source(id),
    });
    this.#listings = new NotionListings({ ...options, lookups: this.#lookups, below: this.below });
    const { store } = options;
    this.collections = {
      tree: {
        scope: [],
        heldSince: () => store.heldSince(NODES),
        sync: () => this.#listings.tree(),
      },
      users: {
        scope: [],
        heldSince: () => store.heldSince(USERS),
        sync: () => this.#listings.users(),
      },
    };
  }

  /** The tree, and where a place is named, that place. Throws ServiceFailure `missing`. */
  async ensurePlace(place: string, eagerness: Eagerness = 'cover'): Promise<RecordHead> {
    await this.seekPlace(place, eagerness);
    const found = this.#options.store.at(place);
    if (found === null)
      throw new ServiceFailure(
        'missing',
        'Notion has no such page, or does not share it with the integration',
      );
    return found;
  }

  /** The tree, and where a place in it is not known: each page and database above says what is right below. */
  async seekPlace(place: string, eagerness: Eagerness = 'cover'): Promise<void> {
    await this.ensureTree(eagerness);
    const { store } = this.#options;
    const segments = place.split('/');
    for (let depth = 1; depth < segments.length && store.at(place) === null; depth++) {
      const above = store.at(segments.slice(0, depth).join('/'));
      if (above === null) return;
      if (store.at(segments.slice(0, depth + 1).join('/')) !== null) continue;
      if (isDatabase(above)) await this.ensureRows(above.key, 'cover');
      else await this.below.ensure(above.key);
    }
  }

  /** Before something is listed: the rows of a database, what is right below a page or the top (''). */
  async ensureBelow(place: string, eagerness: Eagerness): Promise<void> {
    const found = place === '' ? null : await this.ensurePlace(place, eagerness);
    if (found === null) {
      await this.ensureTree(eagerness);
      await this.below.ensureTops();
    } else if (isDatabase(found)) await this.ensureRows(found.key, eagerness);
    else await this.below.ensureListed(found.key, eagerness);
  }

  /** Before a page is read that no search tells of: the page, unless a list confirmed it lately. */
  async ensureUnsearched(key: string): Promise<void> {
    const { store, freshness } = this.#options;
    const found = store.page(key);
    if (found === null || !store.isUnsearched(key)) return;
    const { page, record } = found;
    await freshness.ensure({
      key: `page ${key}`,
      heldSince: () => {
        const rows = store.heldSince(`rows:${record.tag}`) ?? 0;
        const list = this.below.heldSince(record.tag) ?? 0;
        return Math.max(store.head(key)?.checkedAt ?? 0, rows, list);
      },
      ask: () => this.#lookups.page(page.id),
    });
  }

  ensureTree(eagerness: Eagerness = 'cover'): Promise<void> {
    return this.#options.freshness.ensureCollection(this.collections, 'tree', {}, eagerness);
  }

  ensureUsers(): Promise<void> {
    return this.#options.freshness.ensureCollection(this.collections, 'users', {});
  }

  /** The rows of a database; nothing for a page. */
  async ensureRows(key: string, eagerness: Eagerness): Promise<void> {
    const question = this.#rowsOf(key);
    if (question !== null) await this.#options.freshness.ensure(question, eagerness);
  }

  #rowsOf(key: string): Question | null {
    const { store } = this.#options;
    const found = store.source(key);
    if (found === null) return null;
    return {
      key: `rows ${key}`,
      heldSince: () => store.heldSince(`rows:${key}`),
      ask: () => this.#listings.rows(key, found.source.id),
    };
  }

  /** Before a walk: the rows of the databases that it meets, and the texts, where they are not too many. */
  async fetchBodies(place: string | undefined): Promise<void> {
    const walked = new Set<string>();
    while (await this.#fetchRound(place, walked));
    this.below.walked(walked);
  }

  /** The texts of what is known, and what they name and no search gives; each once, and false once nothing was left. */
  async #fetchRound(place: string | undefined, walked: Set<string>): Promise<boolean> {
    const databases = this.#within(place).filter(isDatabase).slice(0, WALK_DATABASES);
    const unlisted = databases.filter(({ key }) => !walked.has(key));
    for (const { key } of unlisted) {
      walked.add(key);
      await this.ensureRows(key, 'cover');
    }
    const missing = new Set(this.texts.missing());
    if (missing.size > WALK_MOST) return unlisted.length > 0;
    const keys = this.#within(place).map(({ key }) => key);
    const texts = keys.filter((key) => missing.has(key) && !walked.has(`text ${key}`));
    for (const key of texts) walked.add(`text ${key}`);
    await Promise.all(texts.map((key) => this.texts.ensure(key)));
    this.texts.recount();
    const lists = this.below.wanted(keys).filter((key) => !walked.has(key));
    for (const key of lists) walked.add(key);
    await Promise.all(lists.map((key) => this.below.ensure(key)));
    return unlisted.length + texts.length + lists.length > 0;
  }

  /** Would a walk ask for nothing? Texts that are too many it passes over. */
  hasBodies(place: string | undefined): boolean {
    const { freshness } = this.#options;
    const missing = new Set(this.texts.missing());
    const few = missing.size <= WALK_MOST;
    const within = this.#within(place);
    const lists = few ? this.below.wanted(within.map(({ key }) => key)) : [];
    if (!lists.every((key) => this.below.readsFresh(key))) return false;
    return within.every((head) => {
      const rows = isDatabase(head) ? this.#rowsOf(head.key) : null;
      return rows === null ? !(few && missing.has(head.key)) : freshness.readsFresh(rows);
    });
  }

  /** What is at a place and below it; everything without one. */
  #within(place: string | undefined): RecordHead[] {
    const { store } = this.#options;
    const top = place === undefined ? '' : (store.at(place)?.path?.replace(/\.md$/, '') ?? '/');
    return store
      .heads()
      .filter(
        ({ path }) =>
          path !== null && (path === top || path === `${top}.md` || path.startsWith(`${top}/`)),
      );
  }

  /** One page, authoritatively. */
  lookupPage(id: string): Promise<void> {
    return this.#lookups.page(id);
  }

  /** A page, a database or a data source by its id, with what is above it, so that it has its place. */
  async lookupAny(id: string): Promise<void> {
    const { store } = this.#options;
    await this.#lookups.page(id);
    if (store.pathOf(id) === null) await this.below.lookupDatabase(id);
    if (store.pathOf(id) === null) await this.#lookups.source(id);
    for (let depth = 0, at = store.node(keyOf(id))?.node; at !== undefined && depth < 20; depth++) {
      const { page_id, data_source_id } = at.object === 'page' ? at.parent : at.database_parent;
      const above = page_id ?? data_source_id;
      if (above === undefined) return;
      if (!store.holds(above)) {
        if (page_id === undefined) await this.#lookups.source(above);
        else await this.#lookups.page(above);
      }
      at = store.node(keyOf(above))?.node;
    }
  }

  /** Stores what a search found. */
  async putFound(nodes: readonly ApiNode[]): Promise<void> {
    await this.#lookups.put(nodes, 'listing', true);
  }

  /** Stores what a write or a lookup gave, and finds its place. */
  async putPage(page: ApiNode, origin: Origin): Promise<void> {
    await this.#lookups.put([page], origin);
  }

  /** Says a sentence on stderr. */
  notice(text: string): void {
    this.#options.freshness.notice(text);
  }

  /** The id of the bot that the token belongs to. */
  async me(): Promise<string> {
    this.#me ??= (
      await this.#options.client.get(userSchema, 'users/me', 'the bot of the token')
    ).id;
    return this.#me;
  }
}

function isDatabase({ path }: RecordHead): boolean {
  return path?.endsWith('.md') === false;
}
