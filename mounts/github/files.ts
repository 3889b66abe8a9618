/**
 * The files of a branch. One request lists the tree; a walk fetches
 * one archive where more than a few contents are missing, a single read one
 * blob. Contents are kept with their Git names, so what did not change is never
 * fetched again.
 */
import { z } from 'zod';
import { ServiceFailure } from '../../src/mount/failure.ts';
import { Flights } from '../../src/mount/flight.ts';
import type { Collection, Content, NamedEntry, Params } from '../../src/mount/route.ts';
import type { RecordHead } from '../../src/replica/replica.ts';
import type { GithubBranches } from './branches.ts';
import type { Answer, GithubClient } from './client.ts';
import { above, branchOf, gitName, nameOf } from './git-names.ts';
import { expectShape } from './schemas.ts';
import { collection, type GithubStore, REPOS, type RepoName, repoOf, repoUrl } from './store.ts';
import { filesOfArchive } from './tar.ts';

/** From this many missing contents on, a walk fetches the archive. */
const SINGLES = 3;
/** A larger tree is not fetched as one archive, in bytes. */
const LARGEST_ARCHIVE = 200 * 1024 * 1024;

/** A larger tree is fetched only once its files are read. */
const EAGER_ARCHIVE = 20 * 1024 * 1024;

const treeSchema = z.looseObject({
  sha: z.string(),
  truncated: z.boolean(),
  tree: z.array(
    z.looseObject({
      path: z.string(),
      type: z.string(),
      mode: z.string(),
      sha: z.string(),
      size: z.number().optional(),
    }),
  ),
});

/** One entry of the tree as the replica has it. */
const entrySchema = z.object({ sha: z.string(), type: z.enum(['blob', 'tree']) });
const apiBlobSchema = z.looseObject({ content: z.string(), encoding: z.literal('base64') });
const contentSchema = z.object({ base64: z.string() });

export class GithubFiles {
  readonly #client: GithubClient;
  readonly #store: GithubStore;
  readonly #now: () => Date;
  readonly #branches: GithubBranches;
  readonly #flights = new Flights();
  /** Files that were asked for one by one since the tree was listed anew, by repository. */
  readonly #singles = new Map<string, number>();
  /** Directories of which every content is held, and of which tree. */
  readonly #whole = new Map<string, string>();

  constructor(client: GithubClient, store: GithubStore, branches: GithubBranches, now: () => Date) {
    this.#client = client;
    this.#branches = branches;
    this.#store = store;
    this.#now = now;
  }

  /** The tree of the branch, as a collection of the mount. */
  collection(ensureRepo: (params: Params) => Promise<void>): Collection {
    const { replica, mount } = this.#store;
    return {
      scope: ['owner', 'repo'],
      heldSince: (params) =>
        replica.listing(mount, collection('tree', repoOf(params)))?.syncedAt ?? null,
      sync: async (params) => {
        await ensureRepo(params);
        await this.#syncTree(repoOf(params));
      },
    };
  }

  /** What stands at a path: a file, a directory, or nothing. */
  find(params: Params): RecordHead | null {
    const path = params['path'] ?? '';
    return this.#head(repoOf(params), path) ?? this.#head(repoOf(params), `${path}/`);
  }

  isDirectory(params: Params): boolean {
    return this.#head(repoOf(params), `${params['path'] ?? ''}/`) !== null;
  }

  /** The entries of a directory; of the root without `path`. */
  entries(params: Params): NamedEntry[] {
    const { replica, mount } = this.#store;
    const name = repoOf(params);
    return replica
      .heads(mount, collection('tree', name), params['path'] ?? '')
      .map((head) => ({ ...this.entry(name, head), name: nameOf(head.key) }));
  }

  entry(name: RepoName, head: RecordHead): NamedEntry & { type: 'file' | 'directory' } {
    const type = head.key.endsWith('/') ? 'directory' : 'file';
    return {
      name: head.key,
      type,
      size: head.size,
      mtime: this.#pushedAt(name),
      version: head.version,
    };
  }

