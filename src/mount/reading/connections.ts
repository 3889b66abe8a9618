/** Collections of one GraphQL question, read to their ends together: each answer has a page of each that has more. */
import { z } from 'zod';
import { Cursors } from '../client/cursors.ts';
import { expectShape } from '../client/failure.ts';
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
const connectionSchema = z.looseObject({
  nodes: z.array(z.unknown()),
  pageInfo: z.looseObject({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
});

/** Rows of collections, by their names. */
export type ConnectionRows = Readonly<Record<string, unknown[]>>;

/** What is asked. */
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
  /** Need the rows that follow on this page of a collection not be read? */
  isEnough?(name: string, nodes: unknown[]): boolean;
}

/** An answer: the rows of the collections that were asked for. */
export interface ConnectionsPage {
  rows: ConnectionRows;
  /** The time of the first answer by the service's clock; null where it did not say. */
  at: string | null;
  /** Where it goes on; null after the last. */
  place: ConnectionsPlace | null;
}

/** Asks until every collection is read. Throws ServiceFailure. */
export async function* connectionPages(of: Connections): AsyncGenerator<ConnectionsPage> {
  const { title, client, query, variables, names, all = names, from } = of;
  const start = from?.after ?? Object.fromEntries(names.map((name) => [name, null]));
  const after = new Map(Object.entries(start));
  const cursors = new Map(
    Object.entries(start).map(([name, cursor]) => [name, new Cursors(title, name, cursor)]),
  );
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
    const rows: Record<string, unknown[]> = {};
    for (const [name, followed] of cursors) {
      if (!after.has(name)) continue;
      const { nodes, pageInfo } = expectShape(title, connectionSchema, answer.data[name], name);
      rows[name] = nodes;
      const more = pageInfo.hasNextPage && of.isEnough?.(name, nodes) !== true;
      if (more) after.set(name, followed.next(pageInfo.endCursor));
      else after.delete(name);
    }
    yield { rows, at, place: after.size > 0 ? { after: Object.fromEntries(after), at } : null };
  }
}

/** All rows of each collection. Throws ServiceFailure. */
export async function connectionRows(of: Connections): Promise<ConnectionRows> {
  const all = Object.fromEntries(of.names.map((name): [string, unknown[]] => [name, []]));
  for await (const { rows } of connectionPages(of))
    for (const [name, nodes] of Object.entries(rows)) all[name]?.push(...nodes);
  return all;
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
