/**
 * What is new among the files of a mount that has no feed. Each time it is asked
 * it looks at every file's size and time, and reads those that differ: nothing is
 * missed, as a watcher may miss what happens in a directory that is just made.
 */
import { setImmediate } from 'node:timers/promises';
import { type FsError, isFsError } from '../../errors.ts';
import type { Identity, WalkedFile } from '../../mount/contract/walked-file.ts';
import type { Attachment, MountTable } from '../../namespace/table.ts';
import type { DirentEntry, NamespaceFs } from '../../namespace/types.ts';
import { childOf } from '../../paths.ts';
import type { Pending } from './source.ts';

/** Larger files are data, not text to be read. Bytes. */
const LARGEST_DOCUMENT = 1_000_000;
/** A file changed so shortly before it was looked at may change again within the same time stamp. */
const UNSETTLED_MS = 2_000;
/** Files that are looked at in one go. */
const LOOKED_AT_ONCE = 200;

/** What is new, and what could not be looked at. */
export interface NewFiles {
  pending: Pending[];
  trouble: FsError[];
}

/** A file, and its text when it is asked for; null where it has to be waited for. */
interface Found {
  path: string;
  text: (() => string | null) | null;
  /** What tells its content from any other, where the mount knows that without being asked for the file. */
  identity: Identity | null;
}

export class FileDocuments {
  readonly #table: MountTable;
  readonly #fs: NamespaceFs;
  readonly #attachment: Attachment;
  /** What each file looked like when it was last handed out; at first, when the index read it. */
  readonly #known: Map<string, string>;
  #asked = false;

  /** @param seen what the index has read, and what that looked like */
  constructor(
    table: MountTable,
    fs: NamespaceFs,
    attachment: Attachment,
    seen: Iterable<readonly [path: string, seen: string]>,
  ) {
    this.#known = new Map(seen);
    this.#table = table;
    this.#fs = fs;
    this.#attachment = attachment;
  }

  get point(): string {
    return this.#attachment.point;
  }

  /** False until all files were seen once: until then the index may hold some that are gone. */
  get seen(): boolean {
    return this.#asked;
  }

  /** The files that were there when it was last asked. */
  get paths(): string[] {
    return [...this.#known.keys()];
  }

  /** What is new since it was last asked. */
  async pending(): Promise<NewFiles> {
    const pending: Pending[] = [];
    const trouble: FsError[] = [];
    const gone = new Set(this.#known.keys());
    let looked = 0;
    for await (const { path, text, identity } of this.#walked() ??
      this.#listed(this.point, trouble)) {
      // There may be many: what else is to be done in this thread comes in between.
      if (++looked % LOOKED_AT_ONCE === 0) await setImmediate();
      gone.delete(path);
      const known = this.#known.get(path);
      if (identity !== null && known === identity.join(' ')) continue;
      const look = await this.#look(path);
      const signature = identity?.join(' ') ?? look?.signature ?? null;
      if (signature !== null && known === signature) continue;
      try {
        pending.push({
          path,
          text: text ?? (await this.#read(path)),
          context: () => '',
          ...(look === null ? {} : { changed: look.changed }),
          ...(signature === null ? {} : { seen: signature }),
        });
        this.#known.set(path, signature ?? '');
      } catch (error) {
        if (!isFsError(error)) throw error;
        trouble.push(error);
      }
    }
    for (const path of gone) {
      this.#known.delete(path);
      pending.push({ path, text: () => null, context: () => '' });
    }
    this.#asked = true;
    return { pending, trouble };
  }
  /**
   * The mount's own files, asked of the mount: the index is for all who act in the world, and what
   * one of them may not read is held back when an answer shows it.
   */
  #walked(): Iterable<Found> | null {
    const files = this.#attachment.mount.walk?.('/') ?? null;
    return files === null ? null : this.#shown(files);
  }

  *#shown(files: Iterable<WalkedFile>): Iterable<Found> {
    const { at } = this.#table.place(this.point);
    for (const file of files) {
      const path = this.#table.shown(at, file.path);
      const hidden = this.#table.place(path).at !== at;
      if (hidden || file.costly || isMachinery(file.path)) continue;
      yield { path, text: () => textOf(file.bytes()), identity: file.identity() };
    }
  }

  /** The same of a mount that cannot walk: a directory after the other, as whoever asks may. */
  async *#listed(directory: string, trouble: FsError[]): AsyncIterable<Found> {
    let rows: DirentEntry[];
    try {
      rows = await this.#fs.readdirWithFileTypes(directory);
    } catch (error) {
      if (!isFsError(error)) throw error;
      trouble.push(error);
      return;
    }
    for (const { name, isDirectory, isFile } of rows) {
      const path = childOf(directory, name);
      const own = !this.#table.isPinned(path) && !isMachinery(`/${name}`);
      if (own && isDirectory) yield* this.#listed(path, trouble);
      else if (own && isFile && !this.#fs.costly(path)) yield { path, text: null, identity: null };
    }
  }

  async #read(path: string): Promise<() => string | null> {
    const text = textOf(await this.#fs.readFileBuffer(path));
    return () => text;
  }

  /** When a file was changed, and what tells it from another; null where it is gone. */
  async #look(path: string): Promise<{ changed: string; signature: string | null } | null> {
    try {
      const { size, mtime, ino } = await this.#fs.lstat(path);
      const time = mtime.getTime();
      const settled = Date.now() - time >= UNSETTLED_MS;
      const signature = settled ? `${size} ${time} ${ino ?? ''}` : null;
      return { changed: mtime.toISOString(), signature };
    } catch (error) {
      // It went away between the listing and now: it is read, and found gone.
      if (!isFsError(error)) throw error;
      return null;
    }
  }
}

function textOf(content: Uint8Array | null): string | null {
  if (content === null || content.length > LARGEST_DOCUMENT || content.includes(0)) return null;
  return Buffer.from(content).toString('utf8');
}

/** Files that tools keep for themselves, not texts that somebody wrote. */
function isMachinery(path: string): boolean {
  return /\/(?:\.[^/]+|node_modules)(?:\/|$)/.test(path);
}
