/**
 * Asking for the tree of a branch: whole, in one request; and where GitHub cuts that off (100,000
 * entries, 7 MB), directory by directory as they are named, and a path by itself where a single
 * directory has too many entries.
 */
import { z } from 'zod';
import { type Freshness, ServiceFailure } from '../../src/mount/index.ts';
import type { GithubBranches } from './branches.ts';
import type { Answer, GithubClient } from './client.ts';
import { above, branchOf } from './git-names.ts';
import { ENTRY_TYPES, type HeldTree, type NewEntry } from './held-tree.ts';
import { expectShape } from './schemas.ts';
import { collection, contentsUrl, type GithubStore, type RepoName, repoUrl } from './store.ts';

/** A tree that was cut off is asked for whole again after so long, in ms. */
const WHOLE_AGAIN_MS = 24 * 3_600_000;

const treeSchema = z.looseObject({
  sha: z.string(),
  truncated: z.boolean(),
  tree: z.array(
    z.looseObject({
      path: z.string(),
      type: z.enum(ENTRY_TYPES),
      sha: z.string(),
      size: z.number().optional(),
    }),
  ),
});

const CONTENT_TYPES = { file: 'blob', symlink: 'blob', dir: 'tree', submodule: 'commit' } as const;
const contentSchema = z.looseObject({
  type: z.enum(['file', 'symlink', 'dir', 'submodule']),
  sha: z.string(),
  size: z.number().optional(),
});

export interface TreeParts {
  client: GithubClient;
  store: GithubStore;
  branches: GithubBranches;
  freshness: Freshness;
  now: () => Date;
  held: HeldTree;
}

export class GithubTrees {
  readonly #parts: TreeParts;

  constructor(parts: TreeParts) {
    this.#parts = parts;
  }

  /** Brings the tree in step. Throws ServiceFailure. */
  async sync(name: RepoName): Promise<void> {
    const { store, held, now } = this.#parts;
    const { replica, mount } = store;
    const into = collection('tree', name);
    const before = held.state(name);
    const time = now().getTime();
    const whole = before?.complete !== false || time - before.reconciledAt >= WHOLE_AGAIN_MS;
    const { answer, branch, url } = await this.#ask(name, whole ? '?recursive=1' : '');
    if (answer?.status === 304 && before !== null) {
      return replica.setListing(mount, into, { ...before, syncedAt: time });
    }
    const tree = answer === null ? null : expectShape(treeSchema, answer.data, 'the tree');
    const isPartial = !whole || tree?.truncated === true;
    const root = isPartial && tree !== null ? await this.#directory(name, tree.sha) : null;
    replica.transaction(() => {
      if (tree === null || root === null) held.replaceAll(name, entriesOf(tree, ''));
      replica.setListing(mount, into, {
        complete: !isPartial,
        syncedAt: time,
        reconciledAt: whole ? time : (before?.reconciledAt ?? time),
        cursor: tree === null ? null : `${tree.sha} ${branch}`,
      });
      if (tree !== null && root !== null) {
        const { sha, truncated: cut } = root;
        held.replaceDirectory(name, '', entriesOf(root, ''), { sha, cut });
      }
      replica.setValidator(mount, url, answer?.etag ?? null);
    });
  }

  /** Brings in step what a path needs of a tree that is held in part: the directories above it. Throws ServiceFailure. */
  async ensureAbove(name: RepoName, path: string): Promise<void> {
    const { held } = this.#parts;
    if (path === '' || !held.isPartial(name)) return;
    const directory = above(path);
    await this.ensureDirectory(name, directory);
    const found = held.head(name, path) ?? held.head(name, `${path}/`);
    if (found === null && held.listed(name, directory)?.cut === true) {
      await this.#lookup(name, path);
    }
  }

