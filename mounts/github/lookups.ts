/** Asking GitHub for one thing by its name: authoritative, and conditional where a copy is held. */
import { ServiceFailure } from '../../src/mount/index.ts';
import type { Answer, GithubClient } from './client.ts';
import type { Item } from './paging.ts';
import { type ApiComment, commentSchema, issueSchema, pullSchema } from './records.ts';
import { expectShape, loginSchema, repoSchema } from './schemas.ts';
import {
  collection,
  type GithubStore,
  nameOf,
  numberOf,
  REPOS,
  type RepoName,
  repoUrl,
} from './store.ts';

export class GithubLookups {
  readonly #client: GithubClient;
  readonly #store: GithubStore;
  readonly #forget: (name: RepoName) => void;

  /** @param forget forgets what else is held of a repository that is gone */
  constructor(client: GithubClient, store: GithubStore, forget: (name: RepoName) => void) {
    this.#client = client;
    this.#store = store;
    this.#forget = forget;
  }

  /** Forgets a repository that is gone. */
  dropRepo(name: RepoName): void {
    this.#store.replica.transaction(() => {
      this.#store.dropRepo(name);
      this.#forget(name);
    });
  }

  /** Asks for one issue, and nothing else. A 404 removes what was held. Throws ServiceFailure. */
  async lookupIssue(name: RepoName, number: string, kind: 'issue' | 'pull'): Promise<void> {
    const store = this.#store;
    const url = `${repoUrl(name)}/${kind === 'pull' ? 'pulls' : 'issues'}/${number}`;
    const held = store.head('issues', name, number);
    const answer = await this.#lookup(url, held !== null, (why) => {
      if (kind !== 'issue' && held?.tag !== 'pull') return;
      store.dropIssue(name, number);
      // Of a number that never was, and of one that the token may not see, nothing is known.
      if (why.kind === 'gone') store.noteGone(name, number, why.message);
    });
    if (answer === null) return;
    if (answer.status === 304) {
      store.replica.touch(store.mount, collection('issues', name), number);
      return;
    }
    if (kind === 'issue') {
      const issue = expectShape(issueSchema, answer.data, `issue ${number}`);
      const where = { repository: issue.repository_url, number: issue.number };
      if (!this.isOurs(name, where, number)) {
        const to = `${nameOf(issue.repository_url) ?? 'another repository'}#${issue.number}`;
        const text = `${name.owner}/${name.repo}#${number} was transferred to ${to}`;
        store.dropIssue(name, number);
        store.noteGone(name, number, text);
        return;
      }
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
    const comment = expectShape(commentSchema, answer.data, `comment ${id}`);
    if (!this.isOurComment(name, comment)) return store.drop('comments', name, id);
    store.putComment(name, comment, 'lookup');
    store.replica.setValidator(store.mount, url, answer.etag);
  }

  /**
   * Is what was answered of this repository, under the name it has or one that it had, and of that
   * number? Nothing of another one is kept as its own.
   */
  isOurs(
    { owner, repo }: RepoName,
    { repository, number }: { repository: string | undefined; number: number | string },
    asked?: string,
  ): boolean {
    if (asked !== undefined && String(number) !== asked) return false;
    const named = nameOf(repository);
    return named === null || this.#client.moves.isSame(`${owner}/${repo}`, named);
  }

  /** The same of a comment; `number`: of the issue that it must belong to. */
  isOurComment(name: RepoName, comment: ApiComment, number?: string): boolean {
    const repository = comment.issue_url.replace(/\/issues\/\d+$/, '');
    return this.isOurs(name, { repository, number: numberOf(comment) }, number);
  }

  /** What belongs to an issue was not there: because the issue is gone itself? Throws ServiceFailure. */
  async whyMissing(name: RepoName, number: string, error: ServiceFailure): Promise<ServiceFailure> {
    await this.lookupIssue(name, number, 'issue');
    const why = this.#store.goneNote(name, number);
    return why === null ? error : new ServiceFailure('gone', why, { cause: error, unsent: true });
  }

  /** The login that the token belongs to; null without a token. Throws ServiceFailure. */
  async login(): Promise<string | null> {
    const client = this.#client;
    if (!client.hasToken) return null;
    return expectShape(loginSchema, (await client.get('/user')).data, 'the user').login;
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
      this.dropRepo(name),
    );
    if (answer === null) return;
    if (answer.status === 304) return store.replica.touch(store.mount, REPOS, key);
    this.#putNamed(name, answer.data);
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

  /** What was asked for by a name keeps it, whatever the repository is called now. */
  #putNamed(name: RepoName, data: unknown): void {
    const store = this.#store;
    const repo = expectShape(repoSchema, data, 'a repository');
    const held = repoSchema.safeParse(this.repoValue(name)?.value).data;
    // The name is another repository's now: what is held is of the one that had it.
    if (held !== undefined && held.id !== repo.id) this.dropRepo(name);
    const asked = `${name.owner}/${name.repo}`.toLowerCase();
    const { key, updatedAt } = this.putRepo(data);
    if (key === asked) return;
    const record = { key: asked, updatedAt, size: 4096, path: null, value: repo };
    store.replica.upsert(store.mount, REPOS, record);
  }

  #putPull(name: RepoName, number: string, data: unknown): void {
    const store = this.#store;
    const pull = expectShape(pullSchema, data, `pull request ${number}`);
    if (!this.isOurs(name, { repository: pull.base.repo?.url, number: pull.number }, number))
      return;
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
  async #lookup(
    url: string,
    held: boolean,
    drop: (why: ServiceFailure) => void,
  ): Promise<Answer | null> {
    const [client, store] = [this.#client, this.#store];
    const etag = held ? store.replica.validator(store.mount, url) : null;
    try {
      return await client.get(url, etag);
    } catch (error) {
      if (!(error instanceof ServiceFailure) || !error.absent) throw error;
      drop(error);
      return null;
    }
  }
}
