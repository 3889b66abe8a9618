/**
 * A listing that is read from end to end: once for all processes of a state directory, and taken
 * up where it was left when whoever read it failed, ran out of time or was killed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isGone, newOwner } from '../../changes/owner.ts';
import type { RecordHead, Replica } from '../../replica/replica.ts';
import type { UnderWay } from '../../replica/underway.ts';
import { ServiceFailure } from '../client/failure.ts';

/** What was left for longer is begun anew, in ms: rows that were deleted meanwhile would stay. */
const KEPT_MS = 3_600_000;
/** How often is looked whether another process has come to the end, in ms. */
const LOOK_MS = 200;
/** A listing that took longer is looked after: things change while it is read, in ms. */
const LONG_MS = 5_000;

/** Where it is kept. */
export interface Kept {
  replica: Replica;
  /** The mount's name in the replica. */
  mount: string;
  /** The mount's clock. */
  now(): Date;
}

/** A page has been stored, and the listing goes on at a cursor of its reader's own. */
export interface Step {
  cursor: string;
  /** On this page. */
  records: number;
  /** Of pages, where that is told. */
  total?: number | null;
}

/** A listing that has come to its end. */
export interface Round {
  /** When it began, by the mount's clock, ms. */
  beganAt: number;
  /** True where so much time went by that things may have changed on pages that were read. */
  long: boolean;
  /** Did an earlier try, maybe another process, read this record in this round, as far as can be told? */
  sawEarlier(head: Pick<RecordHead, 'checkedAt'>): boolean;
}

/** A listing of many pages that is kept as it comes, and taken up where it stopped. */
export interface WholeListing {
  collection: string;
  /** The key of its question: what people call it. */
  what: string;
  /**
   * Reads on from a cursor, null for the beginning, and tells of each page once it is stored.
   * Throws ServiceFailure.
   */
  read(from: string | null, stored: (step: Step) => void): Promise<void>;
  /** Draws the conclusions: what was on no page is gone. Throws ServiceFailure. */
  finish(round: Round): void | Promise<void>;
}

/**
 * Brings a listing to its end, or waits until another process has done so.
 * @throws ServiceFailure; what was stored stays, and the next try goes on from there
 */
export async function readWhole(kept: Kept, listing: WholeListing): Promise<void> {
  const { replica, mount, now } = kept;
  const { collection } = listing;
  const owner = newOwner();
  const waitedSince = now().getTime();
  for (;;) {
    const time = now().getTime();
    const taken = replica.underWay.takeUp(mount, collection, (found) => {
      if (found === null || time - found.touchedAt > KEPT_MS) {
        return begun(listing.what, owner, time);
      }
      const free = isGone(found.owner, owner, found.touchedAt, time);
      return free ? { ...found, owner, touchedAt: time } : null;
    });
    if (taken !== null) return readOn(kept, listing, taken);
    await sleep(LOOK_MS);
    const state = replica.listing(mount, collection);
    const ended = replica.underWay.get(mount, collection) === null;
    if (ended && state !== null && state.syncedAt >= waitedSince) return;
  }
}

/** Is a listing begun that can be gone on with? */
export function isUnderWay({ replica, mount, now }: Kept, collection: string): boolean {
  const found = replica.underWay.get(mount, collection);
  return found !== null && now().getTime() - found.touchedAt <= KEPT_MS;
}

/** How far a listing is, in words: `3,400 records so far, page 34 of 120`. */
export function progressOf({ records, pages, total }: UnderWay): string {
  const page = total === null ? `${pages} pages` : `page ${pages} of ${total}`;
  return `${records.toLocaleString('en')} records so far, ${page}`;
}

async function readOn(kept: Kept, listing: WholeListing, taken: UnderWay): Promise<void> {
  const { replica, mount, now } = kept;
  const { collection } = listing;
  const takenAt = taken.touchedAt;
  let state = taken;
  const stored = ({ cursor, records, total }: Step): void => {
    state = {
      ...state,
      cursor,
      touchedAt: now().getTime(),
      records: state.records + records,
      pages: state.pages + 1,
      total: total ?? state.total,
    };
    if (replica.underWay.keep(mount, collection, state)) return;
    // It was taken for gone, or what it is of has another name now: one reads on, not two.
    const text = `${state.what} is being listed by another; ask again`;
    throw new ServiceFailure('unfinished', text);
  };
  try {
    await listing.read(taken.cursor, stored);
    await listing.finish({
      beganAt: taken.beganAt,
      long: now().getTime() - taken.beganAt > LONG_MS,
      sawEarlier: ({ checkedAt }) => checkedAt >= taken.beganAt && checkedAt < takenAt,
    });
  } catch (error) {
    const isStale = taken.cursor !== null && state.cursor === taken.cursor && isRefused(error);
    // A cursor that the service knows no longer leads nowhere: the listing is begun anew.
    if (isStale) replica.underWay.end(mount, collection);
    else replica.underWay.leave(mount, collection, taken.owner ?? '');
    if (!isStale) throw error;
    return readWhole(kept, listing);
  }
  replica.underWay.end(mount, collection);
}

function begun(what: string, owner: string, time: number): UnderWay {
  const nothing = { cursor: null, records: 0, pages: 0, total: null };
  return { what, owner, beganAt: time, touchedAt: time, ...nothing };
}

function isRefused(error: unknown): boolean {
  return error instanceof ServiceFailure && error.kind === 'invalid';
}
