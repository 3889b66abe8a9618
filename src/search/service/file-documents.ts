/**
 * What is new among the files of a mount, as far as a feed does not tell it. Each time it is asked
 * it looks at the size and time of every file in scope that the host has not promised to tell of,
 * and hands out those that differ; what cannot be indexed is kept account of.
 */
import { setImmediate } from 'node:timers/promises';
import { decoded } from '../../decoded.ts';
import { type FsError, isFsError } from '../../errors.ts';
import type { Identity } from '../../mount/contract/walked-file.ts';
import { childOf, isWithin, nameOf, parentOf } from '../../paths.ts';
import { documentFormat } from '../../texts/names.ts';
import type { Unsearched } from '../contract.ts';
import { byDirectory, type FileDirectories } from './file-directories.ts';
import { EachFile, type FileFinder, type Look, type MetFile } from './file-finder.ts';
import type { FilesOf } from './files-of.ts';
import { identityOf, KnownFiles, written } from './known-files.ts';
import { isInMachinery, LARGEST_DOCUMENT, LeftOut } from './left-out.ts';
import type { Pending } from './source.ts';

/** A file changed so shortly before it was looked at may change again within the same time stamp. */
const UNSETTLED_MS = 2_000;
/** Files that are handed out in one go. */
const MET_AT_ONCE = 200;

/** What is new, what is to be searched as it stands, and what could not be looked at. */
export interface NewFiles {
  pending: Pending[];
  literal: Pending[];
  trouble: FsError[];
}

export class FileDocuments {
  readonly #of: FilesOf;
  readonly #known: KnownFiles;
  readonly #leftOut = new LeftOut();
  /** Those that could not be read when their text was wanted. */
  readonly #unreadable = new Map<string, FsError>();
  readonly #directories: FileDirectories | null;
  readonly #each: FileFinder;
  #met = 0;

