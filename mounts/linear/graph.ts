/** What is asked of Linear's GraphQL in one way for every kind of records: pages, one by its id, and what changes one. */
import {
  connectionRows,
  deltaCursor,
  deltaStart,
  type JointListing,
  mutation,
  type ResourceSpec,
  type ServiceRequest,
  type Values,
} from '../../src/mount/index.ts';
import { isDuplicate, type LinearClient } from './client.ts';

type Ways<T> = Pick<
  ResourceSpec<T, LinearClient>,
  'get' | 'find' | 'made' | 'repeatable' | 'taken'
>;

/** How a kind of records is asked for and changed. Each is made under an id of our own: the same request can never make two. */
export interface Kind<T> {
  ways: Ways<T>;
  /** The one with an id; undefined where there is none. Throws ServiceFailure. */
  look(client: LinearClient, id: string): Promise<unknown>;
  create(input: Values): ServiceRequest;
  update(id: string, input: Values): ServiceRequest;
  remove(id: string): ServiceRequest;
}

/**
 * @param name of its field: `projectUpdate`
 * @param fields of its type, as a query has them
 */
export function kindOf<T extends { id: string }>(name: string, fields: string): Kind<T> {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const fragment = `fragment ${name} on ${type} { ${fields} }`;
  const lookUp = `query LookUp${type}($id: String!) { ${name}(id: $id) { ...${name} } }\n${fragment}`;
  const change = (way: string, variables: string, given: string) =>
    `mutation ${way}${type}(${variables}) {
  ${name}${way}(${given}) { success ${name} { ...${name} } }
}
${fragment}`;
  const create = change('Create', `$input: ${type}CreateInput!`, 'input: $input');
  const update = change(
    'Update',
    `$id: String!, $input: ${type}UpdateInput!`,
    'id: $id, input: $input',
  );
  const remove = `mutation Delete${type}($id: String!) { ${name}Delete(id: $id) { success } }`;
  const look = (client: LinearClient, id: string) => client.find(lookUp, name, { id });
  return {
    ways: {
      repeatable: true,
      taken: isDuplicate,
      get: async (_name, { client }, _etag, one) =>
        one === null ? null : { data: await look(client, one.id) },
      find: (request, { client }) => look(client, idOf(request)),
      made: (answer) => payloadOf(answer)?.[name],
    },
    look,
    create: (input) => mutation(create, { input }),
    update: (id, input) => mutation(update, { id, input }),
    remove: (id) => mutation(remove, { id }),
  };
}

/** The id of our own that a record is made under. */
export function idOf({ body }: ServiceRequest): string {
  return (body as { variables: { input: { id: string } } }).variables.input.id;
}

/** What the first field of an answer's root has. */
function payloadOf(answer: unknown): Values | undefined {
  return Object.values((answer as { data: Values }).data)[0] as Values | undefined;
}

/** Collections of one query, read to their ends together. Throws ServiceFailure. */
export function everyRow(
  client: LinearClient,
  query: string,
  variables: Values,
  names: readonly string[],
): Promise<{ rows: Readonly<Record<string, unknown[]>>; at: string | null }> {
  return connectionRows({ title: 'Linear', client, query, variables, names });
}

/**
 * A listing of what was updated since the last one.
 * @param variables of the query; `updated` is a filter of all that is followed so
 * @param whole those of the collections that are read from end to end each time
 */
export async function followed(
  client: LinearClient,
  since: string | null,
  {
    query,
    names,
    whole = [],
    variables,
  }: {
    query: string;
    names: readonly string[];
    whole?: readonly string[];
    variables(updated: object): Values;
  },
): Promise<JointListing> {
  const updated = since === null ? {} : { updatedAt: { gt: deltaStart(since) } };
  const { rows, at } = await everyRow(client, query, variables(updated), names);
  const times = names
    .filter((name) => !whole.includes(name))
    .flatMap((name) => rows[name] ?? [])
    .map((row) => String((row as { updatedAt?: unknown }).updatedAt));
  const of = names.map((name) => [
    name,
    { rows: rows[name] ?? [], ...(whole.includes(name) ? { whole: true } : {}) },
  ]);
  return { of: Object.fromEntries(of), cursor: deltaCursor({ since, times }, at) };
}
