/** Collections of one GraphQL question, read to their ends together: each answer has a page of each that has more. */
import { z } from 'zod';
import { expectShape, ServiceFailure } from '../client/failure.ts';
import type { GraphqlClient } from '../client/graphql.ts';
import { latestOf } from '../table/tsv.ts';

/** Where a reading goes on. */
export const connectionsPlaceSchema = z.object({
  /** The cursor of each collection that is not at its end; null at its beginning. */
  after: z.record(z.string(), z.string().nullable()),
  /** The time of the first answer by the service's clock; null where it did not say. */
  at: z.string().nullable(),
});
/** Where a reading goes on: cursors by collection, and the time of its first answer. */
export type ConnectionsPlace = z.infer<typeof connectionsPlaceSchema>;

/** A page of a collection. */
export const connectionSchema = z.looseObject({
  nodes: z.array(z.unknown()),
  pageInfo: z.looseObject({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
});

/** What is asked, and what is done with the answers. */
export interface Connections {
  /** What sentences call the service. */
  title: string;
  client: Pick<GraphqlClient, 'ask'>;
  /** It takes `$NAMEAfter` and `$withNAME` of each collection. */
  query: string;
  variables: Readonly<Record<string, unknown>>;
  /** The fields of the collections that are read. */
  names: readonly string[];
  /** All that the query has, where some of them are not asked for. */
  all?: readonly string[];
  /** Where an earlier reading was left. */
  from?: ConnectionsPlace | undefined;
  /** Stores the records of a page; false where the ones that follow need not be read. */
  take(name: string, nodes: unknown[]): unknown;
  /** Told after each answer where it goes on. */
  stored?(place: ConnectionsPlace, records: number): void;
}

/**
 * Asks until every collection is read.
 * @returns the time of the first answer by the service's clock, or null
 * @throws ServiceFailure
 */
export async function readConnections(of: Connections): Promise<string | null> {
  const { title, client, query, variables, names, all = names, from, take, stored } = of;
  const start = from?.after ?? Object.fromEntries(names.map((name) => [name, null]));
  const after = new Map(Object.entries(start));
  let at = from?.at ?? null;
  while (after.size > 0) {
    const answer = await client.ask(query, {
      ...variables,
      ...Object.fromEntries(
        all.flatMap((name) => [
          [`${name}After`, after.get(name) ?? null],
          [`with${name}`, after.has(name)],
        ]),
      ),
    });
    at ??= answer.at;
    let records = 0;
    for (const [name, cursor] of [...after]) {
      const { nodes, pageInfo } = expectShape(title, connectionSchema, answer.data[name], name);
      records += nodes.length;
      const more = take(name, nodes) !== false && pageInfo.hasNextPage;
      if (more) after.set(name, nextOf(title, name, pageInfo.endCursor, cursor));
      else after.delete(name);
    }
    if (after.size > 0) stored?.({ after: Object.fromEntries(after), at }, records);
  }
  return at;
}

/** All rows of each collection. Throws ServiceFailure. */
export async function connectionRows(
  of: Omit<Connections, 'take'>,
): Promise<{ rows: Readonly<Record<string, unknown[]>>; at: string | null }> {
  const rows = Object.fromEntries(of.names.map((name): [string, unknown[]] => [name, []]));
  const at = await readConnections({
    ...of,
    take: (name, nodes) => {
      rows[name]?.push(...nodes);
    },
  });
  return { rows, at };
}

/** @throws ServiceFailure where it says that there is more, and not where: that is not the end */
function nextOf(
  title: string,
  name: string,
  next: string | null | undefined,
  before: string | null,
): string {
  if (typeof next !== 'string' || next === '') {
    const text = `${title} has more ${name}, and did not say where they go on`;
    throw new ServiceFailure('protocol', text);
  }
  if (next !== before) return next;
  throw new ServiceFailure('protocol', `${title} gave the same page of ${name} twice`);
}

/** A delta by time reaches back so far behind what is known: listings may lag behind writes, in ms. */
const OVERLAP_MS = 30_000;

/** From when on a delta asks. */
export function deltaStart(since: string): string {
  return new Date(Date.parse(since) - OVERLAP_MS).toISOString();
}

/**
 * The time up to which everything is known: what was made while the pages were read may be on none
 * of them.
 * @param known of before, and the times of what came; `since` is null where all of it was read
 * @param at of the first answer by the service's clock
 */
export function deltaCursor(
  { since, times }: { since: string | null; times: readonly string[] },
  at: string | null,
): string {
  const newest = latestOf(since === null ? times : [since, ...times]);
  if (at === null || newest < at) return newest === '' ? new Date(0).toISOString() : newest;
  return at;
}
