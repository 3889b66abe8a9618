/** Listings of GitHub, brought in step at the least cost. */
import { z } from 'zod';
import {
  isUnderWay,
  type ListingState,
  latestOf,
  RECENT_MS,
  type RecordHead,
  type Replica,
  type Round,
  readWhole,
  ServiceFailure,
  type ServiceParts,
  type ServiceStore,
  type Step,
} from '../../src/mount/index.ts';
import type { Answer, GithubClient } from './client.ts';
import { pagesFrom } from './pages.ts';

/** One item of a listing, as far as syncing goes. */
export interface Item {
  key: string;
  /** ISO 8601; '' where the service gives none. */
  updatedAt: string;
}

/** A listing: where it is, and what to do with what it says. */
export interface Listing {
  replica: Replica;
  mount: string;
  collection: string;
  /** The key of its question. */
  what: string;
  /** With per_page=100 and, for a delta, sort=updated&direction=desc; without `page`. */
  url: string;
  client: GithubClient;
  now: () => Date;
  /** Told of each page, and of how many there are where that is known. */
  onPage?(pages: number | null): void;
  /** The version of what the listing belongs to: kept with it, see {@link heldAsOf}. */
  asOf?: string;
  /**
   * Of a listing that GitHub lets be followed so far and no further: how many there are, as other
   * records say.
   */
  said?(): number;
  /** Parses a page. */
  items(data: unknown): Item[];
  /** Stores one item that `items` gave; runs in a transaction. */
  put(item: Item): void;
  drop(key: string): void;
  /** Asks for one record by itself, and drops it when it is gone: what a listing left out may only lag. */
  verify?(key: string): Promise<void>;
}

/**
 * A listing that is held in a collection of a mount.
 *
 * @param what the key of its question, where that is not made of the collection's name
 */
export function listingIn(
  { client, store, now, freshness }: ListingParts,
  collection: string,
  what = collection.replace(':', ' ').replace('/', ' '),
): Omit<Listing, 'url' | 'items' | 'put' | 'drop'> {
  const { replica, mount } = store;
  const onPage = (pages: number | null) => freshness.activity.step(what, pages);
  return { replica, mount, collection, what, client, now, onPage };
}

type ListingParts = Pick<
  ServiceParts<GithubClient, ServiceStore>,
  'client' | 'store' | 'now' | 'freshness'
>;

const cursorSchema = z.object({
  updated: z.string(),
  pages: z.number(),
  /** Did GitHub end it before its end? */
  cut: z.boolean().default(false),
});
type Cursor = z.infer<typeof cursorSchema>;

/** Where a listing is that is under way. */
const placeSchema = z.object({
  next: z.string(),
  /** Of the first page. */
  etag: z.string().nullable(),
  newest: z.string(),
  pages: z.number(),
});

/** A listing of more pages is not read again for that: what it lost is found out otherwise. */
const MOST_READ_AGAIN = 20;
/** How often a listing whose rows moved between its pages is read again at once. */
const READ_AGAIN = 2;

/**
 * For listings sorted by their time of update, newest first: page 1 is the
 * sentinel. 304 says that nothing changed; else the pages are read until they
 * reach what is known. Every `reconcileMs` the whole listing is read, since
 * nothing else reports a deletion that is not on page 1.
 */
export async function syncByTime(listing: Listing, reconcileMs: number): Promise<void> {
  const { replica, mount, collection, client, url } = listing;
  const state = replica.listing(mount, collection);
  const cursor = cursorOf(state);
  if (state === null || !isRead(state) || cursor === null) return syncWhole(listing);
  const due = listing.now().getTime() - state.reconciledAt >= reconcileMs;
  if (due && cursor.pages > 1) return syncWhole(listing);
  const first = await client.get(`${url}&page=1`, replica.validator(mount, url));
  const now = listing.now().getTime();
  if (first.status === 304) {
    const reconciledAt = cursor.pages > 1 ? state.reconciledAt : now;
    replica.setListing(mount, collection, { ...state, syncedAt: now, reconciledAt });
    return;
  }
  const { items, pages } = await readUntil(listing, first, cursor.updated);
  const missing = pages === 1 ? missingFrom(listing, items, first) : [];
  const more = first.last ?? (first.next === null ? 1 : Math.max(2, pages, cursor.pages));
  replica.transaction(() => {
    replica.setValidator(mount, url, first.etag);
    replica.setListing(mount, collection, {
      complete: state.complete,
      syncedAt: now,
      reconciledAt: first.next === null ? now : state.reconciledAt,
      cursor: cursorText({ ...cursor, updated: newest(items, cursor.updated), pages: more }),
    });
  });
  await dropMissing(listing, missing);
}

