/** How listings of much end, as the service's do. */
import { z } from 'zod';
import { type Call, idPath, paged, pageOf, Refusal, type Reply } from './http.ts';
import type { RepositoryState } from './store.ts';

/** Where an item stands in the order of a listing: told apart from its neighbours, whatever is added or removed. */
export interface CursorOrder<Item> {
  key(item: Item): string | number;
  tie(item: Item): number;
  direction: 'asc' | 'desc';
}

/**
 * One page of a listing that may be large. Beyond {@link Paging.cursorsBeyond} items `next` has a
 * cursor, there is no `last`, and a deep `page` is refused. Not in the documentation; seen in
 * https://github.com/google/go-github/issues/3565 and /3976, in
 * https://github.com/josegonzalez/python-github-backup/issues/429 (`page=100`) and in
 * https://github.com/wshm-dev/wshm/pull/133 (a repository of 1,200 issues).
 */
export function pagedByCursor<Item>(
  call: Call,
  items: readonly Item[],
  render: (item: Item) => unknown,
  repo: RepositoryState,
  order: CursorOrder<Item>,
): Reply {
  const { cursorsBeyond } = call.store.paging;
  if (cursorsBeyond === null || items.length <= cursorsBeyond) {
    return paged(call, items, render, repo);
  }
  const { page, perPage } = pageOf(call, items);
  const after = call.query.get('after');
  if (after === null && (page - 1) * perPage >= cursorsBeyond) {
    const text =
      'Pagination with the page parameter is not supported for large datasets, please use cursor based pagination (after/before)';
    throw new Refusal(422, text);
  }
  const start = after === null ? (page - 1) * perPage : indexAfter(items, order, after);
  const slice = items.slice(start, start + perPage);
  const last = slice.at(-1);
  if (last === undefined || start + perPage >= items.length) {
    return { status: 200, body: slice.map(render) };
  }
  const query = new URLSearchParams([['after', cursorOf(order, last)]]);
  for (const [name, value] of call.query)
    if (!['after', 'page'].includes(name)) query.set(name, value);
  query.set('page', String(page + 1));
  const link = `<${call.url}${idPath(call, repo)}?${query}>; rel="next"`;
  return { status: 200, body: slice.map(render), headers: { link } };
}

const cursorSchema = z.tuple([z.union([z.string(), z.number()]), z.number()]);

function cursorOf<Item>({ key, tie }: CursorOrder<Item>, item: Item): string {
  return Buffer.from(JSON.stringify([key(item), tie(item)])).toString('base64');
}

/** The first item behind a cursor, whether or not what it was taken of is there still. */
function indexAfter<Item>(
  items: readonly Item[],
  { key, tie, direction }: CursorOrder<Item>,
  after: string,
): number {
  const [atKey, atTie] = cursorSchema.parse(JSON.parse(Buffer.from(after, 'base64').toString()));
  const sign = direction === 'asc' ? 1 : -1;
  const behind = items.findIndex((item) => {
    const itemKey = key(item);
    const order = itemKey === atKey ? tie(item) - atTie : itemKey < atKey ? -1 : 1;
    return order * sign > 0;
  });
  return behind < 0 ? items.length : behind;
}

/**
 * One page of a listing that can be followed so far and no further: `last` stops there, and what is
 * behind it is refused. Seen of a repository's comments at 30,000 and at 40,000:
 * https://github.com/go-gitea/gitea/issues/31856, https://github.com/singer-io/tap-github/issues/61.
 */
export function pagedUpTo<Item>(
  call: Call,
  items: readonly Item[],
  render: (item: Item) => unknown,
  repo: RepositoryState,
  most: number | null,
): Reply {
  const { page, perPage } = pageOf(call, items);
  if (most !== null && (page - 1) * perPage >= most) {
    const text =
      'In order to keep the API fast for everyone, pagination is limited for this resource. Check the rel=last link relation in the Link response header to see how far back you can traverse.';
    throw new Refusal(422, text);
  }
  return paged(call, most === null ? items : items.slice(0, most), render, repo);
}
