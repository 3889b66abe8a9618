/**
 * Pages of records: https://linear.app/developers/pagination. `first` is 1 to 250 and 50 by default,
 * the order is by time of creation or of update, the newest first, and archived records are left out
 * unless they are asked for.
 */
import { GraphQLError } from 'graphql';
import { invalid, notFound } from './errors.ts';

/** The arguments that every connection has. */
export interface PageArguments {
  first?: number | null;
  last?: number | null;
  after?: string | null;
  before?: string | null;
  orderBy?: 'createdAt' | 'updatedAt' | null;
  includeArchived?: boolean | null;
  sort?: unknown;
}

interface Sortable {
  id: string;
  createdAt: string;
  updatedAt: string;
  archivedAt: string | null;
}

export const DEFAULT_FIRST = 50;
const MAX_FIRST = 250;

/** One page of the rows. @throws GraphQLError for a size that is not allowed, or a cursor of nothing */
export function connection<T extends Sortable>(rows: Iterable<T>, args: PageArguments) {
  const { first, last, after, before, orderBy } = args;
  if (args.sort) throw new GraphQLError('the stand-in does not sort by `sort`');
  const count = first ?? last ?? DEFAULT_FIRST;
  if (count < 1 || count > MAX_FIRST) {
    throw invalid(`${first === undefined ? 'last' : 'first'} must be between 1 and ${MAX_FIRST}`);
  }
  const by = orderBy ?? 'createdAt';
  const sorted = [...rows]
    .filter((row) => args.includeArchived === true || row.archivedAt === null)
    .sort((a, b) => compareText(b[by], a[by]) || compareText(b.id, a.id));
  const start = after ? indexOf(sorted, after) + 1 : 0;
  const end = before ? indexOf(sorted, before) : sorted.length;
  const between = sorted.slice(start, end);
  const backward = last !== undefined && last !== null;
  const nodes = backward ? between.slice(-count) : between.slice(0, count);
  const firstAt = backward ? end - nodes.length : start;
  return {
    /** Of all pages; no connection but a search shows it. */
    total: sorted.length,
    nodes,
    edges: nodes.map((node) => ({ node, cursor: cursorOf(node) })),
    pageInfo: {
      hasNextPage: firstAt + nodes.length < sorted.length,
      hasPreviousPage: firstAt > 0,
      startCursor: nodes[0] === undefined ? null : cursorOf(nodes[0]),
      endCursor: nodes.at(-1) === undefined ? null : cursorOf(nodes.at(-1) as T),
    },
  };
}

/** Opaque to clients. */
function cursorOf(row: Sortable): string {
  return Buffer.from(row.id).toString('base64url');
}

function indexOf(rows: readonly Sortable[], cursor: string): number {
  const id = Buffer.from(cursor, 'base64url').toString();
  const index = rows.findIndex((row) => row.id === id);
  if (index < 0) throw notFound('Cursor');
  return index;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
