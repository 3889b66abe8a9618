/**
 * The stand-in's own store. Records are immutable: a write replaces the record, so that a listing
 * can be answered from an earlier state while a `lag` fault is on.
 */

import { Branch, type BranchState } from './branch.ts';
import { type FilesGiven, filesSchema } from './control.ts';
import type { FileTree, GitFile } from './git.ts';
import type {
  Account,
  Comment,
  Issue,
  Label,
  Milestone,
  Pull,
  Repository,
  RepositoryData,
  RepositoryFile,
  Review,
  SeedData,
} from './model.ts';
import type { Happening } from './webhooks.ts';

/** The part of a repository that listings show and that can lag behind. */
export interface Listable {
  issues: ReadonlyMap<number, Issue>;
  comments: ReadonlyMap<number, Comment>;
  reviews: ReadonlyMap<number, Review>;
}

/** What a caller may say about a new issue; everything else follows from it. */
export type NewIssue = Pick<
  Issue,
  'title' | 'body' | 'author' | 'assignees' | 'labels' | 'milestone'
>;

/** The fields of an issue that can be edited. */
export type IssueEdit = Partial<
  Pick<Issue, 'title' | 'body' | 'state' | 'stateReason' | 'assignees' | 'labels' | 'milestone'>
>;

/** How listings of much end. null: as those of little do. */
export interface Paging {
  /** A listing of issues with more than so many goes on by cursor. */
  cursorsBeyond: number | null;
  /** A listing of a repository's comments ends after so many. */
  commentsMost: number | null;
}

/** What somebody is told of. */
export interface Notification {
  id: number;
  login: string;
  /** Of the repository that it is about. */
  repository: number;
  number: number;
  reason: string;
  unread: boolean;
  updatedAt: string;
  lastReadAt: string | null;
}

/** A file that somebody uploaded; `location`: where the site points to instead of its own place. */
export interface UploadedFile {
  base64: string;
  contentType: string;
  location?: string | undefined;
}

/** All of a repository; may be structured-cloned. */
interface RepositoryKept extends Omit<RepositoryData, 'files'> {
  deleted: Set<number>;
  transferred: RepositoryState['transferred'];
  branches: Map<string, BranchState>;
  trees: RepositoryState['trees'];
  commits: RepositoryState['commits'];
}

/**
 * All of a store but for its tokens, which are in no file; may be structured-cloned. A file that was
 * kept by an earlier version may lack what that did not have.
 */
export interface StoreState {
  accounts: SeedData['accounts'];
  repositories: RepositoryKept[];
  formerNames?: ReadonlyMap<string, number>;
  nextId: number;
  notifications?: Notification[];
  uploads?: Map<string, UploadedFile>;
}

const FIRST_NEW_ID = 3_000_000_000;

/** One repository and all that belongs to it. */
export class RepositoryState implements Listable {
  repository: Repository;
  labels: Label[];
  milestones: Milestone[];
  issues: Map<number, Issue>;
  comments: Map<number, Comment>;
  reviews: Map<number, Review>;
  /** Numbers of deleted issues: they answer 410, and their numbers are not used again. */
  readonly deleted = new Set<number>();
  /** Where issues are that were transferred: the id of a repository, and the number there. */
  readonly transferred = new Map<number, { repository: number; number: number }>();
  /** By name; the default branch is always among them. */
  readonly branches = new Map<string, Branch>();
  /** Trees and commits that were made, and that a branch may go on to; by name. */
  readonly trees = new Map<string, FileTree & { files: readonly GitFile[] }>();
  readonly commits = new Map<string, { tree: { files: readonly GitFile[] }; parent: string }>();
  private readonly memos = new Map<string, unknown>();
  private readonly history: { until: number; state: Listable }[] = [];

  constructor(data: RepositoryData) {
    this.repository = data.repository;
    this.labels = [...data.labels];
    this.milestones = [...data.milestones];
    this.issues = new Map(data.issues.map((issue) => [issue.number, issue]));
    this.comments = new Map(data.comments.map((comment) => [comment.id, comment]));
    this.reviews = new Map(data.reviews.map((review) => [review.id, review]));
    const files = data.files.map(({ path, content, encoding }) => ({
      path,
      data: Buffer.from(content, encoding ?? 'utf8'),
    }));
    this.branches.set(data.repository.defaultBranch, new Branch(this.fullName, files));
  }

