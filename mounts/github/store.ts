/** What the replica holds of GitHub: which collections there are, and a record's place in them. */
import {
  latestOf,
  type Origin,
  type Params,
  type RecordHead,
  ServiceStore,
  type StoredRecord,
} from '../../src/mount/index.ts';
import {
  type ApiComment,
  type ApiIssue,
  type ApiPull,
  commentSchema,
  type HeldReview,
  heldReviewSchema,
  issueSchema,
  pullSchema,
} from './records.ts';

/** A repository, as the caller named it. */
export interface RepoName {
  owner: string;
  repo: string;
}

export const REPOS = 'repos';

export function repoOf(params: Params): RepoName {
  return { owner: params['owner'] ?? '', repo: params['repo'] ?? '' };
}

export function repoUrl({ owner, repo }: RepoName): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`;
}

/** Where the contents API has a path of a repository's files. */
export function contentsUrl(name: RepoName, path: string): string {
  return `${repoUrl(name)}/contents/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Names are the same to GitHub whatever their case. */
export function collection(kind: string, { owner, repo }: RepoName): string {
  return `${kind}:${owner}/${repo}`.toLowerCase();
}

/** A collection of one issue or pull request. */
export function ofNumber(kind: string, name: RepoName, number: string): string {
  return `${collection(kind, name)}#${number}`;
}

const OF_A_REPO = [
  'issues',
  'comments',
  'pulls',
  'tree',
  'contents',
  'directories',
  'linking',
  'archive',
  'diffs',
  'cut',
  'gone',
];
/** What every address of an upload has in it. */
const UPLOADED = /\/(?:assets|files)\/|user-images\./;

/** Collections of one issue or pull request: `KIND:OWNER/REPO#NUMBER`. */
const OF_A_NUMBER = ['comments-of', 'files', 'reviews'];

/** Reads and writes the replica for one mount. */
export class GithubStore extends ServiceStore {
  issue(name: RepoName, number: string): { record: StoredRecord; issue: ApiIssue } | null {
    const record = this.replica.get(this.mount, collection('issues', name), number);
    return record === null ? null : { record, issue: issueSchema.parse(record.value) };
  }

  /** One record of a kind without its value. */
  head(kind: string, name: RepoName, key: string): RecordHead | null {
    return this.replica.head(this.mount, collection(kind, name), key);
  }

  issues(name: RepoName): { record: StoredRecord; issue: ApiIssue }[] {
    return this.replica
      .all(this.mount, collection('issues', name))
      .map((record) => ({ record, issue: issueSchema.parse(record.value) }));
  }

  /** What only a request for that one pull request tells, where one was made. */
  pull(name: RepoName, number: string): ApiPull | null {
    const record = this.replica.get(this.mount, collection('pulls', name), number);
    return record === null ? null : pullSchema.parse(record.value);
  }

  comment(
    name: RepoName,
    number: string,
    id: string,
  ): { record: StoredRecord; comment: ApiComment } | null {
    const record = this.replica.get(this.mount, collection('comments', name), id);
    if (record === null || record.tag !== number) return null;
    return { record, comment: commentSchema.parse(record.value) };
  }

  comments(name: RepoName, number: string): { record: StoredRecord; comment: ApiComment }[] {
    return this.replica
      .all(this.mount, collection('comments', name), number)
      .map((record) => ({ record, comment: commentSchema.parse(record.value) }))
      .sort((a, b) => Number(a.record.key) - Number(b.record.key));
  }

  /** The reviews of a pull request that are held, oldest first. */
  reviews(name: RepoName, number: string): { record: StoredRecord; review: HeldReview }[] {
    return this.replica
      .all(this.mount, ofNumber('reviews', name, number))
      .map((record) => ({ record, review: heldReviewSchema.parse(record.value) }))
      .sort((a, b) => Number(a.record.key) - Number(b.record.key));
  }

  review(
    name: RepoName,
    number: string,
    id: string,
  ): { record: StoredRecord; review: HeldReview } | null {
    const record = this.replica.get(this.mount, ofNumber('reviews', name, number), id);
    return record === null ? null : { record, review: heldReviewSchema.parse(record.value) };
  }

  heads(kind: string, name: RepoName, tag?: string): RecordHead[] {
    return this.replica.heads(this.mount, collection(kind, name), tag);
  }

