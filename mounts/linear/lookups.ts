/** Asking Linear for one thing by its name: authoritative, listings aside. */
import { connectionSchema } from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { comment } from './issues.ts';
import { LOOK_UP_ISSUE } from './queries.ts';
import {
  type ApiIssue,
  attachmentSchema,
  commentSchema,
  expectShape,
  issueSchema,
  relationSchema,
} from './schemas.ts';
import { ATTACHMENTS, commentsOf, type LinearStore, teamIn } from './store.ts';

export class LinearLookups {
  readonly #client: LinearClient;
  readonly #store: LinearStore;
  readonly #only: string | null;

  /** @param only the one team that the mount shows, if it shows one */
  constructor(client: LinearClient, store: LinearStore, only: string | null) {
    this.#client = client;
    this.#store = store;
    this.#only = only;
  }

  /** Asks for one issue; what is not there, or has moved to another team, is dropped. Throws ServiceFailure. */
  async issue(identifier: string, comments: boolean): Promise<void> {
    const store = this.#store;
    const seen = new Set<string>();
    for (let after: string | null = null, more = true; more; ) {
      const related = after === null;
      const variables = { id: identifier, after, comments, related };
      const found = await this.#client.find(LOOK_UP_ISSUE, 'issue', variables);
      const issue =
        found === undefined ? null : expectShape(issueSchema, found, `issue ${identifier}`);
      if (issue?.identifier !== identifier) return this.#elsewhere(identifier, issue);
      if (related) this.#related(issue);
      store.putIssue(alone(issue), 'lookup');
      if (!comments) return;
      const page = expectShape(
        connectionSchema,
        issue['comments'],
        `the comments of ${identifier}`,
      );
      for (const node of page.nodes) {
        const said = expectShape(commentSchema, node, 'a comment');
        seen.add(said.id);
        // A page of comments is a listing, which may lag; the issue itself is not.
        store.putComment(said, 'listing');
      }
      after = page.pageInfo.endCursor ?? null;
      more = page.pageInfo.hasNextPage && after !== null;
    }
    for (const head of store.heads('comments', teamIn(identifier), identifier)) {
      if (seen.has(head.key)) continue;
      if (store.isRecent(head)) await this.comment(identifier, head.key);
      else store.drop('comments', teamIn(identifier), head.key);
    }
    store.listed(commentsOf(identifier));
  }

  /** Nothing has this identifier any more: it is gone, or was moved to a team that has given it another. */
  #elsewhere(identifier: string, issue: ApiIssue | null): void {
    this.#store.dropIssue(identifier);
    if (issue === null) return;
    const shown = this.#only === null || this.#only === issue.team.key;
    if (shown) this.#store.putIssue(alone(issue), 'lookup');
    else this.#store.noteMoved(identifier, issue.identifier);
  }

  /** Stores relations and attachments; where the answer has all of them, the others are gone. */
  #related(issue: ApiIssue): void {
    const store = this.#store;
    const pages = (['relations', 'inverseRelations', 'attachments'] as const).map((name) => {
      const { nodes, pageInfo } = expectShape(connectionSchema, issue[name], `${name} of an issue`);
      return { nodes, whole: !pageInfo.hasNextPage };
    });
    const [relations, inverse, attachments] = pages;
    const ends = [...(relations?.nodes ?? []), ...(inverse?.nodes ?? [])].map((node) =>
      expectShape(relationSchema, node, 'a relation'),
    );
    const attached = (attachments?.nodes ?? []).map((node) =>
      expectShape(attachmentSchema, node, 'an attachment'),
    );
    const ids = new Set([...ends, ...attached].map(({ id }) => id));
    store.replica.transaction(() => {
      for (const relation of ends) store.putRelation(relation, 'listing');
      for (const attachment of attached) store.putAttachment(attachment);
      if (relations?.whole === true && inverse?.whole === true) {
        for (const { id } of store.relations(issue.id)) if (!ids.has(id)) store.dropRelation(id);
      }
      if (attachments?.whole === true) {
        const held = store.replica.heads(store.mount, ATTACHMENTS, issue.id);
        for (const { key } of held) if (!ids.has(key)) store.dropAttachment(key);
      }
    });
  }

  /** Asks for one comment; what is not there is dropped. Throws ServiceFailure. */
  async comment(identifier: string, id: string): Promise<void> {
    const found = await comment.look(this.#client, id);
    if (found === undefined) this.#store.drop('comments', teamIn(identifier), id);
    else this.#store.putComment(expectShape(commentSchema, found, `comment ${id}`), 'lookup');
  }
}

/** An issue without the pages of what belongs to it, which have places of their own. */
function alone(issue: ApiIssue): ApiIssue {
  const pages = ['comments', 'relations', 'inverseRelations', 'attachments'];
  const own = Object.entries(issue).filter(([name]) => !pages.includes(name));
  return Object.fromEntries(own) as ApiIssue;
}
