/** What Notion lists: the tree by one search, the rows of a database, its users. */
import { type RecordHead, type Round, readWhole } from '../../src/mount/index.ts';
import type { Below } from './below.ts';
import type { NotionLookups } from './lookups.ts';
import { Reading } from './reading.ts';
import { type ApiNode, nodeSchema, userSchema } from './schemas.ts';
import { NODES, USERS } from './store.ts';
import type { SyncOptions } from './sync-options.ts';

/** Times are rounded down to the minute, and listings lag: so much before the last one is read again. */
const OVERLAP_MS = 180_000;
/** So many that a complete listing left out are asked for by themselves, at once. */
const VERIFY_MOST = 25;

/** Told after each page where the listing goes on, and how many records were on it. */
type Stored = (next: string, records: number) => void;

interface WholeReading {
  read(from: string | null, stored: Stored): Promise<void>;
  finish(round: Round): Promise<void>;
}

export interface NotionListingsOptions extends SyncOptions {
  lookups: NotionLookups;
  below: Below;
}

export class NotionListings {
  readonly #options: NotionListingsOptions;

  constructor(options: NotionListingsOptions) {
    this.#options = options;
  }

  /** Newest first, until what is known; every so often to the end, since nothing else tells what is gone. */
  async tree(): Promise<void> {
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
      await this.#options.lookups.put(nodes, 'listing', true);
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
      const listed = this.#options.below.heldSince(tag) ?? store.heldSince(`rows:${tag}`);
      return !store.isUnsearched(key) || listed === null;
    });
    for (const { key } of missing.slice(0, VERIFY_MOST)) {
      const node = store.node(key)?.node;
      if (node === undefined) continue;
      if (node.object === 'page') await this.#options.lookups.page(node.id);
      else await this.#options.lookups.source(node.id);
    }
    store.arrange();
    return missing.length <= VERIFY_MOST;
  }

  /** A database's own listing is complete: what is not in it is gone, unless it came just now. */
  async rows(key: string, id: string): Promise<void> {
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
      await this.#options.lookups.put(nodes, 'listing');
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
        await this.#options.lookups.page(found.node.id);
      else store.drop(key);
    }
  }

  async users(): Promise<void> {
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
