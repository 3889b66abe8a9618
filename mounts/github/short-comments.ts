/**
 * Comments that the listing of a repository's comments does not reach: GitHub ends it after some
 * 30,000. An issue says how many it has, and one that says more than are held is asked by itself.
 */
import { heldAsOf, isCut } from './paging.ts';
import { collection, type GithubStore, ofNumber, type RepoName } from './store.ts';

/** Repositories whose listing of comments was cut, as records: a walk remembers what is made of those. */
const CUT = 'cut';

export class ShortComments {
  readonly #store: GithubStore;
  /** How many issues are short, as of a revision of the replica. */
  readonly #counted = new Map<string, { revision: number; count: number }>();

  constructor(store: GithubStore) {
    this.#store = store;
  }

  /** When the listing was read to the end that GitHub gave it, ms; null for never. */
  readSince(name: RepoName): number | null {
    const state = this.#listing(collection('comments', name));
    return state !== null && (state.complete || isCut(state)) ? state.syncedAt : null;
  }

  /** How many comments the issues and pull requests say that they have. */
  said(name: RepoName): number {
    return this.#store.issues(name).reduce((sum, { issue }) => sum + (issue.comments ?? 0), 0);
  }

  /** After the listing was read: notes whether it was cut. */
  note(name: RepoName): void {
    const { replica, mount } = this.#store;
    const key = 'comments';
    if (!isCut(this.#listing(collection(key, name)))) {
      if (this.#store.head(CUT, name, key) !== null) this.#store.drop(CUT, name, key);
      return;
    }
    const record = { key, updatedAt: '', size: 1, path: null, value: true };
    replica.upsert(mount, collection(CUT, name), record);
  }

  /** Does an issue say that it has more comments than are held, and was it not asked since? */
  has(name: RepoName, number: string): boolean {
    if (this.#store.head(CUT, name, 'comments') === null) return false;
    const found = this.#store.issue(name, number);
    if (found === null) return false;
    const held = this.#store.heads('comments', name, number).length;
    return (found.issue.comments ?? 0) > held && !this.#wasAsked(name, number);
  }

  /** What the repository's comments lack, in words; null for nothing. */
  lacking(name: RepoName): string | null {
    if (this.#store.head(CUT, name, 'comments') === null) return null;
    const count = this.#count(name);
    if (count === 0) return null;
    return `GitHub lists no more of them at once, and older ones of ${count.toLocaleString('en')} issues and pull requests are missing: the comments/ of one are fetched whole when it is named`;
  }

  #count(name: RepoName): number {
    const into = collection('comments', name);
    const revision = this.#store.replica.revision();
    const known = this.#counted.get(into);
    if (known !== undefined && known.revision === revision) return known.count;
    const count = this.#store.heads('issues', name).filter(({ key }) => this.has(name, key)).length;
    if (revision !== null) this.#counted.set(into, { revision, count });
    return count;
  }

  /** Was it asked by itself as it is? Then it has no more to give. */
  #wasAsked(name: RepoName, number: string): boolean {
    const state = this.#listing(ofNumber('comments-of', name, number));
    return heldAsOf(state) === this.#store.head('issues', name, number)?.updatedAt;
  }

  #listing(into: string) {
    return this.#store.replica.listing(this.#store.mount, into);
  }
}
