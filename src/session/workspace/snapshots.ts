/** Keeps a snapshot in step with the files that it is of. */
import fs from 'node:fs';
import { isFsError } from '../../errors.ts';
import type { Work } from '../../slices.ts';
import { replaceFile } from '../../state.ts';
import type { BlobStore } from '../blobs.ts';
import type { FileChange } from '../entry.ts';
import { CHUNK_BYTES, type FileStat, type WorkspaceFiles } from './files.ts';
import { type DirectoryNode, Manifest, type Node } from './manifest.ts';

/** Longer files are listed in a snapshot, and their content is not kept. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** The hashes of files by what `stat` says of them, kept from one process to the next. */
export class StatCache {
  readonly #file: string | null;
  #known: Map<string, { signature: string; hash: string }>;
  #changed = false;

  /** @param file where it is kept; null keeps it in memory */
  constructor(file: string | null) {
    this.#file = file;
    this.#known = new Map(file === null ? [] : readCache(file));
  }

  hash(path: string, signature: string | null): string | undefined {
    const known = this.#known.get(path);
    return known !== undefined && known.signature === signature ? known.hash : undefined;
  }

  set(path: string, signature: string | null, hash: string): void {
    if (signature === null) return;
    this.#known.set(path, { signature, hash });
    this.#changed = true;
  }