  /** Stores an issue. A listing that lags behind our own write does not undo it. */
  putIssue(name: RepoName, issue: ApiIssue, origin: Origin): void {
    const into = collection('issues', name);
    const key = String(issue.number);
    if (this.#outranked(into, key, issue.updated_at, origin)) return;
    this.#noteLinks(name, key, issue.body);
    const tag = isPull(issue) ? 'pull' : 'issue';
    const directory = tag === 'pull' ? 'pulls' : 'issues';
    this.replica.upsert(this.mount, into, {
      key,
      tag,
      updatedAt: issue.updated_at,
      size: 400 + issue.title.length + (issue.body ?? '').length,
      path: `/${canonical(name, issue.repository_url)}/${directory}/${key}.md`,
      value: issue,
    });
  }

  putComment(name: RepoName, comment: ApiComment, origin: Origin): void {
    const into = collection('comments', name);
    if (this.#outranked(into, comment.id, comment.updated_at, origin)) return;
    const number = numberOf(comment);
    this.#noteLinks(name, number, comment.body);
    const pull = this.head('issues', name, number)?.tag === 'pull';
    const directory = pull || /\/pull\/\d+#/.test(comment.html_url ?? '') ? 'pulls' : 'issues';
    const repo = canonical(name, comment.issue_url.replace(/\/issues\/\d+$/, ''));
    this.replica.upsert(this.mount, into, {
      key: comment.id,
      tag: number,
      updatedAt: comment.updated_at,
      size: 200 + (comment.body ?? '').length,
      path: `/${repo}/${directory}/${number}/comments/${comment.id}.md`,
      value: comment,
    });
  }

  /** May one of the texts of an issue link to what was uploaded? A walk over all of them reads none for that. */
  mayLink(name: RepoName, number: string): boolean {
    return this.head('linking', name, number) !== null;
  }

  #noteLinks(name: RepoName, number: string, body: string | null | undefined): void {
    if (!UPLOADED.test(body ?? '')) return;
    const record = { key: number, updatedAt: '', size: 1, path: null, value: {} };
    this.replica.upsert(this.mount, collection('linking', name), record);
  }

  putReview(name: RepoName, number: string, review: HeldReview, origin: Origin): void {
    const into = ofNumber('reviews', name, number);
    if (origin === 'write') this.noteOwnWrite(`${into} ${review.id}`);
    const repo = canonical(name, review.pull_request_url.replace(/\/pulls\/\d+$/, ''));
    const texts = [review.body ?? '', ...review.lines.map(({ body }) => body ?? '')];
    this.replica.upsert(this.mount, into, {
      key: review.id,
      updatedAt: latestOf([
        review.submitted_at ?? '',
        ...review.lines.map(({ updated_at }) => updated_at),
      ]),
      size: texts.reduce((sum, text) => sum + 100 + text.length, 100),
      path: `/${repo}/pulls/${number}/reviews/${review.id}.md`,
      value: review,
    });
  }

  /** Forgets the reviews that a listing did not have, but for one of ours that it may lag behind. */
  keepReviews(name: RepoName, number: string, listed: ReadonlySet<string>): void {
    const into = ofNumber('reviews', name, number);
    for (const { key } of this.replica.heads(this.mount, into)) {
      if (listed.has(key) || this.isOwnWrite(`${into} ${key}`)) continue;
      this.replica.remove(this.mount, into, key);
    }
  }

  /** Forgets an issue with its comments and reviews. */
  dropIssue(name: RepoName, number: string): void {
    this.replica.transaction(() => {
      this.replica.remove(this.mount, collection('issues', name), number);
      this.replica.remove(this.mount, collection('pulls', name), number);
      for (const { key } of this.heads('comments', name, number)) this.drop('comments', name, key);
      this.replica.removeCollection(this.mount, ofNumber('reviews', name, number));
    });
  }

  /** Keeps what became of an issue that is gone, in a sentence. */
  noteGone(name: RepoName, number: string, why: string): void {
    const record = { key: number, updatedAt: '', size: 1, path: null, value: why };
    this.replica.upsert(this.mount, collection('gone', name), record);
  }

  /** What became of an issue that is gone; null where that is not known. */
  goneNote(name: RepoName, number: string): string | null {
    const record = this.replica.get(this.mount, collection('gone', name), number);
    return record === null ? null : String(record.value);
  }

  drop(kind: string, name: RepoName, key: string): void {
    this.replica.remove(this.mount, collection(kind, name), key);
  }

  /** Forgets what is held here of a repository that is gone. */
  dropRepo(name: RepoName): void {
    this.replica.transaction(() => {
      for (const kind of OF_A_REPO) {
        this.replica.removeCollection(this.mount, collection(kind, name));
      }
      for (const kind of OF_A_NUMBER) {
        for (const one of this.replica.listed(this.mount, `${collection(kind, name)}#`)) {
          this.replica.removeCollection(this.mount, one);
        }
      }
      this.replica.remove(this.mount, REPOS, `${name.owner}/${name.repo}`.toLowerCase());
    });
  }

  #outranked(into: string, key: string, updatedAt: string, origin: Origin): boolean {
    const id = `${into} ${key}`;
    if (origin === 'write') this.noteOwnWrite(id);
    if (origin !== 'listing') return false;
    const held = this.replica.head(this.mount, into, key);
    if (held === null || held.updatedAt < updatedAt) return false;
    if (held.updatedAt > updatedAt) return true;
    return this.isOwnWrite(id);
  }
}

export function isPull(issue: ApiIssue): boolean {
  return issue.pull_request !== null && issue.pull_request !== undefined;
}

/** The number of the issue that a comment belongs to. */
export function numberOf(comment: ApiComment): string {
  return comment.issue_url.slice(comment.issue_url.lastIndexOf('/') + 1);
}

/** OWNER/REPO as GitHub spells it; of a repository that has another name now, as it was asked for. */
function canonical({ owner, repo }: RepoName, repositoryUrl: string | undefined): string {
  const asked = `${owner}/${repo}`;
  const named = nameOf(repositoryUrl);
  return named?.toLowerCase() === asked.toLowerCase() ? named : asked;
}

/** OWNER/REPO of a repository's address; null where it is none. */
export function nameOf(repositoryUrl: string | undefined): string | null {
  return /\/repos\/([^/]+\/[^/]+)$/.exec(repositoryUrl ?? '')?.[1] ?? null;
}
