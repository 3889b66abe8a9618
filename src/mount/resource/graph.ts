/** What is asked of a GraphQL service: documents that follow from the schemas of its records, their pages, one by its id, and what changes one. */
import { z } from 'zod';
import type { ServiceRequest } from '../../changes/change.ts';
import { expectShape, type ServiceFailure } from '../client/failure.ts';
import { type GraphqlAnswer, type GraphqlClient, mutation } from '../client/graphql.ts';
import {
  type ConnectionRows,
  connectionPages,
  connectionRows,
  connectionsPlaceSchema,
  deltaCursor,
  deltaStart,
} from '../reading/connections.ts';
import type { ChangeProbe } from '../reading/prober.ts';
import type { Values } from '../record/record.ts';
import type { Params } from '../table/route.ts';
import { latestOf } from '../table/tsv.ts';
import type { Brought, ResourceSpec, Scope } from './definition.ts';
import type { Asking, JointPage } from './joint.ts';

/** The fields of a schema as a document asks for them: `id state { id name }`. What is piped is one value. */
export function selectionOf(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodArray) return selectionOf(schema.element);
  const isMore = schema instanceof z.ZodDefault || schema instanceof z.ZodNullable;
  if (isMore || schema instanceof z.ZodOptional) return selectionOf(schema.unwrap());
  if (!(schema instanceof z.ZodObject)) return '';
  const fields = Object.entries<z.core.$ZodType>(schema.shape).map(([name, field]) => {
    const inside = selectionOf(field);
    return inside === '' ? name : `${name} { ${inside} }`;
  });
  return fields.join(' ');
}

/** The habits of a service. */
export interface GraphSpec {
  /** What sentences call it. */
  title: string;
  /** Records of a page, at most. */
  pageSize: number;
  /** The type of ids; `ID!` by default. */
  idType?: string;
  /** What is asked of the answer to each change beside the record: `errors { field message }`. */
  payload?: string;
  /** The field of the answer to a removal that has the id of what was removed; `id` by default. */
  removed?: string;
  /**
   * Present where whoever creates gives the id, as `id` of the input: does a refusal say that there is
   * one already? Then the same request can never make two.
   */
  taken?(failure: ServiceFailure): boolean;
  /** The argument with which a collection lists what was put away, too. */
  archived?: string;
  /** A filter of what was updated after a time, ISO 8601. Each record says when, as `updatedAt`. */
  updatedAfter?(time: string): object;
}

/** What is asked of each record: the fields of its schema, or those that are named. */
type Selected<T = unknown> = z.ZodType<T> | string;

/** A collection of a document. */
export interface CollectionSpec {
  of: Selected;
  /** Its field of the root, where that has another name. */
  field?: string;
  /** Its arguments beside those of the page: `filter: $issues`. */
  given?: string;
  /** Of one that is followed by a filter: the variable that has it, with its type, `products: ProductFilter!`. */
  filter?: string;
  /** Does what is followed tell of what was put away? A whole listing shows what is not. */
  archived?: boolean;
  /** Records of a page, where it is not that of the service. */
  size?: number;
}

/** Collections that one document asks for together, page by page. */
export interface Collections {
  query: string;
  names: readonly string[];
  /** The variables of their filters, by their names. */
  filters?: Readonly<Record<string, string>>;
  /** Has it a variable for what was put away? */
  archived?: boolean;
}

/** Those of one record. */
export interface CollectionsOfOne extends Collections {
  /** The field of the root that the record is in. */
  within: string;
}

/** A change of a mutation, which may have several. */
export interface GraphChange {
  /** The field of the root: `productUpdate`. */
  field: string;
  id?: string;
  input?: Values;
  /** What is asked of its answer. */
  answer?: string;
}

type Ways<T, C> = Pick<ResourceSpec<T, C>, 'get' | 'find' | 'made' | 'repeatable' | 'taken'>;

