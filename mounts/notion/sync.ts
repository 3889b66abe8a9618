/** Bringing the replica in step with Notion: the tree by one listing, rows by database; of texts see texts.ts. */
import {
  type Collection,
  type Eagerness,
  type Origin,
  type Question,
  type RecordHead,
  type Round,
  readWhole,
  ServiceFailure,
} from '../../src/mount/index.ts';
import { Below } from './below.ts';
import { CommentLists } from './comment-lists.ts';
import { keyOf } from './names.ts';
import { Reading } from './reading.ts';
import {
  type ApiNode,
  blockSchema,
  nodeSchema,
  pageSchema,
  sourceSchema,
  userSchema,
} from './schemas.ts';
import { NODES, USERS } from './store.ts';
import type { SyncOptions } from './sync-options.ts';
import { PageTexts } from './texts.ts';

/** Times are rounded down to the minute, and listings lag: so much before the last one is read again. */
const OVERLAP_MS = 180_000;
/** So many that a complete listing left out are asked for by themselves, at once. */
const VERIFY_MOST = 25;
/** A walk fetches so many texts by itself; where more are missing, they are costly. */
export const WALK_MOST = 300;
/** So many databases are asked for their rows before a walk. */
const WALK_DATABASES = 20;

/** Told after each page where the listing goes on, and how many records were on it. */
type Stored = (next: string, records: number) => void;

interface WholeReading {
  read(from: string | null, stored: Stored): Promise<void>;
  finish(round: Round): Promise<void>;
}

export class NotionSync {
  readonly #options: SyncOptions;
  readonly texts: PageTexts;
  readonly below: Below;
  readonly comments: CommentLists;
  readonly collections: Readonly<Record<'tree' | 'users', Collection>>;
  #me: string | null = null;

