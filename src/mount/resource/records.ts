/** The records of a service's resources as the replica holds them: by name, by place, with what is made of them. */
import type { RecordHead, StoredRecord } from '../../replica/replica.ts';
import { expectShape, ServiceFailure } from '../client/failure.ts';
import type { Params, ParamType } from '../table/route.ts';
import type { Origin, ServiceStore } from '../table/service-store.ts';
import { latestOf } from '../table/tsv.ts';
import { type UploadParts, uploadsIn } from '../table/uploads.ts';
import { Belonging } from './belonging.ts';
import type { Place, Resource } from './definition.ts';
import type { Joint } from './joint.ts';
import {
  above,
  filled,
  isFile,
  ownParam,
  paramsOf,
  placeOf,
  placeParams,
  through,
} from './paths.ts';
import {
  BY_NUMBERS,
  bucketName,
  isNamed,
  keyOf,
  keysOf,
  nameOf,
  namesOf,
  putNames,
} from './record-names.ts';
import { type AnyView, groupsOf, isOfOne } from './views.ts';

type AnyResource = Resource<unknown>;

export interface RecordsOptions {
  /** What sentences call the service. */
  title: string;
  resources: readonly AnyResource[];
  views: readonly AnyView[];
  joints: readonly Joint<never>[];
  /** What the mount is narrowed to: parameters of paths that do not have them. */
  narrowed: Params;
  /** Does a listing know of every write that was answered before it was asked for? */
  consistent: boolean;
  /** What parameters may be. */
  params: Readonly<Record<string, ParamType>>;
  /** What texts may link to; null where a service keeps no files. */
  uploads: UploadParts | null;
}

/** What is held of a service, by its resources. */
export class Records {
  readonly store: ServiceStore;
  /** What belongs to what. */
  readonly belonging: Belonging;
  readonly #options: RecordsOptions;

  constructor(store: ServiceStore, options: RecordsOptions) {
    this.store = store;
    this.#options = options;
    this.belonging = new Belonging(this, options.resources);
  }

