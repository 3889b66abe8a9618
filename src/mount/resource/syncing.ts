/** Brings what is held of a service's resources in step: whole listings, what came since, single records. */
import type { StoredRecord } from '../../replica/replica.ts';
import { ServiceFailure } from '../client/failure.ts';
import type { Freshness } from '../reading/freshness.ts';
import { questionOf } from '../reading/freshness.ts';
import type { Question } from '../reading/question.ts';
import type { Collection, Eagerness, Params } from '../table/route.ts';
import type { Got, Joint, Listing, Resource, Scope, Upkeep } from './definition.ts';
import { Listings } from './listings.ts';
import { listingOf, paged, pagesOf, told } from './pages.ts';
import { ownParam, paramsOf, placeParams, through } from './paths.ts';
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
  reconcileMs: number;
  now: () => Date;
}

/** What is kept of a listing beside its records. */
interface Kept {
  cursor: string | null;
  lacking: string | null;
  partial?: boolean;
}

export class Syncing<C> {
  readonly collections: Readonly<Record<string, Collection>>;
  readonly #options: SyncingOptions<C>;
  /** By the ids of resources. */
  #upkeep: Readonly<Record<string, Upkeep>> = {};
  readonly #listings: Listings;

  constructor(options: SyncingOptions<C>) {
    this.#options = options;
    this.#listings = new Listings({
      ...options,
      stored: (of, params, work) => this.#stored(of, params, work),
      lookUp: (of, params) => this.refresh(of, params, 'lookup'),
    });
    const own = options.resources
      .filter((one) => one.of === undefined && this.#jointOf(one) === undefined)
      .filter((one) => one.list !== undefined || this.#jointAt(one) === undefined)
      .map((one) => [one.id, one.list === undefined ? this.#single(one) : this.#listing(one)]);
    const joints = options.joints.map((one) => [one.id, this.#joint(one)]);
    this.collections = Object.fromEntries([...own, ...joints]);
  }

  /** The collection that brings a resource in step, by its name; null where each record is asked for. */
  collectionOf(of: AnyResource): string | null {
    const listed = of.of ?? of;
    const kept = this.#upkeep[listed.id];
    if (kept !== undefined) return kept.collection;
    const isListed = listed.list !== undefined || this.#jointAt(listed) === undefined;
    return this.#jointOf(listed)?.id ?? (isListed ? listed.id : null);
  }

  /** Is it listed together with others? */
  isJoint(of: AnyResource): boolean {
    return this.#jointOf(of.of ?? of) !== undefined;
  }

  /** Does a path that goes on below need no more than that its directory is known? */
  isKnownByName(of: AnyResource): boolean {
    return this.#jointAt(of.of ?? of) !== undefined;
  }

  /** Some resources are kept in step by the mount's own means. */
  keep(upkeep: Readonly<Record<string, Upkeep>>): void {
    this.#upkeep = upkeep;
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

  /** Stores what a write made; null where it is gone. */
  put(of: AnyResource, params: Params, raw: unknown): StoredRecord | null {
    const kept = this.#upkeep[of.id];
    if (kept !== undefined) return kept.put(params, raw);
    return this.#options.records.put(of, params, raw, 'write');
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
    const bucket = this.#options.records.bucket(of, params);
    // What is kept by other means has its own notes of how far it is.
    const isListed = this.#upkeep[(of.of ?? of).id] === undefined;
    return isListed && bucket !== null ? this.#kept(bucket).lacking : null;
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
    const kept = this.#upkeep[listed.id];
    if (kept !== undefined) {
      await kept.look(params);
      return records.find(of, params) !== null;
    }
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
    const kept = this.#upkeep[listed.id];
    if (kept !== undefined) return kept.ensure(params, eagerness);
    const isNamed = params[ownParam(of)] !== undefined;
    const at = this.#jointAt(listed);
    const name = isNamed && at !== undefined ? at.id : this.#jointOf(listed)?.id;
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

  /** Does a listing that was read tell of every record whether it is there? */
  #isOfAll(listed: AnyResource, params: Params): boolean {
    const bucket = this.#options.records.bucket(listed, params);
    if (bucket === null) return true;
    const { lacking, partial = false } = this.#kept(bucket);
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

  #jointOf(of: AnyResource): Joint<never> | undefined {
    return this.#options.joints.find((one) => one.of.includes(of));
  }

  #jointAt(of: AnyResource): Joint<never> | undefined {
    return this.#options.joints.find(({ one }) => one === of);
  }

  #joint(of: Joint<never>): Collection {
    const { records, narrowed } = this.#options;
    const given = (params: Params) => ({ ...narrowed, ...params });
    return {
      scope: paramsOf(of.path).filter((param) => narrowed[param] === undefined),
      heldSince: (params) => records.store.heldSince(records.jointBucket(of, given(params))),
      sync: (params) => this.#syncJoint(of, given(params)),
    };
  }

  async #syncJoint(of: Joint<never>, params: Params): Promise<void> {
    const { records, reconcileMs } = this.#options;
    const { store } = records;
    const collection = records.jointBucket(of, params);
    const since = store.deltaFrom(collection, reconcileMs);
    const { one } = of;
    const cursor = await this.#listings.bring({
      collection,
      what: this.#keyOf(of.id, params),
      params,
      resources: of.of,
      since,
      pages: async function* (this: Syncing<C>, from: string | null) {
        let isFirst = from === null;
        const scope = this.scope(params) as Scope<never>;
        for await (const page of paged(of.list(scope, since, from))) {
          const owner = one === undefined ? undefined : page.of[one.id];
          if (one !== undefined && (isFirst || owner !== undefined))
            this.#storeOwner(one, params, owner);
          isFirst = false;
          yield {
            ...told(page),
            of: new Map(of.of.map((each) => [each, listingOf(page.of[each.id] ?? [])])),
          };
        }
      }.bind(this),
    });
    store.listed(collection, { cursor, whole: since === null });
  }

  /** Keeps the record of the directory that a joint question was asked for; without it there is none. */
  #storeOwner(
    one: AnyResource,
    params: Params,
    got: Listing<never> | readonly unknown[] = [],
  ): void {
    const { records } = this.#options;
    const [row] = listingOf(got).rows;
    if (row !== undefined) {
      records.put(one, params, row, 'lookup');
      return;
    }
    const held = records.find(one, params);
    if (held !== null) records.remove(one, params, held.key, false);
    const name = params[ownParam(one)];
    throw new ServiceFailure('missing', `there is no ${name} among the ${one.id} that can be seen`);
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
    const since = store.deltaFrom(bucket, reconcileMs) === null ? null : this.#kept(bucket).cursor;
    try {
      await this.#listings.bring({
        collection: bucket,
        what: this.#keyOf(of.id, params),
        params,
        resources: [of],
        since,
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

  /** What people call the question for a collection. */
  #keyOf(name: string, params: Params): string {
    const collection = this.collections[name];
    return (collection && questionOf(name, collection, params)?.key) ?? name;
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
    const joint = this.#jointOf(listed);
    await (joint === undefined ? this.#sync(listed, params) : this.#syncJoint(joint, params));
    return this.#options.records.find(of, params) === null ? null : { data: null, unchanged: true };
  }
}

function windowOf({ freshMs }: AnyResource): Pick<Collection, 'freshMs'> {
  return freshMs === undefined ? {} : { freshMs };
}
