/** The plain collections of a repository: labels, milestones, releases, and who can be assigned. */
import { z } from 'zod';
import {
  type Got,
  type ListedPage,
  type Params,
  resource,
  type Scope,
} from '../../src/mount/index.ts';
import type { GithubClient } from './client.ts';
import { pagesFrom } from './pages.ts';
import { label, milestone, release } from './records.ts';
import { expectShape, loginSchema } from './schemas.ts';
import { repoOf, repoUrl } from './store.ts';

export type At = Scope<GithubClient>;
const REPO = '/:owner/:repo';

/**
 * A listing of GitHub's, page by page. Of one with a single page the next question is conditional:
 * a 304 costs nothing.
 *
 * @param url without `page`
 * @param since the ETag of before
 */
export async function* listed(
  client: GithubClient,
  url: string,
  since: string | null,
  from: string | null,
): AsyncGenerator<ListedPage<never>> {
  const start = from ?? `${url}&page=1`;
  const first = await client.get(start, since);
  if (first.status === 304) {
    yield { rows: [], cursor: since };
    return;
  }
  const isOnly = from === null && first.next === null;
  for await (const { data, next, last } of pagesFrom(client, start, { first })) {
    const rows = expectShape(z.array(z.unknown()), data, 'a listing');
    yield { rows, whole: true, next, total: last, ...(isOnly && { cursor: first.etag }) };
  }
}

/** One by itself, if it is another than what is held. Throws ServiceFailure. */
export async function got(client: GithubClient, url: string, held: string | null): Promise<Got> {
  const { data, etag, status } = await client.get(url, held);
  return { data, etag, unchanged: status === 304 };
}

const urlOf = (params: Params, tail: string): string => `${repoUrl(repoOf(params))}/${tail}`;

const listedAs =
  (tail: string) =>
  ({ client, params }: At, since: string | null, from: string | null) =>
    listed(client, urlOf(params, tail), since, from);

export const labels = resource('labels', {
  ...label,
  about: 'the labels of a repository',
  at: REPO,
  shown: ({ name }) => name,
  list: listedAs('labels?per_page=100'),
  table: {
    about: 'the labels: name, color, description',
    name: 'labels.tsv',
    readOnly: 'labels are made and changed on GitHub; an issue has them in its own field `labels`',
    columns: ['name', 'color', 'description'],
  },
});

const MILESTONES_READ_ONLY =
  'milestones are made and changed on GitHub; an issue is planned by its own field `milestone`';

export const milestones = resource('milestones', {
  ...milestone,
  about: 'a milestone; read-only',
  directory: 'milestones',
  readOnly: MILESTONES_READ_ONLY,
  path: `${REPO}/milestones/:number.md`,
  shown: ({ title }) => title,
  list: listedAs('milestones?state=all&per_page=100'),
  get: (number, { client, params }: At, etag) =>
    got(client, urlOf(params, `milestones/${number}`), etag),
  table: {
    about: 'one line each: number, state, title, due',
    readOnly: MILESTONES_READ_ONLY,
    columns: ['number', 'state', 'title', ['due', 'due_on']],
  },
});

const RELEASES_READ_ONLY = 'releases are made and changed on GitHub';

const releases = resource('releases', {
  ...release,
  about: 'a release; read-only',
  directory: 'releases, by their tags; a `/` in a tag is `%2F`',
  readOnly: RELEASES_READ_ONLY,
  path: `${REPO}/releases/:tag.md`,
  name: ({ tag_name }) => encodeURIComponent(tag_name),
  updatedAt: ({ updated_at, published_at, created_at }) =>
    updated_at ?? published_at ?? created_at ?? '',
  list: listedAs('releases?per_page=100'),
  get: (tag, { client, params }: At, etag) =>
    got(client, urlOf(params, `releases/tags/${tag}`), etag),
  table: {
    about: 'one line each: tag, published, name',
    readOnly: RELEASES_READ_ONLY,
    columns: ['tag', ['published', 'published_at'], 'name'],
  },
});

export const assignees = resource('assignees', {
  about: 'who can be assigned, by login',
  at: REPO,
  schema: loginSchema,
  key: ({ login }) => login,
  list: listedAs('assignees?per_page=100'),
});

export const COLLECTIONS = [labels, milestones, releases, assignees];
