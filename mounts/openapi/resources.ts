/** The resources of planned paths: what they ask, what they send. */
import {
  directories,
  fileNameOf,
  type HttpClient,
  type Place,
  type Query,
  type Resource,
  resource,
  type Scope,
  ServiceFailure,
  type ServiceRequest,
  type Values,
} from '../../src/mount/index.ts';
import { type Description, isNode, oneLine } from './description.ts';
import { answerOf, at, type Operation } from './operations.ts';
import { type Paging, pagingOf } from './paging.ts';
import type { Binding, Level, ResourcePlan } from './plan.ts';
import { type Held, heldSchema, type Records } from './records.ts';

type At = Scope<HttpClient>;
type HeldResource = Resource<Held, HttpClient>;

/** Of a listing, so many rows. */
const MOST = 1_000;

export class Resources {
  readonly #from: Description;
  /** By the id of a plan, and by the parameter of a level: what gives a value for a path. */
  readonly #owners = new Map<string, Resource<Held>>();

  constructor(from: Description) {
    this.#from = from;
  }

  /** Directories for values that were given. */
  level({ directory, param, values }: Level): Resource<unknown> {
    const made = resource<Held, HttpClient>(`level-${param}`, {
      about: `one of the values given for \`${param}\``,
      path: directory,
      schema: heldSchema,
      freshMs: Number.MAX_SAFE_INTEGER,
      key: ({ id }) => id,
      name: ({ id }) => fileNameOf([id]),
      names: () => values.map((one) => fileNameOf([one])),
      get: async (name) => {
        const id = values.find((one) => fileNameOf([one]) === name);
        return id === undefined ? null : { data: { id, value: {}, isWhole: true } };
      },
    });
    this.#owners.set(param, made as Resource<Held>);
    return made as Resource<unknown>;
  }

