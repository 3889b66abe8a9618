/** Brings what is held of a service's resources in step: whole listings, what came since, single records. */
import { ServiceFailure } from '../client/failure.ts';
import type { Freshness } from '../reading/freshness.ts';
import { questionOf } from '../reading/freshness.ts';
import type { Question } from '../reading/question.ts';
import type { Collection, Eagerness, Params } from '../table/route.ts';
import type { Got, Listing, Resource, Scope } from './definition.ts';
import { ownParam, paramsOf, placeParams, through } from './paths.ts';
import type { Records } from './records.ts';

type AnyResource = Resource<unknown>;

export interface SyncingOptions<C> {
  client: C;
  records: Records;
  resources: readonly AnyResource[];
  freshness: Freshness;
  reconcileMs: number;
  now: () => Date;
}

/** What is kept of a listing beside its records. */
interface Kept {
  cursor: string | null;
  lacking: string | null;
}

export class Syncing<C> {
  readonly collections: Readonly<Record<string, Collection>>;
  readonly #options: SyncingOptions<C>;

  constructor(options: SyncingOptions<C>) {
    this.#options = options;
    this.collections = Object.fromEntries(
      options.resources
        .filter((one) => one.of === undefined)
        .map((one) => [one.id, one.list === undefined ? this.#single(one) : this.#listing(one)]),
    );
  }

  scope(params: Params): Scope<C> {
    const { client, records, now } = this.#options;
    return { ...records.place(params), client, now };
  }

  /** The resources that must be in step for a pattern that shows one of them, in their order. */
  chain(pattern: string, of: AnyResource): AnyResource[] {
    const all = [pattern, of.path ?? '']
      .flatMap((path) => through(path, this.#options.resources))
      .flatMap((one) => this.#withOthers(one));
    const unique = new Map([...all, ...this.#withOthers(of)].map((one) => [one.id, one]));
    return [...unique.values()];
  }

  /** Brings in step what a path needs, the record that it names included. Throws ServiceFailure. */
  async ensure(chain: readonly AnyResource[], params: Params, eagerness: Eagerness): Promise<void> {
    for (const one of chain) await this.#ensureOne(one, params, eagerness);
  }

  /** Asks for all of a record of which a listing gave a part. Throws ServiceFailure. */
  async ensureWhole(of: AnyResource, params: Params): Promise<void> {
    const { records, freshness } = this.#options;
    const isHeld = (): boolean => records.isWhole(of, params);
    if (records.find(of, params) === null || isHeld()) return;
    const question = this.#question(of, params);
    await freshness.ensureOne(
      { ...question, heldSince: () => (isHeld() ? question.heldSince() : null) },
      isHeld,
    );
  }

  /** What a listing lacks, in words; null for nothing, and where there is none. */
  lacking(of: AnyResource, params: Params): string | null {
    const bucket = this.#options.records.bucket(of, params);
    return bucket === null ? null : this.#kept(bucket).lacking;
  }

  /** Is a place held, so that looking at it would ask for nothing? */
  isFresh(of: AnyResource, params: Params): boolean {
    const { records, freshness } = this.#options;
    const listed = of.of ?? of;
    if (records.bucket(listed, params) === null) return false;
    return freshness.readsFreshCollection(this.collections, listed.id, params);
  }

  /** Asks for one record by its name; false where there is none. Throws ServiceFailure. */
  async refresh(of: AnyResource, params: Params, origin: 'lookup' | 'write'): Promise<boolean> {
    const { records } = this.#options;
    const listed = of.of ?? of;
    const held = records.find(of, params);
    const name = params[ownParam(of)] ?? '';
    const got = await this.#got(of, params, held === null ? name : records.nameOf(of, held.value));
    if (got === null) {
      if (held !== null) records.remove(listed, params, held.key, origin === 'write');
      return false;
    }
    const { replica, mount } = records.store;
    const bucket = records.bucket(listed, params) ?? '';
    if (got.unchanged === true) {
      replica.touch(mount, bucket, held?.key ?? name);
      return true;
    }
    const put = records.put(of, params, got.data, origin);
    if (put !== null) replica.setValidator(mount, `${bucket} ${put.key}`, got.etag ?? null);
    return records.find(of, params) !== null;
  }

  /** Something was written whose outcome could not be asked for: what is held of it is asked for anew. */
  invalidate(of: AnyResource, params: Params): void {
    const { store } = this.#options.records;
    const bucket = this.#options.records.bucket(of, params);
    const state = bucket === null ? null : store.replica.listing(store.mount, bucket);
    if (bucket === null || state === null) return;
    store.replica.setListing(store.mount, bucket, { ...state, complete: false });
  }

  // --- within

  #withOthers(one: AnyResource): AnyResource[] {
    return [...(one.with ?? []).flatMap((other) => this.#withOthers(other)), one];
  }

  async #ensureOne(of: AnyResource, params: Params, eagerness: Eagerness): Promise<void> {
    const { freshness, records } = this.#options;
    const listed = of.of ?? of;
    const isNamed = params[ownParam(of)] !== undefined;
    if (listed.list !== undefined) {
      await freshness.ensureCollection(this.collections, listed.id, params, eagerness);
      // A listing that lacks something does not tell that there is no such record.
      const isOpen = this.lacking(listed, params) !== null;
      if (!isNamed || !isOpen || listed.get === undefined) return;
      const named = { ...params, [ownParam(listed)]: params[ownParam(of)] ?? '' };
      if (records.find(listed, named) !== null && !this.#isSingle(listed, named)) return;
      await freshness.ensureOne(
        this.#question(listed, named),
        () => records.find(listed, named) !== null,
      );
    } else if (isNamed) {
      const collection = this.collections[listed.id];
      const question = collection && questionOf(listed.id, collection, params);
      if (question)
        await freshness.ensureOne(question, () => records.find(listed, params) !== null);
    }
  }

  /** Was a record asked for by itself, since its listing does not reach it? */
  #isSingle(listed: AnyResource, params: Params): boolean {
    const { records } = this.#options;
    const bucket = records.bucket(listed, params) ?? '';
    const { syncedAt = 0 } = records.store.replica.listing(records.store.mount, bucket) ?? {};
    return (records.find(listed, params)?.checkedAt ?? 0) < syncedAt;
  }

  #question(of: AnyResource, params: Params): Question {
    const { records } = this.#options;
    const values = paramsOf(of.path ?? '').map((param) => params[param] ?? '');
    return {
      key: ['one of', of.id, ...values].join(' ').toLowerCase(),
      heldSince: () => records.find(of, params)?.checkedAt ?? null,
      ask: async () => {
        await this.refresh(of, params, 'lookup');
      },
    };
  }

  /** Of records without a listing: each is asked for when it is named. */
  #single(of: AnyResource): Collection {
    const { records } = this.#options;
    return {
      scope: paramsOf(of.path ?? ''),
      ...windowOf(of),
      heldSince: (params) => records.find(of, params)?.checkedAt ?? null,
      sync: async (params) => {
        await this.refresh(of, params, 'lookup');
      },
    };
  }

  #listing(of: AnyResource): Collection {
    const { records } = this.#options;
    return {
      scope: placeParams(of),
      ...windowOf(of),
      heldSince: (params) => {
        const bucket = records.bucket(of, params);
        return bucket === null ? null : records.store.heldSince(bucket);
      },
      lacking: (params) => this.lacking(of, params),
      sync: (params) => this.#sync(of, params),
    };
  }

  async #sync(of: AnyResource, params: Params): Promise<void> {
    const { records, reconcileMs } = this.#options;
    const { store } = records;
    const bucket = records.bucket(of, params);
    if (bucket === null) {
      throw new ServiceFailure('missing', `there is no such place for ${of.id}`);
    }
    const kept = store.deltaFrom(bucket, reconcileMs) === null ? null : this.#kept(bucket).cursor;
    const got = (await of.list?.(this.scope(params) as Scope<never>, kept)) ?? [];
    const listing: Listing<unknown> = 'rows' in got ? got : { rows: got };
    const before = store.replica.revision();
    store.replica.transaction(() => this.#store(of, params, bucket, listing, kept === null));
    if (store.replica.revision() !== before) records.announce(of);
  }

  #store(
    of: AnyResource,
    params: Params,
    bucket: string,
    { rows, covers, ...more }: Listing<unknown>,
    whole: boolean,
  ): void {
    const { records } = this.#options;
    const { replica, mount } = records.store;
    const seen = new Set<string>();
    for (const row of rows) {
      const put = records.put(of, params, row, 'listing');
      if (put !== null) seen.add(put.key);
    }
    const gone = (one: unknown): boolean =>
      (whole && covers === undefined) || covers?.(one) === true;
    for (const { value, ...head } of replica.all(mount, bucket)) {
      if (seen.has(head.key) || records.isRecent(head) || !gone(value)) continue;
      records.remove(of, params, head.key, false);
    }
    const cursor = more.cursor ?? null;
    const kept: Kept = { cursor, lacking: more.lacking ?? null };
    records.store.listed(bucket, { whole, cursor: JSON.stringify(kept) });
  }

  #kept(bucket: string): Kept {
    const { replica, mount } = this.#options.records.store;
    const cursor = replica.listing(mount, bucket)?.cursor ?? null;
    return cursor === null ? { cursor: null, lacking: null } : (JSON.parse(cursor) as Kept);
  }

  async #got(of: AnyResource, params: Params, name: string): Promise<Got | null> {
    const { records } = this.#options;
    const get = of.get ?? of.of?.get;
    if (get === undefined) return this.#listedAnew(of, params);
    const { store } = records;
    const held = records.find(of, params);
    const place = `${records.bucket(of, params)} ${held?.key}`;
    const etag = held === null ? null : store.replica.validator(store.mount, place);
    try {
      const got = await get.call(of, name, this.scope(params) as Scope<never>, etag);
      return got?.data === undefined && got?.unchanged !== true ? null : got;
    } catch (error) {
      if (error instanceof ServiceFailure && error.absent) return null;
      throw error;
    }
  }

  /** Where single records cannot be asked for, all of them are. */
  async #listedAnew(of: AnyResource, params: Params): Promise<Got | null> {
    const listed = of.of ?? of;
    await this.#sync(listed, params);
    return this.#options.records.find(of, params) === null ? null : { data: null, unchanged: true };
  }
}

function windowOf({ freshMs }: AnyResource): Pick<Collection, 'freshMs'> {
  return freshMs === undefined ? {} : { freshMs };
}
