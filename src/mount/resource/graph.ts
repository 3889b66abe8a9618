/** What is asked of a GraphQL service: documents that follow from the schemas of its records, their pages, one by its id, and what changes one. */
import { z } from 'zod';
import type { ServiceRequest } from '../../changes/change.ts';
import type { ServiceFailure } from '../client/failure.ts';
import { type GraphqlAnswer, type GraphqlClient, mutation } from '../client/graphql.ts';
import { connectionRows, deltaCursor, deltaStart } from '../reading/connections.ts';
import type { Values } from '../record/record.ts';
import type { JointListing, ResourceSpec } from './definition.ts';

/** The fields of a schema as a document asks for them: `id state { id name }`. What is piped is one value. */
export function selectionOf(schema: z.ZodObject): string {
  return Object.entries(schema.shape)
    .map(([name, field]) => `${name} ${within(field)}`.trim())
    .join(' ');
}

function within(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodObject) return `{ ${selectionOf(schema)} }`;
  if (schema instanceof z.ZodArray) return within(schema.element);
  const isMore = schema instanceof z.ZodDefault || schema instanceof z.ZodNullable;
  return isMore || schema instanceof z.ZodOptional ? within(schema.unwrap()) : '';
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
  /**
   * Present where whoever creates gives the id, as `id` of the input: does a refusal say that there is
   * one already? Then the same request can never make two.
   */
  taken?(failure: ServiceFailure): boolean;
  /** A filter of what was updated after a time, ISO 8601. Each record says when, as `updatedAt`. */
  updatedAfter?(time: string): object;
}

/** What is asked of each record: the fields of its schema, or those that are named. */
type Selected = z.ZodObject | string;

/** A collection of a document. */
export interface CollectionSpec {
  of: Selected;
  /** Its field of the root, where that has another name. */
  field?: string;
  /** Its arguments beside those of the page: `filter: $issues`. */
  given?: string;
  /** Records of a page, where it is not that of the service. */
  size?: number;
}

/** Collections that one document asks for together, page by page. */
export interface Collections {
  query: string;
  names: readonly string[];
}

type Ways<T, C> = Pick<ResourceSpec<T, C>, 'get' | 'find' | 'made' | 'repeatable' | 'taken'>;

/** How a kind of records is asked for and changed: `productCreate(input)`, `productUpdate(id, input)`, `productDelete(id)`. */
export interface Kind<T, C> {
  /** For its resource. */
  ways: Ways<T, C>;
  /** The one with an id; undefined where there is none. Throws ServiceFailure. */
  look(client: C, id: string): Promise<unknown>;
  /** The request that makes one of its fields. */
  create(input: Values): ServiceRequest;
  /** The request that changes those fields of one. */
  update(id: string, input: Values): ServiceRequest;
  /** The request that removes one. */
  remove(id: string): ServiceRequest;
}

/** Rows of collections, by their names. */
type Rows = Readonly<Record<string, unknown[]>>;

/** The id that a record is made under. */
export function createdId({ body }: ServiceRequest): string {
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
    const names = Object.keys(parts);
    const declared = [
      ...Object.entries(variables).map(([variable, type]) => `$${variable}: ${type}`),
      ...names.flatMap((one) => [`$${one}After: String`, `$with${one}: Boolean!`]),
    ];
    const fields = Object.entries(parts).map(([one, { of, field, given = '', size }]) => {
      const page = `first: ${size ?? this.#spec.pageSize}, after: $${one}After`;
      return `  ${one}${field === undefined ? '' : `: ${field}`}(${page}${given && `, ${given}`})
    @include(if: $with${one}) {
      nodes { ${selected(of)} } pageInfo { hasNextPage endCursor }
    }`;
    });
    return { query: `query ${name}(${declared.join(', ')}) {\n${fields.join('\n')}\n}`, names };
  }

  /** All rows of collections, read to their ends together. Throws ServiceFailure. */
  rows(
    client: C,
    of: Collections,
    variables: Values = {},
  ): Promise<{ rows: Rows; at: string | null }> {
    return connectionRows({ title: this.#spec.title, client, ...of, variables });
  }

  /** For `list` of a resource: the rows of the one collection of a document. Throws ServiceFailure. */
  async all(client: C, of: Collections): Promise<readonly unknown[]> {
    return Object.values((await this.rows(client, of)).rows).flat();
  }

  /**
   * For `list` of a joint: what was updated since the listing before.
   * @param options `variables` of the document, with the filter of what is followed so; `whole`: those
   *   of the collections that are read from end to end each time
   * @throws ServiceFailure
   */
  async followed(
    client: C,
    since: string | null,
    of: Collections,
    { whole = [], variables }: { whole?: readonly string[]; variables(updated: object): Values },
  ): Promise<JointListing> {
    const updated = since === null ? {} : (this.#spec.updatedAfter?.(deltaStart(since)) ?? {});
    const { rows, at } = await this.rows(client, of, variables(updated));
    const times = of.names
      .filter((name) => !whole.includes(name))
      .flatMap((name) => rows[name] ?? [])
      .map((row) => String((row as { updatedAt?: unknown }).updatedAt));
    const parts = of.names.map((name) => [
      name,
      { rows: rows[name] ?? [], ...(whole.includes(name) ? { whole: true } : {}) },
    ]);
    return { of: Object.fromEntries(parts), cursor: deltaCursor({ since, times }, at) };
  }

  /**
   * A kind of records.
   * @param field of the root, and of the answers to changes: `projectUpdate`
   */
  kind<T extends { id: string }>(field: string, of: Selected): Kind<T, C> {
    const { idType = 'ID!', payload = '', taken } = this.#spec;
    const type = `${field[0]?.toUpperCase()}${field.slice(1)}`;
    const lookUp = `query LookUp${type}($id: ${idType}) { ${field}(id: $id) { ${selected(of)} } }`;
    const change = (way: string, given: Readonly<Record<string, string>>, record = '') => {
      const declared = Object.entries(given).map(([name, kind]) => `$${name}: ${kind}`);
      const passed = Object.keys(given).map((name) => `${name}: $${name}`);
      return `mutation ${way}${type}(${declared.join(', ')}) {
  ${field}${way}(${passed.join(', ')}) { __typename ${payload} ${record} }
}`;
    };
    const record = `${field} { ${selected(of)} }`;
    const create = change('Create', { input: `${type}CreateInput!` }, record);
    const update = change('Update', { id: idType, input: `${type}UpdateInput!` }, record);
    const remove = change('Delete', { id: idType });
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
        made: (answer) => {
          const [made] = Object.values((answer as GraphqlAnswer).data);
          return (made as Values | null)?.[field];
        },
      },
      look,
      create: (input) => mutation(create, { input }),
      update: (id, input) => mutation(update, { id, input }),
      remove: (id) => mutation(remove, { id }),
    };
  }
}

const selected = (of: Selected): string => (typeof of === 'string' ? of : selectionOf(of));
