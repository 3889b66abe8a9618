/**
 * The tree of a branch as the replica has it. Of a tree that GitHub lists in part only, directories
 * are held one by one, each with the name of the tree that it was listed as.
 */
import { z } from 'zod';
import type { ListingState, RecordHead } from '../../src/mount/index.ts';
import { above, branchOf, treeOf } from './git-names.ts';
import { collection, type GithubStore, type RepoName } from './store.ts';

/** What stands at a path: a file's content, a directory, or a commit of another repository. */
export const ENTRY_TYPES = ['blob', 'tree', 'commit'] as const;

/** One entry of a tree as the replica has it. */
export const heldEntrySchema = z.object({ sha: z.string(), type: z.enum(ENTRY_TYPES) });
export type HeldEntry = z.infer<typeof heldEntrySchema>;

/** One entry as it is stored; its path is whole, and that of a directory has no slash at its end. */
export interface NewEntry extends HeldEntry {
  path: string;
  size?: number | undefined;
}

const listedSchema = z.object({ sha: z.string(), cut: z.boolean() });

/** A size for what has none. */
const SOME_BYTES = { blob: 4096, tree: 4096, commit: 256 } as const;

export class HeldTree {
  readonly #store: GithubStore;
  readonly #sizes = new Map<string, { cursor: string | null; bytes: number }>();

  constructor(store: GithubStore) {
    this.#store = store;
  }

  state(name: RepoName): ListingState | null {
    return this.#store.replica.listing(this.#store.mount, collection('tree', name));
  }

  cursor(name: RepoName): string | null {
    return this.state(name)?.cursor ?? null;
  }

  /** The branch that the tree is of; null where none is held. */
  branch(name: RepoName): string | null {
    return branchOf(this.cursor(name));
  }

  /** Does GitHub list it in part only, so that its directories are asked for one by one? */
  isPartial(name: RepoName): boolean {
    return this.state(name)?.complete === false;
  }

  /** A file by its path, a directory by its path and a slash. */
  head(name: RepoName, key: string): RecordHead | null {
    return this.#store.head('tree', name, key);
  }

  entry(name: RepoName, key: string): HeldEntry | null {
    const { replica, mount } = this.#store;
    const found = replica.get(mount, collection('tree', name), key);
    return found === null ? null : heldEntrySchema.parse(found.value);
  }

  /** The entries right below a directory; '' is the root. */
  entries(name: RepoName, directory: string): RecordHead[] {
    return this.#store.heads('tree', name, directory);
  }

  /** Files and submodules below a directory. */
  below(name: RepoName, directory: string): { key: string; entry: HeldEntry }[] {
    const { replica, mount } = this.#store;
    const prefix = directory === '' ? '' : `${directory}/`;
    return replica
      .all(mount, collection('tree', name))
      .filter(({ key }) => !key.endsWith('/') && key.startsWith(prefix))
      .map(({ key, value }) => ({ key, entry: heldEntrySchema.parse(value) }));
  }

  /** Bytes of all files. */
  size(name: RepoName): number {
    const into = collection('tree', name);
    const cursor = this.cursor(name);
    const known = this.#sizes.get(into);
    if (known !== undefined && known.cursor === cursor) return known.bytes;
    const bytes = this.#store
      .heads('tree', name)
      .reduce((sum, { key, size }) => (key.endsWith('/') ? sum : sum + size), 0);
    this.#sizes.set(into, { cursor, bytes });
    return bytes;
  }

  /** Puts one entry in its place. */
  put(name: RepoName, { path, sha, type, size }: NewEntry): void {
    const { replica, mount } = this.#store;
    replica.upsert(mount, collection('tree', name), {
      key: type === 'tree' ? `${path}/` : path,
      tag: above(path),
      updatedAt: '',
      size: size ?? SOME_BYTES[type],
      path: null,
      value: { sha, type },
    });
  }

  remove(name: RepoName, key: string): void {
    this.#store.drop('tree', name, key);
  }

  /** Puts a whole tree in place of what is held. */
  replaceAll(name: RepoName, entries: readonly NewEntry[]): void {
    this.#replace(name, entries, this.#store.heads('tree', name));
  }

  /** Puts the entries of one directory in place; `cut`: GitHub gave some of them only. */
  replaceDirectory(
    name: RepoName,
    directory: string,
    entries: readonly NewEntry[],
    { sha, cut }: { sha: string; cut: boolean },
  ): void {
    const gone = this.#replace(name, entries, cut ? [] : this.entries(name, directory));
    for (const key of gone.filter((one) => one.endsWith('/'))) this.#dropBelow(name, key);
    this.noteListed(name, directory, sha, cut);
  }

  /** Notes as which tree a directory was listed. */
  noteListed(name: RepoName, directory: string, sha: string, cut = false): void {
    const { replica, mount } = this.#store;
    const value = { sha, cut };
    const record = { key: `${directory}/`, updatedAt: '', size: 1, path: null, value };
    replica.upsert(mount, collection('directories', name), record);
    replica.touch(mount, collection('directories', name), record.key);
  }

  /** As which tree a directory was listed, and when; null where it never was. */
  listed(name: RepoName, directory: string) {
    const { replica, mount } = this.#store;
    const found = replica.get(mount, collection('directories', name), `${directory}/`);
    if (found === null) return null;
    return { ...listedSchema.parse(found.value), checkedAt: found.checkedAt };
  }

  /** Is a directory of a partial tree held as it is now? */
  isListed(name: RepoName, directory: string): boolean {
    const now = this.treeSha(name, directory);
    return now !== null && this.listed(name, directory)?.sha === now;
  }

  /** The name of a directory's tree; null where there is no such directory. */
  treeSha(name: RepoName, directory: string): string | null {
    if (directory === '') return treeOf(this.cursor(name));
    return this.entry(name, `${directory}/`)?.sha ?? null;
  }

  /** Git keeps no empty directory. */
  dropEmpty(name: RepoName, path: string): void {
    for (let up = above(path); up !== ''; up = above(up)) {
      if (this.entries(name, up).length > 0) return;
      this.remove(name, `${up}/`);
    }
  }

  /** @returns the keys that were dropped */
  #replace(name: RepoName, entries: readonly NewEntry[], before: readonly RecordHead[]): string[] {
    const gone = new Set(before.map(({ key }) => key));
    for (const entry of entries) {
      gone.delete(entry.type === 'tree' ? `${entry.path}/` : entry.path);
      this.put(name, entry);
    }
    for (const key of gone) this.remove(name, key);
    return [...gone];
  }

  #dropBelow(name: RepoName, prefix: string): void {
    for (const kind of ['tree', 'directories']) {
      for (const { key } of this.#store.heads(kind, name)) {
        if (key.startsWith(prefix)) this.#store.drop(kind, name, key);
      }
    }
  }
}
