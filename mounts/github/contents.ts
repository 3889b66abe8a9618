/**
 * The contents of files as the replica has them, and how one is asked for. Each is kept with Git's
 * name of it, so what did not change is never fetched again.
 */
import { z } from 'zod';
import { ServiceFailure } from '../../src/mount/index.ts';
import type { GithubClient } from './client.ts';
import { gitName } from './git-names.ts';
import type { HeldEntry, HeldTree } from './held-tree.ts';
import { expectShape } from './schemas.ts';
import { collection, contentsUrl, type GithubStore, type RepoName, repoUrl } from './store.ts';
import { filesOfArchive } from './tar.ts';

const apiBlobSchema = z.looseObject({ content: z.string(), encoding: z.literal('base64') });
const contentSchema = z.object({ base64: z.string() });
const submoduleSchema = z.looseObject({
  type: z.literal('submodule'),
  sha: z.string(),
  submodule_git_url: z.string().nullish(),
});

/** See https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md: a pointer has less than 1,024 bytes. */
const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:[^\n]*\n)*size (\d+)\n/;
const LARGEST_POINTER = 1024;

export class GithubContents {
  readonly #client: GithubClient;
  readonly #store: GithubStore;
  readonly #tree: HeldTree;

  constructor(client: GithubClient, store: GithubStore, tree: HeldTree) {
    this.#client = client;
    this.#store = store;
    this.#tree = tree;
  }

  has(name: RepoName, path: string, sha: string): boolean {
    return this.#store.head('contents', name, path)?.tag === sha;
  }

  get(name: RepoName, path: string, sha: string): Uint8Array | null {
    const { replica, mount } = this.#store;
    const found = replica.get(mount, collection('contents', name), path);
    if (found?.tag !== sha) return null;
    return Buffer.from(contentSchema.parse(found.value).base64, 'base64');
  }

  keep(name: RepoName, path: string, sha: string, bytes: Uint8Array): void {
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

  /** What is missing below a directory. */
  missing(name: RepoName, directory: string): { path: string; entry: HeldEntry }[] {
    return this.#tree
      .below(name, directory)
      .filter(({ key, entry }) => !this.has(name, key, entry.sha))
      .map(({ key, entry }) => ({ path: key, entry }));
  }

  /** Forgets contents of files that are gone, or are others now. */
  forget(name: RepoName): void {
    for (const { key, tag } of this.#store.heads('contents', name)) {
      if (this.#tree.entry(name, key)?.sha !== tag) this.#store.drop('contents', name, key);
    }
  }

  /** Asks for one content, and keeps it. Throws ServiceFailure. */
  async fetch(name: RepoName, path: string, { sha, type }: HeldEntry): Promise<void> {
    const bytes =
      type === 'commit'
        ? await this.#submodule(name, path, sha)
        : await this.#blob(name, path, sha);
    this.#store.replica.transaction(() => {
      // Another process may hold a newer one by now.
      if (this.#tree.entry(name, path)?.sha === sha) this.keep(name, path, sha, bytes);
    });
  }

  /**
   * Asks for the archive of a branch, and keeps what is in it of the tree that is held.
   *
   * @param limit bytes of the unpacked archive
   * @throws ServiceFailure
   */
  async fetchArchive(name: RepoName, branch: string, limit: number): Promise<void> {
    const url = `${repoUrl(name)}/tarball/${encodeURIComponent(branch)}`;
    const { data } = await this.#client.archive(url);
    try {
      this.#store.replica.transaction(() => {
        for (const { path, data: bytes } of filesOfArchive(bytesOf(data), limit)) {
          // What was pushed since the tree was listed has another name, and is left out.
          const sha = gitName(bytes);
          if (this.#tree.entry(name, path)?.sha === sha) this.keep(name, path, sha, bytes);
        }
      });
    } catch (cause) {
      throw new ServiceFailure('protocol', 'what came is no archive that can be read', { cause });
    }
  }

  async #blob(name: RepoName, path: string, sha: string): Promise<Uint8Array> {
    // Not the raw form: its `charset=utf-8` would have it read as text, and binary files broken.
    const { data } = await this.#client.get(`${repoUrl(name)}/git/blobs/${sha}`);
    const blob = expectShape(apiBlobSchema, data, path);
    const bytes = Buffer.from(blob.content, 'base64');
    if (gitName(bytes) === sha) return bytes;
    throw new ServiceFailure('protocol', `GitHub's answer for ${path} is another file's`);
  }

  /** A submodule has no content here: its text says what it is, and where its files are. */
  async #submodule(name: RepoName, path: string, sha: string): Promise<Uint8Array> {
    const branch = this.#tree.branch(name) ?? 'HEAD';
    const url = `${contentsUrl(name, path)}?ref=${encodeURIComponent(branch)}`;
    const { data } = await this.#client.get(url, null, 'application/vnd.github.object+json');
    const { submodule_git_url: from } = expectShape(submoduleSchema, data, path);
    const where = from == null || from === '' ? '.gitmodules does not say where it is' : from;
    return Buffer.from(`Subproject commit ${sha}\nurl: ${where}\n\n${SUBMODULE}`);
  }
}

const SUBMODULE =
  'This is a Git submodule and no file: at this path stands a commit of another repository, whose\nfiles are not shown here. Read them where that repository is.\n';

/** Of the pointer that Git LFS keeps in a file's place, the size of the file in bytes; null for anything else. */
export function pointedSize(bytes: Uint8Array): number | null {
  if (bytes.length >= LARGEST_POINTER) return null;
  const [, size] = POINTER.exec(Buffer.from(bytes).toString('latin1')) ?? [];
  return size === undefined ? null : Number(size);
}

/** A body that is neither JSON nor text. */
function bytesOf(data: unknown): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (data instanceof Uint8Array) return data;
  throw new Error('the answer is no archive');
}
