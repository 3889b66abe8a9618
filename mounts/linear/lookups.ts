/** Asking Linear for one thing by its name: authoritative, listings aside. */
import { ServiceFailure } from '../../src/mount/failure.ts';
import type { LinearClient } from './client.ts';
import { LOOK_UP_COMMENT, LOOK_UP_ISSUE } from './queries.ts';
import { type ApiIssue, commentSchema, expectShape, issueSchema, pageSchema } from './schemas.ts';
import { collection, type LinearStore, teamIn } from './store.ts';

export class LinearLookups {
  readonly #client: LinearClient;
  readonly #store: LinearStore;

  constructor(client: LinearClient, store: LinearStore) {
    this.#client = client;
    this.#store = store;
  }

  /** Asks for one issue; what is not there, or has moved to another team, is dropped. Throws ServiceFailure. */
  async issue(identifier: string, comments: boolean): Promise<void> {
    const store = this.#store;
    const seen = new Set<string>();
    for (let after: string | null = null, more = true; more; ) {
      const found = await this.#ask(LOOK_UP_ISSUE, { id: identifier, after, comments }, 'issue');
      const issue = found === null ? null : expectShape(issueSchema, found, `issue ${identifier}`);
      if (issue?.identifier !== identifier) return store.dropIssue(identifier);
      store.putIssue(issue, 'lookup');
      if (!comments) return;
      const page = expectShape(pageSchema, issue['comments'], `the comments of ${identifier}`);
      for (const node of page.nodes) {
        const comment = expectShape(commentSchema, node, 'a comment');
        seen.add(comment.id);
        // A page of comments is a listing, which may lag; the issue itself is not.
        store.putComment(comment, 'listing');
      }
      after = page.pageInfo.endCursor ?? null;
      more = page.pageInfo.hasNextPage && after !== null;
    }
    for (const head of store.heads('comments', teamIn(identifier), identifier)) {
      if (seen.has(head.key)) continue;
      if (store.isRecent(head)) await this.comment(identifier, head.key);
      else store.drop('comments', teamIn(identifier), head.key);
    }
    store.listed(collection('comments-of', identifier));
  }

  /** The issue with this UUID, or null where there is none. Throws ServiceFailure. */
  async issueById(id: string): Promise<ApiIssue | null> {
    const found = await this.#ask(LOOK_UP_ISSUE, { id, after: null, comments: false }, 'issue');
    return found === null ? null : expectShape(issueSchema, found, `issue ${id}`);
  }

  /** Asks for one comment; what is not there is dropped. Throws ServiceFailure. */
  async comment(identifier: string, id: string): Promise<void> {
    const found = await this.#ask(LOOK_UP_COMMENT, { id }, 'comment');
    const comment = found === null ? null : expectShape(commentSchema, found, `comment ${id}`);
    if (comment === null) this.#store.drop('comments', teamIn(identifier), id);
    else this.#store.putComment(comment, 'lookup');
  }

  /** null when Linear says that it is not there. */
  async #ask(query: string, variables: Record<string, unknown>, field: string): Promise<unknown> {
    try {
      return (await this.#client.ask(query, variables)).data[field] ?? null;
    } catch (error) {
      if (error instanceof ServiceFailure && error.absent) return null;
      throw error;
    }
  }
}
