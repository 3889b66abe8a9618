/** Asking GitHub for one thing by its name: authoritative, and conditional where a copy is held. */
import { ServiceFailure } from '../../src/mount/failure.ts';
import type { Answer, GithubClient } from './client.ts';
import type { Item } from './paging.ts';
import {
  commentSchema,
  expectShape,
  issueSchema,
  pullSchema,
  repoSchema,
  userSchema,
} from './schemas.ts';
import { collection, type GithubStore, REPOS, type RepoName, repoUrl } from './store.ts';

export class GithubLookups {
  readonly #client: GithubClient;
  readonly #store: GithubStore;

  constructor(client: GithubClient, store: GithubStore) {
    this.#client = client;
    this.#store = store;
  }

  /** Asks for one issue, and nothing else. A 404 removes what was held. Throws ServiceFailure. */
  async lookupIssue(name: RepoName, number: string, kind: 'issue' | 'pull'): Promise<void> {
    const store = this.#store;
    const url = `${repoUrl(name)}/${kind === 'pull' ? 'pulls' : 'issues'}/${number}`;
    const held = store.head('issues', name, number);
    const answer = await this.#lookup(url, held !== null, () => {
      if (kind === 'issue' || held?.tag === 'pull') store.dropIssue(name, number);
    });
    if (answer === null) return;
    if (answer.status === 304) {
      store.replica.touch(store.mount, collection('issues', name), number);
      return;
    }
    if (kind === 'issue') {
      const issue = expectShape(issueSchema, answer.data, `issue ${number}`);
      store.putIssue(name, issue, 'lookup');
    } else {
      this.#putPull(name, number, answer.data);
    }
    store.replica.setValidator(store.mount, url, answer.etag);
  }

  async lookupComment(name: RepoName, id: string): Promise<void> {
    const store = this.#store;
    const url = `${repoUrl(name)}/issues/comments/${id}`;
    const held = store.head('comments', name, id);
    const answer = await this.#lookup(url, held !== null, () => store.drop('comments', name, id));
    if (answer === null) return;
    if (answer.status === 304) {
      store.replica.touch(store.mount, collection('comments', name), id);
      return;
    }
    store.putComment(name, expectShape(commentSchema, answer.data, `comment ${id}`), 'lookup');
    store.replica.setValidator(store.mount, url, answer.etag);
  }

  /** The login that the token belongs to; null without a token. Throws ServiceFailure. */
  async login(): Promise<string | null> {
    const client = this.#client;
    if (!client.hasToken) return null;
    return expectShape(userSchema, (await client.get('/user')).data, 'the user').login;
  }

  /** What is held of a repository itself. */
  repoValue({ owner, repo }: RepoName) {
    const store = this.#store;
    return store.replica.get(store.mount, REPOS, `${owner}/${repo}`.toLowerCase());
  }

  /** Asks for a repository; a 404 takes all that is held of it along. Throws ServiceFailure. */
  async lookupRepo(name: RepoName): Promise<void> {
    const store = this.#store;
    const url = repoUrl(name);
    const key = `${name.owner}/${name.repo}`.toLowerCase();
    const answer = await this.#lookup(url, this.repoValue(name) !== null, () =>
      store.dropRepo(name),
    );
    if (answer === null) return;
    if (answer.status === 304) return store.replica.touch(store.mount, REPOS, key);
    this.putRepo(answer.data);
    store.replica.setValidator(store.mount, url, answer.etag);
  }

  /** Stores a repository as an answer gives it. */
  putRepo(data: unknown): Item {
    const store = this.#store;
    const repo = expectShape(repoSchema, data, 'a repository');
    const item = { key: repo.full_name.toLowerCase(), updatedAt: repo.updated_at ?? '' };
    const tag = repo.owner.login.toLowerCase();
    store.replica.upsert(store.mount, REPOS, { ...item, tag, size: 4096, path: null, value: repo });
    return item;
  }

  #putPull(name: RepoName, number: string, data: unknown): void {
    const store = this.#store;
    const pull = expectShape(pullSchema, data, `pull request ${number}`);
    const { base, head, ...rest } = pull;
    store.replica.transaction(() => {
      store.replica.upsert(store.mount, collection('pulls', name), {
        key: number,
        updatedAt: pull.updated_at,
        size: 1,
        path: null,
        value: pull,
      });
      const issue = { ...rest, pull_request: { merged_at: pull.merged_at ?? null } };
      store.putIssue(name, issueSchema.parse(issue), 'lookup');
    });
  }

  /** null when GitHub says that it is not there, and then it is not held either. */
  async #lookup(url: string, held: boolean, drop: () => void): Promise<Answer | null> {
    const [client, store] = [this.#client, this.#store];
    const etag = held ? store.replica.validator(store.mount, url) : null;
    try {
      return await client.get(url, etag);
    } catch (error) {
      if (!(error instanceof ServiceFailure) || !error.absent) throw error;
      drop();
      return null;
    }
  }
}