  constructor(options: SyncOptions) {
    this.#options = options;
    this.texts = new PageTexts(options);
    this.comments = new CommentLists(options);
    this.below = new Below({
      ...options,
      texts: this.texts,
      put: (nodes, origin) => this.#put(nodes, origin),
      lookupPage: (id) => this.lookupPage(id),
      lookupSource: (id) => this.#lookupSource(id),
    });
    const { store } = options;
    this.collections = {
      tree: {
        scope: [],
        heldSince: () => store.heldSince(NODES),
        sync: () => this.#syncTree(),
      },
      users: { scope: [], heldSince: () => store.heldSince(USERS), sync: () => this.#syncUsers() },
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
      ask: () => this.lookupPage(page.id),
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
      ask: () => this.#syncRows(key, found.source.id),
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
  async lookupPage(id: string): Promise<void> {
    const { client, store } = this.#options;
    try {
      await this.#put([await client.get(pageSchema, `pages/${id}`, 'a page')], 'lookup');
    } catch (error) {
      if (!(error instanceof ServiceFailure && error.absent)) throw error;
      store.drop(keyOf(id));
    }
  }

  /** Asks whether a database is still there. */
  async #lookupSource(id: string): Promise<void> {
    const { client, store } = this.#options;
    try {
      await this.#put(
        [await client.get(sourceSchema, `data_sources/${id}`, 'a data source')],
        'lookup',
      );
    } catch (error) {
      if (!(error instanceof ServiceFailure && error.absent)) throw error;
      store.drop(keyOf(id));
    }
  }

  /** A page, a database or a data source by its id, with what is above it, so that it has its place. */
  async lookupAny(id: string): Promise<void> {
    const { store } = this.#options;
    await this.lookupPage(id);
    if (store.pathOf(id) === null) await this.below.lookupDatabase(id);
    if (store.pathOf(id) === null) await this.#lookupSource(id);
    for (let depth = 0, at = store.node(keyOf(id))?.node; at !== undefined && depth < 20; depth++) {
      const { page_id, data_source_id } = at.object === 'page' ? at.parent : at.database_parent;
      const above = page_id ?? data_source_id;
      if (above === undefined) return;
      if (!store.holds(above)) {
        if (page_id === undefined) await this.#lookupSource(above);
        else await this.lookupPage(above);
      }
      at = store.node(keyOf(above))?.node;
    }
  }

  /** Stores what a search found. */
  async putFound(nodes: readonly ApiNode[]): Promise<void> {
    await this.#put(nodes, 'listing', true);
  }

  /** Stores what a write or a lookup gave, and finds its place. */
  async putPage(page: ApiNode, origin: Origin): Promise<void> {
    await this.#put([page], origin);
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

  /** Newest first, until what is known; every so often to the end, since nothing else tells what is gone. */
  async #syncTree(): Promise<void> {
    const { store, reconcileMs } = this.#options;
    const until = overlapped(store.deltaFrom(NODES, reconcileMs));
    const reading = new Reading(store.replica.listing(store.mount, NODES)?.cursor ?? '');
    if (until !== '') {
      await this.#readTree(reading, null, until);
      return this.#finishTree(reading, () => false);
    }
    await this.#readWhole(NODES, 'tree', reading, {
      read: (from, stored) => this.#readTree(reading, from, '', stored),
      finish: ({ sawEarlier }) => this.#finishTree(reading, sawEarlier),
    });
  }

  async #readTree(
    reading: Reading,
    from: string | null,
    until: string,
    stored?: Stored,
  ): Promise<void> {
    const body = { sort: { timestamp: 'last_edited_time', direction: 'descending' } };
    for await (const answer of this.#options.client.pages('search', { body }, from)) {
      const nodes = nodesOf(answer.results);
      await this.#put(nodes, 'listing', true);
      reading.note(nodes);
      if (answer.request_status?.type === 'incomplete') reading.whole = false;
      const oldest = nodes.at(-1)?.last_edited_time ?? '';
      if (answer.more && until !== '' && oldest < until) {
        reading.whole = false;
        return;
      }
      if (answer.next !== null) stored?.(answer.next, nodes.length);
    }
  }

  async #finishTree(
    { seen, latest, whole }: Reading,
    sawEarlier: Round['sawEarlier'],
  ): Promise<void> {
    const { store, now } = this.#options;
    const state = store.replica.listing(store.mount, NODES);
    const all = whole && (await this.#reconcile(seen, sawEarlier));
    const at = now().getTime();
    store.replica.setListing(store.mount, NODES, {
      complete: true,
      syncedAt: at,
      reconciledAt: all ? at : (state?.reconciledAt ?? (whole ? 0 : at)),
      cursor: latest,
    });
  }

  /** Reads a listing from end to end, once for all processes, and on from where it was left. */
  async #readWhole(
    into: string,
    what: string,
    reading: Reading,
    { read, finish }: WholeReading,
  ): Promise<void> {
    const { store, now } = this.#options;
    const { replica, mount } = store;
    await readWhole(
      { replica, mount, now },
      {
        collection: into,
        what,
        read: (from, stored) =>
          read(reading.from(from), (next, records) =>
            stored({ cursor: reading.left(next), records }),
          ),
        finish,
      },
    );
  }

  /**
   * A search may leave things out: what is not in it is asked for before it goes, where no list of
   * its page or its database tells of it. True when all was.
   */
  async #reconcile(seen: ReadonlySet<string>, sawEarlier: Round['sawEarlier']): Promise<boolean> {
    const { store } = this.#options;
    const missing = store.heads().filter((head) => {
      const { key, tag } = head;
      if (seen.has(key) || sawEarlier(head)) return false;
      const listed = this.below.heldSince(tag) ?? store.heldSince(`rows:${tag}`);
      return !store.isUnsearched(key) || listed === null;
    });
    for (const { key } of missing.slice(0, VERIFY_MOST)) {
      const node = store.node(key)?.node;
      if (node === undefined) continue;
      if (node.object === 'page') await this.lookupPage(node.id);
      else await this.#lookupSource(node.id);
    }
    store.arrange();
    return missing.length <= VERIFY_MOST;
  }

  /** A database's own listing is complete: what is not in it is gone, unless it came just now. */
  async #syncRows(key: string, id: string): Promise<void> {
    const { store, reconcileMs } = this.#options;
    const into = `rows:${key}`;
    const since = overlapped(store.deltaFrom(into, reconcileMs));
    const reading = new Reading(store.replica.listing(store.mount, into)?.cursor ?? '');
    const before = new Set(store.below(key).map((head) => head.key));
    if (since !== '') {
      await this.#readRows(id, reading, null, { since });
      return store.listed(into, { cursor: reading.latest, whole: false });
    }
    await this.#readWhole(into, `rows ${key}`, reading, {
      read: (from, stored) => this.#readRows(id, reading, from, { stored }),
      finish: async ({ sawEarlier }) => {
        const isGone = (head: RecordHead) =>
          before.has(head.key) && !reading.seen.has(head.key) && !sawEarlier(head);
        await this.#dropRows(store.below(key).filter(isGone));
        store.listed(into, { cursor: reading.latest });
      },
    });
  }

  async #readRows(
    id: string,
    reading: Reading,
    from: string | null,
    { since, stored }: { since?: string; stored?: Stored },
  ): Promise<void> {
    const edited = { timestamp: 'last_edited_time', last_edited_time: { on_or_after: since } };
    const body = {
      sorts: [{ timestamp: 'last_edited_time', direction: 'descending' }],
      ...(since === undefined ? {} : { filter: edited }),
    };
    const path = `data_sources/${id}/query`;
    for await (const { results, next } of this.#options.client.pages(path, { body }, from)) {
      const nodes = nodesOf(results);
      await this.#put(nodes, 'listing');
      reading.note(nodes);
      if (next !== null) stored?.(next, nodes.length);
    }
  }

  async #dropRows(missing: readonly RecordHead[]): Promise<void> {
    const { store } = this.#options;
    for (const { key } of missing) {
      const found = store.node(key);
      if (found === null) continue;
      if (store.isRecent(found.record) && found.node.object === 'page')
        await this.lookupPage(found.node.id);
      else store.drop(key);
    }
  }

  async #put(nodes: readonly ApiNode[], origin: Origin, bySearch = false): Promise<void> {
    const { store } = this.#options;
    for (const node of nodes) await this.#findPage(node);
    const before = new Map(nodes.map(({ id }) => [keyOf(id), store.head(keyOf(id))]));
    store.replica.transaction(() => {
      for (const node of nodes) store.put(node, origin, bySearch);
    });
    const moved = [...before].some(([key, head]) => {
      const now = store.head(key);
      return head?.path !== now?.path || head?.tag !== now?.tag;
    });
    if (moved) store.arrange();
    this.texts.recount();
  }

  /** A page in a block of another one (a column, a toggle): the page is asked for, once a block. */
  async #findPage(node: ApiNode): Promise<void> {
    const { store, client } = this.#options;
    const { block_id } = node.object === 'page' ? node.parent : node.database_parent;
    if (block_id === undefined || store.pageOfBlock(block_id) !== null) return;
    let at = block_id;
    try {
      for (let depth = 0; depth < 20; depth++) {
        const { parent } = await client.get(blockSchema, `blocks/${at}`, 'a block');
        if (parent.page_id !== undefined) return store.putBlock(block_id, parent.page_id);
        if (parent.block_id === undefined) return;
        at = parent.block_id;
      }
    } catch (error) {
      // A block that is not shared: what is in it stands at the top.
      if (!(error instanceof ServiceFailure && error.absent)) throw error;
    }
  }

  async #syncUsers(): Promise<void> {
    const { store, client } = this.#options;
    for await (const { results } of client.pages('users', {})) {
      for (const one of results) store.putUser(userSchema.parse(one));
    }
    store.listed(USERS);
  }
}

/** What the token may see of a listing; of the rest there is only an id. */
export function nodesOf(results: readonly unknown[]): ApiNode[] {
  return results.flatMap((one) => {
    const parsed = nodeSchema.safeParse(one);
    return parsed.success ? [parsed.data] : [];
  });
}

function overlapped(cursor: string | null): string {
  if (cursor === null || cursor === '') return '';
  return new Date(Date.parse(cursor) - OVERLAP_MS).toISOString();
}

function isDatabase({ path }: RecordHead): boolean {
  return path?.endsWith('.md') === false;
}