/** How a kind of records is asked for and changed: `productCreate(input)`, `productUpdate(id, input)`, `productDelete(id)`. */
export interface Kind<T, C> {
  /** For its resource. */
  ways: Ways<T, C>;
  /** The one with an id; undefined where there is none. Throws ServiceFailure. */
  look(client: C, id: string): Promise<unknown>;
  /**
   * A change that is one of several: see {@link Graph.changes}.
   * @param way `Archive` of `productArchive`
   * @param at the field of its answer with the record, where that has another name
   */
  step(way: string, given: Pick<GraphChange, 'id' | 'input'>, at?: string): GraphChange;
  /** The same that removes one. */
  removal(id: string): GraphChange;
  /** What came and went of these with changes of several kinds, for `brings` of another resource. Throws ServiceFailure. */
  brought(answer: unknown): Brought;
  /** The request that makes one of its fields. */
  create(input: Values): ServiceRequest;
  /** The request that changes those fields of one. */
  update(id: string, input: Values): ServiceRequest;
  /** The request that removes one. */
  remove(id: string): ServiceRequest;
}

/** How collections are followed together. */
export interface Following {
  /** Variables of the document, such as that for what was updated, where a collection has no filter. */
  variables?(updated: (name: string) => object): Values;
  /** What else is in the filters of collections, by their names. */
  where?: Readonly<Record<string, object>>;
  /** Those that are read from end to end each time. */
  whole?: readonly string[];
  /** Those that have no such filter, and bring what was updated last first: they are read so far. */
  newestFirst?: readonly string[];
}

/** One question for all that a mount shows, so that what it costs does not depend on how much that is. */
export interface Latest<C> {
  query: string;
  /** For `changes` of the service. */
  changes(client: C): ChangeProbe;
}

/** Where a reading was left, and the latest time of what had come of each collection. */
const leftSchema = z.object({
  place: connectionsPlaceSchema,
  newest: z.record(z.string(), z.string()),
});

/** The answers to the changes of a request. */
const payloadsSchema = z.record(z.string(), z.looseObject({}));

interface Updated {
  updatedAt: string;
}

/** The id that a record is made under. */
function createdId({ body }: ServiceRequest): string {
  return (body as { variables: { input: { id: string } } }).variables.input.id;
}

/** One per service. */
export class Graph<C extends Pick<GraphqlClient, 'ask' | 'find'>> {
  readonly #spec: GraphSpec;

  constructor(spec: GraphSpec) {
    this.#spec = spec;
  }

  /**
   * A document that asks for collections, each from a cursor of its own or not at all.
   * @param variables with their types: `{ key: 'String!' }`
   */
  collections(
    name: string,
    variables: Readonly<Record<string, string>>,
    parts: Readonly<Record<string, CollectionSpec>>,
  ): Collections {
    const { declared, fields } = this.#pages(parts, '  ');
    const filtered = Object.entries(parts).flatMap(([one, { filter = '' }]) => {
      const [variable = '', type] = filter.split(': ');
      return type === undefined ? [] : [{ one, variable, type }];
    });
    const archived = Object.values(parts).some((one) => one.archived === true);
    const given = [
      ...Object.entries(variables).map(([variable, type]) => `$${variable}: ${type}`),
      ...filtered.map(({ variable, type }) => `$${variable}: ${type}`),
      ...(archived ? ['$archived: Boolean!'] : []),
    ];
    const query = `query ${name}(${[...given, ...declared].join(', ')}) {\n${fields}\n}`;
    const filters = Object.fromEntries(filtered.map(({ one, variable }) => [one, variable]));
    return { query, names: Object.keys(parts), filters, archived };
  }

  /**
   * A document that asks for one record by its id, and for collections of it.
   * @param field of the root: `product`
   */
  collectionsOf(
    field: string,
    of: Selected,
    parts: Readonly<Record<string, CollectionSpec>>,
  ): CollectionsOfOne {
    const { idType = 'ID!' } = this.#spec;
    const { declared, fields } = this.#pages(parts, '    ');
    const query = `query LookUp${typeOf(field)}(${[`$id: ${idType}`, ...declared].join(', ')}) {
  ${field}(id: $id) {
    ${selected(of)}
${fields}
  }
}`;
    return { query, names: Object.keys(parts), within: field };
  }