  /** The collection of the replica that the records of a resource are in at a place; null where there is no such place. */
  bucket(of: AnyResource, params: Params): string | null {
    const listed = of.of ?? of;
    const given = { ...this.#options.narrowed, ...params };
    const owners = through(`${placeOf(listed)}/`, this.#options.resources);
    const keys: string[] = [];
    for (const param of placeParams(listed)) {
      const owner = owners.find((one) => ownParam(one) === param);
      const isByKey =
        owner === undefined || this.#options.joints.some(({ one }) => one?.id === owner.id);
      const key = isByKey ? given[param] : this.find(owner, given)?.key;
      if (key === undefined) return null;
      keys.push(isByKey ? this.#sameInAnyCase(param, key) : key);
    }
    return bucketName(listed.id, keys);
  }

  /** Where the state of a joint question is kept: by what the path says, since its answer brings who is there. */
  jointBucket({ id, path }: Joint<never>, params: Params): string {
    const given = { ...this.#options.narrowed, ...params };
    return bucketName(
      `joint ${id}`,
      paramsOf(path).map((param) => this.#sameInAnyCase(param, given[param] ?? '')),
    );
  }

  #sameInAnyCase(param: string, value: string): string {
    return this.#options.params[param]?.caseless === true ? value.toLowerCase() : value;
  }

  /** The record that a path names, if it is held and has a file there. */
  find(of: AnyResource, params: Params): StoredRecord | null {
    const found = this.#called(of, params);
    if (found === null || !this.#isShown(of, params, found.value)) return null;
    const isFormer =
      (of.of ?? of).moved !== undefined && nameOf(of, found.value) !== params[ownParam(of)];
    return isFormer ? null : found;
  }

  /** The record that has the name of a path, or had it, wherever its file is. */
  #called(of: AnyResource, params: Params): StoredRecord | null {
    const name = params[ownParam(of)];
    const bucket = this.bucket(of, params);
    if (name === undefined || bucket === null) return null;
    const { replica, mount } = this.store;
    const key = isNamed(of) ? keyOf(this.store, bucket, name) : name;
    return key === null ? null : replica.get(mount, bucket, key);
  }

  /** Where the record is that a path named before, and how that is said; null where that is not known. */
  elsewhere(of: AnyResource, params: Params): { params: Params; says: string } | null {
    const listed = of.of ?? of;
    if (listed.moved === undefined) return null;
    const found = this.#called(of, params);
    if (found === null || this.find(listed, params) !== null) return null;
    const to = this.paramsOf(listed, params, found.value);
    const types = this.#options.params;
    const isSeen = Object.entries(to).every(
      ([param, at]) => types[param]?.matches.test(at) ?? true,
    );
    const path = `: ${filled(listed.path ?? '', to)} of this mount`;
    const says = `${listed.moved(found.value)}${isSeen ? path : ', which this mount does not show'}`;
    return { params: to, says };
  }

  /** Does a record have a file at a place? */
  #isShown(of: AnyResource, params: Params, value: unknown): boolean {
    const within = this.#withinOf(of.of ?? of, params, value);
    const isHere = Object.entries(within ?? {}).every(
      ([param, at]) => params[param] === undefined || params[param] === at,
    );
    if (within === null || !isHere) return false;
    return of.where === undefined || of.where(value, this.place(params));
  }

  /** The parameters between where a record is held and its directory; null where its owner is not held. */
  #withinOf(listed: AnyResource, params: Params, value: unknown): Params | null {
    if (listed.owner === undefined) return listed.within?.(value) ?? {};
    const owner = this.belonging.ownerOf(listed, params, value);
    return owner && this.paramsOf(listed.owner.of, params, owner.value);
  }

  /** The parameters of a record's path. */
  paramsOf(of: AnyResource, params: Params, value: unknown): Params {
    const within = this.#withinOf(of.of ?? of, params, value);
    return { ...params, ...within, [ownParam(of)]: nameOf(of, value) };
  }

  /** Does what is held of a record have all that its file shows? */
  isWhole(of: AnyResource, params: Params): boolean {
    const isWhole = of.isWhole ?? of.of?.isWhole;
    const found = isWhole === undefined ? null : this.find(of, params);
    return found === null || isWhole?.(found.value) === true;
  }

  /** All records with a file at a place, by their keys; of one group, where the replica keeps them apart. */
  all(of: AnyResource, params: Params, group?: string): StoredRecord[] {
    const bucket = this.bucket(of, params);
    if (bucket === null) return [];
    const { replica, mount } = this.store;
    const tag = this.#tagAt(of.of ?? of, params, group);
    if (tag === null) return [];
    // What has the tag of an owner is where that was found.
    const isOwned = (of.of ?? of).owner !== undefined && tag !== undefined;
    const place = this.place(params);
    const isShown = ({ value }: StoredRecord): boolean =>
      isOwned ? of.where?.(value, place) !== false : this.#isShown(of, params, value);
    return replica
      .all(mount, bucket, tag)
      .filter(isShown)
      .sort((a, b) => BY_NUMBERS.compare(a.key, b.key));
  }

  /** The tag of the records at a place; undefined for all, null where there can be none. */
  #tagAt(listed: AnyResource, params: Params, group?: string): string | null | undefined {
    const { owner } = listed;
    if (owner !== undefined) {
      const isNamed = params[ownParam(owner.of)] !== undefined;
      return isNamed ? (this.find(owner.of, params)?.key ?? null) : undefined;
    }
    return listed.heldAt === undefined ? group : params[ownerParam(listed)];
  }

  /** What a resource's texts may look at. */
  place(params: Params): Place {
    const { narrowed, uploads } = this.#options;
    return {
      params,
      narrowed,
      record: <T>(of: Resource<T>) => this.#need(of, params) as T,
      find: <T>(of: Resource<T>) => (this.find(of, params)?.value ?? null) as T | null,
      held: <T>(of: Resource<T>, key: string) => {
        const bucket = this.bucket(of, params);
        if (bucket === null) return null;
        return (this.store.replica.get(this.store.mount, bucket, key)?.value ?? null) as T | null;
      },
      only: <T>(of: Resource<T>) => (this.all(of, params)[0]?.value ?? null) as T | null,
      all: <T>(of: Resource<T>) => this.all(of, params).map(({ value }) => value as T),
      parts: <T>(of: Resource<T>, key: string) =>
        this.belonging.parts(of, params, key).map(({ value }) => value as T),
      uploads: (texts) => (uploads === null ? [] : uploadsIn(texts, uploads)),
      elsewhere: (of) => this.elsewhere(of, params)?.says ?? null,
      at: (other) => this.place(other),
    };
  }

  /** The path of a record in the mount. */
  pathOf(of: AnyResource, params: Params, value: unknown): string {
    return filled(of.path ?? '', this.paramsOf(of, params, value));
  }

  /** What the service gave, checked. Throws ServiceFailure. */
  parsed(of: AnyResource, raw: unknown): unknown {
    return expectShape(this.#options.title, of.schema, raw, `one of ${of.id}`);
  }

  /**
   * Stores what the service gave; null where that is older than what is held, or says that it is gone.
   * @throws ServiceFailure where it is not what was expected
   */
  put(of: AnyResource, params: Params, raw: unknown, origin: Origin): StoredRecord | null {
    return this.keep(of, params, this.parsed(of.of ?? of, raw), origin);
  }

  /** The same of what was checked. */
  keep(of: AnyResource, params: Params, value: unknown, origin: Origin): StoredRecord | null {
    const listed = of.of ?? of;
    const bucket = this.#at(listed, params);
    if (listed.owner?.key(value) === null) return null;
    const key = listed.key(value);
    const held = this.store.replica.get(this.store.mount, bucket, key);
    const updatedAt = listed.updatedAt?.(value) ?? '';
    if (origin === 'listing' && this.#isOlder(bucket, key, updatedAt, held)) return held;
    if (listed.gone?.(value) === true) {
      this.remove(listed, params, key, false);
      return null;
    }
    if (origin === 'write') this.store.noteOwnWrite(`${bucket} ${key}`);
    return this.#stored(listed, params, value, held);
  }

  /** Is a record held, whatever is shown of it? */
  isHeld(of: AnyResource, params: Params, value: unknown): boolean {
    const { replica, mount } = this.store;
    return replica.head(mount, this.#at(of.of ?? of, params), (of.of ?? of).key(value)) !== null;
  }

  /** Stores what is held of a record again, as its place and its parts are now: that confirms nothing. */
  restore(of: AnyResource, params: Params, held: StoredRecord): void {
    this.#stored(of, params, held.value, held, held.checkedAt);
  }

  #stored(
    listed: AnyResource,
    params: Params,
    given: unknown,
    held: StoredRecord | null,
    checkedAt?: number,
  ): StoredRecord | null {
    const bucket = this.#at(listed, params);
    const { replica, mount } = this.store;
    const value = listed.told?.(given, this.place(params)) ?? given;
    const key = listed.key(value);
    const updatedAt = listed.updatedAt?.(value) ?? '';
    const path = this.documentPath(listed, params, value);
    const size = JSON.stringify(value).length;
    const tag = this.#tagOf(listed, value);
    const isRenamed = held === null || nameOf(listed, held.value) !== nameOf(listed, value);
    if (held !== null && isRenamed) this.#forgetBelow(listed, bucket, held);
    const confirmed = checkedAt === undefined ? {} : { checkedAt };
    const record = { key, tag, updatedAt, size, path, value, ...confirmed };
    const isNew = replica.upsert(mount, bucket, record);
    if (isNamed(listed))
      putNames(this.store, listed, bucket, key, { before: held?.value, now: value });
    // The ETag was that of what was held before.
    if (isNew && held !== null && checkedAt === undefined)
      replica.setValidator(mount, `${bucket} ${key}`, null);
    if (isNew) this.#putViews(listed, params, [held?.value, value]);
    if (isNew) this.belonging.putAround(listed, params, key, held?.value, value);
    if (isRenamed) this.belonging.tellOthers(listed, params, key);
    this.belonging.takeAlong(listed, params, held?.value, value);
    return replica.get(mount, bucket, key);
  }

  /** Where it is as a document, which what is not listed is none; null for nowhere. */
  documentPath(listed: AnyResource, params: Params, value: unknown): string | null {
    if (!isFile(listed.path ?? '') || listed.listed?.(value) === false) return null;
    const { owner } = listed;
    if (owner !== undefined) {
      const found = this.belonging.ownerOf(listed, params, value);
      if (found === null || owner.of.listed?.(found.value) === false) return null;
    }
    return this.pathOf(listed, params, value);
  }

  /** Forgets a record, and what is below it. `own`: we removed it ourselves. */
  remove(of: AnyResource, params: Params, key: string, own: boolean): void {
    const listed = of.of ?? of;
    const bucket = this.#at(listed, params);
    const { replica, mount } = this.store;
    if (own) this.store.noteOwnWrite(`${bucket} ${key}`);
    const held = replica.get(mount, bucket, key);
    if (held === null) return;
    this.#forgetBelow(listed, bucket, held);
    replica.remove(mount, bucket, key);
    if (isNamed(listed))
      putNames(this.store, listed, bucket, key, { before: held.value, now: null });
    this.#putViews(listed, params, [held.value]);
    this.belonging.putAround(listed, params, key, held.value, null);
    this.belonging.takeAway(listed, params, held);
  }

  /** Forgets all that is held of a resource at a place, and how far its listing was read. */
  forget(of: AnyResource, params: Params): void {
    const bucket = this.bucket(of, params);
    if (bucket === null) return;
    const { replica, mount } = this.store;
    replica.transaction(() => {
      for (const held of replica.all(mount, bucket)) {
        this.#forgetBelow(of, bucket, held);
        this.belonging.takeAway(of, params, held);
      }
      this.#forgetBucket(of, bucket);
    });
  }

  /** May a listing that does not have this record be older than it? */
  isRecent(head: RecordHead): boolean {
    return !this.#options.consistent && this.store.isRecent(head);
  }

  /** Did we write it so lately that a listing may not know of it yet? */
  isOwnWrite(of: AnyResource, params: Params, key: string): boolean {
    return !this.#options.consistent && this.store.isOwnWrite(`${this.bucket(of, params)} ${key}`);
  }

  #at(listed: AnyResource, params: Params): string {
    const bucket = this.bucket(listed, params);
    if (bucket !== null) return bucket;
    throw new ServiceFailure('missing', `there is no such place for ${listed.id}`);
  }

  #need(of: AnyResource, params: Params): unknown {
    const found = this.find(of, params);
    if (found !== null) return found.value;
    const name = params[ownParam(of)] ?? '';
    throw new ServiceFailure('missing', `${name} is none of the ${of.id} there`);
  }

  /** A listing may lag behind what we wrote, or looked up, since. */
  #isOlder(bucket: string, key: string, updatedAt: string, held: StoredRecord | null): boolean {
    if (this.#options.consistent) return false;
    const isOwn = this.store.isOwnWrite(`${bucket} ${key}`);
    if (held === null) return isOwn;
    return held.updatedAt > updatedAt || (isOwn && held.updatedAt >= updatedAt);
  }

  /** What is below a directory is held under its name, or not at all. @param at the collection that it is in */
  #forgetBelow(of: AnyResource, at: string, { key, value }: StoredRecord): void {
    const { replica, mount } = this.store;
    const joints = this.#options.joints.map(({ id, path }) => ({ id: `joint ${id}`, at: path }));
    for (const below of [...this.#options.resources, ...joints]) {
      if ('of' in below && below.of !== undefined) continue;
      const owners = through(`${placeOf(below)}/`, this.#options.resources);
      const params = placeParams(below);
      const own = params.find((param) =>
        owners.some((one) => ownParam(one) === param && (one.of ?? one).id === of.id),
      );
      if (own === undefined) continue;
      // A namesake is at another place.
      const above = placeParams(of).map((param, index) => [param, keysOf(at)[index]] as const);
      const wanted = new Map([...above, [own, key]]);
      const name = nameOf(of, value);
      const isBelow = (bucket: string) => {
        const keys = keysOf(bucket);
        return params.every((param, index) => {
          // What a question brought is kept by what its path says.
          const isName = param === own && below.id.startsWith('joint ') && keys[index] === name;
          return !wanted.has(param) || wanted.get(param) === keys[index] || isName;
        });
      };
      for (const bucket of replica.collections(mount, `${below.id}/`))
        if (isBelow(bucket)) this.#forgetBucket(below, bucket);
    }
  }

  #forgetBucket({ id }: Pick<AnyResource, 'id'>, bucket: string): void {
    const { replica, mount } = this.store;
    for (const made of this.#options.views.filter((one) => (one.of.of ?? one.of).id === id))
      replica.removeCollection(mount, `${made.path} of ${bucket}`);
    replica.removeCollection(mount, namesOf(bucket));
    replica.removeCollection(mount, bucket);
  }

  /** Texts that show records of a resource by their names changed with these. */
  announce(of: AnyResource): void {
    const { replica, mount } = this.store;
    for (const shows of this.#options.resources) {
      if (shows.of !== undefined || shows.with?.some(({ id }) => id === of.id) !== true) continue;
      for (const bucket of replica.collections(mount, shows.id)) {
        if (bucket !== shows.id && !bucket.startsWith(`${shows.id}/`)) continue;
        replica.announce(mount, bucket);
        for (const { path } of this.#viewsOf(shows))
          replica.announce(mount, `${path} of ${bucket}`);
      }
    }
  }

  // --- what is made of records

  #viewsOf(of: AnyResource): AnyView[] {
    return this.#options.views.filter((one) => (one.of.of ?? one.of).id === of.id);
  }

  /** The replica keeps the groups of one view apart. */
  taggedView(of: AnyResource): AnyView | null {
    return this.#viewsOf(of).find((one) => one.by !== undefined && !isOfOne(one)) ?? null;
  }

  #tagOf(of: AnyResource, value: unknown): string {
    if (of.owner !== undefined) return of.owner.key(value) ?? '';
    if (of.heldAt !== undefined) return of.within?.(value)[ownerParam(of)] ?? '';
    const group = this.taggedView(of)?.by?.(value);
    return typeof group === 'string' ? group : '';
  }

  /** Views that are documents have a row each, so that the feed tells of them. */
  #putViews(of: AnyResource, params: Params, values: readonly unknown[]): void {
    for (const made of this.#viewsOf(of)) {
      if (made.document !== true) continue;
      for (const value of values) {
        if (value === undefined || value === null) continue;
        const own = isOfOne(made) ? { [ownParam(made.of)]: nameOf(made.of, value) } : {};
        for (const group of groupsOf(made, value)) {
          const last = made.by === undefined ? {} : { [paramsOf(made.path).at(-1) ?? '']: group };
          this.#putView(made, { ...params, ...own, ...last });
        }
      }
    }
  }

