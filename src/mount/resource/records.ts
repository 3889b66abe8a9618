/** The records of a service's resources as the replica holds them: by name, by place, with what is made of them. */
import type { RecordHead, StoredRecord } from '../../replica/replica.ts';
import { expectShape, ServiceFailure } from '../client/failure.ts';
import type { Params, ParamType } from '../table/route.ts';
import type { Origin, ServiceStore } from '../table/service-store.ts';
import type { Joint, Place, Resource } from './definition.ts';
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
}

/** What is held of a service, by its resources. */
export class Records {
  readonly store: ServiceStore;
  readonly #options: RecordsOptions;

  constructor(store: ServiceStore, options: RecordsOptions) {
    this.store = store;
    this.#options = options;
  }

  /** The collection of the replica that the records of a resource are in at a place; null where there is no such place. */
  bucket(of: AnyResource, params: Params): string | null {
    const listed = of.of ?? of;
    const given = { ...this.#options.narrowed, ...params };
    const owners = through(`${placeOf(listed)}/`, this.#options.resources);
    const keys: string[] = [];
    for (const param of placeParams(listed)) {
      const owner = owners.find((one) => ownParam(one) === param);
      const isByKey = owner === undefined || this.#options.joints.some(({ one }) => one === owner);
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
    const name = params[ownParam(of)];
    const bucket = this.bucket(of, params);
    if (name === undefined || bucket === null) return null;
    const { replica, mount } = this.store;
    const key = this.#isNamed(of) ? this.#keyOf(bucket, name) : name;
    const found = key === null ? null : replica.get(mount, bucket, key);
    return found !== null && this.#isShown(of, params, found.value) ? found : null;
  }

  /** Does a record have a file at a place? */
  #isShown(of: AnyResource, params: Params, value: unknown): boolean {
    const within = Object.entries((of.of ?? of).within?.(value) ?? {});
    const isHere = within.every(
      ([param, at]) => params[param] === undefined || params[param] === at,
    );
    return isHere && (of.where === undefined || of.where(value, this.place(params)));
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
    const listed = of.of ?? of;
    const tag = listed.heldAt === undefined ? group : params[ownerParam(listed)];
    return replica
      .all(mount, bucket, tag)
      .filter(({ value }) => this.#isShown(of, params, value))
      .sort((a, b) => BY_NUMBERS.compare(a.key, b.key));
  }

  /** What a resource's texts may look at. */
  place(params: Params): Place {
    return {
      params,
      record: <T>(of: Resource<T>) => this.#need(of, params) as T,
      find: <T>(of: Resource<T>) => (this.find(of, params)?.value ?? null) as T | null,
      held: <T>(of: Resource<T>, key: string) => {
        const bucket = this.bucket(of, params);
        if (bucket === null) return null;
        return (this.store.replica.get(this.store.mount, bucket, key)?.value ?? null) as T | null;
      },
      only: <T>(of: Resource<T>) => (this.all(of, params)[0]?.value ?? null) as T | null,
      all: <T>(of: Resource<T>) => this.all(of, params).map(({ value }) => value as T),
      at: (other) => this.place(other),
    };
  }

  nameOf(of: AnyResource, value: unknown): string {
    const listed = of.of ?? of;
    return (of.name ?? listed.name ?? of.key).call(of, value);
  }

  /** The path of a record in the mount. */
  pathOf(of: AnyResource, params: Params, value: unknown): string {
    const within = (of.of ?? of).within?.(value);
    return filled(of.path ?? '', { ...params, ...within, [ownParam(of)]: this.nameOf(of, value) });
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
    const listed = of.of ?? of;
    const bucket = this.#at(listed, params);
    const value = this.parsed(listed, raw);
    const key = listed.key(value);
    const updatedAt = listed.updatedAt?.(value) ?? '';
    const { replica, mount } = this.store;
    const held = replica.get(mount, bucket, key);
    if (origin === 'listing' && this.#isOlder(bucket, key, updatedAt, held)) return held;
    if (listed.gone?.(value) === true) {
      this.remove(listed, params, key, false);
      return null;
    }
    if (origin === 'write') this.store.noteOwnWrite(`${bucket} ${key}`);
    const path = isFile(listed.path ?? '') ? this.pathOf(listed, params, value) : null;
    const size = JSON.stringify(value).length;
    const tag = this.#tagOf(listed, value);
    if (held !== null && this.nameOf(listed, held.value) !== this.nameOf(listed, value)) {
      this.#forgetBelow(listed, bucket, key);
    }
    const isNew = replica.upsert(mount, bucket, { key, tag, updatedAt, size, path, value });
    if (this.#isNamed(listed)) this.#putNames(listed, bucket, key, held?.value, value);
    // The ETag was that of what was held before.
    if (isNew && held !== null) replica.setValidator(mount, `${bucket} ${key}`, null);
    if (isNew) this.#putViews(listed, params, [held?.value, value]);
    return replica.get(mount, bucket, key);
  }

  /** Forgets a record, and what is below it. `own`: we removed it ourselves. */
  remove(of: AnyResource, params: Params, key: string, own: boolean): void {
    const listed = of.of ?? of;
    const bucket = this.#at(listed, params);
    const { replica, mount } = this.store;
    if (own) this.store.noteOwnWrite(`${bucket} ${key}`);
    const held = replica.get(mount, bucket, key);
    if (held === null) return;
    this.#forgetBelow(listed, bucket, key);
    replica.remove(mount, bucket, key);
    if (this.#isNamed(listed)) this.#putNames(listed, bucket, key, held.value, null);
    this.#putViews(listed, params, [held.value]);
  }

  /** Forgets all that is held of a resource at a place, and how far its listing was read. */
  forget(of: AnyResource, params: Params): void {
    const bucket = this.bucket(of, params);
    if (bucket === null) return;
    const { replica, mount } = this.store;
    replica.transaction(() => {
      for (const { key } of replica.heads(mount, bucket)) this.#forgetBelow(of, bucket, key);
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

  // --- names

  #isNamed(of: AnyResource): boolean {
    return (of.of ?? of).name !== undefined;
  }

  #keyOf(bucket: string, name: string): string | null {
    const { replica, mount } = this.store;
    return (replica.get(mount, `names of ${bucket}`, name)?.value as string | undefined) ?? null;
  }

  #putNames(of: AnyResource, bucket: string, key: string, before: unknown, now: unknown): void {
    const { replica, mount } = this.store;
    const into = `names of ${bucket}`;
    const namesOf = (value: unknown): string[] =>
      value === undefined || value === null
        ? []
        : [...(of.formerNames?.(value) ?? []), this.nameOf(of, value)];
    const names = new Set(namesOf(now));
    for (const old of namesOf(before)) {
      if (!names.has(old) && this.#keyOf(bucket, old) === key) replica.remove(mount, into, old);
    }
    for (const name of names) {
      // The name that another has now is no longer that of the one that had it.
      const other = this.#keyOf(bucket, name);
      const isCurrent = name === this.nameOf(of, now);
      if (other !== null && other !== key && !isCurrent) continue;
      replica.upsert(mount, into, { key: name, updatedAt: '', size: 1, path: null, value: key });
    }
  }

  /** What is below a directory is held under its name, or not at all. @param at the collection that it is in */
  #forgetBelow(of: AnyResource, at: string, key: string): void {
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
      const isBelow = (bucket: string) => {
        const keys = keysOf(bucket);
        return params.every(
          (param, index) => !wanted.has(param) || wanted.get(param) === keys[index],
        );
      };
      for (const bucket of replica.collections(mount, `${below.id}/`))
        if (isBelow(bucket)) this.#forgetBucket(below, bucket);
    }
  }

  #forgetBucket({ id }: Pick<AnyResource, 'id'>, bucket: string): void {
    const { replica, mount } = this.store;
    for (const made of this.#options.views.filter((one) => (one.of.of ?? one.of).id === id))
      replica.removeCollection(mount, `${made.path} of ${bucket}`);
    replica.removeCollection(mount, `names of ${bucket}`);
    replica.removeCollection(mount, bucket);
  }

  /** Texts that show records of a resource by their names changed with these. */
  announce(of: AnyResource): void {
    const { replica, mount } = this.store;
    for (const shows of this.#options.resources) {
      if (shows.of !== undefined || shows.with?.some(({ id }) => id === of.id) !== true) continue;
      for (const bucket of replica.listed(mount, shows.id)) {
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
        const own = isOfOne(made) ? { [ownParam(made.of)]: this.nameOf(made.of, value) } : {};
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
    const updatedAt =
      members
        .map((one) => one.updatedAt)
        .sort()
        .at(-1) ?? '';
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

/** Keys that are numbers, in their order. */
const BY_NUMBERS = new Intl.Collator('en', { numeric: true });

function bucketName(id: string, keys: readonly string[]): string {
  return [id, ...keys.map((key) => encodeURIComponent(key))].join('/');
}

function keysOf(bucket: string): string[] {
  return bucket
    .split('/')
    .slice(1)
    .map((key) => decodeURIComponent(key));
}