  /** All that is mounted of one plan; those above it are made before. */
  of(records: Records): Resource<unknown>[] {
    const { plan } = records;
    if (plan.kind === 'single') return [this.#single(plan) as Resource<unknown>];
    const made = this.#records(records);
    const resources: Resource<unknown>[] = [made as Resource<unknown>];
    if (plan.isParent) {
      const below = directories(`${plan.id}-below`, made as Resource<Held>, {
        about: 'what belongs to one of them',
        path: `${plan.directory}/:${plan.param}`,
      });
      this.#owners.set(plan.id, below);
      resources.push(below as Resource<unknown>);
    }
    return resources;
  }

  // --- records

  #records(records: Records): HeldResource {
    const { plan } = records;
    const { list, one, directory, param } = plan;
    const paging = pagingOf(this.#from, plan, (row) => records.idIn(row));
    const isNested = [...plan.bindings.values()].some((binding) => 'of' in binding);
    const made: HeldResource = resource<Held, HttpClient>(plan.id, {
      about: aboutOf(plan, paging),
      path: `${directory}/:${param}.${records.ending}`,
      schema: heldSchema,
      key: ({ id }) => id,
      name: records.nameOf,
      updatedAt: (held) => records.updatedAt(held),
      typeOf: (held) => records.typeOf(held),
      values: (held) => records.values(held),
      url: ({ value }) => addressIn(value) ?? '',
      ...(isNested && list !== null && { costly: true }),
      ...(records.form === 'markdown' && !plan.isPartial && list !== null && { document: true }),
      ...(list !== null && { list: (scope: At) => this.#list(records, list, paging, scope, made) }),
      ...(list === null && { names: () => [] }),
      ...(this.#isPartial(plan) && { isWhole: (held: Held) => held.isWhole }),
      ...(one !== null && {
        get: (name: string, scope: At, etag: string | null) =>
          this.#get(records, one, name, scope, etag, made),
      }),
      ...this.#writing(records),
      ...(list !== null && {
        table: {
          about: `all of \`${plan.id}\`, one line each`,
          columns: records.columns(),
          rows: (held: Held) => [records.row(held)],
        },
      }),
      ...(list !== null &&
        records.create !== null && {
          find: async (request: ServiceRequest, scope: At, sentAt: number) => {
            // What was held before cannot be it; of several that are alike none can be told.
            const before = new Set(scope.all(made as Resource<Held>).map(({ id }) => id));
            const { rows, lacking } = await this.#list(records, list, paging, scope, made);
            const alike = rows.filter(
              (one) => !before.has(one.id) && records.mayBeOf(one, request.body, sentAt),
            );
            return alike.length === 1 && lacking === null ? alike[0] : null;
          },
        }),
    });
    return made;
  }

  async #list(records: Records, list: Operation, paging: Paging, scope: At, made: HeldResource) {
    const { plan } = records;
    const most = plan.hints.most ?? MOST;
    const rows: Held[] = [];
    const before = (id: string): Held | null =>
      plan.isPartial ? scope.held(made as Resource<Held>, id) : null;
    const query = { ...paging.query, ...this.#query(list, plan) };
    for await (const page of scope.client.pages(
      this.#path(list.path, plan, scope),
      query,
      paging.begin(),
    )) {
      const held = rowsOf(page, plan).map((row) => records.ofRow(row, before));
      refuseTwice(held, plan);
      rows.push(...held);
      if (rows.length > most) break;
    }
    const lacking = `only the first ${most} of ${plan.id}${plan.one === null ? '' : '; any other is found by its name'}`;
    return { rows: rows.slice(0, most), lacking: rows.length > most ? lacking : null };
  }

  async #get(
    records: Records,
    one: Operation,
    name: string,
    scope: At,
    etag: string | null,
    made: HeldResource,
  ) {
    const { plan } = records;
    const id = records.idNamed(name);
    if (id === null) return null;
    const isWhole = scope.held(made as Resource<Held>, id)?.isWhole === true;
    const path = withQuery(this.#path(one.path, plan, scope, id), this.#query(one, null));
    const answer = await scope.client.get(path, isWhole ? etag : null);
    if (answer.unchanged) return { data: null, unchanged: true, etag };
    const record = at(answer.data, plan.record);
    if (record === undefined || record === null) {
      throw new ServiceFailure(
        'protocol',
        `the answer for ${plan.id} ${id} has no record at \`${plan.record.join('.')}\``,
      );
    }
    const asked = plan.kind === 'lookup' ? id : (records.idIn(record) ?? id);
    return { data: records.ofOne(record, asked), etag: answer.etag };
  }

  #writing(records: Records): Partial<HeldResource> {
    const { plan, create, update } = records;
    const { remove } = plan;
    const single = plan.one ?? plan.update ?? remove;
    const shown = (operation: Operation | null): boolean => this.#showsAll(operation, plan);
    return {
      ...(create !== null && {
        create: (values: Values, scope: At): ServiceRequest => ({
          method: 'POST',
          url: withQuery(
            this.#path(create.operation.path, plan, scope),
            this.#query(create.operation, null),
          ),
          body: records.bodyOfNew(values),
        }),
      }),
      ...(update !== null && {
        update: (held: Held, delta: Values, scope: At): ServiceRequest => ({
          method: update.operation.method.toUpperCase() as ServiceRequest['method'],
          url: withQuery(
            this.#path(update.operation.path, plan, scope, held.id),
            this.#query(update.operation, null),
          ),
          body: records.bodyOfUpdate(held, delta),
        }),
      }),
      ...((create !== null || update !== null) && {
        check: async (values: Values, held: Held | null) =>
          held === null
            ? records.problems(create, records.bodyOfNew(values))
            : records.problems(update, records.bodyOfUpdate(held, values)),
        made: (answer: unknown, { method }: ServiceRequest, held: Held | null): Held | null => {
          const found = recordIn(answer, records);
          if (found === null) return null;
          const isAll =
            method === 'POST' && held === null ? shown(plan.create) : shown(plan.update);
          if (held !== null) return isAll && found.id === held.id ? found : null;
          return { ...found, isWhole: isAll || plan.one === null };
        },
      }),
      ifMatch: [update?.operation, remove].some(takesIfMatch) ? 'any' : 'strong',
      ...(remove !== null &&
        single !== null && {
          remove: (held: Held, scope: At): ServiceRequest => ({
            method: 'DELETE',
            url: withQuery(
              this.#path(remove.path, plan, scope, held.id),
              this.#query(remove, null),
            ),
            body: null,
          }),
        }),
    };
  }

  /** Can it be that a part of a record is held? */
  #isPartial(plan: ResourcePlan): boolean {
    const { one, create, isPartial } = plan;
    return one !== null && (isPartial || (create !== null && !this.#showsAll(create, plan)));
  }

  /** Does its answer have all fields that a record has? */
  #showsAll(operation: Operation | null, plan: ResourcePlan): boolean {
    if (operation === null) return false;
    const answer = answerOf(this.#from, operation);
    if (answer === null) return false;
    const inner = plan.record.reduce<unknown>(
      (one, key) => this.#from.properties(one).get(key) ?? {},
      answer,
    );
    const own = this.#from.properties(inner);
    return [...plan.fields.all.keys()].every((name) => own.has(name));
  }

  // --- what has no id

  #single(plan: ResourcePlan): HeldResource {
    const { list, directory, param, oneParam } = plan;
    const paging = pagingOf(this.#from, plan, () => null);
    return resource<Held, HttpClient>(plan.id, {
      about: aboutOf(plan, paging),
      path: `${directory}/:${param}.json`,
      schema: heldSchema,
      key: () => oneParam,
      names: () => [oneParam],
      costly: true,
      text: ({ value, other }) => `${JSON.stringify(other ?? value, null, 2)}\n`,
      get: async (_name, scope: At) => {
        if (list === null) return null;
        const path = this.#path(list.path, plan, scope);
        const query = { ...paging.query, ...this.#query(list, plan) };
        const all =
          plan.rows === null
            ? await scope.client.ask(path, query)
            : await allRows(plan, path, query, paging, scope);
        const isFields = isNode(all);
        return {
          data: {
            id: oneParam,
            value: isFields ? all : {},
            ...(isFields ? {} : { other: all }),
            isWhole: true,
          },
        };
      },
    });
  }

  // --- addresses

  /** @throws ServiceFailure where an id is none that a path can have */
  #path(template: string, plan: ResourcePlan, place: Place, id?: string): string {
    return template.replaceAll(/\{([^{}]+)\}/g, (_whole, name: string) => {
      const binding = plan.bindings.get(name);
      const value = binding === undefined ? id : this.#value(binding, place);
      // An address makes them into a step up, also when they are escaped.
      if (value === undefined || /^\.{0,2}$/.test(value)) {
        throw new ServiceFailure(
          'missing',
          `there is none of ${plan.id} that is called \`${value ?? ''}\``,
        );
      }
      return encodeURIComponent(value.toWellFormed());
    });
  }

  #value(binding: Binding, place: Place): string | undefined {
    if ('value' in binding) return binding.value;
    const owner = this.#owners.get('of' in binding ? binding.of.id : binding.param);
    return owner === undefined ? undefined : place.record(owner).id;
  }

  /** Parameters that must be given: as the hints have them, or by their defaults. */
  #query(operation: Operation, plan: ResourcePlan | null): Query {
    const required = operation.parameters.filter((one) => one.in === 'query' && one.isRequired);
    const presets = required.map(
      (one) => [one.name, this.#from.keyword(one.schema, 'default')] as const,
    );
    const known = presets.filter(([, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value),
    );
    return { ...(Object.fromEntries(known) as Query), ...plan?.hints.query };
  }
}

async function allRows(
  plan: ResourcePlan,
  path: string,
  query: Query,
  paging: Paging,
  { client }: At,
): Promise<unknown[]> {
  const most = plan.hints.most ?? MOST;
  const rows: unknown[] = [];
  for await (const page of client.pages(path, query, paging.begin())) {
    rows.push(...rowsOf(page, plan));
    if (rows.length > most) {
      throw new ServiceFailure(
        'protocol',
        `${plan.path} has more than ${most} rows, and no id to name them by: say its \`id\`, or \`most\`, in the hints`,
      );
    }
  }
  return rows;
}

/** @throws ServiceFailure where an answer has no list: that is never an empty one */
function rowsOf(page: unknown, { rows, id }: ResourcePlan): readonly unknown[] {
  const found = at(page, rows?.at ?? []);
  if (Array.isArray(found)) return found;
  if (found === null) return [];
  const where =
    rows === null || rows.at.length === 0
      ? 'is no list'
      : `has no list at \`${rows.at.join('.')}\``;
  throw new ServiceFailure('protocol', `the answer for ${id} ${where}`);
}

/** Two rows of one page with one id: one of them would be lost. */
function refuseTwice(rows: readonly Held[], { id, fields }: ResourcePlan): void {
  const ids = new Set(rows.map((one) => one.id));
  if (ids.size === rows.length) return;
  const text = `several of ${id} have the same \`${fields.id}\`, so that it names none: say another \`id\` in the hints`;
  throw new ServiceFailure('protocol', text);
}

/** The record that an answer to a write shows, in its envelope or without; null where it shows none. */
function recordIn(answer: unknown, records: Records): Held | null {
  const inner = at(answer, records.plan.record);
  const found = [inner, answer].find((one) => records.idIn(one) !== null);
  return found === undefined ? null : records.ofOne(found, null);
}

/** Does its description say that it is made for one version? */
const takesIfMatch = (operation: Operation | null | undefined): boolean =>
  operation?.parameters.some(
    (one) => one.in === 'header' && one.name.toLowerCase() === 'if-match',
  ) === true;

function aboutOf({ list, one, path, kind }: ResourcePlan, paging: Paging): string {
  const about = oneLine((list ?? one)?.about ?? '') || path;
  if (kind === 'lookup') return `${about}; found when named (\`GET ${one?.path}\`)`;
  return `${about} (\`GET ${path}\`, ${paging.about})`;
}

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Where a person looks at it. */
function addressIn(value: Held['value']): string | undefined {
  const found = ['html_url', 'web_url', 'webUrl', 'permalink'].map((name) => value[name]);
  return found.find((one): one is string => typeof one === 'string' && /^https?:/.test(one));
}
