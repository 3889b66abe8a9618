/**
 * Who can be assigned in a repository. GitHub's listing of them has logins alone; their names are
 * asked for, in one GraphQL question, when somebody is written who is no login.
 */
import { z } from 'zod';
import {
  Cursors,
  type Person,
  type Place,
  resource,
  ServiceFailure,
} from '../../src/mount/index.ts';
import { type At, assignees } from './collections.ts';
import { expectShape } from './schemas.ts';
import { repoOf } from './store.ts';

const PEOPLE = `query ($owner: String!, $repo: String!, $after: String) {
  repository(owner: $owner, name: $repo) {
    assignableUsers(first: 100, after: $after) {
      nodes { login name }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

const answerSchema = z.looseObject({
  repository: z.looseObject({
    assignableUsers: z.looseObject({
      nodes: z.array(z.unknown()),
      pageInfo: z.looseObject({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
    }),
  }),
});

export const people = resource('names', {
  about: 'the names of those who can be assigned',
  at: '/:owner/:repo',
  schema: z.looseObject({ login: z.string(), name: z.string().nullish() }),
  key: ({ login }) => login,
  list: async function* ({ client, params }: At, _since, from) {
    const cursors = new Cursors('GitHub', 'people of the repository', from);
    for (let after = from, more = true; more; ) {
      const data = await client.query(PEOPLE, { ...repoOf(params), after });
      const { nodes, pageInfo } = expectShape(answerSchema, data, 'the people of the repository')
        .repository.assignableUsers;
      after = pageInfo.hasNextPage ? cursors.next(pageInfo.endCursor) : null;
      more = after !== null;
      yield { rows: nodes, next: after };
    }
  },
});

/** Those who can be assigned, with their names where these are known. Looks at the replica. */
export function assignable(place: Place): Person[] {
  return place.all(assignees).map(({ login }) => {
    const called = place.held(people, login)?.name;
    // The login last: it is what tells two of one name apart.
    return { name: login, id: login, also: called == null ? [] : [called, login] };
  });
}

/** Asks for the names, where that is possible: GraphQL answers nobody without a token. */
export async function ensureNames(at: At): Promise<void> {
  if (!at.client.hasToken) return;
  try {
    await at.ensure(people);
  } catch (error) {
    // A token may lack what GraphQL asks for: then a login has to be written, and the refusal says so.
    if (!(error instanceof ServiceFailure && REFUSED.has(error.kind))) throw error;
  }
}

const REFUSED: ReadonlySet<string> = new Set(['auth', 'forbidden', 'missing', 'invalid']);
