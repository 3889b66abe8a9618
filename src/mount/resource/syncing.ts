/** Brings what is held of a service's resources in step: whole listings, what came since, single records. */
import { ServiceFailure } from '../client/failure.ts';
import type { Freshness } from '../reading/freshness.ts';
import { questionOf } from '../reading/freshness.ts';
import type { Question } from '../reading/question.ts';
import { Singles } from '../reading/singles.ts';
import type { Collection, Eagerness, Params } from '../table/route.ts';
import type { Got, Resource, Scope } from './definition.ts';
import type { Joint } from './joint.ts';
import { Joints, type Narrow } from './joints.ts';
import { keptOf, Listings } from './listings.ts';
import { listingOf, pagesOf, told } from './pages.ts';
import { ownParam, paramsOf, placeParams, through } from './paths.ts';
import { nameOf } from './record-names.ts';
import type { Records } from './records.ts';

type AnyResource = Resource<unknown>;

export interface SyncingOptions<C> {
  client: C;
  records: Records;
  resources: readonly AnyResource[];
  joints: readonly Joint<never>[];
  /** What the mount is narrowed to: parameters of paths that do not have them. */
  narrowed: Params;
  freshness: Freshness;
  freshMs: number;
  reconcileMs: number;
  now: () => Date;
}

export class Syncing<C> {
  readonly collections: Readonly<Record<string, Collection>>;
  readonly #options: SyncingOptions<C>;
  readonly #listings: Listings;
  readonly #joints: Joints;
  readonly #singles: Singles;