  /** Drops what is not in the snapshot any more, and writes it down. */
  save(snapshot: Manifest): void {
    if (this.#file === null || !this.#changed) return;
    const rows = [...this.#known].filter(([path]) => snapshot.get(path)?.type === 'file');
    replaceFile(this.#file, JSON.stringify(rows));
    this.#changed = false;
  }
}

function readCache(file: string): [string, { signature: string; hash: string }][] {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    // It only saves work: without it every file is read again.
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return [];
    throw error;
  }
}

const UNREADABLE = Symbol('what cannot be looked at');

/** What is kept of a file; without a hash where it was too long after all. */
interface Kept {
  size: number;
  hash: string | null;
}

// biome-ignore lint/correctness/useYield: one call is one piece of work
function* call<T>(work: () => T): Work<T> {
  return work();
}

/** A file that the host does not let us read is no reason to have no snapshot of the others. */
function* readable<T>(look: Work<T>): Work<T | typeof UNREADABLE> {
  try {
    return yield* look;
  } catch (error) {
    if (isFsError(error)) return UNREADABLE;
    throw error;
  }
}

/** A snapshot that follows its files. */
export class WorkspaceSnapshots {
  readonly #files: WorkspaceFiles;
  readonly #blobs: BlobStore;
  readonly #cache: StatCache;
  #manifest: Manifest;

  /** @param from the snapshot that the files are known to be equal to; without it nothing is known */
  constructor(files: WorkspaceFiles, blobs: BlobStore, cache = new StatCache(null), from?: string) {
    this.#files = files;
    this.#blobs = blobs;
    this.#cache = cache;
    this.#manifest = new Manifest(blobs, from ?? null);
  }

  /** Looks at every file; reads those that `stat` does not know. @returns the snapshot's hash */
  *takeAll(): Work<string> {
    const fresh = new Manifest(this.#blobs);
    const root = yield* this.#look('/');
    if (root?.type === 'directory') {
      fresh.root.entries = this.#manifest.entries(root);
      fresh.root.unread = root.unread ?? false;
    }
    this.#manifest = fresh;
    return yield* this.seal();
  }

  /**
   * Looks at paths that have changed, and at all that is below them.
   * @returns the files that are different now
   */
  *take(paths: Iterable<string>): Work<FileChange[]> {
    const changes: FileChange[] = [];
    for (const path of paths) {
      if (path === '/') continue;
      // Parents that are new, or have other rights, are looked at by themselves.
      const after = yield* readable(this.#look(path));
      if (after === UNREADABLE) continue;
      for (const change of this.#compare(path, this.#manifest.get(path), after)) {
        changes.push(change);
        yield;
      }
      this.#manifest.set(path, after);
    }
    return changes;
  }

  seal(): Work<string> {
    return this.#manifest.seal();
  }

  /** Writes down what saves work next time. */
  save(): void {
    this.#cache.save(this.#manifest);
  }

  /** Lets go of what was kept open of the files. */
  release(): void {
    this.#files.release?.();
  }

  *#look(path: string): Work<Node | undefined> {
    yield;
    const stat = this.#files.stat(path);
    switch (stat?.type) {
      case 'file':
        return yield* this.#lookAtFile(path, stat);
      case 'symlink': {
        const target = this.#files.readlink(path);
        return target === null ? undefined : { type: 'symlink', target };
      }
      case 'directory':
        return yield* this.#lookAtDirectory(path, stat);
      default:
        return undefined;
    }
  }

  *#lookAtDirectory(path: string, { mode }: FileStat): Work<Node | undefined> {
    const directory: DirectoryNode = { type: 'directory', mode, hash: null, entries: new Map() };
    const names = yield* readable(call(() => this.#files.list(path)));
    if (names === null) return undefined;
    if (names === UNREADABLE) return { ...directory, unread: true };
    const prefix = path === '/' ? '' : path;
    for (const name of names) {
      const node = yield* readable(this.#look(`${prefix}/${name}`));
      if (node === UNREADABLE) directory.unread = true;
      else if (node !== undefined) directory.entries?.set(name, node);
    }
    return directory;
  }

  *#lookAtFile(path: string, { mode, size, mtime, signature }: FileStat): Work<Node | undefined> {
    const node = { type: 'file' as const, mode, size, mtime };
    if (size > MAX_FILE_BYTES) return { ...node, hash: null };
    const known = this.#files.storedHash?.(path) ?? this.#cache.hash(path, signature);
    if (known !== undefined && this.#blobs.has(known)) return { ...node, hash: known };
    const kept = yield* readable(size > CHUNK_BYTES ? this.#keepLong(path) : this.#keep(path));
    if (kept === null) return undefined;
    if (kept === UNREADABLE) return { ...node, hash: null };
    if (kept.hash !== null) this.#cache.set(path, signature, kept.hash);
    return { ...node, ...kept };
  }

  *#keep(path: string): Work<Kept | null> {
    yield;
    const bytes = this.#files.read(path);
    if (bytes === null) return null;
    return { size: bytes.length, hash: this.#blobs.put(bytes, false) };
  }

  /** In pieces; one that grew beyond the limit meanwhile is not kept. */
  *#keepLong(path: string): Work<Kept | null> {
    const chunks = this.#files.chunks(path);
    if (chunks === null) return null;
    const writer = this.#blobs.writer();
    let size = 0;
    try {
      for (const chunk of chunks) {
        writer.write(chunk);
        size += chunk.length;
        if (size > MAX_FILE_BYTES) break;
        yield;
      }
    } catch (error) {
      writer.drop();
      throw error;
    }
    if (size > MAX_FILE_BYTES) {
      writer.drop();
      return { size, hash: null };
    }
    return { size, hash: writer.end() };
  }

  *#compare(path: string, before?: Node, after?: Node): Generator<FileChange> {
    const was = before?.type === 'file' ? before.hash : null;
    const is = after?.type === 'file' ? after.hash : null;
    const files = before?.type === 'file' || after?.type === 'file';
    if (files && (was !== is || before?.type !== after?.type))
      yield { path, before: was, after: is };
    const old = before?.type === 'directory' ? this.#manifest.entries(before) : new Map();
    const fresh = after?.type === 'directory' ? this.#manifest.entries(after) : new Map();
    for (const name of new Set<string>([...old.keys(), ...fresh.keys()]))
      yield* this.#compare(`${path}/${name}`, old.get(name), fresh.get(name));
  }
}