/** For small listings without a useful order: page 1 is asked conditionally where it is the only one. */
export async function syncSmall(listing: Listing): Promise<void> {
  const { replica, mount, collection, client, url } = listing;
  if (isUnderWay(listing, collection)) return syncWhole(listing);
  const state = replica.listing(mount, collection);
  const cursor = cursorOf(state);
  const single = state?.complete === true && cursor?.pages === 1;
  const etag = single ? replica.validator(mount, url) : null;
  const first = await client.get(`${url}&page=1`, etag);
  if (first.status !== 304 || state === null) return syncWhole(listing, first);
  const now = listing.now().getTime();
  const { asOf } = listing;
  const text =
    asOf === undefined ? state.cursor : cursorText({ updated: asOf, pages: 1, cut: false });
  replica.setListing(mount, collection, {
    ...state,
    cursor: text,
    syncedAt: now,
    reconciledAt: now,
  });
}

/** The `asOf` of a listing that is held whole; null for none. */
export function heldAsOf(state: ListingState | null): string | null {
  return state?.complete === true ? (cursorOf(state)?.updated ?? null) : null;
}

/** Was a listing read as far as GitHub let it be, and no further? */
export function isCut(state: ListingState | null): boolean {
  return cursorOf(state)?.cut === true;
}

/** Was it read to the end that GitHub gave it? */
function isRead(state: ListingState): boolean {
  return state.complete || isCut(state);
}

/** Reads every page, and drops what is on none of them. */
async function syncWhole(listing: Listing, known?: Answer): Promise<void> {
  const { client, url, collection } = listing;
  if (!isUnderWay(listing, collection)) {
    const first = known ?? (await client.get(`${url}&page=1`));
    if (first.next === null) {
      const whole = new WholeRead(listing);
      await whole.read(null, () => undefined, first);
      return whole.finish({ beganAt: 0, long: false, sawEarlier: () => false });
    }
    return readAll(listing, first);
  }
  return readAll(listing);
}

function readAll(listing: Listing, first?: Answer): Promise<void> {
  const whole = new WholeRead(listing);
  return readWhole(listing, {
    collection: listing.collection,
    what: listing.what,
    read: (from, stored) => whole.read(from, stored, first),
    finish: (round) => whole.finish(round),
  });
}

/** One reading of a listing from end to end, or on from where it was left. */
class WholeRead {
  readonly #listing: Listing;
  #seen = new Set<string>();
  #etag: string | null = null;
  #newest = '';
  #pages = 1;
  /** Is it numbered, so that what is deleted moves what follows to the page before? */
  #numbered = false;
  #lastPage: { url: string; etag: string | null } | null = null;
  /** May it have been cut off: is its last page full, or was the next one refused? */
  #isFull = false;

  constructor(listing: Listing) {
    this.#listing = listing;
  }

