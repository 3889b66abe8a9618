/** Collections of one query, read to their ends together: each answer has a page of each that has more. */
import { z } from 'zod';
import { latestOf, ServiceFailure } from '../../src/mount/index.ts';
import type { Answer, LinearClient } from './client.ts';
import { expectShape, pageSchema } from './schemas.ts';

/** Where a reading goes on. */
export const placeSchema = z.object({
  /** The cursor of each collection that is not at its end; null at its beginning. */
  after: z.record(z.string(), z.string().nullable()),
  /** The time of the first answer by Linear's clock; null where it did not say. */
  at: z.string().nullable(),
});
export type Place = z.infer<typeof placeSchema>;

interface PagingOptions {
  all?: readonly string[];
  from?: Place | undefined;
  stored?: (place: Place, records: number) => void;
}

/**
 * Asks until every collection is read; `take` stores the records of a page, and gives false where
 * the ones that follow need not be read.
 * @param names of the fields; the query takes `$NAMEAfter` and `$withNAME` of each
 * @param options `all`: the fields that the query has, where some of them are not asked for; `from`:
 *   where an earlier reading was left; `stored`: told after each answer where it goes on
 * @returns the time of the first answer by Linear's clock, or null
 * @throws ServiceFailure
 */
export async function everyPage(
  client: LinearClient,
  query: string,
  variables: Readonly<Record<string, unknown>>,
  names: readonly string[],
  take: (name: string, nodes: unknown[]) => unknown,
  { all = names, from, stored }: PagingOptions = {},
): Promise<string | null> {
  const start = from?.after ?? Object.fromEntries(names.map((name) => [name, null]));
  const after = new Map(Object.entries(start));
  let at = from?.at ?? null;
  while (after.size > 0) {
    const answer: Answer = await client.ask(query, {
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
      const { nodes, pageInfo } = expectShape(pageSchema, answer.data[name], name);
      records += nodes.length;
      const more = take(name, nodes) !== false && pageInfo.hasNextPage;
      if (more) after.set(name, nextOf(name, pageInfo.endCursor, cursor));
      else after.delete(name);
    }
    if (after.size > 0) stored?.({ after: Object.fromEntries(after), at }, records);
  }
  return at;
}

/** @throws ServiceFailure where it says that there is more, and not where: that is not the end */
function nextOf(name: string, next: string | null | undefined, before: string | null): string {
  if (typeof next !== 'string' || next === '') {
    const text = `Linear has more ${name}, and did not say where they go on`;
    throw new ServiceFailure('protocol', text);
  }
  if (next !== before) return next;
  throw new ServiceFailure('protocol', `Linear gave the same page of ${name} twice`);
}

/** A delta reaches back so far behind what is known: listings may lag behind writes, in ms. */
const OVERLAP_MS = 30_000;

/** From when on a delta asks. */
export function startOf(since: string): string {
  return new Date(Date.parse(since) - OVERLAP_MS).toISOString();
}

/**
 * The time up to which everything is known: what was made while the pages were read may be on none
 * of them.
 * @param at of the first answer by Linear's clock
 */
export function cursorOf(
  { since, times }: { since: string | null; times: readonly string[] },
  at: string | null,
): string {
  const newest = latestOf(since === null ? times : [since, ...times]);
  if (at === null || newest < at) return newest === '' ? new Date(0).toISOString() : newest;
  return at;
}
