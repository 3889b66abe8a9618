/**
 * The GitHub mount. Its root lists owners; `repository` narrows it to one
 * repository, which keeps its place at `/OWNER/REPO`: a path that was noted
 * once stays right however the mount is narrowed.
 */

import type { ChangeJournal } from '../../src/changes/journal.ts';
import { ConfigError } from '../../src/errors.ts';
import { Freshness } from '../../src/mount/freshness.ts';
import { createServiceMount, type ServiceMount } from '../../src/mount/service.ts';
import type { Replica } from '../../src/replica/replica.ts';
import { type Commits, parseCommits } from './branches.ts';
import { GithubClient } from './client.ts';
import { GithubStore, type RepoName } from './store.ts';
import { GithubSync } from './sync.ts';
import { githubRoutes, PARAMS } from './table.ts';

export interface GithubMountOptions {
  /** Handed in by the host; it is in no file, no error and no database. */
  token?: string | undefined;
  /** Of GitHub Enterprise, or of a stand-in. */
  baseUrl?: string | undefined;
  /** Shows this one repository only: `OWNER/REPO`. */
  repository?: string | undefined;
  /**
   * Where an edit of a file goes: `default-branch` (the default), `branch:NAME`, or
   * `branch-and-pull`: the branch `dirigent`, with a pull request from it.
   */
  commits?: string | undefined;
  /** True: writes become pending changes. */
  stage: boolean;
  replica: Replica;
  changes: ChangeJournal;
  /**
   * Within so many ms nothing is asked again; default 10,000. With 0 every
   * prefetch and every listing asks, and the files that these covered count as
   * fresh for 2 s.
   */
  freshMs?: number | undefined;
  /** Is what was read lately asked for again before somebody has to wait for it? */
  background?: boolean | undefined;
  /** A complete listing, which finds deletions, at most every so many ms; default one hour. */
  reconcileMs?: number | undefined;
  /** One request ends after so many ms; default 30,000. */
  timeoutMs?: number | undefined;
  now?: (() => Date) | undefined;
  /**
   * Told a sentence for stderr whenever stale data is served; the same one may
   * come many times in one command, and is to be printed once.
   */
  onNotice: (text: string) => void;
  fetch?: typeof fetch | undefined;
  /** Where it is attached, so that `.last` gives absolute paths. */
  point?: string | undefined;
}

/** Limits and habits, for README.md. */
const HINTS: readonly string[] = [
  'Close with `state: closed`, and `state_reason: completed`, `not_planned` or `duplicate`; nothing here deletes an issue.',
  'Titles have 256 characters at most, texts 65,536; labels, assignees and milestones must exist.',
  '`rm` of a comment deletes it on GitHub for good.',
  'Pull requests are under `pulls/` and not under `issues/`; a number is one or the other.',
  'Listing or searching a repository fetches its issues and comments in bulk, 100 a request, and keeps them.',
];

/**
 * @throws ConfigError when `repository` is not OWNER/REPO, or `commits` none of its forms.
 */
export function createGithubMount(options: GithubMountOptions): ServiceMount {
  const { freshMs = 10_000, reconcileMs = 3_600_000, now = () => new Date(), replica } = options;
  const { token, baseUrl, fetch, timeoutMs, onNotice, point } = options;
  const only = repositoryOf(options.repository);
  const commits = parseCommits(options.commits);
  const name = baseUrl === undefined ? 'github' : `github ${new URL(baseUrl).host}`;
  const client = new GithubClient({
    now,
    ...(token === undefined ? {} : { token }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(fetch === undefined ? {} : { fetch }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const store = new GithubStore(replica, name, now);
  const freshness = new Freshness({
    service: 'GitHub',
    freshMs,
    now,
    onNotice,
    background: options.background ?? false,
    mayRefresh: () => !client.isLow,
  });
  const sync = new GithubSync({
    client,
    store,
    freshness,
    freshMs,
    reconcileMs,
    now,
    only,
    commits,
  });
  return createServiceMount({
    service: {
      kind: 'github',
      title: 'GitHub',
      about:
        'Issues and pull requests of GitHub as files. Reading fetches what is needed and keeps it; writing a file changes the record on GitHub.',
      hints: [...HINTS, commitHint(commits)],
      params: PARAMS,
      collections: sync.collections,
      routes: githubRoutes({ client, store, sync }, only),
      usage: () => client.usage(),
    },
    name,
    replica,
    changes: options.changes,
    stage: options.stage,
    freshness,
    now,
    ...(point === undefined ? {} : { attachedAt: point }),
  });
}

function commitHint({ branch, pull }: Commits): string {
  const where = branch === null ? 'the default branch' : `the branch ${branch}`;
  const request = pull ? ', and a pull request from it is opened' : '';
  return `Writing or removing a file below files/ is one commit on ${where}${request}; GitHub has a new directory once a file is in it.`;
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
