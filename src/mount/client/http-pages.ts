/** How a listing of a service goes on: by a link, by a cursor, or by counting. */
import LinkHeader from 'http-link-header';
import { z } from 'zod';

/** Parameters of a question; what is undefined is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** One page of a listing. */
export interface Page {
  data: unknown;
  headers: Headers;
  /** What it was asked for with. */
  query: Query;
}

/** Where a page is: its address, or else the listing's own with these parameters. */
export interface PagePlace {
  at: string | null;
  query: Query;
}

/** A place that was kept. */
export const placeSchema: z.ZodType<PagePlace> = z.object({
  at: z.string().nullable(),
  query: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.undefined()])),
});

/** What the next page is asked for with: its address, or its parameters; null after the last. */
export type Next = (page: Page) => string | Query | null;

/** `Link: <…>; rel="next"`, RFC 8288; a relative one is relative to the page's own address. */
export const byLink: Next = ({ headers }) =>
  LinkHeader.parse(headers.get('link') ?? '').rel('next')[0]?.uri ?? null;

/** Where something is in an answer: the names that lead to it, `meta.next_cursor`; or what finds it. */
export type Within<T> = string | ((data: unknown) => T);

/** What an answer has there; undefined for nothing. */
export function foundIn(data: unknown, where: Within<unknown>): unknown {
  if (typeof where !== 'string') return where(data);
  return where.split('.').reduce<unknown>((one, name) => {
    const isInside = typeof one === 'object' && one !== null && Object.hasOwn(one, name);
    return isInside ? (one as Record<string, unknown>)[name] : undefined;
  }, data);
}

/** A cursor in the answer, which the next question repeats; an empty one, or none, ends the listing. */
export function byCursor(cursorAt: Within<unknown>, param = 'cursor'): Next {
  return ({ data, query }) => {
    const cursor = foundIn(data, cursorAt);
    if (typeof cursor !== 'string' && typeof cursor !== 'number') return null;
    return cursor === '' ? null : { ...query, [param]: cursor };
  };
}

/**
 * Counting rows, or pages from `first` on: a page that is not full is the last.
 * @param size what the question asks for
 */
export function byOffset(
  rowsOf: (data: unknown) => readonly unknown[],
  size: number,
  {
    param = 'offset',
    of = 'rows',
    first = of === 'rows' ? 0 : 1,
    isCapped = false,
  }: OffsetOptions = {},
): Next {
  return ({ data, query }) => {
    const { length } = rowsOf(data);
    if (length === 0 || (length < size && !isCapped)) return null;
    return { ...query, [param]: Number(query[param] ?? first) + (of === 'rows' ? length : 1) };
  };
}

/** How pages are counted in the address. */
export interface OffsetOptions {
  /** The parameter that counts. */
  param?: string;
  of?: 'rows' | 'pages';
  first?: number;
  /** May the service give fewer than it was asked for before the last page? Then an empty one is the last. */
  isCapped?: boolean;
}
