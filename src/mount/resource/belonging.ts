/**
 * Records that belong to records of other resources: those that are below an owner and go where it
 * goes, and those that are part of others, whose versions tell of them.
 */
import type { StoredRecord } from '../../replica/replica.ts';
import type { Params } from '../table/route.ts';
import type { ServiceStore } from '../table/service-store.ts';
import type { Place, Resource } from './definition.ts';
import { ownParam, placeParams, through } from './paths.ts';
import { BY_NUMBERS } from './record-names.ts';

type AnyResource = Resource<unknown>;

/** The records that are held of a service. */
interface Holding {
  readonly store: ServiceStore;
  bucket(of: AnyResource, params: Params): string | null;
  find(of: AnyResource, params: Params): StoredRecord | null;
  all(of: AnyResource, params: Params): StoredRecord[];
  place(params: Params): Place;
  paramsOf(of: AnyResource, params: Params, value: unknown): Params;
  documentPath(of: AnyResource, params: Params, value: unknown): string | null;
  /** Stores what is held again, as its place and its parts are now. */
  restore(of: AnyResource, params: Params, held: StoredRecord): void;
  remove(of: AnyResource, params: Params, key: string, own: boolean): void;
}

export class Belonging {
  readonly #records: Holding;
  readonly #resources: readonly AnyResource[];

  constructor(records: Holding, resources: readonly AnyResource[]) {
    this.#records = records;
    this.#resources = resources.filter(({ of }) => of === undefined);
  }

  /** The record of another resource that one belongs to; null where it is not held. */
  ownerOf({ owner }: AnyResource, params: Params, value: unknown): StoredRecord | null {
    const key = owner?.key(value) ?? null;
    return owner === undefined || key === null ? null : this.#held(owner.of, params, key);
  }

  /** The records that are part of one, in the order of their keys: what is told of them is the same then. */
  parts(of: AnyResource, params: Params, key: string): StoredRecord[] {
    const { replica, mount } = this.#records.store;
    return replica
      .all(mount, this.#around(of, params), key)
      .flatMap(({ value }) => this.#held(of, params, String(value)) ?? [])
      .sort((a, b) => BY_NUMBERS.compare(a.key, b.key));
  }

  /**
   * What a question at a place is about of a resource that is held above it: those in its directories,
   * those whose owners are there, those that are part of the one record that it is for.
   */
  about(of: AnyResource, params: Params, one: AnyResource | undefined): StoredRecord[] {
    const records = this.#records;
    const { owner } = of;
    if (one !== undefined && isPartOf(of, one)) {
      const whole = records.find(one, params);
      return whole === null ? [] : this.parts(of, params, whole.key);
    }
    if (owner === undefined || params[ownParam(owner.of)] !== undefined)
      return records.all(of, params);
    return records.all(owner.of, params).flatMap(({ key }) => this.#ownedOf(of, params, key));
  }

  /** A record came, or is elsewhere, or no longer listed: what belongs to it goes with it. */
  takeAlong(of: AnyResource, params: Params, before: unknown, now: unknown): void {
    const owned = this.#ownedBy(of);
    if (owned.length === 0) return;
    const standing = (value: unknown): string =>
      JSON.stringify([this.#records.paramsOf(of, params, value), of.listed?.(value) !== false]);
    if (before !== undefined && standing(before) === standing(now)) return;
    for (const below of owned)
      for (const record of this.#ownedOf(below, params, of.key(now)))
        if (record.path !== this.#records.documentPath(below, params, record.value))
          this.#records.restore(below, params, record);
  }

  /** A record is gone, and so is what belongs to it, and what is held above the directory that it was. */
  takeAway(of: AnyResource, params: Params, { key, value }: StoredRecord): void {
    for (const below of this.#ownedBy(of))
      for (const one of this.#ownedOf(below, params, key))
        this.#records.remove(below, params, one.key, false);
    for (const below of this.#resources.filter((one) => one.heldAt !== undefined)) {
      const directory = through(below.path ?? '', this.#resources).find((one) => one.id === of.id);
      if (directory === undefined || placeParams(below).includes(ownParam(of))) continue;
      for (const one of this.#records.all(below, this.#records.paramsOf(of, params, value)))
        this.#records.remove(below, params, one.key, false);
    }
  }

  /** Forgets those whose owners are not held: listings may tell of them all the same. */
  dropOrphans(of: AnyResource, params: Params, keys: Iterable<string>): void {
    if (of.owner === undefined) return;
    for (const key of keys) {
      const held = this.#held(of, params, key);
      if (held !== null && this.ownerOf(of, params, held.value) === null)
        this.#records.remove(of, params, key, false);
    }
  }

  /** Notes which records one is part of, and tells those anew. `now` is null where it is gone. */
  putAround(of: AnyResource, params: Params, key: string, before: unknown, now: unknown): void {
    if (of.around === undefined) return;
    const { replica, mount } = this.#records.store;
    const into = this.#around(of, params);
    const [was, is] = [before, now].map((value) =>
      value === undefined || value === null ? [] : (of.around?.(value) ?? []),
    ) as [readonly string[], readonly string[]];
    for (const whole of is) {
      const note = { key: `${key} ${whole}`, tag: whole, value: key };
      replica.upsert(mount, into, { ...note, updatedAt: '', size: 1, path: null });
    }
    for (const whole of was)
      if (!is.includes(whole)) replica.remove(mount, into, `${key} ${whole}`);
    this.#tellWholes(of, params, new Set([...was, ...is]));
  }

  /** A record came, or has another name: what it has parts in common with is told anew. */
  tellOthers(of: AnyResource, params: Params, key: string): void {
    for (const part of of.parts ?? [])
      for (const { value } of this.parts(part, params, key)) {
        const others = (part.around?.(value) ?? []).filter((other) => other !== key);
        this.#tellWholes(part, params, others);
      }
  }

  // --- within

  /** What says nothing new stays as it was confirmed. */
  #tellWholes(part: AnyResource, params: Params, keys: Iterable<string>): void {
    for (const whole of this.#resources.filter((one) => isPartOf(part, one)))
      for (const key of keys) {
        const held = this.#held(whole, params, key);
        const told = held && whole.told?.(held.value, this.#records.place(params));
        if (held !== null && JSON.stringify(told) !== JSON.stringify(held.value))
          this.#records.restore(whole, params, held);
      }
  }

  #held(of: AnyResource, params: Params, key: string): StoredRecord | null {
    const { replica, mount } = this.#records.store;
    const bucket = this.#records.bucket(of, params);
    return bucket === null ? null : replica.get(mount, bucket, key);
  }

  #ownedBy({ id }: AnyResource): AnyResource[] {
    return this.#resources.filter(({ owner }) => owner?.of.id === id);
  }

  #ownedOf(of: AnyResource, params: Params, key: string): StoredRecord[] {
    const { replica, mount } = this.#records.store;
    const bucket = this.#records.bucket(of, params);
    return bucket === null ? [] : replica.all(mount, bucket, key);
  }

  #around(of: AnyResource, params: Params): string {
    return `${this.#records.bucket(of, params)} around`;
  }
}

function isPartOf({ id }: AnyResource, { parts = [] }: AnyResource): boolean {
  return parts.some((one) => one.id === id);
}
