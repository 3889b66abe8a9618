/** Brings in step what a service lists of several resources at once, and tells which question brings what. */
import { ServiceFailure } from '../client/failure.ts';
import { questionOf } from '../reading/freshness.ts';
import type { Collection, Params } from '../table/route.ts';
import type { Listing, Resource, Scope } from './definition.ts';
import type { Joint } from './joint.ts';
import { type Asked, keptOf, type Listings, type Page } from './listings.ts';
import { listingOf, paged, told } from './pages.ts';
import { ownParam, paramsOf, placeParams } from './paths.ts';
import type { Records } from './records.ts';

type AnyResource = Resource<unknown>;

/** A question for one record that another one lists with its like, and for what belongs to it. */
export type Narrow = Joint<never> & { one: AnyResource };

export interface JointsOptions {
  joints: readonly Joint<never>[];
  records: Records;
  /** As of `SyncingOptions`. */
  narrowed: Params;
  freshMs: number;
  reconcileMs: number;
  now: () => Date;
}

export class Joints {
  /** By their ids. */
  readonly collections: Readonly<Record<string, Collection>>;
  readonly #options: JointsOptions;
  readonly #listings: Listings;
  readonly #scope: (params: Params) => Scope<never>;
  readonly #narrow: readonly Narrow[];

