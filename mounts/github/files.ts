/**
 * The files of a branch. One request lists the tree; a walk fetches one archive where more than a
 * few contents are missing, a single read one blob. Where no archive can be had, a walk asks for
 * blobs one by one, as long as these are few, and what is left costs a request a file.
 */
import { z } from 'zod';
import {
  type Collection,
  type Content,
  clock,
  Flights,
  type Freshness,
  type NamedEntry,
  type Params,
  type RecordHead,
  ServiceFailure,
} from '../../src/mount/index.ts';
import type { GithubBranches } from './branches.ts';
import type { GithubClient } from './client.ts';
import { GithubContents, pointedSize } from './contents.ts';
import { above, gitName, nameOf } from './git-names.ts';
import { HeldTree } from './held-tree.ts';
import { collection, type GithubStore, REPOS, type RepoName, repoOf } from './store.ts';
import { GithubTrees, treeUrl } from './trees.ts';

/** From this many missing contents on, a walk fetches the archive. */
const SINGLES = 3;
/** Without an archive a walk asks for so many contents one by one, and for none where more are missing. */
const MOST_SINGLY = 100;
/** A larger tree is not fetched as one archive, in bytes. */
const LARGEST_ARCHIVE = 200 * 1024 * 1024;
/** A larger tree is fetched only once its files are read. */
const EAGER_ARCHIVE = 20 * 1024 * 1024;
/** An archive that could not be had is asked for again after so long, in ms. */
const ARCHIVE_AGAIN_MS = 600_000;

export interface FileParts {
  client: GithubClient;
  store: GithubStore;
  branches: GithubBranches;
  freshness: Freshness;
  now: () => Date;
}

export class GithubFiles {
  readonly #parts: FileParts;
  readonly #tree: HeldTree;
  readonly #trees: GithubTrees;
  readonly #contents: GithubContents;
  readonly #flights = new Flights();
  /** Files that were asked for one by one since the tree was listed anew, by repository. */
  readonly #singles = new Map<string, number>();
  /** Directories of which every content is held that a walk fetches, and of which tree. */
  readonly #whole = new Map<string, string>();

  constructor(parts: FileParts) {
    this.#parts = parts;
    const { client, store } = parts;
    this.#tree = new HeldTree(store);
    this.#trees = new GithubTrees({ ...parts, held: this.#tree });
    this.#contents = new GithubContents(client, store, this.#tree);
  }