  /** Each page is stored as it comes: what an interrupted listing brought is not lost. */
  async read(from: string | null, stored: (step: Step) => void, first?: Answer): Promise<void> {
    const { client, url } = this.#listing;
    const place = from === null ? null : placeSchema.parse(JSON.parse(from));
    this.#pages = 1;
    if (place !== null) {
      this.#etag = place.etag;
      this.#newest = place.newest;
      this.#pages = place.pages;
    }
    const start = place?.next ?? `${url}&page=1`;
    let at = start;
    try {
      const options = place === null && first !== undefined ? { first } : {};
      for await (const answer of pagesFrom(client, start, options)) {
        const items = this.#take(answer, at === `${url}&page=1`);
        this.#isFull = items.length === perPage(url);
        const { next, last } = answer;
        this.#numbered ||= last !== null;
        this.#lastPage = { url: at, etag: answer.etag };
        if (next === null) break;
        at = next;
        this.#pages += 1;
        const cursor = { next, etag: this.#etag, newest: this.#newest, pages: this.#pages };
        stored({ cursor: JSON.stringify(cursor), records: items.length, total: last });
      }
    } catch (error) {
      if (!this.#endsHere(error)) throw error;
      this.#isFull = true;
    }
  }

  async finish(round: Round): Promise<void> {
    const { replica, mount, collection, url, asOf, now } = this.#listing;
    let settled = true;
    let sawEarlier = round.sawEarlier;
    if (this.#pages > 1 && (round.long || this.#missing(sawEarlier).length > 0)) {
      settled = await this.#settle();
      if (this.#seenAgain) sawEarlier = () => false;
    }
    const cut = this.#isCut(sawEarlier);
    const missing = settled && !cut ? this.#missing(sawEarlier) : [];
    const time = now().getTime();
    replica.transaction(() => {
      replica.setValidator(mount, url, this.#etag);
      replica.setListing(mount, collection, {
        complete: !cut,
        syncedAt: time,
        reconciledAt: settled ? time : 0,
        cursor: cursorText({
          updated: asOf ?? this.#newest,
          pages: this.#pages,
          cut,
        }),
      });
    });
    await dropMissing(this.#listing, missing);
  }

  /** Did GitHub end it before its end? */
  #isCut(sawEarlier: Round['sawEarlier']): boolean {
    const { said, replica, mount, collection } = this.#listing;
    if (said === undefined || !this.#isFull) return false;
    const held = replica.heads(mount, collection).length;
    return said() > held - this.#missing(sawEarlier).length;
  }

  /** Was it read once more from its beginning? */
  #seenAgain = false;

  /**
   * While the pages were read something may have moved from a later one to the first: that is read
   * to where it was. And where pages have numbers, a row that was deleted draws the first one of
   * each page that follows onto a page that was read already: all are read again.
   *
   * @returns false where they would not stand still
   */
  async #settle(): Promise<boolean> {
    const { client, url } = this.#listing;
    const numbered = this.#numbered && this.#pages <= MOST_READ_AGAIN;
    for (let again = 0; again <= READ_AGAIN; again++) {
      const [front, back] = [
        await client.get(`${url}&page=1`, this.#etag),
        numbered ? await this.#lastAgain() : 304,
      ];
      if (front.status === 304 && back === 304) return true;
      if (!numbered) {
        const { items } = await readUntil(this.#listing, front, this.#newest);
        for (const { key } of items) this.#seen.add(key);
        this.#newest = newest(items, this.#newest);
        this.#etag = front.etag;
        return true;
      }
      if (again < READ_AGAIN) await this.#readAgain();
    }
    return false;
  }

  async #lastAgain(): Promise<number> {
    if (this.#lastPage === null) return 304;
    const { url, etag } = this.#lastPage;
    return (await this.#listing.client.get(url, etag)).status;
  }

  async #readAgain(): Promise<void> {
    this.#seen = new Set();
    this.#seenAgain = true;
    await this.read(null, () => undefined);
  }

  #take(answer: Answer, isFirst: boolean): Item[] {
    const items = take(this.#listing, answer);
    for (const { key } of items) this.#seen.add(key);
    if (isFirst) {
      this.#etag = answer.etag;
      this.#newest = newest(items, '');
    }
    return items;
  }

  #missing(sawEarlier: Round['sawEarlier']): RecordHead[] {
    const { replica, mount, collection } = this.#listing;
    return replica
      .heads(mount, collection)
      .filter((head) => !this.#seen.has(head.key) && !sawEarlier(head));
  }

  /** Is it GitHub's refusal to let the listing be followed any further? */
  #endsHere(error: unknown): boolean {
    const refused = error instanceof ServiceFailure && error.status === 422;
    return refused && this.#listing.said !== undefined && this.#pages > 1;
  }
}

/** Reads pages from the first one until they reach what is known. */
async function readUntil(
  listing: Listing,
  first: Answer,
  known: string,
): Promise<{ items: Item[]; pages: number }> {
  const { client, url } = listing;
  const items: Item[] = [];
  let pages = 0;
  for await (const answer of pagesFrom(client, `${url}&page=1`, { first, guess: false })) {
    const page = take(listing, answer);
    items.push(...page);
    pages += 1;
    if ((page.at(-1)?.updatedAt ?? '') < known) break;
  }
  return { items, pages };
}

/** What page 1, being the newest, must have shown and did not. */
function missingFrom({ replica, mount, collection }: Listing, items: Item[], first: Answer) {
  const seen = new Set(items.map(({ key }) => key));
  const oldest = first.next === null ? '' : (items.at(-1)?.updatedAt ?? '');
  const held =
    first.next === null
      ? replica.heads(mount, collection)
      : replica.newerThan(mount, collection, oldest);
  return held.filter(({ key }) => !seen.has(key));
}

/** Listings may lag: a record that was confirmed just now is asked for before it is dropped. */
async function dropMissing(listing: Listing, missing: readonly RecordHead[]): Promise<void> {
  const now = listing.now().getTime();
  for (const { key, checkedAt } of missing) {
    if (listing.verify !== undefined && now - checkedAt < RECENT_MS) await listing.verify(key);
    else listing.drop(key);
  }
}

/** Parses a page and stores what is on it. */
function take(listing: Listing, answer: Answer): Item[] {
  if (!Array.isArray(answer.data)) {
    throw new ServiceFailure('protocol', `GitHub's answer for ${listing.collection} is no list`);
  }
  listing.onPage?.(answer.last);
  const items = listing.items(answer.data);
  listing.replica.transaction(() => {
    for (const item of items) listing.put(item);
  });
  return items;
}

function perPage(url: string): number {
  return Number(/[?&]per_page=(\d+)/.exec(url)?.[1] ?? 30);
}

function newest(items: readonly Item[], known: string): string {
  return latestOf([known, ...items.map(({ updatedAt }) => updatedAt)]);
}

function cursorText(cursor: Cursor): string {
  return JSON.stringify(cursor);
}

function cursorOf(state: ListingState | null): Cursor | null {
  if (state === null || state.cursor === null) return null;
  return cursorSchema.safeParse(JSON.parse(state.cursor)).data ?? null;
}