  constructor(options: SyncingOptions<C>) {
    this.#options = options;
    this.#listings = new Listings({
      ...options,
      stored: (of, params, work) => this.#stored(of, params, work),
      lookUp: (of, params) => this.refresh(of, params, 'lookup'),
      canBeAsked: (of) =>
        of.path !== undefined && (of.get !== undefined || this.#joints.narrowAt(of) !== undefined),
      arrived: async (of, params) => {
        const narrow = this.#joints.narrowAt(of);
        if (narrow !== undefined) await this.#joints.sync(narrow, params);
      },
    });
    const scope = (params: Params) => this.scope(params) as Scope<never>;
    this.#joints = new Joints(options, this.#listings, scope);
    this.#singles = new Singles(options.now);
    const own = options.resources
      .filter((one) => one.of === undefined && this.#joints.of(one) === undefined)
      .filter((one) => one.list !== undefined || this.#joints.at(one) === undefined)
      .map((one) => [one.id, one.list === undefined ? this.#single(one) : this.#listing(one)]);
    this.collections = { ...Object.fromEntries(own), ...this.#joints.collections };
  }

  /** The collection that brings a resource in step, by its name; null where each record is asked for. */
  collectionOf(of: AnyResource): string | null {
    const listed = of.of ?? of;
    const isListed = listed.list !== undefined || this.#joints.at(listed) === undefined;
    return this.#joints.of(listed)?.id ?? (isListed ? listed.id : null);
  }

  /** Is it listed together with others, and by no question of its own? */
  isJoint(of: AnyResource): boolean {
    const listed = of.of ?? of;
    return this.#joints.of(listed) !== undefined && this.#joints.narrowAt(listed) === undefined;
  }

  /** Does a path that goes on below need no more than that its directory is known? */
  isKnownByName(of: AnyResource): boolean {
    return this.#joints.at(of.of ?? of) !== undefined;
  }

  scope(params: Params): Scope<C> {
    const { client, records, now } = this.#options;
    return {
      ...records.place(params),
      client,
      now,
      ensure: (of, other = params) => this.ensure(this.chain(of.path ?? '', of), other, 'cover'),
      look: async (of) => {
        await this.refresh(of, params, 'lookup');
      },
      at: (other) => this.scope(other),
    };
  }

  /** The resources that must be in step for a pattern that shows one of them, in their order. */
  chain(pattern: string, of: AnyResource): AnyResource[] {
    const all = [pattern, of.path ?? `${of.at ?? ''}/`]
      .flatMap((path) => through(path, this.#options.resources))
      .flatMap((one) => this.#withOthers(one));
    const unique = new Map([...all, ...this.#withOthers(of)].map((one) => [one.id, one]));
    return [...unique.values()];
  }

  /** Brings in step what a path needs, the record that it names included. Throws ServiceFailure. */
  async ensure(chain: readonly AnyResource[], params: Params, eagerness: Eagerness): Promise<void> {
    const given = { ...this.#options.narrowed, ...params };
    for (const one of chain) await this.#ensureOne(one, given, eagerness);
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
    const { store } = this.#options.records;
    const bucket = this.#options.records.bucket(of, params);
    return bucket === null ? null : keptOf(store, bucket).lacking;
  }

  /** Is a place held, so that looking at it would ask for nothing? */
  isFresh(of: AnyResource, params: Params): boolean {
    const { records, freshness } = this.#options;
    const listed = of.of ?? of;
    if (records.bucket(listed, params) === null) return false;
    const name = this.collectionOf(listed);
    return name !== null && freshness.readsFreshCollection(this.collections, name, params);
  }

  /** The ETag of what is held of a record; null where none was given. */
  etag(of: AnyResource, params: Params): string | null {
    const { store } = this.#options.records;
    const held = this.#options.records.find(of, params);
    if (held === null) return null;
    const place = `${this.#options.records.bucket(of, params)} ${held.key}`;
    return store.replica.validator(store.mount, place);
  }

  /** Asks for one record by its name; false where there is none. Throws ServiceFailure. */
  async refresh(of: AnyResource, params: Params, origin: 'lookup' | 'write'): Promise<boolean> {
    const { records } = this.#options;
    const listed = of.of ?? of;
    const narrow = this.#joints.narrowAt(listed);
    if (narrow !== undefined) {
      await this.#joints.sync(narrow, params, listed.parts ?? []);
      return records.find(of, params) !== null;
    }
    const held = records.find(of, params);
    const name = params[ownParam(of)] ?? '';
    const got = await this.#got(of, params, held === null ? name : nameOf(of, held.value));
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
    const narrow = this.#joints.narrowOf(listed, params);
    if (narrow !== undefined) return this.#ensureNarrow(narrow, params, eagerness);
    const isNamed = params[ownParam(of)] !== undefined;
    const at = this.#joints.at(listed);
    const name = isNamed && at !== undefined ? at.id : this.#joints.of(listed)?.id;
    if (name !== undefined) {
      // A directory that is known is there until something says otherwise.
      if (isNamed && at !== undefined && records.find(of, params) !== null) return;
      await freshness.ensureCollection(this.collections, name, params, eagerness);
    } else if (listed.list !== undefined) {
      const bring = () =>
        freshness.ensureCollection(this.collections, listed.id, params, eagerness);
      if (!isNamed || listed.get === undefined) return bring();
      // What is named does not wait for a listing of many pages; and one that lacks something does
      // not tell that there is no such record.
      const isRead = !this.#isBegun(listed, params) && (await freshness.isBroughtInTime(bring));
      if (isRead && this.#isOfAll(listed, params)) return;
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

  /** Brings one record in step with what belongs to it: by itself, or with its like where that costs less. */
  async #ensureNarrow({ id, one }: Narrow, params: Params, eagerness: Eagerness): Promise<void> {
    const { records, freshness } = this.#options;
    const wide = this.#joints.of(one);
    if (wide !== undefined && this.#isListedFirst(wide, one, params)) {
      const isRead = await freshness.isBroughtInTime(() =>
        freshness.ensureCollection(this.collections, wide.id, params, eagerness),
      );
      const now = records.find(one, params);
      if (isRead && now !== null && one.listed?.(now.value) !== false) return;
    }
    const collection = this.collections[id];
    const question = collection && questionOf(id, collection, params);
    if (question) await freshness.ensureOne(question, () => records.find(one, params) !== null);
  }

  /** Is a record that is named brought by the listing of its like? If that is held, or so many are named. */
  #isListedFirst(wide: Joint<never>, one: AnyResource, params: Params): boolean {
    const { records } = this.#options;
    const { store } = records;
    const bucket = records.jointBucket(wide, params);
    // While the whole is under way, or has failed, the one that is named does not wait for it.
    const isBegun = store.replica.underWay.get(store.mount, bucket) !== null;
    const name = params[ownParam(one)] ?? '';
    const isMany = records.find(one, params) === null && this.#singles.isMany(bucket, name);
    return store.heldSince(bucket) !== null || (isMany && !isBegun);
  }

  /** Does a listing that was read tell of every record whether it is there? */
  #isOfAll(listed: AnyResource, params: Params): boolean {
    const { store } = this.#options.records;
    const bucket = this.#options.records.bucket(listed, params);
    if (bucket === null) return true;
    const { lacking, partial = false } = keptOf(store, bucket);
    return lacking === null && !partial;
  }

  /** Is a listing under way of which some pages have come, and nothing is held that came before? */
  #isBegun(listed: AnyResource, params: Params): boolean {
    const { store } = this.#options.records;
    const bucket = this.#options.records.bucket(listed, params);
    if (bucket === null || store.heldSince(bucket) !== null) return false;
    return (store.replica.underWay.get(store.mount, bucket)?.pages ?? 0) > 0;
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

  /** Does something that stores records of a resource, and tells those whose texts show them. */
  #stored(of: AnyResource, params: Params, work: () => void): void {
    const { records } = this.#options;
    const { store } = records;
    const { shown } = of;
    const before = shown === undefined ? store.replica.revision() : this.#shown(of, params);
    store.replica.transaction(work);
    const after = shown === undefined ? store.replica.revision() : this.#shown(of, params);
    if (before !== after) records.announce(of);
  }

  #shown(of: AnyResource, params: Params): string {
    const all = this.#options.records.all(of, params);
    return JSON.stringify(all.map(({ key, value }) => [key, of.shown?.(value)]));
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
    const since =
      store.deltaFrom(bucket, reconcileMs) === null ? null : keptOf(store, bucket).cursor;
    try {
      await this.#listings.bring({
        collection: bucket,
        what: questionOf(of.id, this.#listing(of), params)?.key ?? of.id,
        params,
        asked: new Map([[of, since]]),
        isKept: since === null,
        held: () => store.replica.all(store.mount, bucket),
        stateOf: () => bucket,
        pages: async function* (this: Syncing<C>, from: string | null) {
          const listed = of.list?.(this.scope(params) as Scope<never>, since, from);
          if (listed === undefined) return;
          const parsed = (row: unknown) => records.parsed(of, row);
          for await (const page of pagesOf(of, listed, since, from, parsed))
            yield { ...told(page), of: new Map([[of, listingOf(page)]]) };
        }.bind(this),
      });
    } catch (error) {
      // The place that it is of is gone, and so is what was there.
      if (error instanceof ServiceFailure && error.absent) records.forget(of, params);
      throw error;
    }
  }

  async #got(of: AnyResource, params: Params, name: string): Promise<Got | null> {
    const { records } = this.#options;
    const get = of.get ?? of.of?.get;
    if (get === undefined) return this.#listedAnew(of, params);
    const held = records.find(of, params);
    // Many are listed by one question, and it was asked: what it did not have is not there.
    if (held === null && this.isJoint(of)) return null;
    const etag = this.etag(of, params);
    try {
      const scope = this.scope(params) as Scope<never>;
      const got = await get.call(of, name, scope, etag, (held?.value ?? null) as never);
      return got?.data === undefined && got?.unchanged !== true ? null : got;
    } catch (error) {
      if (error instanceof ServiceFailure && error.absent) return null;
      throw error;
    }
  }

  /** Where single records cannot be asked for, all of them are. */
  async #listedAnew(of: AnyResource, params: Params): Promise<Got | null> {
    const listed = of.of ?? of;
    const joint = this.#joints.of(listed);
    await (joint === undefined ? this.#sync(listed, params) : this.#joints.sync(joint, params));
    return this.#options.records.find(of, params) === null ? null : { data: null, unchanged: true };
  }
}

function windowOf({ freshMs }: AnyResource): Pick<Collection, 'freshMs'> {
  return freshMs === undefined ? {} : { freshMs };
}
