/** Bringing the replica in step with GitHub: in bulk where a listing is wanted, singly where one is named. */
import type { z } from 'zod';
import {
  type Collection,
  type Eagerness,
  type Params,
  type Question,
  type ResourceParts,
  ServiceFailure,
  Singles,
} from '../../src/mount/index.ts';
import { type Commits, GithubBranches } from './branches.ts';
import type { GithubClient } from './client.ts';
import { COLLECTIONS } from './collections.ts';
import type { CommitParts } from './commits.ts';
import { GithubFiles } from './files.ts';
import { GithubLookups } from './lookups.ts';
import { pagesFrom } from './pages.ts';
import { heldAsOf, type Item, type Listing, syncByTime, syncSmall } from './paging.ts';
import { people } from './people.ts';
import {
  commentSchema,
  expectShape,
  installedSchema,
  issueSchema,
  pullFileSchema,
} from './schemas.ts';
import { ShortComments } from './short-comments.ts';
import { collection, type GithubStore, ofNumber, type RepoName, repoOf, repoUrl } from './store.ts';

export interface SyncOptions extends ResourceParts<GithubClient, GithubStore> {
  /** The one repository that the mount shows, if it shows one. */
  only: RepoName | null;
  commits: Commits;
}

type Named = { [name: string]: Collection };

export class GithubSync {
  readonly lookups: GithubLookups;
  readonly files: GithubFiles;
  readonly branches: GithubBranches;
  /** Issues of which not all comments are held. */
  readonly short: ShortComments;
  readonly #options: SyncOptions;
  readonly #singles: Singles;
  readonly collections: Named;

  constructor(options: SyncOptions) {
    this.#options = options;
    this.lookups = new GithubLookups(options.client, options.store, (name) => {
      for (const one of [...COLLECTIONS, people]) options.forget(one, { ...name });
    });
    const { client, store, freshness, now } = options;
    this.#singles = new Singles(now);
    this.short = new ShortComments(store);
    this.branches = new GithubBranches(client, store, options.commits);
    const { branches } = this;
    this.files = new GithubFiles({ client, store, branches, freshness, now });
    this.collections = {
      ...this.#collections(),
      tree: this.files.collection((params) => this.ensure('repo', params)),
    };
  }

  get commitParts(): CommitParts {
    const { client, freshness, store } = this.#options;
    return { client, freshness, store, files: this.files, branches: this.branches };
  }

  /** Brings a collection in step. Throws ServiceFailure. */
  async ensure(name: string, params: Params, eagerness: Eagerness = 'cover'): Promise<void> {
    await this.#options.freshness.ensureCollection(this.collections, name, params, eagerness);
  }

  /** True when {@link ensure} would ask nothing. */
  readsFresh(name: string, params: Params): boolean {
    return this.#options.freshness.readsFreshCollection(this.collections, name, params);
  }

  /** Brings the named issue or pull request in step: one request at most where no listing is held. */
  async ensureIssue(params: Params, kind: 'issue' | 'pull', eagerness: Eagerness): Promise<void> {
    const name = repoOf(params);
    const number = params['number'] ?? '';
    const listed = this.#held('issues', params) !== null;
    if (listed) await this.ensure('issues', params, eagerness);
    const held = this.#options.store.head('issues', name, number);
    // A number is an issue or a pull request for good: the other path stays empty.
    if (held !== null && (listed || held.tag !== kind)) return;
    await this.#one('issues', name, number, () => this.lookups.lookupIssue(name, number, kind));
  }