  constructor(options: JointsOptions, listings: Listings, scope: (params: Params) => Scope<never>) {
    this.#options = options;
    this.#listings = listings;
    this.#scope = scope;
    const { joints } = options;
    this.#narrow = joints.filter((joint): joint is Narrow => {
      const { one } = joint;
      return one !== undefined && joints.some((other) => lists(other, one));
    });
    this.collections = Object.fromEntries(joints.map((one) => [one.id, this.#collection(one)]));
  }

  /** The question that lists a resource at a place. */
  of(of: AnyResource): Joint<never> | undefined {
    return this.#options.joints.find((one) => lists(one, of) && !this.#isNarrow(one));
  }

  /** The question for a directory, which brings what is in it. */
  at(of: AnyResource): Joint<never> | undefined {
    return this.#options.joints.find((joint) => joint.one?.id === of.id && !this.#isNarrow(joint));
  }

  /** The question for one record of a resource. */
  narrowAt({ id }: AnyResource): Narrow | undefined {
    return this.#narrow.find(({ one }) => one.id === id);
  }

  /** The question for the one record that a path names, where it brings a resource. */
  narrowOf(of: AnyResource, params: Params): Narrow | undefined {
    return this.#narrow
      .filter((narrow) => narrow.one.id === of.id || lists(narrow, of))
      .find(({ path }) => paramsOf(path).every((param) => params[param] !== undefined));
  }

  /**
   * Asks. Throws ServiceFailure.
   * @param parts what is asked for; all that the question lists by default
   */
  async sync(
    of: Joint<never>,
    params: Params,
    parts: readonly AnyResource[] = of.of,
  ): Promise<void> {
    const { records, reconcileMs } = this.#options;
    const { store } = records;
    const collection = records.jointBucket(of, params);
    const before = basedOf(of, store.deltaFrom(collection, reconcileMs));
    const basis = of.basis?.(records.place(params)) ?? before.basis;
    const since = before.basis === null || before.basis === basis ? before.cursor : null;
    await this.#listings.bring({
      collection,
      what: questionOf(of.id, this.#collection(of), params)?.key ?? of.id,
      params,
      asked: this.#askedOf(of, params, since, parts),
      isKept: since === null && !this.#isNarrow(of),
      held: (each) => {
        const covers = of.covers?.[each.id];
        const all = isWide(of, each)
          ? records.all(each, params)
          : records.belonging.about(each, params, of.one);
        return covers === undefined ? all : all.filter(({ value }) => covers(value as never));
      },
      stateOf: (each) => {
        const isAll = isWide(of, each) || paramsOf(of.path).length <= placeParams(each).length;
        return isAll ? records.bucket(each, params) : null;
      },
      pages: (from, asked) => this.#pages(of, params, { since, from, asked }),
      ended: (cursor) => {
        if (parts !== of.of) return;
        const kept = of.basis === undefined ? cursor : JSON.stringify({ cursor, basis });
        store.listed(collection, { cursor: kept, whole: since === null });
      },
    });
  }

  // --- within

  #isNarrow(joint: Joint<never>): boolean {
    return this.#narrow.some((one) => one === joint);
  }

  #collection(of: Joint<never>): Collection {
    const { records, narrowed } = this.#options;
    const given = (params: Params) => ({ ...narrowed, ...params });
    const narrow = this.#narrow.find(({ one }) => lists(of, one));
    return {
      ...(narrow && { narrowedBy: ownParam(narrow.one) }),
      scope: paramsOf(of.path).filter((param) => narrowed[param] === undefined),
      heldSince: (params) => records.store.heldSince(records.jointBucket(of, given(params))),
      sync: (params) => this.sync(of, given(params)),
    };
  }

  /** From when on each is asked for: what is listed for a wider place only if it is old there. */
  #askedOf(
    { wide = [] }: Joint<never>,
    params: Params,
    since: string | null,
    parts: readonly AnyResource[],
  ): Asked {
    const { records, freshMs, reconcileMs, now } = this.#options;
    const { store } = records;
    const asked = new Map<AnyResource, string | null>(parts.map((one) => [one, since]));
    for (const one of wide) {
      const bucket = records.bucket(one, params) ?? '';
      const heldSince = store.heldSince(bucket);
      if (heldSince !== null && now().getTime() - heldSince < freshMs) continue;
      const isHeld = store.deltaFrom(bucket, reconcileMs) !== null;
      asked.set(one, isHeld ? keptOf(store, bucket).cursor : null);
    }
    return asked;
  }

  async *#pages(
    of: Joint<never>,
    params: Params,
    { since, from, asked }: { since: string | null; from: string | null; asked: Asked },
  ): AsyncGenerator<Page> {
    const { one } = of;
    const ids = new Map([...asked].map(([{ id }, cursor]) => [id, cursor]));
    let isFirst = from === null;
    for await (const page of paged(of.list(this.#scope(params), { since, from, of: ids }))) {
      const owner = one === undefined ? undefined : page.of[one.id];
      if (one !== undefined && (isFirst || owner !== undefined)) {
        const isThere = this.#storeOne(one, params, owner);
        // Whoever named it finds it missing.
        if (!isThere && this.#isNarrow(of)) return;
        if (!isThere) throw noneOf(one, params);
      }
      isFirst = false;
      const rows = [...asked.keys()].map((each) => {
        return [each, listingOf(page.of[each.id] ?? [])] as const;
      });
      yield { ...told(page), of: new Map(rows) };
    }
  }

  /** Keeps the record that a question was asked for; false where there is none. */
  #storeOne(
    one: AnyResource,
    params: Params,
    got: Listing<never> | readonly unknown[] = [],
  ): boolean {
    const { records } = this.#options;
    const [row] = listingOf(got).rows;
    if (row !== undefined) {
      records.put(one, params, row, 'lookup');
      return true;
    }
    const held = records.find(one, params);
    if (held !== null) records.remove(one, params, held.key, false);
    return false;
  }
}

function lists({ of, wide = [] }: Joint<never>, { id }: AnyResource): boolean {
  return [...of, ...wide].some((one) => one.id === id);
}

function isWide({ wide = [] }: Joint<never>, of: AnyResource): boolean {
  return wide.includes(of);
}

/** What is kept of the answer before: its cursor, and what its records showed, too. */
interface Based {
  cursor: string | null;
  basis: string | null;
}

function basedOf({ basis }: Joint<never>, kept: string | null): Based {
  if (basis === undefined || kept === null) return { cursor: kept, basis: null };
  return JSON.parse(kept) as Based;
}

function noneOf(one: AnyResource, params: Params): ServiceFailure {
  const text = `there is no ${params[ownParam(one)]} among the ${one.id} that can be seen`;
  return new ServiceFailure('missing', text);
}