  get fullName(): string {
    return `${this.repository.owner}/${this.repository.name}`;
  }

  /** Remembers the present state before a write, for {@link asOf}. @param now ms since the epoch */
  remember(now: number): void {
    this.memos.clear();
    const state = {
      issues: new Map(this.issues),
      comments: new Map(this.comments),
      reviews: new Map(this.reviews),
    };
    this.history.push({ until: now, state });
    if (this.history.length > 200) this.history.shift();
  }

  /** The result of `make`, kept under `key` until the next write: for sums over all issues. */
  memo<Result>(key: string, make: () => Result): Result {
    if (!this.memos.has(key)) this.memos.set(key, make());
    return this.memos.get(key) as Result;
  }

  /** The state as it was at `time` (ms since the epoch), as far back as was remembered. */
  asOf(time: number): Listable {
    return this.history.find((entry) => entry.until > time)?.state ?? this;
  }

  commentsOf(number: number, view: Listable = this): Comment[] {
    return [...view.comments.values()].filter((comment) => comment.issue === number);
  }

  reviewsOf(number: number, view: Listable = this): Review[] {
    return [...view.reviews.values()].filter((review) => review.pull === number);
  }

  /** The default branch. */
  get main(): Branch {
    const found = this.branches.get(this.repository.defaultBranch);
    if (!found) throw new Error(`${this.fullName} has no default branch`);
    return found;
  }

  toData(): RepositoryData {
    return {
      ...this.#records(),
      files: this.main.files().map(({ path, data }) => fileData(path, data)),
    };
  }

  /** The repository that {@link kept} was taken of. */
  static of({
    deleted,
    transferred,
    branches,
    trees,
    commits,
    ...data
  }: RepositoryKept): RepositoryState {
    const state = new RepositoryState({ ...data, files: [] });
    for (const number of deleted) state.deleted.add(number);
    for (const [number, to] of transferred) state.transferred.set(number, to);
    for (const [name, branch] of branches) state.branches.set(name, Branch.of(branch));
    for (const [sha, tree] of trees) state.trees.set(sha, tree);
    for (const [sha, commit] of commits) state.commits.set(sha, commit);
    return state;
  }

  kept(): RepositoryKept {
    const { deleted, transferred, trees, commits } = this;
    const branches = new Map([...this.branches].map(([name, branch]) => [name, branch.state()]));
    return { ...this.#records(), deleted, transferred, branches, trees, commits };
  }

  #records(): Omit<RepositoryData, 'files'> {
    return {
      repository: this.repository,
      labels: this.labels,
      milestones: this.milestones,
      issues: [...this.issues.values()],
      comments: [...this.comments.values()],
      reviews: [...this.reviews.values()],
    };
  }
}

function fileData(path: string, data: Buffer): RepositoryFile {
  const content = data.toString();
  if (Buffer.from(content).equals(data)) return { path, content };
  return { path, content: data.toString('base64'), encoding: 'base64' };
}

/** All accounts, tokens and repositories, and the writes that keep them consistent. */
export class Store {
  readonly accounts: Map<string, Account>;
  readonly tokens: Map<string, string>;
  readonly repositories: Map<string, RepositoryState>;
  /** By path at the site. */
  readonly uploads = new Map<string, UploadedFile>();
  readonly notifications = new Map<number, Notification>();
  /** How files are given out. */
  given: FilesGiven = filesSchema.parse({});
  /** By the name in lower case: the id of the repository that had it before. */
  readonly formerNames = new Map<string, number>();
  /** Told of what webhooks are sent for. */
  onHappening: (happening: Happening) => void = () => undefined;
  paging: Paging = { cursorsBeyond: 1_000, commentsMost: 30_000 };
  private readonly clock: () => number;
  private nextId = FIRST_NEW_ID;

  /** @param clock ms since the epoch; given, so that tests can hold time still */
  constructor(seed: SeedData, clock: () => number) {
    this.clock = clock;
    this.accounts = new Map(seed.accounts.map((account) => [account.login.toLowerCase(), account]));
    this.tokens = new Map(Object.entries(seed.tokens));
    this.repositories = new Map(
      seed.repositories.map((data) => {
        const state = new RepositoryState(data);
        return [state.fullName.toLowerCase(), state];
      }),
    );
  }

