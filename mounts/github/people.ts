/**
 * Who can be assigned in a repository. GitHub's listing of them has logins alone; their names are
 * asked for, in one GraphQL question, when somebody is written who is no login.
 */
import { z } from 'zod';
import {
  type Freshness,
  type Params,
  type Person,
  personOf,
  ServiceFailure,
} from '../../src/mount/index.ts';
import type { GithubClient } from './client.ts';
import { expectShape } from './schemas.ts';
import { collection, type GithubStore, type RepoName, repoOf } from './store.ts';

const PEOPLE = `query ($owner: String!, $repo: String!, $after: String) {
  repository(owner: $owner, name: $repo) {
    assignableUsers(first: 100, after: $after) {
      nodes { login name }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

const namedSchema = z.looseObject({ login: z.string(), name: z.string().nullish() });
const answerSchema = z.looseObject({
  repository: z.looseObject({
    assignableUsers: z.looseObject({
      nodes: z.array(namedSchema),
      pageInfo: z.looseObject({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
    }),
  }),
});

/** What people are looked up with. */
export interface PeopleParts {
  client: GithubClient;
  store: GithubStore;
  freshness: Freshness;
}

/** Those who can be assigned, with their names where these are known. Looks at the replica. */
export function assignable({ store }: Pick<PeopleParts, 'store'>, name: RepoName): Person[] {
  const names = new Map(
    store.replica.all(store.mount, collection('names', name)).map(({ key, value }) => {
      return [key, namedSchema.parse(value).name] as const;
    }),
  );
  return store.keys('assignees', name).map((login) => {
    const called = names.get(login);
    // The login last: it is what tells two of one name apart.
    return { name: login, id: login, also: called == null ? [] : [called, login] };
  });
}

/** Why somebody cannot be assigned; null where they can. Throws ServiceFailure. */
export async function refusedPerson(
  parts: PeopleParts,
  params: Params,
  typed: string,
): Promise<string | null> {
  const name = repoOf(params);
  const refusal = () => {
    const found = personOf(assignable(parts, name), typed);
    return 'refused' in found ? found.refused : null;
  };
  if (refusal() !== null) await ensureNames(parts, name);
  return refusal();
}

/** Asks for the names, where that is possible: GraphQL answers nobody without a token. */
async function ensureNames(
  { store, client, freshness }: PeopleParts,
  name: RepoName,
): Promise<void> {
  if (!client.hasToken) return;
  const into = collection('names', name);
  const question = {
    key: into.replace(':', ' '),
    heldSince: () => store.heldSince(into),
    ask: () => ask({ store, client }, name),
  };
  try {
    await freshness.ensure(question);
  } catch (error) {
    // A token may lack what GraphQL asks for: then a login has to be written, and the refusal says so.
    if (!(error instanceof ServiceFailure && REFUSED.has(error.kind))) throw error;
  }
}

const REFUSED: ReadonlySet<string> = new Set(['auth', 'forbidden', 'missing', 'invalid']);

async function ask(
  { store, client }: Pick<PeopleParts, 'store' | 'client'>,
  name: RepoName,
): Promise<void> {
  const people: z.infer<typeof namedSchema>[] = [];
  let after: string | null = null;
  do {
    const data = await client.query(PEOPLE, { ...name, after });
    const { nodes, pageInfo } = expectShape(answerSchema, data, 'the people of the repository')
      .repository.assignableUsers;
    people.push(...nodes);
    after = pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
  } while (after !== null);
  const into = collection('names', name);
  store.replica.transaction(() => {
    const gone = new Set(store.replica.heads(store.mount, into).map(({ key }) => key));
    for (const value of people) {
      gone.delete(value.login);
      const record = { key: value.login, updatedAt: '', size: 1, path: null, value };
      store.replica.upsert(store.mount, into, record);
    }
    for (const login of gone) store.replica.remove(store.mount, into, login);
    store.listed(into);
  });
}
