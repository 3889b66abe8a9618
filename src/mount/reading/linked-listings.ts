/**
 * Directories of links to records: what a service named in answer to a question of its own, such as
 * its search, or what is assigned to whoever the credential belongs to. Each has an `index.tsv`,
 * and a link for each record that has a place in the mount.
 */
import { z } from 'zod';
import type { StoredRecord } from '../../replica/replica.ts';
import type { Eagerness, Params, ParamType, Route } from '../table/route.ts';
import type { ServiceStore } from '../table/service-store.ts';
import { dateOf, tsvContent, tsvEntry } from '../table/tsv.ts';
import type { Freshness } from './freshness.ts';

/** So long an answer is not asked for again, in ms: services limit their searches more than their reads. */
const FRESH_MS = 60_000;
/** So long what was searched for is listed, in ms. */
const LISTED_MS = 3_600_000;
/** So many answers are kept. */
const KEPT = 50;

/** One record of an answer. */
export interface Hit {
  /** Of the link: unique in the answer, and the same whatever else is in it. No `/`, no dot first. */
  name: string;
  /** Where the record is in the mount; null where it has no place there: it is in the index alone. */
  path: string | null;
  /** ISO 8601; '' where the service gives none. */
  updatedAt: string;
  /** Its row in `index.tsv`, after the name. */
  cells: readonly string[];
}

/** What a service answered, best first. */
export interface HitList {
  hits: readonly Hit[];
  /** Why it is not all there is, in a sentence for stderr; null where it is all. */
  shortfall: string | null;
}

export interface LinkedListingsOptions {
  store: ServiceStore;
  freshness: Freshness;
  /** The clock. */
  now: () => Date;
  /** What the collections in the replica begin with: `search`. One answer a key. */
  kind: string;
  /** Of `index.tsv`, after `file`. */
  columns: readonly string[];
  /** Asks, and stores the records where the answer has them whole. Throws ServiceFailure. */
  ask(key: string): Promise<HitList>;
}

const heldSchema = z.object({
  rank: z.number(),
  path: z.string().nullable(),
  cells: z.array(z.string()),
});

/** A name that a link can have. */
export const HIT_NAME: ParamType = {
  matches: /^(?!index\.tsv$)(?!\.)[^/\0]+$/,
  example: 'record.md',
};

/** Directories of what a service found: asked when they are entered, kept for as long as a question is fresh, with links to the records. */
export class LinkedListings {
  readonly #options: LinkedListingsOptions;

  constructor(options: LinkedListingsOptions) {
    this.#options = options;
  }

