/**
 * Reads what a question lists of one resource or of several: page by page, once for all processes,
 * and on from where it was left. What it does not have any more is gone, or asked for by itself.
 */
import { z } from 'zod';
import type { RecordHead, StoredRecord } from '../../replica/replica.ts';
import { type Round, readWhole } from '../reading/whole-listing.ts';
import type { Params } from '../table/route.ts';
import type { ListedPage, Listing, Resource } from './definition.ts';
import { ownParam } from './paths.ts';
import type { Records } from './records.ts';

type AnyResource = Resource<unknown>;

/** So many that a listing may have missed are asked for by themselves; of more the next one tells. */
const VERIFY_MOST = 25;

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
  resources: readonly AnyResource[];
  /** The cursor of the answer before; null for all. */
  since: string | null;
  /** Asks, from where another left it, or (null) from the beginning. Throws ServiceFailure. */
  pages(from: string | null): AsyncIterable<Page>;
}

export interface ListingsOptions {
  records: Records;
  now: () => Date;
  /** Stores records of a resource, and tells those whose texts show them. */
  stored(of: AnyResource, params: Params, work: () => void): void;
  /** Asks for the one record that a path names. Throws ServiceFailure. */
  lookUp(of: AnyResource, params: Params): Promise<unknown>;
}

/** What came of one resource so far. */
interface Part {
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
  parts: z.array(
    z.object({
      cursor: z.string().nullable(),
      lacking: z.string().nullable(),
      partial: z.boolean().default(false),
    }),
  ),
});

export class Listings {
  readonly #options: ListingsOptions;

  constructor(options: ListingsOptions) {
    this.#options = options;
  }

  /** Brings what a question lists in step; the cursor of the answer. Throws ServiceFailure. */
  async bring(question: ListingQuestion): Promise<string | null> {
    const { records, now } = this.#options;
    const { collection, what, since } = question;
    const reading = new Reading(question, this.#options);
    if (since !== null) {
      const beganAt = now().getTime();
      await reading.read(null);
      await reading.finish({ beganAt, long: false, sawEarlier: () => false });
      return reading.cursor;
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
    return reading.cursor;
  }
}

/** Told after each page where the listing goes on. */
type Stored = (cursor: string, records: number, total: number | null) => void;

/** One listing while it is read. */
class Reading {
  cursor: string | null = null;
  readonly #question: ListingQuestion;
  readonly #options: ListingsOptions;
  #parts: ReadonlyMap<AnyResource, Part>;

  constructor(question: ListingQuestion, options: ListingsOptions) {
    this.#question = question;
    this.#options = options;
    this.#parts = this.#begun();
  }

  /** Reads on from where it was left, and stores each page as it comes. */
  async read(left: string | null, stored?: Stored): Promise<void> {
    const { resources, pages } = this.#question;
    this.#parts = this.#begun();
    let from: string | null = null;
    this.cursor = null;
    if (left !== null) {
      const before = leftSchema.parse(JSON.parse(left));
      ({ from, cursor: this.cursor } = before);
      for (const [index, of] of resources.entries())
        Object.assign(this.#part(of), before.parts[index]);
    }
    for await (const page of pages(from)) {
      this.#take(page);
      if (page.next === null) continue;
      const parts = resources.map((of) => {
        const { cursor, lacking, partial } = this.#part(of);
        return { cursor, lacking, partial };
      });
      const count = [...page.of.values()].reduce((sum, { rows }) => sum + rows.length, 0);
      stored?.(JSON.stringify({ from: page.next, cursor: this.cursor, parts }), count, page.total);
    }
  }

  /** What was on no page is gone, as far as that can be told. */
  async finish(round: Round): Promise<void> {
    const { params, resources } = this.#question;
    const { records, stored } = this.#options;
    for (const of of resources) {
      const part = this.#part(of);
      const missing = this.#missing(of, part, round);
      const doubtful = new Set(missing.filter((one) => this.#isDoubtful(of, one, round)));
      const isSettled = await this.#settle(of, [...doubtful]);
      const bucket = records.bucket(of, params);
      // Its place may be gone with what was asked for meanwhile.
      if (bucket === null) continue;
      stored(of, params, () => {
        for (const one of missing)
          if (!doubtful.has(one)) records.remove(of, params, one.key, false);
        const { cursor, lacking, partial, whole } = part;
        const kept = JSON.stringify({ cursor, lacking, partial });
        records.store.listed(bucket, { whole: whole && isSettled, cursor: kept });
      });
    }
  }

  #begun(): ReadonlyMap<AnyResource, Part> {
    const { resources, since } = this.#question;
    const part = (): Part => ({
      seen: new Set(),
      cursor: null,
      lacking: null,
      partial: false,
      whole: since === null,
      covers: undefined,
    });
    return new Map(resources.map((of) => [of, part()]));
  }

  #part(of: AnyResource): Part {
    const part = this.#parts.get(of);
    if (part === undefined) throw new Error(`${of.id} is not listed there`);
    return part;
  }

  #take({ of: listed, cursor }: Page): void {
    const { params } = this.#question;
    const { records, stored } = this.#options;
    this.cursor = cursor ?? this.cursor;
    for (const [of, page] of listed) {
      const part = this.#part(of);
      stored(of, params, () => {
        for (const row of page.rows) {
          const put = records.put(of, params, row, 'listing');
          if (put !== null) part.seen.add(put.key);
        }
      });
      part.cursor = page.cursor ?? part.cursor;
      part.lacking = page.lacking ?? part.lacking;
      part.partial = page.partial ?? part.partial;
      part.covers = page.covers ?? part.covers;
      part.whole ||= page.whole === true;
    }
  }

  /** What the listing would have, were it still there. */
  #missing(of: AnyResource, { seen, whole, covers }: Part, round: Round): StoredRecord[] {
    const { records } = this.#options;
    const { replica, mount } = records.store;
    const bucket = records.bucket(of, this.#question.params);
    if (bucket === null || (!whole && covers === undefined)) return [];
    const isSeen = (head: RecordHead) => seen.has(head.key) || round.sawEarlier(head);
    return replica
      .all(mount, bucket)
      .filter((one) => !isSeen(one) && one.checkedAt <= round.beganAt)
      .filter(({ value }) => covers === undefined || covers(value));
  }

  /** May it be there all the same? Listings lag behind what was confirmed, and what moves is on no page. */
  #isDoubtful(of: AnyResource, one: StoredRecord, { long }: Round): boolean {
    const { records } = this.#options;
    if (!canBeAsked(of)) return records.isOwnWrite(of, this.#question.params, one.key);
    return long || records.isRecent(one);
  }

  /** Asks for what is in doubt; false where something of it still is. */
  async #settle(of: AnyResource, doubtful: readonly StoredRecord[]): Promise<boolean> {
    const { records, lookUp } = this.#options;
    if (!canBeAsked(of)) return doubtful.length === 0;
    for (const { value } of doubtful.slice(0, VERIFY_MOST)) {
      const params = { ...this.#question.params, ...of.within?.(value) };
      await lookUp(of, { ...params, [ownParam(of)]: records.nameOf(of, value) });
    }
    return doubtful.length <= VERIFY_MOST;
  }
}

/** Can one of them be asked for by itself? */
function canBeAsked({ get, path }: AnyResource): boolean {
  return get !== undefined && path !== undefined;
}