  /** The store that {@link state} was taken of. */
  static of(
    { accounts, repositories, formerNames, nextId, notifications, uploads }: StoreState,
    tokens: SeedData['tokens'],
    clock: () => number,
  ): Store {
    const store = new Store({ accounts, tokens, repositories: [] }, clock);
    for (const kept of repositories) {
      const state = RepositoryState.of(kept);
      store.repositories.set(state.fullName.toLowerCase(), state);
    }
    for (const [name, id] of formerNames ?? []) store.formerNames.set(name, id);
    store.nextId = nextId;
    for (const [path, one] of uploads ?? []) store.uploads.set(path, one);
    for (const one of notifications ?? []) store.notifications.set(one.id, one);
    return store;
  }

  state(): StoreState {
    const accounts = [...this.accounts.values()];
    const repositories = [...this.repositories.values()].map((state) => state.kept());
    const { formerNames, nextId, uploads } = this;
    const notifications = [...this.notifications.values()];
    return { accounts, repositories, formerNames, nextId, notifications, uploads };
  }

  /** Tells somebody of an issue. @returns the id of the notification */
  notify(what: Pick<Notification, 'login' | 'repository' | 'number' | 'reason'>): number {
    const id = this.newId();
    const updatedAt = this.now();
    this.notifications.set(id, { ...what, id, unread: true, updatedAt, lastReadAt: null });
    return id;
  }

  now(): string {
    return `${new Date(this.clock()).toISOString().slice(0, 19)}Z`;
  }

  account(login: string): Account | undefined {
    return this.accounts.get(login.toLowerCase());
  }

  repository(owner: string, name: string): RepositoryState | undefined {
    return this.repositories.get(`${owner}/${name}`.toLowerCase());
  }

  repositoryById(id: number): RepositoryState | undefined {
    return [...this.repositories.values()].find((state) => state.repository.id === id);
  }

  newId(): number {
    this.nextId += 1;
    return this.nextId;
  }

  createIssue(repo: RepositoryState, input: NewIssue, pull: Pull | null = null): Issue {
    repo.remember(this.clock());
    const number = nextNumber(repo);
    const now = this.now();
    const issue: Issue = {
      ...input,
      id: this.newId(),
      number,
      state: 'open',
      stateReason: null,
      locked: false,
      createdAt: now,
      updatedAt: now,
      closedAt: null,
      closedBy: null,
      pull,
    };
    repo.issues.set(number, issue);
    this.tell('issues', 'opened', repo, issue, input.author);
    return issue;
  }

  private tell(
    event: Happening['event'],
    action: string,
    repo: RepositoryState,
    issue: Issue | undefined,
    by: string,
    comment?: Comment,
  ): void {
    // Of pull requests other events tell, which are not sent here.
    if (issue === undefined || (issue.pull !== null && event === 'issues')) return;
    this.onHappening({
      event,
      action,
      repo,
      issue,
      by,
      ...(comment === undefined ? {} : { comment }),
    });
  }

  /**
   * Applies an edit. An edit that changes nothing leaves `updatedAt` alone; closing and reopening
   * set `closedAt`, `closedBy` and `stateReason` as the service does.
   */
  editIssue(repo: RepositoryState, issue: Issue, edit: IssueEdit, actor: string): Issue {
    const next: Issue = { ...issue, ...edit };
    if (next.state === 'closed' && issue.state === 'open') {
      next.closedAt = this.now();
      next.closedBy = actor;
      next.stateReason = edit.stateReason ?? (issue.pull ? null : 'completed');
    } else if (next.state === 'open' && issue.state === 'closed') {
      next.closedAt = null;
      next.closedBy = null;
      next.stateReason = issue.pull ? null : 'reopened';
    }
    if (JSON.stringify(next) === JSON.stringify(issue)) return issue;
    repo.remember(this.clock());
    next.updatedAt = this.now();
    repo.issues.set(issue.number, next);
    const turned = next.state === 'closed' ? 'closed' : 'reopened';
    this.tell('issues', next.state === issue.state ? 'edited' : turned, repo, next, actor);
    return next;
  }

