/**
 * Reads what a question lists of one resource or of several: page by page, once for all processes,
 * and on from where it was left. What it does not have any more is gone, or asked for by itself.
 */
import { z } from 'zod';
import type { RecordHead, StoredRecord } from '../../replica/replica.ts';
import { type Round, readWhole } from '../reading/whole-listing.ts';
import type { Params } from '../table/route.ts';
import type { ServiceStore } from '../table/service-store.ts';
import type { ListedPage, Listing, Resource } from './definition.ts';
import type { Records } from './records.ts';

type AnyResource = Resource<unknown>;

/** So many that a listing may have missed are asked for by themselves; of more the next one tells. */
const VERIFY_MOST = 25;

/** What is kept of a listing beside its records. */
interface Kept {
  cursor: string | null;
  lacking: string | null;
  partial?: boolean;
}

/** What was kept of the listing of a collection. */
export function keptOf({ replica, mount }: ServiceStore, collection: string): Kept {
  const cursor = replica.listing(mount, collection)?.cursor ?? null;
  return cursor === null ? { cursor: null, lacking: null } : (JSON.parse(cursor) as Kept);
}

/** A page, with what it has of each resource. */
export interface Page {
  of: ReadonlyMap<AnyResource, ListedPage<unknown>>;
  next: string | null;
  total: number | null;
  cursor: string | null;
}

/** One question that lists. */
export interface ListingQuestion {
  /** Where its state is kept. */
  collection: string;
  /** What people call it: its key. */
  what: string;
  params: Params;
  /** What is asked for, with the cursors of the answers before; null for all. */
  asked: Asked;
  /** Is it gone on with where it was left? */
  isKept: boolean;
  /** What is held of a resource where it asks. */
  held(of: AnyResource): StoredRecord[];
  /** Where is kept how far a resource was listed; null where it asks for less than that. */
  stateOf(of: AnyResource): string | null;
  /** Asks, from where another left it, or (null) from the beginning. Throws ServiceFailure. */
  pages(from: string | null, asked: Asked): AsyncIterable<Page>;
  /** Told once conclusions are drawn of what came. @param cursor of the answer */
  ended?(cursor: string | null): void;
}

/** Resources with the cursors that they are followed from; null for all of one. */
export type Asked = ReadonlyMap<AnyResource, string | null>;

export interface ListingsOptions {
  records: Records;
  now: () => Date;
  /** Stores records of a resource, and tells those whose texts show them. */
  stored(of: AnyResource, params: Params, work: () => void): void;
  /** Asks for the one record that a path names. Throws ServiceFailure. */
  lookUp(of: AnyResource, params: Params): Promise<unknown>;
  /** Can one be asked for by itself? */
  canBeAsked(of: AnyResource): boolean;
  /** Asks for all that belongs to a record, which came from a place that is not followed. Throws ServiceFailure. */
  arrived(of: AnyResource, params: Params): Promise<void>;
}

/** What came of one resource so far. */
interface Part {
  since: string | null;
  seen: Set<string>;
  cursor: string | null;
  lacking: string | null;
  partial: boolean;
  whole: boolean;
  covers: Listing<unknown>['covers'];
}

/** Where a listing was left, with what its first pages said of the whole. */
const leftSchema = z.object({
  from: z.string(),
  cursor: z.string().nullable(),
  parts: z.record(
    z.string(),
    z.object({
      since: z.string().nullable(),
      cursor: z.string().nullable(),
      lacking: z.string().nullable(),
      partial: z.boolean(),
    }),
  ),
});

export class Listings {
  readonly #options: ListingsOptions;

  constructor(options: ListingsOptions) {
    this.#options = options;
  }

  /** Brings what a question lists in step. Throws ServiceFailure. */
  async bring(question: ListingQuestion): Promise<void> {
    const { records, now } = this.#options;
    const { collection, what, isKept } = question;
    const reading = new Reading(question, this.#options);
    if (!isKept) {
      const beganAt = now().getTime();
      await reading.read(null);
      return reading.finish({ beganAt, long: false, sawEarlier: () => false });
    }
    const { replica, mount } = records.store;
    await readWhole(
      { replica, mount, now },
      {
        collection,
        what,
        read: (from, stored) =>
          reading.read(from, (cursor, count, total) => stored({ cursor, records: count, total })),
        finish: (round) => reading.finish(round),
      },
    );
  }
}

/** Told after each page where the listing goes on. */
type Stored = (cursor: string, records: number, total: number | null) => void;

/** One listing while it is read. */
class Reading {
  #cursor: string | null = null;
  readonly #question: ListingQuestion;
  readonly #options: ListingsOptions;
  readonly #parts = new Map<AnyResource, Part>();
  /** Those that came to where they are listed, by their paths' parameters. */
  readonly #arrived = new Map<AnyResource, Params[]>();

  constructor(question: ListingQuestion, options: ListingsOptions) {
    this.#question = question;
    this.#options = options;
  }

