/** Bringing the replica in step with GitHub: in bulk where a listing is wanted, singly where one is named. */
import type { z } from 'zod';
import {
  type Collection,
  type Eagerness,
  type Params,
  type Question,
  ServiceFailure,
  Singles,
} from '../../src/mount/index.ts';
import { GithubBranches } from './branches.ts';
import { COLLECTIONS } from './collections.ts';
import type { CommitParts } from './commits.ts';
import { GithubFiles } from './files.ts';
import { GithubLookups } from './lookups.ts';
import { heldAsOf, type Item, listingIn, syncByTime, syncSmall } from './paging.ts';
import { people } from './people.ts';
import { commentSchema, issueSchema } from './records.ts';
import { GithubRepositories } from './repositories.ts';
import { expectShape, pullFileSchema } from './schemas.ts';
import { ShortComments } from './short-comments.ts';
import { collection, ofNumber, type RepoName, repoOf, repoUrl } from './store.ts';
import type { SyncOptions } from './sync-options.ts';

type Named = { [name: string]: Collection };

export class GithubSync {
  readonly lookups: GithubLookups;
  readonly repositories: GithubRepositories;
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
    this.repositories = new GithubRepositories(options, this.lookups);
    this.#singles = new Singles(now);
    this.short = new ShortComments(store);
    this.branches = new GithubBranches(client, store, options.commits);
    const { branches } = this;
    this.files = new GithubFiles({ client, store, branches, freshness, now });
    this.collections = {
      ...this.repositories.collections,
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
          ...listingIn(
            this.#options,
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
      ...listingIn(this.#options, of, what),
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

  #syncIssues(name: RepoName): Promise<void> {
    const { store, reconcileMs } = this.#options;
    const issues = new Map<string, z.infer<typeof issueSchema>>();
    return syncByTime(
      {
        ...listingIn(this.#options, collection('issues', name)),
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
        ...listingIn(this.#options, collection('comments', name)),
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
