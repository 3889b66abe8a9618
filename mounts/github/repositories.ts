/** Which repositories there are: of the token's user, of an owner, by name. */
import {
  type Collection,
  dateOf,
  type Eagerness,
  type NamedEntry,
  type Params,
  type RecordHead,
  type Route,
  ServiceFailure,
  type StoredRecord,
} from '../../src/mount/index.ts';
import type { GithubLookups } from './lookups.ts';
import { pagesFrom } from './pages.ts';
import { listingIn, syncSmall } from './paging.ts';
import * as render from './render.ts';
import { expectShape, installedSchema } from './schemas.ts';
import { collection, type GithubStore, REPOS, type RepoName, repoOf } from './store.ts';
import type { SyncOptions } from './sync-options.ts';

const REPO = '/:owner/:repo';

export class GithubRepositories {
  readonly collections: Readonly<Record<string, Collection>>;
  readonly #options: SyncOptions;
  readonly #lookups: GithubLookups;

  constructor(options: SyncOptions, lookups: GithubLookups) {
    this.#options = options;
    this.#lookups = lookups;
    const { store } = options;
    this.collections = {
      repo: {
        scope: ['owner', 'repo'],
        heldSince: (params) => this.#lookups.repoValue(repoOf(params))?.checkedAt ?? null,
        sync: (params) => this.#lookups.lookupRepo(repoOf(params)),
      },
      userRepos: {
        scope: [],
        heldSince: () => store.heldSince('user-repos'),
        sync: () => this.#syncOwn(),
      },
      ownerRepos: {
        scope: ['owner'],
        heldSince: ({ owner = '' }) => store.heldSince(ofOwner(owner)),
        sync: ({ owner = '' }) => this.#syncOwner(owner),
      },
    };
  }

  /** A repository that is known is there until something says otherwise. */
  async ensure(params: Params): Promise<void> {
    const name = repoOf(params);
    if (this.isHidden(name)) return;
    if (this.#lookups.repoValue(name) === null && this.#heldIssues(params) === null) {
      await this.#options.freshness.ensureCollection(this.collections, 'repo', params);
    }
  }

  /** When a repository that is there was last updated, '' where that was not asked; null for none. */
  updated(params: Params): string | null {
    if (this.isHidden(repoOf(params))) return null;
    const record = this.#lookups.repoValue(repoOf(params));
    if (record !== null) return record.updatedAt;
    return this.#heldIssues(params) === null ? null : '';
  }

  /** True when GitHub has listed an owner's repositories, be they none. */
  knows(owner: string): boolean {
    return this.#options.store.heldSince(ofOwner(owner)) !== null;
  }

  /** What is held of a repository itself. */
  value(params: Params): StoredRecord | null {
    return this.#lookups.repoValue(repoOf(params));
  }

  /** Brings a listing of repositories in step. Throws ServiceFailure. */
  async ensureListed(
    name: 'userRepos' | 'ownerRepos',
    params: Params,
    eagerness: Eagerness = 'cover',
  ): Promise<void> {
    await this.#options.freshness.ensureCollection(this.collections, name, params, eagerness);
  }

  /** True when {@link ensureListed} would ask nothing. */
  readsFresh(name: 'userRepos' | 'ownerRepos', params: Params): boolean {
    return this.#options.freshness.readsFreshCollection(this.collections, name, params);
  }

  /** True for what a mount of one repository does not show. */
  isHidden({ owner, repo }: { owner: string; repo?: string }): boolean {
    const { only } = this.#options;
    if (only === null) return false;
    const other = (a: string, b: string) => a.toLowerCase() !== b.toLowerCase();
    return other(owner, only.owner) || (repo !== undefined && other(repo, only.repo));
  }

