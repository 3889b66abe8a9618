/** Listings of GitHub, brought in step at the least cost. */
import { z } from 'zod';
import { ServiceFailure } from '../../src/mount/failure.ts';
import { RECENT_MS } from '../../src/mount/service-store.ts';
import { latestOf } from '../../src/mount/tsv.ts';
import type { ListingState, RecordHead, Replica } from '../../src/replica/replica.ts';
import type { Answer, GithubClient } from './client.ts';

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
  /** With per_page=100 and, for a delta, sort=updated&direction=desc; without `page`. */
  url: string;
  client: GithubClient;
  now: () => Date;
  /** Told of each page, and of how many there are where that is known. */
  onPage?(pages: number | null): void;
  /** The version of what the listing belongs to: kept with it, see {@link heldAsOf}. */
  asOf?: string;
  /** Parses a page. */
  items(data: unknown): Item[];
  /** Stores one item that `items` gave; runs in a transaction. */
  put(item: Item): void;
  drop(key: string): void;
  /** Asks for one record by itself, and drops it when it is gone: what a listing left out may only lag. */
  verify?(key: string): Promise<void>;
}

const cursorSchema = z.object({ updated: z.string(), pages: z.number() });
type Cursor = z.infer<typeof cursorSchema>;

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
  if (state === null || !state.complete || cursor === null) return syncWhole(listing);
  const due = listing.now().getTime() - state.reconciledAt >= reconcileMs;
  if (due && cursor.pages > 1) return syncWhole(listing);
  const first = await client.get(`${url}&page=1`, replica.validator(mount, url));
  const now = listing.now().getTime();
  if (first.status === 304) {
    const reconciledAt = cursor.pages > 1 ? state.reconciledAt : now;
    replica.setListing(mount, collection, { ...state, syncedAt: now, reconciledAt });
    return;
  }
  const answers = [first];
  let page = take(listing, first);
  const items = [...page];
  while (answers.at(-1)?.next && (page.at(-1)?.updatedAt ?? '') >= cursor.updated) {
    const answer = await client.get(`${url}&page=${answers.length + 1}`);
    answers.push(answer);
    page = take(listing, answer);
    items.push(...page);
  }
  const missing = answers.length === 1 ? missingFrom(listing, items, first) : [];
  replica.transaction(() => {
    replica.setValidator(mount, url, first.etag);
    replica.setListing(mount, collection, {
      complete: true,
      syncedAt: now,
      reconciledAt: first.next === null ? now : state.reconciledAt,
      cursor: cursorText(newest(items, cursor.updated), first.last ?? answers.length),
    });
  });
  await dropMissing(listing, missing);
}

/** For small listings without a useful order: page 1 is asked conditionally where it is the only one. */
export async function syncSmall(listing: Listing): Promise<void> {
  const { replica, mount, collection, client, url } = listing;
  const state = replica.listing(mount, collection);
  const single = state?.complete === true && cursorOf(state)?.pages === 1;
  const etag = single ? replica.validator(mount, url) : null;
  const first = await client.get(`${url}&page=1`, etag);
  if (first.status !== 304 || state === null) return syncWhole(listing, first);
  const now = listing.now().getTime();
  const cursor = listing.asOf === undefined ? state.cursor : cursorText(listing.asOf, 1);
  replica.setListing(mount, collection, { ...state, cursor, syncedAt: now, reconciledAt: now });
}

/** The `asOf` of a listing that is held whole; null for none. */
export function heldAsOf(state: ListingState | null): string | null {
  return state?.complete === true ? (cursorOf(state)?.updated ?? null) : null;
}

/** Reads every page, and drops what is on none of them. */
async function syncWhole(listing: Listing, known?: Answer): Promise<void> {
  const { replica, mount, collection, client, url } = listing;
  const first = known ?? (await client.get(`${url}&page=1`));
  const { items, pages } = await everyPage(listing, first);
  const seen = new Set(items.map(({ key }) => key));
  const missing = replica.heads(mount, collection).filter(({ key }) => !seen.has(key));
  // While the pages were read something may have moved from a later one to the first.
  const moved =
    missing.length > 0 &&
    pages > 1 &&
    (await client.get(`${url}&page=1`, first.etag)).status !== 304;
  const now = listing.now().getTime();
  replica.transaction(() => {
    replica.setValidator(mount, url, first.etag);
    replica.setListing(mount, collection, {
      complete: true,
      syncedAt: now,
      reconciledAt: moved ? 0 : now,
      cursor: cursorText(listing.asOf ?? newest(items, ''), pages),
    });
  });
  if (!moved) await dropMissing(listing, missing);
}

/** Each page is stored as it comes: what an interrupted listing brought is not lost. */
async function everyPage(
  listing: Listing,
  first: Answer,
): Promise<{ items: Item[]; pages: number }> {
  const { client, url } = listing;
  const items = take(listing, first);
  if (first.last !== null) {
    const numbers = Array.from({ length: first.last - 1 }, (_, index) => index + 2);
    const rest = await Promise.all(
      numbers.map(async (n) => take(listing, await client.get(`${url}&page=${n}`))),
    );
    return { items: [items, ...rest].flat(), pages: first.last };
  }
  let pages = 1;
  for (let next = first.next; next !== null; pages++) {
    const answer = await client.get(`${url}&page=${next}`);
    items.push(...take(listing, answer));
    next = answer.next;
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

function newest(items: readonly Item[], known: string): string {
  return latestOf([known, ...items.map(({ updatedAt }) => updatedAt)]);
}

function cursorText(updated: string, pages: number): string {
  return JSON.stringify({ updated, pages } satisfies Cursor);
}

function cursorOf(state: ListingState | null): Cursor | null {
  if (state === null || state.cursor === null) return null;
  return cursorSchema.safeParse(JSON.parse(state.cursor)).data ?? null;
}
