/** How a resource's records are written: the ways of the core's table, made of what the resource says. */
import type { ServiceRequest } from '../../changes/change.ts';
import { ServiceFailure } from '../client/failure.ts';
import { shown } from '../record/fields.ts';
import { type RecordType, type Values, withFixed } from '../record/record.ts';
import type { Create, Edit, Outcome, Params, Remove, Service } from '../table/route.ts';
import type { Resource, Scope } from './definition.ts';
import { filled, ownParam, through } from './paths.ts';
import type { Records } from './records.ts';
import type { Syncing } from './syncing.ts';

type AnyResource = Resource<unknown>;

/** A client that carries out what the resources request. */
export interface Sender {
  /**
   * Sends one request; its answer, parsed. Throws ServiceFailure.
   * @param ifMatch the ETag of the version that it is made for, where the resource says so: of
   *   another one the failure is `stale`
   */
  send(request: ServiceRequest, ifMatch?: string | null): Promise<unknown>;
  /**
   * Present where several changes can go through as one: carries out all requests or none; their
   * answers. Throws ServiceFailure, with the `request` that was refused where one was.
   */
  sendAll?(requests: readonly ServiceRequest[]): Promise<readonly unknown[]>;
}

export interface WritesOptions {
  client: Sender;
  records: Records;
  syncing: Syncing<unknown>;
  resources: readonly AnyResource[];
}

export class Writes {
  readonly #options: WritesOptions;
  /** Of requests that were carried out together, before they are sent. */
  readonly #answers = new WeakMap<ServiceRequest, unknown>();

  constructor(options: WritesOptions) {
    this.#options = options;
  }

  /** Present where the client can carry out several requests as one: see {@link Service.together}. */
  get together(): Service['together'] {
    const { client } = this.#options;
    if (client.sendAll === undefined) return undefined;
    return async (requests) => {
      const all = requests.flatMap((request, of) => linksOf(request).map((one) => ({ one, of })));
      try {
        const answers = (await client.sendAll?.(all.map(({ one }) => one))) ?? [];
        for (const [index, { one }] of all.entries()) this.#answers.set(one, answers[index]);
      } catch (error) {
        const isOne = error instanceof ServiceFailure && error.request !== undefined;
        throw isOne ? error.of(all[error.request ?? 0]?.of ?? 0) : error;
      }
    };
  }

  /** The type of a resource's records at a place; of a new one without a record. */
  typeOf(of: AnyResource, params: Params, isNew = false): RecordType {
    const { records } = this.#options;
    const found = isNew ? null : records.find(of, params);
    const place = records.place(params);
    const type = of.typeOf?.(found?.value ?? null, place) ?? of.type;
    const fixed = found === null ? null : (of.fixed?.(found.value, place) ?? null);
    if (type !== undefined) return fixed === null ? type : withFixed(type, fixed);
    if (found === null) throw new Error(`${of.id} has no type`);
    return onlyShown(of.id, this.values(of, params, found.value));
  }

