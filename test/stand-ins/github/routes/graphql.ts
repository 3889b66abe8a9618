/**
 * The part of GitHub's GraphQL API that is held here: who can be assigned, and their names.
 * https://docs.github.com/graphql/reference/objects#repository and #user; types and arguments as there.
 */

import { type Call, canPush, type Reply, type Route, signedIn } from '../http.ts';
import type { Issue } from '../model.ts';

const SCHEMA = `
  type Query { repository(owner: String!, name: String!): Repository }
  type Repository {
    assignableUsers(first: Int, after: String): UserConnection!
    pushedAt: String
    issues(first: Int, orderBy: IssueOrder): IssueConnection!
    pullRequests(first: Int, orderBy: IssueOrder): IssueConnection!
  }
  input IssueOrder { field: IssueOrderField!, direction: OrderDirection! }
  enum IssueOrderField { CREATED_AT UPDATED_AT }
  enum OrderDirection { ASC DESC }
  type IssueConnection { nodes: [Issue], totalCount: Int! }
  type Issue { number: Int!, updatedAt: String! }
  type UserConnection { nodes: [User], pageInfo: PageInfo!, totalCount: Int! }
  type User { login: String!, name: String }
  type PageInfo { hasNextPage: Boolean!, endCursor: String }
`;

/** "1 to 100": https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api */
const MOST = 100;

function assignableUsers(call: Call, logins: readonly string[]) {
  return ({ first, after }: { first?: number; after?: string }) => {
    if (first === undefined || first < 1 || first > MOST) {
      throw new Error('You must provide a `first` value of 1 to 100 on `assignableUsers`.');
    }
    const start = after === undefined || after === null ? 0 : Number(after);
    const nodes = logins
      .slice(start, start + first)
      .map((login) => ({ login, name: call.store.account(login)?.name ?? null }));
    const end = start + nodes.length;
    const pageInfo = { hasNextPage: end < logins.length, endCursor: String(end) };
    return { nodes, pageInfo, totalCount: logins.length };
  };
}

/** As `orderBy: { field: UPDATED_AT, direction: DESC }` has them; no other order is asked for. */
function newestFirst(issues: readonly Issue[]) {
  return ({ first = MOST }: { first?: number }) => {
    const nodes = [...issues].sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
    return { nodes: nodes.slice(0, first), totalCount: issues.length };
  };
}

/** Nobody is answered without a token: https://docs.github.com/graphql/guides/forming-calls-with-graphql */
async function answer(call: Call): Promise<Reply> {
  signedIn(call);
  // Few ask for this, and loading it takes a fifth of the stand-in's start.
  const { buildSchema, graphqlSync } = await import('graphql');
  const { query, variables } = call.body;
  const rootValue = {
    repository: ({ owner, name }: { owner: string; name: string }) => {
      const repo = call.store.repository(owner, name);
      if (!repo || (repo.repository.private && !canPush(call, repo))) {
        const text = `Could not resolve to a Repository with the name '${owner}/${name}'.`;
        throw new Error(text);
      }
      return {
        assignableUsers: assignableUsers(call, repo.repository.writers),
        pushedAt: repo.repository.pushedAt,
        issues: newestFirst([...repo.issues.values()].filter(({ pull }) => pull === null)),
        pullRequests: newestFirst([...repo.issues.values()].filter(({ pull }) => pull !== null)),
      };
    },
  };
  const body = graphqlSync({
    schema: buildSchema(SCHEMA),
    source: String(query),
    rootValue,
    variableValues: (variables ?? {}) as Record<string, unknown>,
  });
  return { status: 200, body };
}

export function graphqlRoutes(): Route[] {
  return [{ method: 'POST', pattern: '/graphql', docs: '', handle: answer }];
}