  #pages(parts: Readonly<Record<string, CollectionSpec>>, indent: string) {
    const names = Object.keys(parts);
    const { pageSize, archived: putAway = 'archived' } = this.#spec;
    const fields = Object.entries(parts).map(([one, spec]) => {
      const { of, field, given, filter, archived, size = pageSize } = spec;
      const passed = [
        `first: ${size}, after: $${one}After`,
        ...(given === undefined ? [] : [given]),
        ...(filter === undefined ? [] : [`filter: $${filter.split(':')[0]}`]),
        ...(archived === true ? [`${putAway}: $archived`] : []),
      ].join(', ');
      return `${indent}${one}${field === undefined ? '' : `: ${field}`}(${passed})
${indent}  @include(if: $with${one}) {
${indent}    nodes { ${selected(of)} } pageInfo { hasNextPage endCursor }
${indent}  }`;
    });
    return {
      declared: names.flatMap((one) => [`$${one}After: String`, `$with${one}: Boolean!`]),
      fields: fields.join('\n'),
    };
  }

  /** All rows of collections, read to their ends together. Throws ServiceFailure. */
  rows(client: C, of: Collections, variables: Values = {}): Promise<ConnectionRows> {
    const { query, names } = of;
    return connectionRows({ title: this.#spec.title, client, query, names, variables });
  }

  /**
   * For `list` of a resource: all of a collection of the root.
   * @param field `products`
   * @param given its other arguments: `sortKey: ID`
   */
  list(
    field: string,
    of: Selected,
    given?: string,
  ): (scope: { client: C }) => Promise<readonly unknown[]> {
    const spec = given === undefined ? { of } : { of, given };
    const all = this.collections(typeOf(field), {}, { [field]: spec });
    return async ({ client }) => (await this.rows(client, all))[field] ?? [];
  }

  /**
   * One record with rows of its collections, page by page; none where there is no such record.
   * @param names of the collections that are wanted
   * @throws ServiceFailure
   */
  async *about(
    client: C,
    { query, names: all, within }: CollectionsOfOne,
    id: string,
    names: readonly string[] = all,
  ): AsyncGenerator<{ one: Values; rows: ConnectionRows }> {
    const { title } = this.#spec;
    const nothing = { nodes: [], pageInfo: { hasNextPage: false } };
    let found: Values | undefined;
    const ask = async (text: string, variables: Values) => {
      const answer = await client.find(text, within, variables);
      found = expectShape(title, z.looseObject({}).optional(), answer, `the ${within} ${id}`);
      const data = found ?? Object.fromEntries(all.map((name) => [name, nothing]));
      return { data, at: null };
    };
    const pages = connectionPages({ title, client: { ask }, query, variables: { id }, names, all });
    for await (const { rows } of pages) {
      const own = Object.entries(found ?? {}).filter(([name]) => !all.includes(name));
      if (found !== undefined) yield { one: Object.fromEntries(own), rows };
    }
  }

  /** For `list` of a joint: see {@link Graph.followed}. @param following what is asked for at a place */
  follows(
    of: Collections,
    following: (params: Params) => Following = () => ({}),
  ): (scope: Scope<C>, asking: Asking) => AsyncGenerator<JointPage> {
    return ({ client, params }, asking) => this.followed(client, asking, of, following(params));
  }

  /**
   * For `list` of a joint, whose resources are called as the collections are: what was updated since
   * the listing before, page by page.
   * @throws ServiceFailure
   */
  async *followed(
    client: C,
    { since, from, of: asked }: Asking,
    of: Collections,
    { variables, where = {}, whole = [], newestFirst = [] }: Following,
  ): AsyncGenerator<JointPage> {
    const left = from === null ? null : leftSchema.parse(JSON.parse(from));
    const newest: Record<string, string> = { ...left?.newest };
    const sinceOf = (name: string) => asked.get(name) ?? null;
    const updated = (name: string) => {
      const time = sinceOf(name);
      return time === null ? {} : (this.#spec.updatedAfter?.(deltaStart(time)) ?? {});
    };
    const isKnown = (name: string, row: unknown) =>
      (row as Updated).updatedAt < deltaStart(sinceOf(name) ?? '');
    const pages = connectionPages({
      title: this.#spec.title,
      client,
      query: of.query,
      variables: {
        ...variables?.(updated),
        ...Object.fromEntries(
          Object.entries(of.filters ?? {}).map(([name, variable]) => [
            variable,
            { ...where[name], ...updated(name) },
          ]),
        ),
        ...(of.archived === true && { archived: since !== null }),
      },
      names: of.names.filter((name) => asked.has(name) || whole.includes(name)),
      all: of.names,
      from: left?.place,
      isEnough: (name, nodes) =>
        newestFirst.includes(name) &&
        sinceOf(name) !== null &&
        nodes.some((row) => isKnown(name, row)),
    });
    for await (const { rows, at, place } of pages) {
      const parts = Object.entries(rows).map(([name, nodes]) => {
        if (whole.includes(name)) return [name, { rows: nodes, whole: true }];
        const times = nodes.map((row) => (row as Updated).updatedAt);
        newest[name] = latestOf([newest[name] ?? '', ...times]);
        const cursor = deltaCursor({ since: sinceOf(name), times: [newest[name]] }, at);
        return [name, { rows: nodes, cursor }];
      });
      yield {
        of: Object.fromEntries(parts),
        cursor: deltaCursor({ since, times: Object.values(newest) }, at),
        next: place && JSON.stringify({ place, newest } satisfies z.infer<typeof leftSchema>),
      };
    }
  }

  /**
   * The cheap question whether anything is new: what changed last of collections of the root.
   * @param given the arguments that bring it first: `orderBy: updatedAt`
   */
  latest(fields: readonly string[], given: string): Latest<C> {
    const each = fields.map((one) => `  ${one}(first: 1, ${given}) { nodes { id updatedAt } }`);
    const query = `query Newest {\n${each.join('\n')}\n}`;
    return {
      query,
      changes: (client) => ({
        subjectOf: () => '',
        marks: async () => new Map([['', JSON.stringify((await client.ask(query, {})).data)]]),
      }),
    };
  }

  /**
   * A kind of records.
   * @param field of the root, and of the answers to changes: `projectUpdate`
   */
  kind<T extends { id: string }>(field: string, of: Selected<T>): Kind<T, C> {
    const { title, idType = 'ID!', taken, removed = 'id' } = this.#spec;
    const type = typeOf(field);
    const lookUp = `query LookUp${type}($id: ${idType}) { ${field}(id: $id) { ${selected(of)} } }`;
    const step: Kind<T, C>['step'] = (way, given, at = field) => {
      const name = at === field ? field : `${field}: ${at}`;
      return { field: `${field}${way}`, ...given, answer: `${name} { ${selected(of)} }` };
    };
    const look = (client: C, id: string) => client.find(lookUp, field, { id });
    return {
      ways: {
        ...(taken && {
          repeatable: true,
          taken,
          find: (request, { client }) => look(client, createdId(request)),
        }),
        get: async (_name, { client }, _etag, one) =>
          one === null ? null : { data: await look(client, one.id) },
        made: (answer, _request, one) => {
          const payloads = Object.values((answer as GraphqlAnswer).data) as (Values | null)[];
          // What was changed around it alone leaves it as it was.
          return payloads.flatMap((payload) => payload?.[field] ?? []).at(-1) ?? one;
        },
      },
      look,
      step,
      removal: (id) => ({ field: `${field}Delete`, id, answer: removed }),
      brought: (answer) => {
        const { data } = answer as GraphqlAnswer;
        const payloads = Object.values(
          expectShape(title, payloadsSchema, data, 'what was written'),
        );
        return {
          made: payloads.flatMap((payload) => payload[field] ?? []),
          gone: payloads.flatMap((payload) => payload[removed] ?? []).map(String),
        };
      },
      create: (input) => this.changes(`Create${type}`, [step('Create', { input })]),
      update: (id, input) => this.changes(`Update${type}`, [step('Update', { id, input })]),
      remove: (id) => this.changes(`Delete${type}`, [{ field: `${field}Delete`, id }]),
    };
  }

  /** The request for changes that are carried out one after the other. @param name of the document */
  changes(name: string, steps: readonly GraphChange[]): ServiceRequest {
    const { idType = 'ID!', payload = '' } = this.#spec;
    const [declared, variables]: [string[], Values] = [[], {}];
    const fields = steps.map(({ field, id, input, answer = '' }, n) => {
      const suffix = n === 0 ? '' : String(n);
      const passed = Object.entries({ id, input }).flatMap(([given, value]) => {
        if (value === undefined) return [];
        const variable = `${given}${suffix}`;
        declared.push(`$${variable}: ${given === 'id' ? idType : `${typeOf(field)}Input!`}`);
        variables[variable] = value;
        return [`${given}: $${variable}`];
      });
      const alias = suffix && `${field}${suffix}: `;
      return `  ${alias}${field}(${passed.join(', ')}) { __typename ${payload} ${answer} }`;
    });
    return mutation(
      `mutation ${name}(${declared.join(', ')}) {\n${fields.join('\n')}\n}`,
      variables,
    );
  }
}

const typeOf = (field: string): string => `${field[0]?.toUpperCase()}${field.slice(1)}`;
const selected = (of: Selected): string => (typeof of === 'string' ? of : selectionOf(of));