  /** Brings one answer in step, and says what it lacks. Throws ServiceFailure. */
  async ensure(key: string, eagerness: Eagerness): Promise<void> {
    const { freshness } = this.#options;
    await freshness.ensure(this.#question(key), eagerness);
    const shortfall = this.shortfall(key);
    if (shortfall !== null) freshness.notice(shortfall);
  }

  /** When an answer was given last, ms; null for never. */
  heldSince(key: string): number | null {
    return this.#options.store.heldSince(this.#collection(key));
  }

  /** What an answer lacks, in words; null for nothing. */
  shortfall(key: string): string | null {
    return this.#state(key)?.cursor || null;
  }

  /** True when reading an answer would ask nothing. */
  isFresh(key: string): boolean {
    return this.#options.freshness.fresh(this.#question(key));
  }

  /** The keys that were asked for lately. */
  asked(): { key: string; mtime: Date }[] {
    const since = this.#options.now().getTime() - LISTED_MS;
    return this.#held()
      .filter(({ syncedAt }) => syncedAt > since)
      .map(({ key, syncedAt }) => ({ key, mtime: new Date(syncedAt) }));
  }

  /**
   * The rows of one directory, or of one for each value of its parameter.
   *
   * @param directory its pattern; the rows below use the parameter `hit`, see {@link HIT_NAME}
   */
  routes(directory: string, about: string, keyOf: (params: Params) => string): Route[] {
    const { columns } = this.#options;
    const all = (params: Params) => this.#all(keyOf(params));
    const costly = (params: Params) => !this.isFresh(keyOf(params));
    const readOnly = 'it is what the service answered: write the record that the link leads to';
    const prepare: Route['prepare'] = (params, _purpose, eagerness) =>
      this.ensure(keyOf(params), eagerness);
    const one = (params: Params) => {
      const { store } = this.#options;
      const into = this.#collection(keyOf(params));
      const found = store.replica.get(store.mount, into, params['hit'] ?? '');
      if (found === null) return null;
      return { path: heldSchema.parse(found.value).path, updatedAt: found.updatedAt };
    };
    return [
      {
        pattern: `${directory}/index.tsv`,
        type: 'file',
        about: `${about}, one line each: ${['file', ...columns].join(', ')}`,
        readOnly,
        costly,
        prepare,
        // A walk over all of the mount asks for none; one that begins here asks for this one.
        prefetch: async (params, named) => {
          if (named) await this.ensure(keyOf(params), 'cover');
        },
        prefetched: (params, named) => !named || this.isFresh(keyOf(params)),
        stat: (params) => tsvEntry(all(params)),
        read: (params) => {
          const records = all(params);
          const rows = records.map(({ key, value }) => [key, ...heldSchema.parse(value).cells]);
          return tsvContent(['file', ...columns], rows, records);
        },
      },
      {
        pattern: `${directory}/:hit`,
        type: 'file',
        about: 'a link to the record',
        readOnly,
        prepare,
        entries: (params) =>
          all(params)
            .filter(({ value }) => heldSchema.parse(value).path !== null)
            .map(({ key, updatedAt }) => ({ name: key, size: 1, mtime: dateOf(updatedAt) })),
        stat: (params) => {
          const { path = null, updatedAt = '' } = one(params) ?? {};
          return path === null ? null : { size: 1, mtime: dateOf(updatedAt) };
        },
        target: (params) => one(params)?.path ?? null,
        elsewhere: ({ query }) =>
          query === undefined ? null : 'a `/` in what is searched for is written `%2F`',
      },
    ];
  }

  #question(key: string) {
    const { store } = this.#options;
    const collection = this.#collection(key);
    return {
      key: collection,
      heldSince: () => this.heldSince(key),
      ask: async () => this.keep(key, await this.#options.ask(key)),
      // What was written here since may be in the answer now, or not any more.
      window: () => ((store.wroteAt ?? 0) >= (store.heldSince(collection) ?? 1) ? 0 : FRESH_MS),
    };
  }

  /** Stores an answer. */
  keep(key: string, { hits, shortfall }: HitList): void {
    const { store } = this.#options;
    const into = this.#collection(key);
    const { replica, mount } = store;
    replica.transaction(() => {
      const gone = new Set(replica.heads(mount, into).map((head) => head.key));
      for (const [rank, { name, path, updatedAt, cells }] of hits.entries()) {
        gone.delete(name);
        const value = { rank, path, cells };
        replica.upsert(mount, into, { key: name, updatedAt, size: 1, path: null, value });
      }
      for (const name of gone) replica.remove(mount, into, name);
      store.listed(into, { cursor: shortfall ?? '' });
      for (const old of this.#held().slice(KEPT)) {
        replica.removeCollection(mount, this.#collection(old.key));
      }
    });
  }

  #all(key: string): StoredRecord[] {
    const { replica, mount } = this.#options.store;
    return replica
      .all(mount, this.#collection(key))
      .sort((a, b) => heldSchema.parse(a.value).rank - heldSchema.parse(b.value).rank);
  }

  /** What is held, the answer that came last first. */
  #held(): { key: string; syncedAt: number }[] {
    const { store, kind } = this.#options;
    return store.replica
      .listed(store.mount, `${kind}:`)
      .map((name) => ({
        key: name.slice(kind.length + 1),
        syncedAt: store.heldSince(name) ?? 0,
      }))
      .sort((a, b) => b.syncedAt - a.syncedAt);
  }

  #state(key: string) {
    const { replica, mount } = this.#options.store;
    return replica.listing(mount, this.#collection(key));
  }

  #collection(key: string): string {
    return `${this.#options.kind}:${key}`;
  }
}

/** What is searched for, as the name of a directory: `/` is `%2F`, and nothing else is written otherwise. */
export const QUERY_NAME: ParamType = {
  // Programs look for `.git` and `.ignore` everywhere: these are no questions.
  matches: /^(?!\.)[^/\0]+$/,
  example: 'memory leak',
};

/** The query that a directory's name stands for. */
export function queryOf(name: string): string {
  return name.replace(/%(2f|25)/gi, (code) => decodeURIComponent(code));
}

/** The name of the directory that a query has. */
export function nameOfQuery(query: string): string {
  return query.replace(/%(?=2f|25)/gi, '%25').replaceAll('/', '%2F');
}

/**
 * The rows of `search/QUERY_NAME/`: any query is found when it is named, those of the last hour are
 * listed. The table needs the parameters `query` ({@link QUERY_NAME}) and `hit` ({@link HIT_NAME}).
 *
 * @param title what the service is called: `Tracker`
 * @param top another directory than `/search`
 */
export function searchRoutes(listings: LinkedListings, title: string, top = '/search'): Route[] {
  const keyOf = ({ query = '' }: Params) => queryOf(query);
  return [
    {
      pattern: top,
      type: 'directory',
      about: `${title}'s own search: name a directory as what to search for, with \`/\` as \`%2F\``,
    },
    {
      pattern: `${top}/:query`,
      type: 'directory',
      about: 'the records that were found; those asked for in the last hour are listed',
      costly: (params) => !listings.isFresh(keyOf(params)),
      listed: () => true,
      prepare: async () => undefined,
      entries: () =>
        listings.asked().map(({ key, mtime }) => ({ name: nameOfQuery(key), size: 1, mtime })),
      stat: () => ({ size: 1, mtime: new Date(0) }),
      removeHint: 'what was searched for is listed for an hour, and costs nothing meanwhile',
    },
    ...listings.routes(`${top}/:query`, 'what was found', keyOf),
  ];
}
