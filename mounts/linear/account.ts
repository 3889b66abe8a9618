/** Whose the key is, what it can see, and whether anything of that has changed. */
import { z } from 'zod';
import { type Params, ServiceFailure } from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { expectShape, graph } from './graph.ts';

/** A person may be in several organizations, with a key for each. */
export const ACCOUNT = 'query Account { viewer { id organization { id } } }';

const own = z.looseObject({
  viewer: z.looseObject({ id: z.string(), organization: z.looseObject({ id: z.string() }) }),
});

export async function accountOf(client: LinearClient): Promise<string> {
  const { data } = await client.ask(ACCOUNT, {});
  const { viewer } = expectShape(own, data, 'whose key it is');
  return `${viewer.id}+${viewer.organization.id}`;
}

/** What changed last, of all teams: a page of one record costs some points. */
export const NEWEST = graph.latest(
  [
    ...['issues', 'comments', 'issueRelations', 'attachments'],
    ...['projectUpdates', 'documents', 'initiatives', 'notifications'],
  ],
  'orderBy: updatedAt, includeArchived: true',
);

/** Who the key belongs to; and with `$key`, whether there is such a team. */
const PROBE = `query Probe($key: String) {
  viewer { displayName }
  teams(first: 1, filter: { key: { eq: $key } }) { nodes { id } }
}`;

const probed = z.looseObject({
  viewer: z.looseObject({ displayName: z.string() }),
  teams: z.looseObject({ nodes: z.array(z.unknown()) }),
});

export async function probe(client: LinearClient, { team: key }: Params): Promise<string> {
  const { data } = await client.ask(PROBE, { ...(key !== undefined && { key }) });
  const { viewer, teams } = expectShape(probed, data, 'who we are');
  if (key !== undefined && teams.nodes.length === 0) {
    throw new ServiceFailure('missing', `Linear has no team ${key} that this key can see`);
  }
  return viewer.displayName;
}
