/** The pages of a listing that is not kept as a collection. */
import type { GithubClient } from './client.ts';

/** What each page says, first to last; `url` has no page of its own. Throws ServiceFailure. */
export async function* everyPage(client: GithubClient, url: string): AsyncGenerator<unknown> {
  for (let page: number | null = 1; page !== null; ) {
    const { data, next } = await client.get(`${url}&page=${page}`);
    yield data;
    page = next;
  }
}
