/** Walks the namespace: bytes at hand without awaiting, everything else with bounded concurrency. */

import { isFsError } from '../../src/errors.ts';
import type { Sieve } from '../../src/mount/contract/listing.ts';
import type { WalkedFile } from '../../src/mount/contract/walked-file.ts';
import type { NamespaceFs } from '../../src/namespace/types.ts';
import type { TextSearch } from '../support/literal/trigrams/text-index.ts';

/** Something to search: `bytes` is null where it must be read first. */
export interface Target {
  /** Absolute. */
  path: string;
  bytes(): Uint8Array | null;
  /** As the namespace says: see `NamespaceFs.costly`. */
  costly?: boolean | 'directory';
  /** Met while listing instead of a file: why it cannot be searched. */
  error?: unknown;
}

/** Reads in flight at once. */
const CONCURRENCY = 32;
/** Directories nested deeper than this can only be a loop of links. */
const MAX_DEPTH = 400;

/** Which entries of a directory a walk goes into and yields. `dir` is the absolute path above. */
export interface WalkFilter {
  file(name: string, dir: string): boolean;
  directory(name: string, dir: string): boolean;
  /** Told before the entries of a directory are asked about; it may read rules that lie there. */
  enter?(dir: string, names: readonly string[]): Promise<void>;
  followLinks: boolean;
  /** Told of each file that is passed over because reading it would cost a request of its own. */
  costly?(path: string): void;
  /** Told of each directory that is passed over because listing it would. */
  costlyDirectory(path: string): void;
  /** Levels below the root that are walked; 1 is the root's own files. */
  maxDepth: number;
}

function join(dir: string, name: string): string {
  return dir === '/' ? `/${name}` : `${dir}/${name}`;
}

export const noBytes = (): null => null;

/** What a search knows of files before it reads them. */
export interface Foreknowledge {
  search: TextSearch;
  /**
   * Told of files that are left out because they have no match; null where even
   * such a file is to be visited, as an empty one.
   */
  passedOver: ((files: number) => void) | null;
}

/**
 * All files under a directory, from the namespace's own walk. The filter is
 * asked before bytes are. null where the namespace cannot walk at once.
 */
export function walkAtOnce(
  fs: NamespaceFs,
  root: string,
  filter: WalkFilter,
  known: Foreknowledge | null,
): Iterable<Target> | null {
  if (filter.followLinks || filter.enter !== undefined) return null;
  if (filter.maxDepth !== Number.POSITIVE_INFINITY) return null;
  const isOpen = openDirectories(root, filter);
  const files = fs.walk(root, sieveOf(isOpen, filter, known));
  if (files === null) return null;
  const wanted = filtered(files, isOpen, filter);
  return known === null ? wanted : searched(wanted, known.search);
}

/** Does the filter let a walk go down to a directory? Each is asked about once. */
function openDirectories(root: string, filter: WalkFilter): (dir: string) => boolean {
  const floor = root === '/' ? 1 : root.length;
  const open = new Map<string, boolean>([[root, true]]);
  const isOpen = (dir: string): boolean => {
    if (dir.length <= floor) return true;
    const known = open.get(dir);
    if (known !== undefined) return known;
    const slash = dir.lastIndexOf('/');
    const parent = dir.slice(0, slash) || '/';
    const verdict = isOpen(parent) && filter.directory(dir.slice(slash + 1), parent);
    open.set(dir, verdict);
    return verdict;
  };
  return isOpen;
}

/** Keeps back what the filter would, and what is known to have no match. */
function sieveOf(
  isOpen: (dir: string) => boolean,
  filter: WalkFilter,
  known: Foreknowledge | null,
): Sieve {
  return {
    enters: isOpen,
    wanted: (listing, dir) => {
      if (!isOpen(dir)) return [];
      const wanted: number[] = [];
      let passed = 0;
      for (let index = 0; index < listing.names.length; index++) {
        if (!filter.file(listing.names[index] as string, dir)) continue;
        if (known?.passedOver != null && known.search.misses(listing, index)) passed += 1;
        else wanted.push(index);
      }
      if (passed > 0) known?.passedOver?.(passed);
      return wanted;
    },
  };
}

function* filtered(
  files: Iterable<WalkedFile>,
  isOpen: (dir: string) => boolean,
  filter: WalkFilter,
): Iterable<WalkedFile> {
  let dir = '';
  let dirOpen = true;
  for (const file of files) {
    if (file.directory !== dir) {
      dir = file.directory;
      dirOpen = isOpen(dir);
    }
    if (!dirOpen) continue;
    if (file.costly === 'directory') {
      if (filter.directory(file.name, dir)) filter.costlyDirectory(file.path);
      continue;
    }
    if (!filter.file(file.name, dir)) continue;
    if (file.costly && filter.costly !== undefined) filter.costly(file.path);
    else yield file;
  }
}

function* searched(files: Iterable<WalkedFile>, search: TextSearch): Iterable<Target> {
  for (const file of files) yield file.identifiable ? new SearchedFile(file, search) : file;
}