  /** @param seen what the index has read, and what that looked like */
  constructor(of: FilesOf, seen: Iterable<readonly [path: string, seen: string]>) {
    this.#of = of;
    this.#known = new KnownFiles(this.point);
    this.#directories = of.source === undefined ? byDirectory(of, this.#known) : null;
    this.#each = new EachFile(of, this.#known);
    for (const [path, look] of seen) {
      if (!this.#isOwn(path) || of.source?.isDocument?.(this.#inside(path)) === true) continue;
      this.#known.open(parentOf(path)).files.set(nameOf(path), identityOf(look));
    }
  }

  get point(): string {
    return this.#of.attachment.point;
  }

  close(): void {
    this.#directories?.close();
  }

  /**
   * What is new since it was last asked.
   * @param paths at or below which it is looked for
   * @param asks may the mount be asked for what it does not have at hand?
   */
  async pending(paths: readonly string[], asks: boolean): Promise<NewFiles> {
    const found: NewFiles = { pending: [], literal: [], trouble: [] };
    for (const scope of this.#scopes(paths)) {
      // What tools keep for themselves is looked through where it is named, and not kept.
      const passing = isInMachinery(this.#inside(scope));
      const look = this.#lookAt(found, asks, passing);
      for (const finder of this.#finders(passing)) {
        for await (const file of finder.below(scope, look))
          await this.#meet(file, look, found, passing);
        if (finder !== this.#directories || this.#directories.works) break;
      }
    }
    return found;
  }

  /** Files below some paths that are too large to be indexed. */
  large(paths: readonly string[]): string[] {
    return this.#leftOut.below(paths, 'large');
  }

  /** What could not be read below some paths. */
  unreadable(paths: readonly string[]): FsError[] {
    return [...this.#unreadable.values()].filter(({ path }) =>
      paths.some((each) => isWithin(each, path)),
    );
  }

  /** What is at or below some paths and is not searched. */
  unsearched(paths: readonly string[]): Unsearched[] {
    return this.#leftOut.unsearched(paths);
  }

  #scopes(paths: readonly string[]): string[] {
    const own = paths.flatMap((path) => {
      if (isWithin(path, this.point)) return [this.point];
      return this.#isOwn(path) ? [path] : [];
    });
    return own.filter((path) => !own.some((each) => each !== path && isWithin(each, path)));
  }

  /** What finds files, the next where the one before cannot. */
  #finders(passing: boolean): FileFinder[] {
    if (passing) return [new EachFile(this.#of, new KnownFiles(this.point), true)];
    return this.#directories?.works === true ? [this.#directories, this.#each] : [this.#each];
  }

  #lookAt({ pending, trouble }: NewFiles, asks: boolean, passing: boolean): Look {
    return {
      asks,
      trouble,
      leaveOut: (path, reason) => this.#leftOut.set(path, reason),
      forgetCosts: (path) => this.#leftOut.clear('costly', [path]),
      gone: (path) => {
        this.#leftOut.delete(path);
        this.#unreadable.delete(path);
        if (!passing) pending.push({ path, text: () => null, context: () => '' });
      },
    };
  }

  async #meet(file: MetFile, look: Look, found: NewFiles, passing: boolean): Promise<void> {
    // There may be many: what else is to be done in this thread comes in between.
    if (++this.#met % MET_AT_ONCE === 0) await setImmediate();
    try {
      if (file.momentary === true) {
        found.literal.push(this.#momentary(file));
        return;
      }
      const pending = await this.#handOut(file, look.asks);
      if (pending !== null) found[passing ? 'literal' : 'pending'].push(pending);
    } catch (error) {
      if (!isFsError(error)) throw error;
      file.directory.files.set(file.name, null);
      found.trouble.push(error);
    }
  }

  /** A file that looks otherwise than it did, as it is to be indexed; null where it is the same. */
  async #handOut(file: MetFile, asks: boolean): Promise<Pending | null> {
    const { directory, name, identity } = file;
    if (directory.holds(name, identity)) return null;
    const path = childOf(directory.path, name);
    const about = this.#of.source === undefined ? await this.#look(path) : null;
    const seen = identity ?? about?.identity ?? null;
    if (directory.holds(name, seen)) return null;
    this.#leftOut.delete(path);
    this.#unreadable.delete(path);
    // Of a document it is its text that is indexed.
    const isLarge =
      about !== null && about.size > LARGEST_DOCUMENT && documentFormat(path) === null;
    const read = isLarge ? () => null : (file.read ?? (await this.#read(path, asks)));
    if (read === null) return null;
    if (isLarge) this.#leftOut.set(path, 'large');
    directory.files.set(name, seen);
    return {
      path,
      text: () => this.#textOf(path, read),
      context: () => '',
      ...(about === null ? {} : { changed: about.changed }),
      ...(seen === null ? {} : { seen: written(seen) }),
    };
  }

  #momentary({ directory, name, read }: MetFile): Pending {
    const path = childOf(directory.path, name);
    const text = (): string | null => this.#textOf(path, read ?? (() => null));
    return { path, text, context: () => '', momentary: true };
  }

  async #read(path: string, asks: boolean): Promise<(() => Uint8Array) | null> {
    if (!asks) return null;
    const bytes = await this.#of.fs.readFileBuffer(path);
    return () => bytes;
  }

  /** The text of a file that is to be indexed; null where it is none, which is noted. */
  #textOf(path: string, read: () => Uint8Array | null): string | null {
    let bytes: Uint8Array | null;
    try {
      bytes = read();
    } catch (error) {
      if (!isFsError(error)) throw error;
      // What went away meanwhile, the next look finds gone.
      if (error.code !== 'ENOENT') this.#unreadable.set(path, error.at(path));
      return null;
    }
    if (bytes === null) return null;
    if (bytes.length > LARGEST_DOCUMENT) this.#leftOut.set(path, 'large');
    else if (bytes.includes(0)) this.#leftOut.set(path, 'binary');
    else return decoded(bytes);
    return null;
  }

  /** When a file was changed, its size, and what tells it from another; null where it is gone. */
  async #look(
    path: string,
  ): Promise<{ changed: string; size: number; identity: Identity | null } | null> {
    try {
      const { size, mtime, ino } = await this.#of.fs.lstat(path);
      const time = mtime.getTime();
      const settled = Date.now() - time >= UNSETTLED_MS;
      const identity = settled ? [size, time, String(ino ?? '')] : null;
      return { changed: mtime.toISOString(), size, identity };
    } catch (error) {
      // It went away between the listing and now: it is read, and found gone.
      if (!isFsError(error)) throw error;
      return null;
    }
  }

  #isOwn(path: string): boolean {
    return this.#of.table.place(path).at === this.#of.attachment;
  }

  #inside(path: string): string {
    return this.#of.table.place(path).inside;
  }
}
