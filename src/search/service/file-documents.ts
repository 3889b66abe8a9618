/**
 * What is new among the files of a mount that has no feed. Each time it is asked
 * it looks at every file's size and time, and reads those that differ: nothing is
 * missed, as a watcher may miss what happens in a directory that is just made.
 */
import { isFsError } from '../../errors.ts';
import { WalkedFile } from '../../mount/walked-file.ts';
import type { Attachment } from '../../namespace/table.ts';
import type { NamespaceFs } from '../../namespace/types.ts';
import type { Pending } from './source.ts';

/** Larger files are data, not text to be read. Bytes. */
const LARGEST_DOCUMENT = 1_000_000;
/** A file changed so shortly before it was looked at may change again within the same time stamp. */
const UNSETTLED_MS = 2_000;

export class FileDocuments {
  readonly #fs: NamespaceFs;
  readonly #attachment: Attachment;
  /** What each file looked like when it was last handed out. */
  readonly #known = new Map<string, string>();
  #asked = false;

  constructor(fs: NamespaceFs, attachment: Attachment) {
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

  /** What is new since it was last asked; null where the mount cannot list its files at once. */
  async pending(): Promise<Pending[] | null> {
    const files = this.#fs.walk(this.point) ?? this.#own();
    if (files === null) return null;
    const pending: Pending[] = [];
    const gone = new Set(this.#known.keys());
    for (const file of files) {
      const { path } = file;
      if (isMachinery(path.slice(this.point.length)) || file.costly) continue;
      gone.delete(path);
      const signature = await this.#signature(path);
      if (signature !== null && this.#known.get(path) === signature) continue;
      this.#known.set(path, signature ?? '');
      pending.push({ path, text: () => textOf(file.bytes()), context: () => '' });
    }
    for (const path of gone) {
      this.#known.delete(path);
      pending.push({ path, text: () => null, context: () => '' });
    }
    this.#asked = true;
    return pending;
  }

  /** The mount's own files, where a mount within it has to be asked for its. */
  #own(): Iterable<WalkedFile> | null {
    const walked = this.#attachment.mount.walk?.('/') ?? null;
    return walked === null ? null : shownAt(this.point === '/' ? '' : this.point, walked);
  }

  async #signature(path: string): Promise<string | null> {
    try {
      const { size, mtime, ino } = await this.#fs.lstat(path);
      const changed = mtime.getTime();
      return Date.now() - changed < UNSETTLED_MS ? null : `${size} ${changed} ${ino ?? ''}`;
    } catch (error) {
      // It went away between the listing and now: it is read, and found gone.
      if (!isFsError(error)) throw error;
      return null;
    }
  }
}

/** Files of a mount as the namespace shows them. */
function* shownAt(prefix: string, files: Iterable<WalkedFile>): Iterable<WalkedFile> {
  for (const file of files) {
    const directory = file.directory === '/' ? prefix || '/' : `${prefix}${file.directory}`;
    yield new WalkedFile(directory, file.name, file, file.costly);
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
