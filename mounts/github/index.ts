/**
 * The GitHub mount. Its root lists owners; `repository` narrows it to one
 * repository, which keeps its place at `/OWNER/REPO`: a path that was noted
 * once stays right however the mount is narrowed.
 */

import { z } from 'zod';
import {
  ConfigError,
  openResourceMount,
  peopleHint,
  ServiceFailure,
  type ServiceMount,
  type ServiceOptions,
} from '../../src/mount/index.ts';
import { accountOf } from './account.ts';
import { type Commits, parseCommits } from './branches.ts';
import { githubChanges } from './changes.ts';
import { GithubClient } from './client.ts';
import { COLLECTIONS } from './collections.ts';
import { foundLinks } from './finds.ts';
import { notificationsOf } from './notifications.ts';
import { people } from './people.ts';
import { GithubStore, type RepoName } from './store.ts';
import { GithubSync } from './sync.ts';
import { githubRoutes, PARAMS } from './table.ts';

/** `baseUrl`: of GitHub Enterprise, or of a stand-in. */
export interface GithubMountOptions extends ServiceOptions {
  /** Shows this one repository only: `OWNER/REPO`. */
  repository?: string | undefined;
  /**
   * Where an edit of a file goes: `default-branch` (the default), `branch:NAME`, or
   * `branch-and-pull`: the branch `dirigent`, with a pull request from it.
   */
  commits?: string | undefined;
  /** Between two requests that change something, in ms; by default the second that GitHub asks for. */
  writeGapMs?: number | undefined;
}

/** Limits and habits, for README.md. */
const HINTS: readonly string[] = [
  'Close with `state: closed`, and `state_reason: completed`, `not_planned` or `duplicate`; nothing here deletes an issue.',
  'Titles have 256 characters at most, texts 65,536; labels, assignees and milestones must exist.',
  peopleHint('login', ['the name of their profile', 'the login with its hyphens left out']),
  '`rm` of a comment deletes it on GitHub for good.',
  'Pull requests are under `pulls/` and not under `issues/`; a number is one or the other.',
  "`ls 'search/WORDS is:open'` asks GitHub's own search: for what is too large to fetch; a `/` in a query is `%2F`.",
  '`@me/` has what is assigned to you, mentions you, waits for your review, and your notifications.',
  'Listing or searching a repository fetches its issues and comments in bulk, 100 a request, and keeps them.',
];

/**
 * @throws ConfigError when `repository` is not OWNER/REPO, or `commits` none of its forms.
 */
export function createGithubMount(options: GithubMountOptions): ServiceMount {
  const only = repositoryOf(options.repository);
  const commits = parseCommits(options.commits);
  return openResourceMount(options, {
    kind: 'github',
    title: 'GitHub',
    about:
      'Issues and pull requests of GitHub as files. Reading fetches what is needed and keeps it; writing a file changes the record on GitHub.',
    hints: [...HINTS, commitHint(commits)],
    params: PARAMS,
    former: ['labels:', 'milestones:', 'releases:', 'assignees:', 'names:'],
    search: true,
    client: (given) => new GithubClient({ ...given, writeGapMs: options.writeGapMs }),
    store: (...given) => new GithubStore(...given),
    account: accountOf,
    changes: githubChanges,
    probe: (client) => probe(client, only),
    resources: [...COLLECTIONS, people, notificationsOf(only)],
    more: (given) => {
      const parts = { ...given, only, commits };
      const sync = new GithubSync(parts);
      return {
        collections: sync.collections,
        routes: githubRoutes({ ...parts, sync }, only),
        links: foundLinks(parts),
      };
    },
  });
}

const named = z.looseObject({ login: z.string() });

async function probe(client: GithubClient, only: RepoName | null): Promise<string | null> {
  if (only !== null) await client.get(`/repos/${only.owner}/${only.repo}`);
  // It costs nothing, and answers without a token, too.
  if (!client.hasToken) await client.get('/rate_limit');
  else return loginOf(client);
  return null;
}

/** A token of an app, or of a workflow, belongs to no user: GitHub answers 403. */
async function loginOf(client: GithubClient): Promise<string | null> {
  try {
    return named.safeParse((await client.get('/user')).data).data?.login ?? null;
  } catch (error) {
    if (error instanceof ServiceFailure && error.kind === 'forbidden') return null;
    throw error;
  }
}

function commitHint({ branch, pull }: Commits): string {
  const where = branch === null ? 'the default branch' : `the branch ${branch}`;
  const request = pull ? ', and a pull request from it is opened' : '';
  return `Writing or removing a file below files/ is one commit on ${where}${request}, and so is \`rm -r\` of a directory there; GitHub has a new directory once a file is in it.`;
}

function repositoryOf(text: string | undefined): RepoName | null {
  if (text === undefined) return null;
  const [owner = '', repo = '', ...rest] = text.split('/');
  const valid = PARAMS['owner']?.matches.test(owner) && PARAMS['repo']?.matches.test(repo);
  if (!valid || rest.length > 0) {
    throw new ConfigError('repository', `${JSON.stringify(text)} is not OWNER/REPO`);
  }
  return { owner, repo };
}