  /** The content where it is held. */
  content(params: Params): Content | null {
    const name = repoOf(params);
    const path = params['path'] ?? '';
    const sha = this.#sha(name, path);
    if (sha === null) return null;
    const bytes = this.#held(name, path, sha);
    return bytes === null ? null : { text: '', bytes, version: sha, mtime: this.#pushedAt(name) };
  }

  /** Is the content held? */
  has(params: Params): boolean {
    const path = params['path'] ?? '';
    const sha = this.#sha(repoOf(params), path);
    return sha !== null && this.#holds(repoOf(params), path, sha);
  }

  /** Too much for one archive: then each file costs a request. */
  isLarge(params: Params): boolean {
    return this.#size(repoOf(params)) > LARGEST_ARCHIVE;
  }

  /** True when every content under a directory is held. */
  hasBelow(params: Params): boolean {
    const name = repoOf(params);
    const { replica, mount } = this.#store;
    const tree = replica.listing(mount, collection('tree', name))?.cursor ?? null;
    return tree !== null && this.#whole.get(placeOf(params)) === tree;
  }

  /**
   * Fetches one file's content, unless it is held; when many are asked for one
   * by one, all of them at once. Throws ServiceFailure.
   */
  async fetchOne(params: Params): Promise<void> {
    const name = repoOf(params);
    const path = params['path'] ?? '';
    const sha = this.#sha(name, path);
    if (sha === null || this.#holds(name, path, sha)) return;
    const key = collection('tree', name);
    const singles = (this.#singles.get(key) ?? 0) + 1;
    this.#singles.set(key, singles);
    if (singles > SINGLES && !this.isLarge(params)) {
      await this.#flights.run(key, () => this.#fetchArchive(name));
      if (this.#holds(name, path, sha)) return;
    }
    await this.#flights.run(`${key} ${sha}`, () => this.#fetchBlob(name, path, sha));
  }

  /** Fetches what is missing under a directory: file by file where that is little, else as one archive. */
  async fetchBelow(params: Params): Promise<void> {
    const name = repoOf(params);
    if (this.hasBelow(params)) return;
    const prefix = params['path'] === undefined ? '' : `${params['path']}/`;
    const { replica, mount } = this.#store;
    const missing = replica
      .all(mount, collection('tree', name))
      .filter(({ key }) => !key.endsWith('/') && key.startsWith(prefix))
      .filter(({ key, value }) => !this.#holds(name, key, entrySchema.parse(value).sha));
    if (missing.length > SINGLES) {
      // Of much, whoever walks over it may read little: the reads ask when they come to it.
      if (this.#size(name) > EAGER_ARCHIVE) return;
      await this.#fetchArchive(name);
    }
    // An archive leaves out what `.gitattributes` tells it to (export-ignore).
    for (const { key, value } of missing) {
      const { sha } = entrySchema.parse(value);
      if (!this.#holds(name, key, sha)) await this.#fetchBlob(name, key, sha);
    }
    const tree = replica.listing(mount, collection('tree', name))?.cursor ?? null;
    if (tree !== null) this.#whole.set(placeOf(params), tree);
  }

  /** A commit of ours put these bytes at a path, or removed it (null). */
  wrote(params: Params, bytes: Uint8Array | null): void {
    const { replica, mount } = this.#store;
    const name = repoOf(params);
    const path = params['path'] ?? '';
    const into = collection('tree', name);
    replica.transaction(() => {
      if (bytes === null) {
        replica.remove(mount, into, path);
        replica.remove(mount, collection('contents', name), path);
        this.#dropEmpty(name, path);
      } else {
        const sha = gitName(bytes);
        const put = (key: string, value: { sha: string; type: string }, size: number) =>
          replica.upsert(mount, into, {
            key,
            tag: above(key),
            updatedAt: '',
            size,
            path: null,
            value,
          });
        put(path, { sha, type: 'blob' }, bytes.length);
        for (let up = above(path); up !== ''; up = above(up)) {
          if (this.#head(name, `${up}/`) === null) put(`${up}/`, { sha: '', type: 'tree' }, 4096);
        }
        this.#keep(name, path, sha, bytes);
      }
      const held = replica.listing(mount, into);
      // The tree has another name now, and may be another branch's: the next question is unconditional.
      const cursor = `written ${this.#branches.target(name)}`;
      const url = `${repoUrl(name)}/git/trees/${encodeURIComponent(this.#branches.target(name))}?recursive=1`;
      if (held !== null) replica.setListing(mount, into, { ...held, cursor });
      replica.setValidator(mount, url, null);
    });
  }

  /** Git keeps no empty directory. */
  #dropEmpty(name: RepoName, path: string): void {
    const { replica, mount } = this.#store;
    const into = collection('tree', name);
    for (let up = above(path); up !== ''; up = above(up)) {
      if (replica.heads(mount, into, up).length > 0) return;
      replica.remove(mount, into, `${up}/`);
    }
  }

  async #fetchBlob(name: RepoName, path: string, sha: string): Promise<void> {
    // Not the raw form: its `charset=utf-8` would have it read as text, and binary files broken.
    const { data } = await this.#client.get(`${repoUrl(name)}/git/blobs/${sha}`);
    const blob = expectShape(apiBlobSchema, data, path);
    const bytes = Buffer.from(blob.content, 'base64');
    if (gitName(bytes) !== sha) {
      throw new ServiceFailure('protocol', `GitHub's answer for ${path} is another file's`);
    }
    this.#store.replica.transaction(() => {
      // Another process may hold a newer one by now.
      if (this.#sha(name, path) === sha) this.#keep(name, path, sha, bytes);
    });
  }

  #size(name: RepoName): number {
    const { replica, mount } = this.#store;
    return replica
      .heads(mount, collection('tree', name))
      .reduce((sum, { key, size }) => (key.endsWith('/') ? sum : sum + size), 0);
  }

  async #fetchArchive(name: RepoName): Promise<void> {
    const url = `${repoUrl(name)}/tarball/${encodeURIComponent(this.#branch(name))}`;
    const { data } = await this.#client.archive(url);
    try {
      this.#store.replica.transaction(() => {
        for (const { path, data: bytes } of filesOfArchive(bytesOf(data), 2 * LARGEST_ARCHIVE)) {
          // What was pushed since the tree was listed has another name, and is left out.
          const sha = gitName(bytes);
          if (this.#sha(name, path) === sha) this.#keep(name, path, sha, bytes);
        }
      });
    } catch (cause) {
      const of = `${name.owner}/${name.repo}`;
      throw new ServiceFailure('protocol', `GitHub's archive of ${of} cannot be read`, { cause });
    }
  }

  /** The tree of the first branch there is; no answer for a repository without a commit. */
  async #askTree(name: RepoName, held: string | null) {
    const { replica, mount } = this.#store;
    let last = { answer: null as Answer | null, branch: '', url: '' };
    for (const branch of this.#branches.shown(name)) {
      const url = `${repoUrl(name)}/git/trees/${encodeURIComponent(branch)}?recursive=1`;
      // Of another branch the replica holds nothing that a 304 could stand for.
      const etag = branchOf(held) === branch ? replica.validator(mount, url) : null;
      const answer = await this.#client.get(url, etag).catch((error: unknown) => {
        if (error instanceof ServiceFailure && (error.status === 409 || error.absent)) return null;
        throw error;
      });
      last = { answer, branch, url };
      if (answer !== null) break;
    }
    return last;
  }

  async #syncTree(name: RepoName): Promise<void> {
    const { replica, mount } = this.#store;
    const into = collection('tree', name);
    const now = this.#now().getTime();
    const held = replica.listing(mount, into);
    const { answer, branch, url } = await this.#askTree(name, held?.cursor ?? null);
    if (answer?.status === 304 && held !== null) {
      return replica.setListing(mount, into, { ...held, syncedAt: now });
    }
    const tree = answer === null ? null : expectShape(treeSchema, answer.data, 'the tree');
    replica.transaction(() => {
      const gone = new Set(replica.heads(mount, into).map(({ key }) => key));
      for (const { path, type, sha, size } of tree?.tree ?? []) {
        // A submodule is a commit of another repository: it has no content here.
        if (type !== 'blob' && type !== 'tree') continue;
        const key = type === 'tree' ? `${path}/` : path;
        gone.delete(key);
        replica.upsert(mount, into, {
          key,
          tag: above(path),
          updatedAt: '',
          size: size ?? 4096,
          path: null,
          value: { sha, type },
        });
      }
      for (const key of gone) replica.remove(mount, into, key);
      replica.setListing(mount, into, {
        complete: tree?.truncated !== true,
        syncedAt: now,
        reconciledAt: now,
        cursor: tree === null ? null : `${tree.sha} ${branch}`,
      });
      replica.setValidator(mount, url, answer?.etag ?? null);
      this.#forgetContents(name);
      this.#singles.delete(into);
    });
    if (tree?.truncated === true) throw new ServiceFailure('protocol', TRUNCATED);
  }

  /** Contents of files that are gone, or are others now. */
  #forgetContents(name: RepoName): void {
    const { replica, mount } = this.#store;
    for (const { key, tag } of replica.heads(mount, collection('contents', name))) {
      if (this.#sha(name, key) !== tag) replica.remove(mount, collection('contents', name), key);
    }
  }

  #keep(name: RepoName, path: string, sha: string, bytes: Uint8Array): void {
    const { replica, mount } = this.#store;
    replica.upsert(mount, collection('contents', name), {
      key: path,
      tag: sha,
      updatedAt: sha,
      size: bytes.length,
      // Code is searched literally: in the ranked search it would hide what people wrote.
      path: null,
      value: { base64: Buffer.from(bytes).toString('base64') },
    });
  }

  #held(name: RepoName, path: string, sha: string): Uint8Array | null {
    const { replica, mount } = this.#store;
    const found = replica.get(mount, collection('contents', name), path);
    if (found?.tag !== sha) return null;
    return Buffer.from(contentSchema.parse(found.value).base64, 'base64');
  }

  #holds(name: RepoName, path: string, sha: string): boolean {
    return this.#store.head('contents', name, path)?.tag === sha;
  }

  #head(name: RepoName, key: string): RecordHead | null {
    return this.#store.head('tree', name, key);
  }

  #sha(name: RepoName, path: string): string | null {
    const { replica, mount } = this.#store;
    const found = replica.get(mount, collection('tree', name), path);
    return found === null ? null : entrySchema.parse(found.value).sha;
  }

  #repository({ owner, repo }: RepoName) {
    return this.#store.replica.get(this.#store.mount, REPOS, `${owner}/${repo}`.toLowerCase());
  }

  /** The branch that the tree is of that is held. */
  #branch(name: RepoName): string {
    const { replica, mount } = this.#store;
    const held = replica.listing(mount, collection('tree', name));
    return branchOf(held?.cursor ?? null) ?? this.#branches.main(name);
  }

  /** Git keeps no time of a file; the last push is the latest that it can be of. */
  #pushedAt(name: RepoName): Date {
    const value = z
      .looseObject({ pushed_at: z.string().nullish() })
      .safeParse(this.#repository(name)?.value).data;
    return new Date(value?.pushed_at ?? 0);
  }
}

const TRUNCATED =
  'GitHub lists at most 100,000 entries or 7 MB of a tree, and this one has more: what was left out is not shown; clone it instead';

function placeOf(params: Params): string {
  return `${collection('tree', repoOf(params))} ${params['path'] ?? ''}`;
}

/** A body that is neither JSON nor text. */
function bytesOf(data: unknown): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (data instanceof Uint8Array) return data;
  throw new ServiceFailure('protocol', "GitHub's answer is no file");
}