  #heldIssues(params: Params): number | null {
    return this.#options.store.heldSince(collection('issues', repoOf(params)));
  }

  /** Those of the token's user; those of the installation where it is an app's, which has no user. */
  async #syncOwn(): Promise<void> {
    const { client, store } = this.#options;
    try {
      await this.#syncRepos('user-repos', '/user/repos?per_page=100', 'userrepos');
    } catch (error) {
      if (!(error instanceof ServiceFailure && error.kind === 'forbidden')) throw error;
      const url = '/installation/repositories?per_page=100&page=1';
      for await (const { data } of pagesFrom(client, url)) {
        const { repositories } = expectShape(installedSchema, data, 'the repositories of the app');
        store.replica.transaction(() => {
          for (const repo of repositories) this.#lookups.putRepo(repo);
        });
      }
      store.listed('user-repos');
    }
  }

  /** As an organization first: only that listing has the private ones too. */
  async #syncOwner(owner: string): Promise<void> {
    const into = ofOwner(owner);
    const what = `ownerrepos ${owner}`.toLowerCase();
    const path = `${encodeURIComponent(owner)}/repos?per_page=100`;
    try {
      await this.#syncRepos(into, `/orgs/${path}`, what);
    } catch (error) {
      if (!(error instanceof ServiceFailure && error.kind === 'missing')) throw error;
      await this.#syncRepos(into, `/users/${path}`, what);
    }
  }

  #syncRepos(into: string, url: string, what: string): Promise<void> {
    return syncSmall({
      ...listingIn(this.#options, into, what),
      url,
      items: (data) => (data as unknown[]).map((repo) => this.#lookups.putRepo(repo)),
      put: () => undefined,
      drop: () => undefined,
    });
  }
}

function ofOwner(owner: string): string {
  return `owner-repos:${owner}`.toLowerCase();
}

/** The rows of owners and repositories. `only`: the one repository to show. */
export function repositoryRoutes(
  repositories: GithubRepositories,
  store: GithubStore,
  only: RepoName | null,
): Route[] {
  const repos = (owner?: string): RecordHead[] =>
    store.replica.heads(store.mount, REPOS, owner?.toLowerCase());
  const nameOf = (record: RecordHead): string[] => {
    const value = store.replica.get(store.mount, REPOS, record.key)?.value;
    return (value as { full_name: string }).full_name.split('/');
  };
  return [
    {
      pattern: '/:owner',
      type: 'directory',
      about: 'the repositories of an owner',
      prepare: async ({ owner = '' }, purpose, eagerness) => {
        if (only !== null) return;
        if (purpose === 'list') await repositories.ensureListed('userRepos', {}, eagerness);
        else if (repos(owner).length === 0)
          await repositories.ensureListed('ownerRepos', { owner });
      },
      listed: () => only !== null || repositories.readsFresh('userRepos', {}),
      entries: () => {
        if (only !== null) return [named(only.owner)];
        return [...new Set(repos().map((record) => nameOf(record)[0] ?? ''))].map(named);
      },
      stat: ({ owner = '' }) => {
        if (only !== null) return repositories.isHidden({ owner }) ? null : named(owner);
        return repos(owner).length > 0 || repositories.knows(owner) ? named(owner) : null;
      },
    },
    {
      pattern: REPO,
      type: 'directory',
      about: 'a repository',
      prepare: async (params, purpose, eagerness) => {
        if (purpose !== 'list') await repositories.ensure(params);
        else if (only === null) await repositories.ensureListed('ownerRepos', params, eagerness);
      },
      listed: (params) => only !== null || repositories.readsFresh('ownerRepos', params),
      entries: ({ owner = '' }) => {
        if (only !== null) return [named(only.repo)];
        return repos(owner).map((record) => ({
          ...named(nameOf(record)[1] ?? ''),
          mtime: dateOf(record.updatedAt),
        }));
      },
      stat: (params) => {
        const updated = repositories.updated(params);
        return updated === null ? null : { size: 1, mtime: dateOf(updated) };
      },
    },
    {
      pattern: `${REPO}/repo.json`,
      type: 'file',
      about: 'the repository, as GitHub describes it',
      readOnly: 'the repository itself is changed on GitHub',
      needs: ['repo'],
      read: (params) => {
        const record = repositories.value(params);
        return record === null ? null : render.repoContent(record);
      },
    },
  ];
}

function named(name: string): NamedEntry {
  return { name, size: 1, mtime: new Date(0) };
}