class SearchedFile implements Target {
  private readonly file: WalkedFile;
  private readonly search: TextSearch;

  constructor(file: WalkedFile, search: TextSearch) {
    this.file = file;
    this.search = search;
  }

  get path(): string {
    return this.file.path;
  }

  bytes(): Uint8Array | null {
    return this.search.bytes(this.file);
  }
}

/**
 * The same, by listing one directory after another, which was prefetched if it is to be. Errors of
 * listings come as targets.
 */
export async function* walkByListing(
  fs: NamespaceFs,
  root: string,
  filter: WalkFilter,
  loop: (path: string) => void,
): AsyncIterable<Target> {
  yield* listed(fs, root, filter, loop, [await realpathOr(fs, root)], 1);
}

async function realpathOr(fs: NamespaceFs, path: string): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch {
    // It cannot be resolved, so it cannot be walked either: the listing says why.
    return path;
  }
}

async function* listed(
  fs: NamespaceFs,
  dir: string,
  filter: WalkFilter,
  loop: (path: string) => void,
  above: readonly string[],
  depth: number,
): AsyncIterable<Target> {
  let entries: Awaited<ReturnType<NamespaceFs['readdirWithFileTypes']>>;
  try {
    entries = await fs.readdirWithFileTypes(dir);
    if (filter.enter !== undefined) {
      const names = entries.map((entry) => entry.name);
      await filter.enter(dir, names);
    }
  } catch (error) {
    yield { path: dir, bytes: noBytes, error };
    return;
  }
  const sorted = [...entries].sort((x, y) => (x.name < y.name ? -1 : x.name > y.name ? 1 : 0));
  for (const entry of sorted) {
    const path = join(dir, entry.name);
    let { isDirectory, isFile } = entry;
    if (entry.isSymbolicLink) {
      if (!filter.followLinks) continue;
      try {
        const stat = await fs.stat(path);
        ({ isDirectory, isFile } = stat);
      } catch (error) {
        if (filter.file(entry.name, dir)) yield { path, bytes: noBytes, error };
        continue;
      }
    }
    if (isFile && filter.file(entry.name, dir)) {
      if (filter.costly !== undefined && fs.costly(path)) filter.costly(path);
      else yield { path, bytes: noBytes };
    }
    if (!isDirectory || depth >= filter.maxDepth || !filter.directory(entry.name, dir)) continue;
    if (fs.costly(path)) {
      filter.costlyDirectory(path);
      continue;
    }
    const real = filter.followLinks ? await realpathOr(fs, path) : path;
    if ((entry.isSymbolicLink && above.includes(real)) || depth > MAX_DEPTH) {
      loop(path);
      continue;
    }
    yield* listed(fs, path, filter, loop, [...above, real], depth + 1);
  }
}

/** What came of reading a target. */
export type Visit = (target: Target, bytes: Uint8Array | null, error: unknown) => boolean;

interface Waiting {
  target: Target;
  content: Promise<{ bytes: Uint8Array | null; error?: unknown }>;
}

async function read(
  fs: NamespaceFs,
  target: Target,
  bytes: Uint8Array | null,
): Promise<{ bytes: Uint8Array | null; error?: unknown }> {
  if (target.error !== undefined) return { bytes: null, error: target.error };
  if (bytes !== null) return { bytes };
  try {
    return { bytes: await fs.readFileBuffer(target.path) };
  } catch (error) {
    return { bytes: null, error };
  }
}

/**
 * Visits targets in their order, until `visit` answers false. What is at hand
 * is visited without awaiting; reads that ask a service run ahead.
 * Gives false if a visit ended it.
 */
export async function visitAll(
  fs: NamespaceFs,
  targets: Iterable<Target> | AsyncIterable<Target>,
  visit: Visit,
): Promise<boolean> {
  const waiting: Waiting[] = [];
  const settle = async (): Promise<boolean> => {
    const { target, content } = waiting.shift() as Waiting;
    const { bytes, error } = await content;
    return visit(target, bytes, error);
  };
  const take = (target: Target): boolean | null => {
    let bytes: Uint8Array | null = null;
    try {
      if (target.error === undefined) bytes = target.bytes();
    } catch (error) {
      if (!isFsError(error)) throw error;
      // It went away since it was listed, say: that is told of it, and the others are visited.
      waiting.push({ target, content: Promise.resolve({ bytes: null, error }) });
      return null;
    }
    if (bytes !== null && waiting.length === 0) return visit(target, bytes, undefined);
    waiting.push({ target, content: read(fs, target, bytes) });
    return null;
  };
  if (Symbol.iterator in targets) {
    for (const target of targets) {
      if (take(target) === false) return false;
      if (waiting.length >= CONCURRENCY && !(await settle())) return false;
    }
  } else {
    for await (const target of targets) {
      if (take(target) === false) return false;
      if (waiting.length >= CONCURRENCY && !(await settle())) return false;
    }
  }
  while (waiting.length > 0) if (!(await settle())) return false;
  return true;
}