  /** Brings the comments of one issue in step, or the repository's where that costs less. */
  async ensureComments(params: Params, eagerness: Eagerness): Promise<void> {
    const { store } = this.#options;
    const name = repoOf(params);
    const number = params['number'] ?? '';
    const isHeld = this.#held('comments', params) !== null;
    // While the whole is under way, or has failed, the one that is named does not wait for it.
    const isBegun = store.replica.underWay.get(store.mount, collection('comments', name)) !== null;
    const isMany = this.#singles.isMany(collection('comments', name), number);
    if (isHeld || (isMany && !isBegun)) {
      const isWhole = await this.#options.freshness.isBroughtInTime(async () => {
        await this.ensure('issues', params, 'cover');
        await this.ensure('comments', params, eagerness);
      });
      if (isWhole && !this.short.has(name, number)) return;
    }
    const of = ofNumber('comments-of', name, number);
    const question: Question = {
      key: `comments ${collection('comments', name)} ${number}`,
      heldSince: () => store.heldSince(of),
      ask: () => this.#syncCommentsOf(name, number),
    };
    await this.#options.freshness.ensure(question, eagerness);
  }

  async ensureComment(params: Params): Promise<void> {
    const name = repoOf(params);
    const [number = '', id = ''] = [params['number'], params['id']];
    const held = this.#options.store.head('comments', name, id);
    if (held?.tag !== number || this.#held('comments', params) !== null) {
      await this.ensureComments(params, 'cover');
    }
    const now = this.#options.store.head('comments', name, id);
    if (now !== null && this.#held('comments', params) !== null) return;
    await this.#one('comments', name, id, () => this.lookups.lookupComment(name, id));
  }

  /** A repository that is known is there until something says otherwise. */
  async ensureRepo(params: Params): Promise<void> {
    const name = repoOf(params);
    if (this.isHidden(name)) return;
    if (this.lookups.repoValue(name) === null && this.#held('issues', params) === null) {
      await this.ensure('repo', params);
    }
  }

  /** When a repository that is there was last updated, '' where that was not asked; null for none. */
  repoUpdated(params: Params): string | null {
    if (this.isHidden(repoOf(params))) return null;
    const record = this.lookups.repoValue(repoOf(params));
    if (record !== null) return record.updatedAt;
    return this.#held('issues', params) === null ? null : '';
  }

  /** True when GitHub has listed an owner's repositories, be they none. */
  knows(owner: string): boolean {
    return this.#held('ownerRepos', { owner }) !== null;
  }

  /** True for what a mount of one repository does not show. */
  isHidden({ owner, repo }: { owner: string; repo?: string }): boolean {
    const { only } = this.#options;
    if (only === null) return false;
    const other = (a: string, b: string) => a.toLowerCase() !== b.toLowerCase();
    return other(owner, only.owner) || (repo !== undefined && other(repo, only.repo));
  }

  /** True when the files of a pull request are held as they are at its last update. */
  hasFiles(params: Params): boolean {
    const name = repoOf(params);
    const number = params['number'] ?? '';
    const { store } = this.#options;
    const state = store.replica.listing(store.mount, `${collection('files', name)}#${number}`);
    const updated = store.head('issues', name, number)?.updatedAt;
    return updated !== undefined && heldAsOf(state) === updated;
  }

  /** The files that a pull request changes: one question for each pull request. */
  async ensureFiles(params: Params): Promise<void> {
    const name = repoOf(params);
    const number = params['number'] ?? '';
    const { freshness, store } = this.#options;
    if (this.hasFiles(params)) return;
    const asOf = store.head('issues', name, number)?.updatedAt ?? '';
    await freshness.ensure({
      key: `files ${collection('files', name)} ${number}`,
      heldSince: () => store.heldSince(`${collection('files', name)}#${number}`),
      ask: () =>
        syncSmall({
          ...this.#listing(
            `${collection('files', name)}#${number}`,
            `files ${collection('files', name)} ${number}`,
          ),
          asOf,
          url: `${repoUrl(name)}/pulls/${number}/files?per_page=100`,
          ...this.#plain(`${collection('files', name)}#${number}`, pullFileSchema, (file) => ({
            key: file.filename,
            updatedAt: '',
          })),
        }),
    });
  }

  /** One record, by a question of its own. */
  async #one(kind: string, name: RepoName, key: string, ask: () => Promise<void>): Promise<void> {
    const { freshness, store } = this.#options;
    const heldSince = () => store.head(kind, name, key)?.checkedAt ?? null;
    const question = { key: `${kind} ${collection(kind, name)} ${key}`, heldSince, ask };
    await freshness.ensureOne(question, () => heldSince() !== null);
  }

  async #syncCommentsOf(name: RepoName, number: string): Promise<void> {
    const { store } = this.#options;
    const of = ofNumber('comments-of', name, number);
    const what = `comments ${collection('comments', name)} ${number}`;
    const asOf = store.head('issues', name, number)?.updatedAt;
    const pending = new Map<string, z.infer<typeof commentSchema>>();
    let answered = false;
    const before = new Set(store.heads('comments', name, number).map(({ key }) => key));
    const listing = syncSmall({
      ...this.#listing(of, what),
      ...(asOf === undefined ? {} : { asOf }),
      url: `${repoUrl(name)}/issues/${number}/comments?per_page=100`,
      items: (data) => {
        answered = true;
        return expectShape(commentSchema.array(), data, 'comments').map((comment) => {
          if (!this.lookups.isOurComment(name, comment, number)) {
            throw foreign(name, comment.issue_url);
          }
          pending.set(comment.id, comment);
          return { key: comment.id, updatedAt: comment.updated_at };
        });
      },
      put: ({ key }) => {
        const comment = pending.get(key);
        before.delete(key);
        if (comment !== undefined) store.putComment(name, comment, 'listing');
      },
      drop: () => undefined,
    });
    try {
      await listing;
    } catch (error) {
      if (!(error instanceof ServiceFailure && error.absent)) throw error;
      throw await this.lookups.whyMissing(name, number, error);
    }
    if (answered) for (const key of before) await this.lookups.lookupComment(name, key);
  }

  #held(name: string, params: Params): number | null {
    return this.collections[name]?.heldSince(params) ?? null;
  }

  /** `what`: the key of its question, where that is not made of the collection's name. */
  #listing(
    name: string,
    what = name.replace(':', ' ').replace('/', ' '),
  ): Omit<Listing, 'url' | 'items' | 'put' | 'drop'> {
    const { store, client, now, freshness } = this.#options;
    const { replica, mount } = store;
    const onPage = (pages: number | null) => freshness.activity.step(what, pages);
    return { replica, mount, collection: name, what, client, now, onPage };
  }

  /** Items stored as they come, under a key, with no path of their own. */
  #plain<T extends z.ZodType>(into: string, schema: T, of: (value: z.infer<T>) => Item) {
    const { store } = this.#options;
    const values = new Map<string, unknown>();
    return {
      items: (data: unknown): Item[] =>
        expectShape(schema.array(), data, into).map((value) => {
          const item = of(value as z.infer<T>);
          values.set(item.key, value);
          return item;
        }),
      put: ({ key, updatedAt }: Item) => {
        const value = values.get(key);
        store.replica.upsert(store.mount, into, { key, updatedAt, size: 1, path: null, value });
      },
      drop: (key: string) => {
        store.replica.remove(store.mount, into, key);
      },
    };
  }

  #collections(): Named {
    const { store } = this.#options;
    const scope = ['owner', 'repo'];
    return {
      repo: {
        scope,
        heldSince: (params) => this.lookups.repoValue(repoOf(params))?.checkedAt ?? null,
        sync: (params) => this.lookups.lookupRepo(repoOf(params)),
      },
      issues: {
        scope,
        narrowedBy: 'number',
        heldSince: (params) => store.heldSince(collection('issues', repoOf(params))),
        sync: (params) => this.#ofRepo(params, () => this.#syncIssues(repoOf(params))),
      },
      comments: {
        scope,
        narrowedBy: 'number',
        heldSince: (params) => this.short.readSince(repoOf(params)),
        lacking: (params) => this.short.lacking(repoOf(params)),
        sync: (params) => this.#ofRepo(params, () => this.#syncComments(repoOf(params))),
      },
      userRepos: {
        scope: [],
        heldSince: () => store.heldSince('user-repos'),
        sync: () => this.#syncOwn(),
      },
      ownerRepos: {
        scope: ['owner'],
        heldSince: ({ owner = '' }) => store.heldSince(`owner-repos:${owner}`.toLowerCase()),
        sync: ({ owner = '' }) => this.#syncOwner(owner),
      },
    };
  }

  /** A repository that GitHub does not know any more takes what is held of it along. */
  async #ofRepo(params: Params, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof ServiceFailure && error.kind === 'missing') {
        this.lookups.dropRepo(repoOf(params));
      }
      throw error;
    }
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
          for (const repo of repositories) this.lookups.putRepo(repo);
        });
      }
      store.listed('user-repos');
    }
  }

  /** As an organization first: only that listing has the private ones too. */
  async #syncOwner(owner: string): Promise<void> {
    const into = `owner-repos:${owner}`.toLowerCase();
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
      ...this.#listing(into, what),
      url,
      items: (data) => (data as unknown[]).map((repo) => this.lookups.putRepo(repo)),
      put: () => undefined,
      drop: () => undefined,
    });
  }

  #syncIssues(name: RepoName): Promise<void> {
    const { store, reconcileMs } = this.#options;
    const issues = new Map<string, z.infer<typeof issueSchema>>();
    return syncByTime(
      {
        ...this.#listing(collection('issues', name)),
        url: `${repoUrl(name)}/issues?state=all&sort=updated&direction=desc&per_page=100`,
        items: (data) =>
          expectShape(issueSchema.array(), data, 'issues').map((issue) => {
            const { number, repository_url: repository } = issue;
            if (!this.lookups.isOurs(name, { repository, number })) {
              throw foreign(name, `${repository}/issues/${number}`);
            }
            issues.set(String(issue.number), issue);
            return { key: String(issue.number), updatedAt: issue.updated_at };
          }),
        put: ({ key }) => {
          const issue = issues.get(key);
          if (issue !== undefined) store.putIssue(name, issue, 'listing');
        },
        drop: (key) => store.dropIssue(name, key),
        verify: (key) => this.lookups.lookupIssue(name, key, 'issue'),
      },
      reconcileMs,
    );
  }

  async #syncComments(name: RepoName): Promise<void> {
    const { store, reconcileMs } = this.#options;
    const comments = new Map<string, z.infer<typeof commentSchema>>();
    await syncByTime(
      {
        ...this.#listing(collection('comments', name)),
        said: () => this.short.said(name),
        url: `${repoUrl(name)}/issues/comments?sort=updated&direction=desc&per_page=100`,
        items: (data) =>
          expectShape(commentSchema.array(), data, 'comments').map((comment) => {
            if (!this.lookups.isOurComment(name, comment)) throw foreign(name, comment.issue_url);
            comments.set(comment.id, comment);
            return { key: comment.id, updatedAt: comment.updated_at };
          }),
        put: ({ key }) => {
          const comment = comments.get(key);
          if (comment !== undefined) store.putComment(name, comment, 'listing');
        },
        drop: (key) => store.drop('comments', name, key),
        verify: (key) => this.lookups.lookupComment(name, key),
      },
      reconcileMs,
    );
    this.short.note(name);
  }
}

/** Nothing of another repository is kept as this one's. */
function foreign({ owner, repo }: RepoName, what: string): ServiceFailure {
  const text = `GitHub answered with what is not of ${owner}/${repo}: ${what}; it is not kept`;
  return new ServiceFailure('protocol', text);
}