  /** Reads on from where it was left, and stores each page as it comes. */
  async read(left: string | null, stored?: Stored): Promise<void> {
    // What an earlier version left is begun anew.
    const before = left === null ? null : (leftSchema.safeParse(JSON.parse(left)).data ?? null);
    this.#cursor = before?.cursor ?? null;
    const asked = this.#begin(before);
    for await (const page of this.#question.pages(before?.from ?? null, asked)) {
      this.#take(page);
      if (page.next === null) continue;
      const parts = Object.fromEntries(
        [...this.#parts].map(([{ id }, { since, cursor, lacking, partial }]) => [
          id,
          { since, cursor, lacking, partial },
        ]),
      );
      const count = [...page.of.values()].reduce((sum, { rows }) => sum + rows.length, 0);
      const on = { from: page.next, cursor: this.#cursor, parts } satisfies z.infer<
        typeof leftSchema
      >;
      stored?.(JSON.stringify(on), count, page.total);
    }
    for (const [of, all] of this.#arrived)
      for (const params of all) await this.#options.arrived(of, params);
  }

  /** What was on no page is gone, as far as that can be told. */
  async finish(round: Round): Promise<void> {
    const { params, stateOf } = this.#question;
    const { records, stored } = this.#options;
    for (const [of, part] of this.#parts) {
      const missing = this.#missing(of, part, round);
      const doubtful = new Set(missing.filter((one) => this.#isDoubtful(of, one, round)));
      const isSettled = await this.#settle(of, [...doubtful]);
      // Its place may be gone with what was asked for meanwhile.
      if (records.bucket(of, params) === null) continue;
      stored(of, params, () => {
        for (const one of missing)
          if (!doubtful.has(one)) records.remove(of, params, one.key, false);
        records.belonging.dropOrphans(of, params, part.seen);
        const state = stateOf(of);
        if (state === null) return;
        const { cursor, lacking, partial, whole } = part;
        const kept = JSON.stringify({ cursor, lacking, partial } satisfies Kept);
        records.store.listed(state, { whole: whole && isSettled, cursor: kept });
      });
    }
    this.#question.ended?.(this.#cursor);
  }

  /** What is read, which of a listing that was left is what was read of it before. */
  #begin(before: z.infer<typeof leftSchema> | null): Asked {
    const { asked } = this.#question;
    this.#parts.clear();
    const none = { cursor: null, lacking: null, partial: false, covers: undefined };
    for (const [of, own] of asked) {
      const left = before?.parts[of.id];
      if (before !== null && left === undefined) continue;
      const since = left === undefined ? own : left.since;
      this.#parts.set(of, { ...none, since, seen: new Set(), whole: since === null, ...left });
    }
    return new Map([...this.#parts].map(([of, { since }]) => [of, since]));
  }

  #take({ of: listed, cursor }: Page): void {
    const { params } = this.#question;
    const { stored } = this.#options;
    this.#cursor = cursor ?? this.#cursor;
    for (const [of, page] of listed) {
      const part = this.#parts.get(of);
      if (part === undefined) continue;
      stored(of, params, () => {
        for (const row of page.rows) this.#put(of, part, row);
      });
      part.cursor = page.cursor ?? part.cursor;
      part.lacking = page.lacking ?? part.lacking;
      part.partial = page.partial ?? part.partial;
      part.covers = page.covers ?? part.covers;
      part.whole = page.whole ?? part.whole;
    }
  }

  #put(of: AnyResource, { since, seen }: Part, row: unknown): void {
    const { params } = this.#question;
    const { records } = this.#options;
    const value = records.parsed(of, row);
    const isFromElsewhere =
      since !== null &&
      of.moved !== undefined &&
      (of.formerNames?.(value) ?? []).length > 0 &&
      !records.isHeld(of, params, value);
    const put = records.keep(of, params, value, 'listing');
    if (put === null) return;
    seen.add(put.key);
    if (!isFromElsewhere) return;
    const arrived = this.#arrived.get(of) ?? [];
    this.#arrived.set(of, [...arrived, records.paramsOf(of, params, value)]);
  }

  /** What the listing would have, were it still there. */
  #missing(of: AnyResource, { seen, whole, covers }: Part, round: Round): StoredRecord[] {
    if (!whole && covers === undefined) return [];
    const isSeen = (head: RecordHead) => seen.has(head.key) || round.sawEarlier(head);
    return this.#question
      .held(of)
      .filter((one) => !isSeen(one) && one.checkedAt <= round.beganAt)
      .filter(({ value }) => covers === undefined || covers(value));
  }

  /** May it be there all the same? Listings lag behind what was confirmed, and what moves is on no page. */
  #isDoubtful(of: AnyResource, one: StoredRecord, { long }: Round): boolean {
    const { records } = this.#options;
    if (!this.#options.canBeAsked(of))
      return records.isOwnWrite(of, this.#question.params, one.key);
    return long || records.isRecent(one);
  }

  /** Asks for what is in doubt; false where something of it still is. */
  async #settle(of: AnyResource, doubtful: readonly StoredRecord[]): Promise<boolean> {
    const { records, lookUp, canBeAsked } = this.#options;
    if (!canBeAsked(of)) return doubtful.length === 0;
    for (const { value } of doubtful.slice(0, VERIFY_MOST))
      await lookUp(of, records.paramsOf(of, this.#question.params, value));
    return doubtful.length <= VERIFY_MOST;
  }
}
