/** Who a token is, and what it reaches: whose records the replica holds, and whose changes the journal. */
import { z } from 'zod';
import { expectShape, ServiceFailure } from '../../src/mount/index.ts';
import type { GithubClient } from './client.ts';

const userSchema = z.looseObject({ id: z.number() });
const viewerSchema = z.looseObject({ viewer: z.looseObject({ login: z.string() }) });
const installationSchema = z.looseObject({
  repositories: z.array(z.looseObject({ owner: z.looseObject({ id: z.number() }) })),
});

/**
 * One request, or two of an app's token.
 *
 * @param credential a digest of the token
 * @throws ServiceFailure
 */
export async function accountOf(client: GithubClient, credential: string): Promise<string> {
  try {
    const { data, scopes } = await client.get('/user');
    const { id } = expectShape('GitHub', userSchema, data, 'the user');
    // A classic token says what it may do. Any other is made for some repositories and not for
    // others, which nothing tells: what one of them has read is not for another one.
    return `${id}+${scopes === null ? `~${credential}` : reachOf(scopes)}`;
  } catch (error) {
    if (error instanceof ServiceFailure && error.kind === 'forbidden') return installation(client);
    throw error;
  }
}

/** A token of an app, or of a workflow, belongs to no user, and to another one an hour later. */
async function installation(client: GithubClient): Promise<string> {
  const { data } = await client.get('/installation/repositories?per_page=1');
  const { repositories } = expectShape('GitHub', installationSchema, data, 'the installation');
  const [owner] = repositories.map((repository) => repository.owner.id);
  if (owner === undefined)
    throw new ServiceFailure('missing', 'the installation of the app reaches no repository');
  const answer = await client.query('query { viewer { login } }', {});
  const { viewer } = expectShape('GitHub', viewerSchema, answer, 'the app');
  return `${viewer.login.replace(/[^\w-]+/g, '-')}+${owner}`;
}

/** `repo, read:org` in one order, without spaces. */
function reachOf(scopes: string): string {
  const words = scopes.split(',').map((scope) => scope.trim());
  return words
    .filter((scope) => scope !== '')
    .sort()
    .join(',');
}
