/**
 * What GitHub finds: its own search, and what is assigned to, mentions or waits for whoever the
 * token belongs to. Each answer is a directory of links to the records, which come with it.
 */
import { z } from 'zod';
import { type Hit, type HitList, type Links, ServiceFailure } from '../../src/mount/index.ts';
import type { GithubClient } from './client.ts';
import { pagesFrom } from './pages.ts';
import { type ApiIssue, issueSchema } from './records.ts';
import { expectShape } from './schemas.ts';
import { type GithubStore, isPull, type RepoName } from './store.ts';

/** GitHub gives so many results of a search, and no more. */
const MOST_FOUND = 1_000;

const searchSchema = z.looseObject({
  total_count: z.number(),
  incomplete_results: z.boolean(),
  items: z.array(issueSchema),
});

export interface FindParts {
  client: GithubClient;
  store: GithubStore;
  /** The one repository that the mount shows, if it shows one: nothing is found in another. */
  only: RepoName | null;
}

/** The directories of `@me/` that are answers, and what GitHub is asked for each. */
const OWN = {
  assigned: { about: 'open issues and pull requests that are assigned to you', filter: 'assigned' },
  mentioned: { about: 'open ones that mention you', filter: 'mentioned' },
  'review-requested': { about: 'open pull requests that wait for your review', filter: null },
} as const;
type Own = keyof typeof OWN;

const COLUMNS = ['repository', 'number', 'state', 'title', 'author', 'updated'];

/** `search/` and, but for the notifications, `@me/`. */
export function foundLinks(parts: FindParts): Links[] {
  const { only } = parts;
  // What is found in one repository is another answer than what is found in all.
  const where = only === null ? '' : ` in ${only.owner}/${only.repo}`.toLowerCase();
  return [
    {
      id: `search${where}`,
      path: '/search',
      columns: COLUMNS,
      find: (query) => search(parts, query),
    },
    {
      id: `own${where}`,
      path: '/@me',
      about: 'what is yours, in all repositories',
      columns: COLUMNS,
      directories: Object.fromEntries(
        Object.entries(OWN).map(([name, { about }]) => [name, about]),
      ),
      find: (name) => ownIssues(parts, name as Own),
    },
  ];
}

/** @throws ServiceFailure `auth` where there is no token: nobody is asked whose it is */
export function requireToken(client: GithubClient): void {
  if (client.hasToken) return;
  throw new ServiceFailure('auth', 'GitHub does not know who you are: set GITHUB_TOKEN', {
    unsent: true,
  });
}

async function ownIssues(parts: FindParts, name: Own): Promise<HitList> {
  const { client } = parts;
  requireToken(client);
  const { filter } = OWN[name];
  if (filter === null) return search(parts, 'is:open is:pr review-requested:@me archived:false');
  const url = `/issues?filter=${filter}&state=open&sort=updated&per_page=100&page=1`;
  const issues: ApiIssue[] = [];
  for await (const { data } of pagesFrom(client, url)) {
    issues.push(...expectShape(issueSchema.array(), data, name));
  }
  return { hits: keep(parts, issues), shortfall: null };
}

async function search(parts: FindParts, text: string): Promise<HitList> {
  const { only, client } = parts;
  const query = only === null ? text : `${text} repo:${only.owner}/${only.repo}`;
  const params = new URLSearchParams({ q: query, per_page: '100', page: '1' });
  const issues: ApiIssue[] = [];
  let [total, outOfTime, cut] = [0, false, null as string | null];
  try {
    for await (const { data } of pagesFrom(client, `/search/issues?${params}`, { guess: false })) {
      const page = expectShape(searchSchema, data, 'the search');
      issues.push(...page.items);
      total = page.total_count;
      outOfTime ||= page.incomplete_results;
      if (issues.length >= MOST_FOUND) break;
    }
  } catch (error) {
    // What came before the limit of searches is an answer, too.
    const isLimit = error instanceof ServiceFailure && error.kind === 'limited';
    if (!isLimit || issues.length === 0) throw error;
    cut = error.message;
  }
  const why = [
    ...(total > issues.length ? [`it shows ${issues.length} of ${total}`] : []),
    ...(total > MOST_FOUND ? ['GitHub gives no more than 1,000: narrow the search'] : []),
    ...(outOfTime ? ['GitHub ran out of time and did not look everywhere'] : []),
    ...(cut === null ? [] : [cut]),
  ];
  const shortfall =
    why.length === 0 ? null : `GitHub's search for ${JSON.stringify(text)}: ${why.join('; ')}`;
  return { hits: keep(parts, issues), shortfall };
}

/** Stores the records that came with an answer. What is in another repository than the one that is shown is left out. */
function keep({ store, only }: FindParts, issues: readonly ApiIssue[]): Hit[] {
  const found = issues.flatMap((issue) => {
    const name = nameOf(issue);
    return name === null || !isShown(only, name) ? [] : [{ issue, name }];
  });
  store.replica.transaction(() => {
    for (const { issue, name } of found) store.putIssue(name, issue, 'listing');
  });
  return found.map(({ issue, name }) => hitOf(issue, name));
}

export function isShown(only: RepoName | null, { owner, repo }: RepoName): boolean {
  if (only === null) return true;
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  return same(owner, only.owner) && same(repo, only.repo);
}

function hitOf(issue: ApiIssue, { owner, repo }: RepoName): Hit {
  const directory = isPull(issue) ? 'pulls' : 'issues';
  return {
    // No owner has a dot in its name: the first one ends it.
    name: `${owner}.${repo}.${issue.number}.md`,
    path: `/${owner}/${repo}/${directory}/${issue.number}.md`,
    updatedAt: issue.updated_at,
    cells: [
      `${owner}/${repo}`,
      String(issue.number),
      issue.pull_request?.merged_at ? 'merged' : issue.state,
      issue.title,
      issue.user?.login ?? 'ghost',
      issue.updated_at,
    ],
  };
}

/** The repository that an issue is in; null where the answer does not say. */
function nameOf({ repository_url: url }: ApiIssue): RepoName | null {
  const [, owner, repo] = /\/repos\/([^/]+)\/([^/]+)$/.exec(url ?? '') ?? [];
  return owner === undefined || repo === undefined ? null : { owner, repo };
}
