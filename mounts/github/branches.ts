/** Which branch commits go to and `files/` shows: the default one, or one of the deployer's choice. */
import { z } from 'zod';
import { ConfigError, ServiceFailure } from '../../src/mount/index.ts';
import type { GithubClient } from './client.ts';
import { expectShape } from './schemas.ts';
import { type GithubStore, REPOS, type RepoName, repoUrl } from './store.ts';

/** Where an edit of a file goes. */
export interface Commits {
  /** null: the default branch. */
  branch: string | null;
  /** Is there to be an open pull request from that branch to the default one? */
  pull: boolean;
}

/** The branch of `branch-and-pull`. */
const WORK_BRANCH = 'dirigent';

const BRANCH = /^(?![/.-])(?!.*(\.\.|\/\/|\/\.|@\{|[\s~^:?*[\\\p{Cc}]))\P{Cc}+(?<![/.]|\.lock)$/u;

/**
 * Reads a mount's `commits`: `default-branch`, `branch:NAME` or `branch-and-pull`.
 *
 * @throws ConfigError
 */
export function parseCommits(text: string | undefined): Commits {
  if (text === undefined || text === 'default-branch') return { branch: null, pull: false };
  if (text === 'branch-and-pull') return { branch: WORK_BRANCH, pull: true };
  const [, name] = /^branch:(.+)$/s.exec(text) ?? [];
  if (name !== undefined && BRANCH.test(name)) return { branch: name, pull: false };
  throw new ConfigError(
    'commits',
    `${JSON.stringify(text)} is not default-branch, branch:NAME or branch-and-pull`,
  );
}

const repoSchema = z.looseObject({ default_branch: z.string() });
/** A branch, as git/refs has it. */
export const refSchema = z.looseObject({ object: z.looseObject({ sha: z.string() }) });
const pullsSchema = z.array(z.looseObject({ html_url: z.string() }));
const pullSchema = z.looseObject({ html_url: z.string() });

export class GithubBranches {
  readonly commits: Commits;
  readonly #client: GithubClient;
  readonly #store: GithubStore;

  constructor(client: GithubClient, store: GithubStore, commits: Commits) {
    this.#client = client;
    this.#store = store;
    this.commits = commits;
  }

  /** The default branch of a repository that was asked for. */
  main({ owner, repo }: RepoName): string {
    const { replica, mount } = this.#store;
    const held = replica.get(mount, REPOS, `${owner}/${repo}`.toLowerCase())?.value;
    return repoSchema.safeParse(held).data?.default_branch ?? 'HEAD';
  }

  /** The branches that `files/` may show, the first that exists first. */
  shown(name: RepoName): string[] {
    const { branch } = this.commits;
    return [...new Set([...(branch === null ? [] : [branch]), this.main(name)])];
  }

  /** The branch that commits go to. */
  target(name: RepoName): string {
    return this.commits.branch ?? this.main(name);
  }

  /** The branch to compare with before a commit: the target, or where it will start from. Throws ServiceFailure. */
  async base(name: RepoName): Promise<string> {
    const target = this.target(name);
    if (target === this.main(name)) return target;
    return (await this.head(name, target)) === null ? this.main(name) : target;
  }

  /** Makes the target branch where it is missing. Throws ServiceFailure. */
  async ensure(name: RepoName): Promise<void> {
    const target = this.target(name);
    if (target === this.main(name) || (await this.head(name, target)) !== null) return;
    const sha = await this.head(name, this.main(name));
    if (sha === null) {
      throw new ServiceFailure(
        'missing',
        `GitHub has no commit on ${this.main(name)} to start ${target} from`,
      );
    }
    const body = { ref: `refs/heads/${target}`, sha };
    await this.#client.send({ method: 'POST', url: `${repoUrl(name)}/git/refs`, body });
  }

  /** The request that opens the pull request, for people to see; null where none is wanted. */
  pullRequest(name: RepoName) {
    const target = this.target(name);
    if (!this.commits.pull || target === this.main(name)) return null;
    const body = { title: `Changes of ${target}`, head: target, base: this.main(name) };
    return { method: 'POST', url: `${repoUrl(name)}/pulls`, body } as const;
  }

  /** The address of the open pull request, which is opened where there is none. Throws ServiceFailure. */
  async ensurePull(name: RepoName): Promise<string | null> {
    const request = this.pullRequest(name);
    if (request === null) return null;
    const { head, base } = request.body;
    const query = new URLSearchParams({ state: 'open', head: `${name.owner}:${head}`, base });
    const open = await this.#client.get(`${request.url}?${query}`);
    const [found] = expectShape(pullsSchema, open.data, 'the open pull requests');
    if (found !== undefined) return found.html_url;
    const { data } = await this.#client.send(request);
    return expectShape(pullSchema, data, 'the pull request that was opened').html_url;
  }

  /** The commit that a branch is at; null for a branch that is not there. Throws ServiceFailure. */
  async head(name: RepoName, branch: string): Promise<string | null> {
    const ref = branch.split('/').map(encodeURIComponent).join('/');
    try {
      const { data } = await this.#client.get(`${repoUrl(name)}/git/ref/heads/${ref}`);
      return expectShape(refSchema, data, `the branch ${branch}`).object.sha;
    } catch (error) {
      // 409: a repository without a commit.
      if (error instanceof ServiceFailure && (error.absent || error.status === 409)) return null;
      throw error;
    }
  }
}