  /** The tree of the branch, as a collection of the mount. */
  collection(ensureRepo: (params: Params) => Promise<void>): Collection {
    return {
      scope: ['owner', 'repo'],
      heldSince: (params) => this.#tree.state(repoOf(params))?.syncedAt ?? null,
      sync: async (params) => {
        const name = repoOf(params);
        await ensureRepo(params);
        const before = this.#tree.cursor(name);
        await this.#trees.sync(name);
        if (this.#tree.cursor(name) === before) return;
        this.#contents.forget(name);
        this.#singles.delete(collection('tree', name));
      },
    };
  }

  /** Brings in step what a path needs beyond the collection: of a tree that GitHub lists in part. Throws ServiceFailure. */
  async ensure(params: Params, purpose: 'list' | 'entry' | 'read'): Promise<void> {
    const name = repoOf(params);
    const path = params['path'] ?? '';
    if (purpose === 'list') {
      await this.#trees.ensureDirectory(name, path);
      this.#trees.sayCut(name, path);
    } else await this.#trees.ensureAbove(name, path);
  }

  /** What stands at a path: a file, a directory, or nothing. */
  find(params: Params): RecordHead | null {
    const path = params['path'] ?? '';
    return this.#tree.head(repoOf(params), path) ?? this.#tree.head(repoOf(params), `${path}/`);
  }

  isDirectory(params: Params): boolean {
    return this.#tree.head(repoOf(params), `${params['path'] ?? ''}/`) !== null;
  }

  /** A commit of another repository? */
  isSubmodule(params: Params): boolean {
    return this.#tree.entry(repoOf(params), params['path'] ?? '')?.type === 'commit';
  }

  /** Files and submodules below a directory, as they are held. */
  below(params: Params) {
    return this.#tree.below(repoOf(params), params['path'] ?? '');
  }

  /** The entries of a directory; of the root without `path`. */
  entries(params: Params): NamedEntry[] {
    const name = repoOf(params);
    return this.#tree
      .entries(name, params['path'] ?? '')
      .map((head) => ({ ...this.entry(name, head), name: nameOf(head.key) }));
  }

  entry(name: RepoName, head: RecordHead): NamedEntry & { type: 'file' | 'directory' } {
    const type = head.key.endsWith('/') ? 'directory' : 'file';
    return { name: head.key, type, size: head.size, mtime: this.#pushedAt(name) };
  }

  /** The content where it is held. */
  content(params: Params): Content | null {
    const name = repoOf(params);
    const path = params['path'] ?? '';
    const sha = this.#tree.entry(name, path)?.sha;
    if (sha === undefined) return null;
    const bytes = this.#contents.get(name, path, sha);
    return bytes === null ? null : { text: '', bytes, version: sha, mtime: this.#pushedAt(name) };
  }

  /** Says it where a file that is read is a pointer to bytes that Git LFS keeps elsewhere. */
  sayPointer(params: Params): void {
    const size = this.pointedSize(params);
    if (size === null) return;
    this.#parts.freshness.notice(
      `files/${params['path']} is a pointer of Git LFS: the file itself, ${size} bytes, is kept apart and is not shown here`,
    );
  }

  /** Of a file that is held and is a pointer of Git LFS, the size of what it points to; null for any other. */
  pointedSize(params: Params): number | null {
    const bytes = this.content(params)?.bytes;
    return bytes === undefined ? null : pointedSize(bytes);
  }

  /** Would listing it (a directory) or reading it cost a request of its own? */
  isCostly(params: Params): boolean {
    const name = repoOf(params);
    const path = params['path'] ?? '';
    if (this.isDirectory(params)) {
      return this.#tree.isPartial(name) && !this.#tree.isListed(name, path);
    }
    const sha = this.#tree.entry(name, path)?.sha;
    if (sha !== undefined && this.#contents.has(name, path, sha)) return false;
    return !this.#takesArchive(name);
  }

  /** True when every content under a directory is held that a walk fetches. */
  hasBelow(params: Params): boolean {
    const tree = this.#tree.cursor(repoOf(params));
    return tree !== null && this.#whole.get(placeOf(params)) === tree;
  }

  /**
   * Fetches one file's content, unless it is held; when many are asked for one
   * by one, all of them at once. Throws ServiceFailure.
   */
  async fetchOne(params: Params): Promise<void> {
    const name = repoOf(params);
    const path = params['path'] ?? '';
    const entry = this.#tree.entry(name, path);
    if (entry === null || this.#contents.has(name, path, entry.sha)) return;
    const key = collection('tree', name);
    const singles = (this.#singles.get(key) ?? 0) + 1;
    this.#singles.set(key, singles);
    if (singles > SINGLES && entry.type === 'blob' && this.#takesArchive(name)) {
      await this.#fetchArchive(name, path);
      if (this.#contents.has(name, path, entry.sha)) return;
    }
    await this.#flights.run(`${key} ${entry.sha}`, () => this.#contents.fetch(name, path, entry));
  }

  /** Fetches what is missing under a directory: file by file where that is little, else as one archive. */
  async fetchBelow(params: Params): Promise<void> {
    const name = repoOf(params);
    if (this.hasBelow(params)) return;
    const directory = params['path'] ?? '';
    await this.#trees.ensureBelow(name, directory);
    let missing = this.#contents.missing(name, directory);
    const [first] = missing;
    if (first !== undefined && missing.length > SINGLES && this.#takesArchive(name)) {
      // Of much, whoever walks over it may read little: the reads ask when they come to it.
      if (this.#tree.size(name) > EAGER_ARCHIVE) return;
      await this.#fetchArchive(name, first.path);
      // An archive leaves out what `.gitattributes` tells it to (export-ignore).
      missing = this.#contents.missing(name, directory);
    }
    if (missing.length <= MOST_SINGLY) {
      await Promise.all(missing.map(({ path, entry }) => this.#contents.fetch(name, path, entry)));
    } else if (this.#takesArchive(name)) {
      this.#noteArchive(name, `it lacks ${missing.length} of its files`);
    }
    const tree = this.#tree.cursor(name);
    if (tree !== null) this.#whole.set(placeOf(params), tree);
  }

  /** A commit of ours put these bytes at a path, or removed it (null). */
  wrote(params: Params, bytes: Uint8Array | null): void {
    const { store, branches } = this.#parts;
    const { replica, mount } = store;
    const name = repoOf(params);
    const path = params['path'] ?? '';
    const into = collection('tree', name);
    replica.transaction(() => {
      if (bytes === null) {
        this.#tree.remove(name, path);
        store.drop('contents', name, path);
        this.#tree.dropEmpty(name, path);
      } else {
        const sha = gitName(bytes);
        this.#tree.put(name, { path, sha, type: 'blob', size: bytes.length });
        for (let up = above(path); up !== ''; up = above(up)) {
          if (this.#tree.head(name, `${up}/`) !== null) continue;
          this.#tree.put(name, { path: up, sha: '', type: 'tree' });
          this.#tree.noteListed(name, up, '');
        }
        this.#contents.keep(name, path, sha, bytes);
      }
      const held = replica.listing(mount, into);
      // The tree has another name now, and may be another branch's: the next question is unconditional.
      const target = branches.target(name);
      if (held !== null) {
        replica.setListing(mount, into, { ...held, cursor: `${WRITTEN} ${target}` });
        this.#tree.noteListed(name, '', WRITTEN);
      }
      const url = treeUrl(name, target);
      for (const one of [url, `${url}?recursive=1`]) replica.setValidator(mount, one, null);
    });
  }

  /** Can all that is missing be had as one archive? */
  #takesArchive(name: RepoName): boolean {
    if (this.#tree.isPartial(name)) return false;
    const { store, now } = this.#parts;
    const failed = store.replica.listing(store.mount, collection('archive', name));
    if (failed !== null && now().getTime() - failed.syncedAt < ARCHIVE_AGAIN_MS) return false;
    return this.#tree.size(name) <= LARGEST_ARCHIVE;
  }

  /** Where only the archive cannot be had, that is noted and said; what else is wrong is thrown. */
  async #fetchArchive(name: RepoName, path: string): Promise<void> {
    try {
      await this.#flights.run(collection('archive', name), () =>
        this.#contents.fetchArchive(name, this.#branch(name), 2 * LARGEST_ARCHIVE),
      );
    } catch (error) {
      if (!(error instanceof ServiceFailure) || error.kind === 'limited') throw error;
      const entry = this.#tree.entry(name, path);
      if (entry !== null) await this.#contents.fetch(name, path, entry);
      this.#noteArchive(name, error.message);
    }
  }

  #noteArchive(name: RepoName, why: string): void {
    const { store, freshness, now } = this.#parts;
    const time = now().getTime();
    store.replica.setListing(store.mount, collection('archive', name), {
      complete: false,
      syncedAt: time,
      reconciledAt: time,
      cursor: why,
    });
    const again = clock(new Date(time + ARCHIVE_AGAIN_MS));
    freshness.notice(
      `the archive of ${name.owner}/${name.repo} could not be had (${why}): its files are asked for one by one, by a walk no more than ${MOST_SINGLY}, and the archive again after ${again} UTC`,
    );
  }

  /** The branch that the tree is of that is held. */
  #branch(name: RepoName): string {
    return this.#tree.branch(name) ?? this.#parts.branches.main(name);
  }

  /** Git keeps no time of a file; the last push is the latest that it can be of. */
  #pushedAt({ owner, repo }: RepoName): Date {
    const { replica, mount } = this.#parts.store;
    const held = replica.get(mount, REPOS, `${owner}/${repo}`.toLowerCase())?.value;
    return new Date(pushedSchema.safeParse(held).data?.pushed_at ?? 0);
  }
}

/** Instead of a tree's name, of one that a commit of ours was made onto. */
const WRITTEN = 'written';

const pushedSchema = z.looseObject({ pushed_at: z.string().nullish() });

function placeOf(params: Params): string {
  return `${collection('tree', repoOf(params))} ${params['path'] ?? ''}`;
}