  values(of: AnyResource, params: Params, value: unknown): Values {
    return of.values?.(value, this.#options.records.place(params)) ?? {};
  }

  edit(of: AnyResource): Edit | undefined {
    const { update, check, normal, moved } = of;
    if (update === undefined) return undefined;
    const { records, syncing } = this.#options;
    const chain = syncing.chain(of.path ?? '', of);
    const leading = syncing.isJoint(of) ? chain : chain.filter((one) => one !== of);
    const current = (params: Params) => {
      const found = records.find(of, params);
      return found === null
        ? null
        : { values: this.values(of, params, found.value), version: found.version };
    };
    return {
      record: (of.fixed ?? of.typeOf) || !of.type ? (params) => this.typeOf(of, params) : of.type,
      current,
      refresh: async (params) => {
        // What leads there is known before it is asked for.
        if (records.find(of, params) === null) await syncing.ensure(leading, params, 'cover');
        await syncing.refresh(of, params, 'lookup');
      },
      ...(moved && {
        settled: (params) => {
          const to = records.elsewhere(of, params);
          return to && current(to.params);
        },
      }),
      ...(check && {
        check: (params, delta) =>
          check.call(of, delta, records.find(of, params)?.value ?? null, this.#scope(params)),
      }),
      ...(normal && {
        normal: (params, values) => normal.call(of, values, records.place(params)),
      }),
      request: (params, delta) =>
        chained(update.call(of, this.#value(of, params), delta, this.#scope(params))),
      send: async (params, request) => {
        const raw = await this.#sent(of, params, request, this.#value(of, params));
        return this.#stored(of, params, raw);
      },
    };
  }

  create(of: AnyResource): Create | undefined {
    const { create, find, check, normal, repeatable, taken } = of;
    if (create === undefined) return undefined;
    const { records } = this.#options;
    const found: Create['find'] = async (params, request, sentAt) => {
      const raw = (await find?.call(of, request, this.#scope(params), sentAt)) ?? null;
      return raw === null ? null : this.#created(of, params, raw);
    };
    return {
      record:
        of.typeOf === undefined && of.type ? of.type : (params) => this.typeOf(of, params, true),
      ...(check && {
        check: (params, values) => check.call(of, values, null, this.#scope(params)),
      }),
      ...(normal && {
        normal: (params, values) => normal.call(of, values, records.place(params)),
      }),
      ...(repeatable === true ? { repeatable } : {}),
      request: (params, values, key) => create.call(of, values, this.#scope(params), key),
      send: async (params, request) => {
        try {
          const raw = await this.#sent(of, params, request, null);
          return await this.#created(of, params, raw);
        } catch (error) {
          if (!(error instanceof ServiceFailure) || taken?.(error) !== true) throw error;
          const made = await found(params, request, 0);
          if (made === null) throw error;
          return made;
        }
      },
      find: found,
    };
  }

  async #created(of: AnyResource, params: Params, raw: unknown): Promise<Outcome> {
    const outcome = this.#made(of, params, raw);
    await this.#touch(of, params);
    return outcome;
  }

  remove(of: AnyResource): Remove | undefined {
    const { remove } = of;
    if (remove === undefined) return undefined;
    const { records, syncing } = this.#options;
    const requested = (params: Params) =>
      remove.call(of, this.#value(of, params), this.#scope(params));
    return {
      refuse: (params) => {
        const request = requested(params);
        return typeof request === 'string' ? request : null;
      },
      request: (params) => {
        const request = requested(params);
        if (typeof request === 'string') throw new ServiceFailure('invalid', request);
        return request;
      },
      send: async (params, request) => {
        const key = records.find(of, params)?.key;
        try {
          await this.#answered(request, await this.#ifMatchNow(of, params));
        } catch (error) {
          // What is to be looked at before it is removed is what is there now.
          if (error instanceof ServiceFailure && error.kind === 'stale')
            await syncing.refresh(of, params, 'lookup');
          throw error;
        }
        if (key !== undefined) records.remove(of, params, key, true);
        await this.#touch(of, params);
      },
      gone: async (params) => {
        const isThere = await syncing.refresh(of, params, 'write');
        if (!isThere) await this.#touch(of, params);
        return !isThere;
      },
    };
  }

  // --- within

  #scope(params: Params): Scope<never> {
    return this.#options.syncing.scope(params) as Scope<never>;
  }

  #value(of: AnyResource, params: Params): unknown {
    const found = this.#options.records.find(of, params);
    if (found !== null) return found.value;
    throw new ServiceFailure('missing', `${params[ownParam(of)]} is none of the ${of.id} there`);
  }

  /** Sends one request, unless it was carried out with others. */
  async #answered(request: ServiceRequest, ifMatch: string | null): Promise<unknown> {
    if (this.#answers.has(request)) return this.#answers.get(request);
    const { next: _, ...sent } = request;
    return this.#options.client.send(sent, ifMatch);
  }

  /**
   * The same of what is removed, asked for where the service takes it and it is not at hand.
   * @throws ServiceFailure `stale` where it is not what was read any more
   */
  async #ifMatchNow(of: AnyResource, params: Params): Promise<string | null> {
    const { records, syncing } = this.#options;
    const before = records.find(of, params);
    if (of.ifMatch === 'any' && of.get !== undefined && syncing.etag(of, params) === null) {
      await syncing.refresh(of, params, 'lookup');
      const now = records.find(of, params);
      if (now !== null && now.version !== before?.version) throw stale(params[ownParam(of)]);
    }
    return this.#ifMatch(of, params);
  }

  /** The version that a change of what is held is made for; null where that is not said. */
  #ifMatch(of: AnyResource, params: Params): string | null {
    const etag = of.ifMatch === undefined ? null : this.#options.syncing.etag(of, params);
    return of.ifMatch === 'strong' && etag?.startsWith('W/') === true ? null : etag;
  }

  /** Sends each request of a chain; the record as it is after the last, null where no answer tells. */
  async #sent(
    of: AnyResource,
    params: Params,
    request: ServiceRequest,
    before: unknown,
  ): Promise<unknown> {
    const { records } = this.#options;
    let one = before;
    let isTold = true;
    let made = 0;
    // The requests after the first one meet what that one made.
    const ifMatch = before === null ? null : this.#ifMatch(of, params);
    for (let next: ServiceRequest | undefined = request; next !== undefined; next = next.next) {
      const { next: _, ...sent } = next;
      try {
        const answer = await this.#answered(next, made === 0 ? ifMatch : null);
        this.#bring(of, params, answer);
        const after = of.made?.(answer, sent, one, records.place(params)) ?? null;
        isTold = isTold && after !== null;
        one = after ?? one;
      } catch (error) {
        throw made === 0 ? error : partly(error, made);
      }
      made += 1;
    }
    return isTold ? one : null;
  }

  /** Stores what an answer says of the records of other resources. */
  #bring(of: AnyResource, params: Params, answer: unknown): void {
    const { records, resources } = this.#options;
    for (const [id, { made = [], gone = [] }] of Object.entries(of.brings?.(answer) ?? {})) {
      const other = resources.find((one) => one.id === id);
      if (other === undefined) throw new Error(`there is no resource ${id}`);
      for (const raw of made) records.put(other, params, raw, 'write');
      for (const key of gone) records.remove(other, params, key, true);
    }
  }

  /** Stores what an edit made, or asks for it; the edit stands, whatever becomes of that question. */
  async #stored(of: AnyResource, params: Params, raw: unknown): Promise<Outcome> {
    const { records, syncing } = this.#options;
    if (raw !== null) return this.#made(of, params, raw);
    try {
      await syncing.refresh(of, params, 'write');
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      syncing.invalidate(of, params);
    }
    const found = records.find(of, params);
    return this.#outcome(of, params, found?.value ?? null);
  }

  #made(of: AnyResource, params: Params, raw: unknown): Outcome {
    if (raw === null || raw === undefined) {
      throw new ServiceFailure(
        'protocol',
        `the answer does not say which of the ${of.id} was made`,
      );
    }
    const put = this.#options.records.put(of, params, raw, 'write');
    return this.#outcome(of, params, put?.value ?? null);
  }

