/** What listings bring, page by page: of those that come at once, and of those that bring the newest first. */
import type { ListedPage, Listing, Resource } from './definition.ts';
import type { Page } from './listings.ts';

type Listed<T> = ReturnType<NonNullable<Resource<T>['list']>>;

/** What came, page by page, as if each listing had several. */
export async function* paged<T>(listed: Promise<T> | AsyncIterable<T>): AsyncGenerator<T> {
  if (Symbol.asyncIterator in listed) yield* listed;
  else yield await listed;
}

/** A listing with each of its rows read, such as by {@link readingOf}. */
export async function* readRows<T>(
  listed: Listed<never>,
  read: (row: unknown) => T,
): AsyncGenerator<ListedPage<T>> {
  for await (const got of paged<ListedPage<never> | Listing<never> | readonly unknown[]>(listed)) {
    const page = listingOf(got);
    yield { ...page, rows: page.rows.map((row) => read(row)) };
  }
}

/** The pages of a resource's listing. @param parsed a row of it. Throws ServiceFailure */
export async function* pagesOf<T>(
  { newestFirst }: Pick<Resource<T>, 'newestFirst'>,
  listed: Listed<T>,
  since: string | null,
  from: string | null,
  parsed: (row: unknown) => T,
): AsyncGenerator<ListedPage<T>> {
  let newest: string | null = null;
  for await (const got of paged<ListedPage<T> | Listing<T> | readonly unknown[]>(listed)) {
    const page: ListedPage<T> = listingOf(got);
    if (newestFirst === undefined) {
      yield page;
      continue;
    }
    const marks = page.rows.map((row) => newestFirst(parsed(row)));
    // What goes on where it was left began with the newest: its first page said which that was.
    newest ??= from === null ? (marks[0] ?? since) : null;
    const last = marks.at(-1) ?? '';
    const covers = since === null ? {} : { covers: (one: T) => newestFirst(one) >= last };
    yield { ...page, cursor: newest, ...covers };
    if (since !== null && last <= since) return;
  }
}

/** What a page says of the whole. */
export function told(page: object): Omit<Page, 'of'> {
  const { next = null, total = null, cursor = null } = page as Partial<Page>;
  return { next, total, cursor };
}

export function listingOf<T>(got: Listing<T> | readonly unknown[]): Listing<T> {
  return 'rows' in got ? got : { rows: got };
}