  /** Brings one directory of a tree in step that is held in part, and says what it lacks. Throws ServiceFailure. */
  async ensureDirectory(name: RepoName, directory: string): Promise<void> {
    const { held, freshness } = this.#parts;
    if (!held.isPartial(name)) return;
    await this.ensureAbove(name, directory);
    const sha = held.treeSha(name, directory);
    if (sha === null) return;
    await freshness.ensure({
      key: `tree ${collection('directories', name)} ${directory}/`,
      heldSince: () => held.listed(name, directory)?.checkedAt ?? null,
      // What a tree's name stands for never changes.
      window: () => (held.isListed(name, directory) ? Number.POSITIVE_INFINITY : 0),
      ask: async () => {
        const tree = await this.#directory(name, sha);
        this.#parts.store.replica.transaction(() => {
          const cut = tree.truncated;
          held.replaceDirectory(name, directory, entriesOf(tree, directory), { sha, cut });
        });
      },
    });
  }

  /** Says it where a listing of a directory is not whole. */
  sayCut(name: RepoName, directory: string): void {
    const { held, freshness } = this.#parts;
    if (!held.isPartial(name) || held.listed(name, directory)?.cut !== true) return;
    freshness.notice(
      `GitHub lists only some of the entries of files/${directory}: the others are found when they are named`,
    );
  }

  /** Lists all that is below a directory of a tree that is held in part, where one request can. Throws ServiceFailure. */
  async ensureBelow(name: RepoName, directory: string): Promise<void> {
    const { held, client, store } = this.#parts;
    if (directory === '' || !held.isPartial(name)) return;
    await this.ensureAbove(name, directory);
    const sha = held.treeSha(name, directory);
    if (sha === null) return;
    const { data } = await client.get(`${repoUrl(name)}/git/trees/${sha}?recursive=1`);
    const tree = expectShape(treeSchema, data, 'the tree of a directory');
    if (tree.truncated) return this.ensureDirectory(name, directory);
    const entries = entriesOf(tree, directory);
    store.replica.transaction(() => {
      const byDirectory = Map.groupBy(entries, ({ path }) => above(path));
      const trees = entries.filter(({ type }) => type === 'tree');
      for (const one of [{ path: directory, sha }, ...trees]) {
        const own = byDirectory.get(one.path) ?? [];
        held.replaceDirectory(name, one.path, own, { sha: one.sha, cut: false });
      }
    });
  }

  /** The tree of the first branch there is; no answer for a repository without a commit. */
  async #ask(name: RepoName, query: string) {
    const { store, branches, held, client } = this.#parts;
    let last = { answer: null as Answer | null, branch: '', url: '' };
    for (const branch of branches.shown(name)) {
      const url = `${treeUrl(name, branch)}${query}`;
      // Of another branch the replica holds nothing that a 304 could stand for.
      const same = branchOf(held.cursor(name)) === branch;
      const etag = same ? store.replica.validator(store.mount, url) : null;
      const answer = await client.get(url, etag).catch((error: unknown) => {
        if (error instanceof ServiceFailure && (error.status === 409 || error.absent)) return null;
        throw error;
      });
      last = { answer, branch, url };
      if (answer !== null) break;
    }
    return last;
  }

  async #directory(name: RepoName, sha: string) {
    const { data } = await this.#parts.client.get(treeUrl(name, sha));
    return expectShape(treeSchema, data, 'the tree of a directory');
  }

  /** What stands at one path, where its directory has more entries than GitHub lists. */
  async #lookup(name: RepoName, path: string): Promise<void> {
    const { client, held, branches } = this.#parts;
    const ref = encodeURIComponent(held.branch(name) ?? branches.main(name));
    try {
      const url = `${contentsUrl(name, path)}?ref=${ref}`;
      const { data } = await client.get(url, null, 'application/vnd.github.object+json');
      const { type, sha, size } = expectShape(contentSchema, data, path);
      held.put(name, { path, sha, type: CONTENT_TYPES[type], size });
    } catch (error) {
      if (!(error instanceof ServiceFailure && error.absent)) throw error;
    }
  }
}

/** Where a tree is asked for, by the name of a branch or its own. */
export function treeUrl(name: RepoName, tree: string): string {
  return `${repoUrl(name)}/git/trees/${encodeURIComponent(tree)}`;
}

function entriesOf(tree: z.infer<typeof treeSchema> | null, directory: string): NewEntry[] {
  const prefix = directory === '' ? '' : `${directory}/`;
  return (tree?.tree ?? []).map(({ path, ...entry }) => ({ ...entry, path: `${prefix}${path}` }));
}
