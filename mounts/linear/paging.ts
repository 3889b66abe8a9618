/** Collections of one query, read to their ends together: each answer has a page of each that has more. */
import { ServiceFailure } from '../../src/mount/failure.ts';
import { latestOf } from '../../src/mount/tsv.ts';
import type { Answer, LinearClient } from './client.ts';
import { expectShape, pageSchema } from './schemas.ts';

/**
 * Asks until every collection is read; `take` stores the records of a page, and gives false where
 * the ones that follow need not be read.
 * @param names of the fields; the query takes `$NAMEAfter` and `$withNAME` of each
 * @param all the fields that the query has, where some of them are not asked for
 * @returns the time of the first answer by Linear's clock, or null
 * @throws ServiceFailure
 */
export async function everyPage(
  client: LinearClient,
  query: string,
  variables: Readonly<Record<string, unknown>>,
  names: readonly string[],
  take: (name: string, nodes: unknown[]) => unknown,
  all: readonly string[] = names,
): Promise<string | null> {
  const after = new Map<string, string | null>(names.map((name) => [name, null]));
  let first: Answer | null = null;
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
    first ??= answer;
    for (const [name, cursor] of [...after]) {
      const { nodes, pageInfo } = expectShape(pageSchema, answer.data[name], name);
      const more = take(name, nodes) !== false && pageInfo.hasNextPage;
      const next = more ? (pageInfo.endCursor ?? null) : null;
      if (next === null) after.delete(name);
      else if (next !== cursor) after.set(name, next);
      else throw new ServiceFailure('protocol', `Linear gave the same page of ${name} twice`);
    }
  }
  return first?.at ?? null;
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
