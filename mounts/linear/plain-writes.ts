/** How records are written whose fields are those of one mutation: documents, updates, notifications. */
import type { z } from 'zod';
import {
  type Create,
  type Edit,
  type Outcome,
  type Params,
  type RecordType,
  ServiceFailure,
  type Values,
  type Versioned,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { idOf, mutation, orMade } from './requests.ts';
import { expectShape } from './schemas.ts';

/** A kind of records that is written so. */
export interface PlainKind<T> extends Pick<Edit, 'check' | 'normal'> {
  client: LinearClient;
  record: RecordType;
  /** The field of an answer that has one. */
  field: string;
  schema: z.ZodType<T>;
  /** With `$id`, of one record. */
  lookUp: string;
  /** With `$id` and `$input`. */
  update: string;
  /** The record as it is held. */
  held(params: Params): (Versioned & { id: string }) | null;
  /** Brings in step what is not held. Throws ServiceFailure. */
  ensure(params: Params): Promise<void>;
  /** Stores it, and says where it is. */
  put(params: Params, value: T): Outcome;
  drop(params: Params): void;
  /** The input of a mutation, of values that were checked. */
  input(params: Params, values: Values): Values;
}

export function plainEdit<T>(kind: PlainKind<T>): Edit {
  const { client, record, held, check, normal } = kind;
  return {
    record,
    current: held,
    refresh: async (params) => {
      const id = held(params)?.id;
      if (id === undefined) return kind.ensure(params);
      const value = await look(kind, id);
      if (value === null) kind.drop(params);
      else kind.put(params, value);
    },
    ...(check === undefined ? {} : { check }),
    ...(normal === undefined ? {} : { normal }),
    request: (params, delta) =>
      mutation(kind.update, { id: held(params)?.id, input: kind.input(params, delta) }),
    send: async (params, request) => stored(kind, params, (await client.send(request)).data),
  };
}

/** Makes a record under an id of our own: the same request can never make two. */
export function plainCreate<T>(kind: PlainKind<T>, query: string): Create {
  const { client, record, check, normal } = kind;
  const find: Create['find'] = async (params, request) => {
    const value = await look(kind, idOf(request));
    return value === null ? null : kind.put(params, value);
  };
  return {
    record,
    repeatable: true,
    ...(check === undefined ? {} : { check }),
    ...(normal === undefined ? {} : { normal }),
    request: (params, values, key) =>
      mutation(query, { input: { id: key, ...kind.input(params, values) } }),
    send: async (params, request) => {
      try {
        return stored(kind, params, (await client.send(request)).data);
      } catch (error) {
        return orMade(error, () => find(params, request, 0));
      }
    },
    find,
  };
}

/** The record with this id; null where there is none. Throws ServiceFailure. */
async function look<T>({ client, lookUp, field, schema }: PlainKind<T>, id: string) {
  try {
    const { data } = await client.ask(lookUp, { id });
    return expectShape(schema, data[field], `the ${field} that was asked for`);
  } catch (error) {
    if (error instanceof ServiceFailure && error.absent) return null;
    throw error;
  }
}

function stored<T>({ field, schema, put }: PlainKind<T>, params: Params, data: Values): Outcome {
  const [payload] = Object.values(data);
  const value = (payload as Readonly<Record<string, unknown>> | null)?.[field];
  return put(params, expectShape(schema, value, `the ${field} that was written`));
}