  #putView(made: AnyView, params: Params): void {
    const { replica, mount } = this.store;
    const into = `${made.path} of ${this.bucket(made.of, params)}`;
    const path = filled(made.path, params);
    const members = this.members(made, params);
    if (members.length === 0) {
      replica.remove(mount, into, path);
      return;
    }
    const value = members.map(({ version }) => version);
    const updatedAt = latestOf(members.map((one) => one.updatedAt));
    replica.upsert(mount, into, { key: path, updatedAt, size: 1, path, value });
  }

  /** The records that a view's file is made of. */
  members(made: AnyView, params: Params): StoredRecord[] {
    const { of, by } = made;
    const group = by === undefined ? undefined : params[paramsOf(made.path).at(-1) ?? ''];
    if (isOfOne(made)) {
      const found = this.find(of, params);
      const isIn =
        found !== null && (group === undefined || groupsOf(made, found.value).includes(group));
      return isIn ? [found] : [];
    }
    if (group === undefined) return this.all(of, params);
    const isTagged = this.taggedView(of.of ?? of)?.path === made.path;
    const all = this.all(of, params, isTagged ? group : undefined);
    return isTagged ? all : all.filter(({ value }) => groupsOf(made, value).includes(group));
  }
}

/** The parameter of a place that records are grouped by which are held above it. */
function ownerParam({ path = '' }: AnyResource): string {
  return paramsOf(above(path)).at(-1) ?? '';
}