  /** Adds a comment; the issue's `updatedAt` moves with it. */
  addComment(repo: RepositoryState, number: number, author: string, body: string): Comment {
    repo.remember(this.clock());
    const now = this.now();
    const id = this.newId();
    const comment: Comment = { id, issue: number, author, body, createdAt: now, updatedAt: now };
    repo.comments.set(id, comment);
    const issue = repo.issues.get(number);
    if (issue) repo.issues.set(number, { ...issue, updatedAt: now });
    this.tell('issue_comment', 'created', repo, repo.issues.get(number), author, comment);
    return comment;
  }

  /** Adds a review; the pull request's `updatedAt` moves with it: see routes/reviews.ts. */
  addReview(repo: RepositoryState, input: Omit<Review, 'id' | 'submittedAt'>): Review {
    repo.remember(this.clock());
    const review: Review = { ...input, id: this.newId(), submittedAt: this.now() };
    repo.reviews.set(review.id, review);
    const issue = repo.issues.get(review.pull);
    if (issue) repo.issues.set(review.pull, { ...issue, updatedAt: this.now() });
    return review;
  }

  /** Edits a comment. The issue's `updatedAt` stays: see the note in routes/comments.ts. */
  editComment(repo: RepositoryState, comment: Comment, body: string): Comment {
    repo.remember(this.clock());
    const next = { ...comment, body, updatedAt: this.now() };
    repo.comments.set(comment.id, next);
    this.tell('issue_comment', 'edited', repo, repo.issues.get(next.issue), next.author, next);
    return next;
  }

  /** One commit on a branch; the repository's time of push moves with it. @returns its name */
  commit(repo: RepositoryState, branch: Branch, path: string, data: Buffer | null): string {
    return this.push(repo, () => branch.put(path, data));
  }

  /** Moves a branch, and with it the repository's time of push. @returns the name of its commit */
  push(repo: RepositoryState, move: () => string): string {
    const now = this.now();
    repo.repository = { ...repo.repository, pushedAt: now, updatedAt: now };
    return move();
  }

  deleteComment(repo: RepositoryState, comment: Comment): void {
    repo.remember(this.clock());
    repo.comments.delete(comment.id);
    const issue = repo.issues.get(comment.issue);
    this.tell('issue_comment', 'deleted', repo, issue, comment.author, comment);
  }

  deleteIssue(repo: RepositoryState, number: number): void {
    repo.remember(this.clock());
    repo.issues.delete(number);
    repo.deleted.add(number);
    for (const comment of repo.commentsOf(number)) repo.comments.delete(comment.id);
    for (const review of repo.reviewsOf(number)) repo.reviews.delete(review.id);
  }

  /** Moves an issue with its comments; it gets a number and ids of its own there. */
  transferIssue(from: RepositoryState, issue: Issue, to: RepositoryState): Issue {
    from.remember(this.clock());
    to.remember(this.clock());
    const now = this.now();
    const number = nextNumber(to);
    const moved = {
      ...issue,
      id: this.newId(),
      number,
      labels: [],
      milestone: null,
      updatedAt: now,
    };
    to.issues.set(number, moved);
    for (const comment of from.commentsOf(issue.number)) {
      const id = this.newId();
      from.comments.delete(comment.id);
      to.comments.set(id, { ...comment, id, issue: number });
    }
    from.issues.delete(issue.number);
    from.transferred.set(issue.number, { repository: to.repository.id, number });
    return moved;
  }

  /** Gives a repository another name, or another owner. The one it had leads to it. */
  renameRepository(repo: RepositoryState, owner: string, name: string): void {
    const before = repo.fullName.toLowerCase();
    this.repositories.delete(before);
    this.formerNames.set(before, repo.repository.id);
    repo.repository = { ...repo.repository, owner, name };
    this.formerNames.delete(repo.fullName.toLowerCase());
    this.repositories.set(repo.fullName.toLowerCase(), repo);
  }

  /** The whole store, in the shape of a seed. */
  dump(): SeedData {
    return {
      accounts: [...this.accounts.values()],
      tokens: Object.fromEntries(this.tokens),
      repositories: [...this.repositories.values()].map((state) => state.toData()),
    };
  }
}

/** Numbers of what was deleted or transferred are not used again. */
function nextNumber({ issues, deleted, transferred }: RepositoryState): number {
  const used = [...issues.keys(), ...deleted, ...transferred.keys()];
  return used.reduce((most, number) => Math.max(most, number), 0) + 1;
}