  #outcome(of: AnyResource, params: Params, value: unknown): Outcome {
    const { records } = this.#options;
    if (value === null) return { path: filled(of.path ?? '', params) };
    const url = of.url?.(value, records.place(params));
    return { path: records.pathOf(of, params, value), ...(url === undefined ? {} : { url }) };
  }

  /** What shows something of a record that came or went is asked for anew. */
  async #touch(of: AnyResource, params: Params): Promise<void> {
    const { syncing, resources } = this.#options;
    const { touches } = of;
    const shows = through(of.path ?? '', resources).find(({ id }) => id === touches?.id);
    if (shows === undefined) return;
    try {
      await syncing.refresh(shows, params, 'write');
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      syncing.invalidate(shows, params);
    }
  }
}

function chained(requests: ReturnType<NonNullable<AnyResource['update']>>): ServiceRequest {
  const all = 'method' in requests ? [requests] : requests.filter((one) => one !== false);
  const last = all.pop();
  if (last === undefined) throw new Error('an edit needs a request');
  return all.reduceRight<ServiceRequest>((next, one) => ({ ...one, next }), last);
}

function stale(name: string | undefined): ServiceFailure {
  const text = `${name} changed since it was read: nothing was sent; read it again`;
  return new ServiceFailure('stale', text, { unsent: true });
}

/** The requests of a chain, one after the other. */
function linksOf(request: ServiceRequest): ServiceRequest[] {
  return request.next === undefined ? [request] : [request, ...linksOf(request.next)];
}

/** After a request that is made, a refusal of the next one is not "nothing changed". */
function partly(error: unknown, made: number): unknown {
  if (!(error instanceof ServiceFailure) || error.uncertain) return error;
  const text = `${error.message}; ${made} of the requests that this write needs ${made === 1 ? 'was' : 'were'} carried out before`;
  return new ServiceFailure('protocol', text, { cause: error });
}

/** The type of a record that nobody writes: its fields are those that it has. */
function onlyShown(name: string, values: Values): RecordType {
  const fields = Object.keys(values).map((one) => [one, shown('')]);
  return { name, fields: Object.fromEntries(fields) };
}
