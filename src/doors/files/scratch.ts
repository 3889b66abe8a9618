/**
 * Droppings: what programs put beside a record and take away again (swap files,
 * backups, the new text before it is renamed onto the old). No row of the
 * mount's table stands for such a name, so nothing could be sent: it is kept in
 * memory, for as long as the door is open.
 */
import { FsError } from '../../errors.ts';
import type { Inspection } from '../../namespace/inspect.ts';
import { nameOf, parentOf } from '../../paths.ts';

/** The file in the root that names the door's socket: found when named, as `.last` and `.error` are. */
export const DOOR_FILE = '/.door';

/** All of them together may take so many bytes. */
const MOST_BYTES = 256 * 1024 ** 2;

/** What each takes beside its content, names and target included, is counted as so many bytes. */
const ENTRY_BYTES = 8 * 1024;

/** A file, or a link where it has a target. */
export interface ScratchEntry {
  readonly identity: string;
  bytes: Uint8Array;
  target: string | null;
  mode: number;
  /** ms */
  mtime: number;
}

export class Scratch {
  readonly #entries = new Map<string, ScratchEntry>();
  #made = 0;
  #used = 0;

  get(path: string): ScratchEntry | undefined {
    return this.#entries.get(path);
  }

  /** The names in a directory. */
  *in(directory: string): Generator<{ name: string; isLink: boolean }> {
    for (const [path, { target }] of this.#entries)
      if (parentOf(path) === directory && path !== DOOR_FILE)
        yield { name: nameOf(path), isLink: target !== null };
  }

  /** @throws FsError EEXIST, ENOSPC */
  make(path: string, mode: number, target: string | null = null): ScratchEntry {
    if (this.#entries.has(path)) throw new FsError('EEXIST', { path, op: 'open' });
    this.#claim(path, ENTRY_BYTES);
    this.#made += 1;
    const identity = `scratch:${this.#made}`;
    const entry = { identity, bytes: new Uint8Array(), target, mode, mtime: Date.now() };
    this.#entries.set(path, entry);
    return entry;
  }

  /** @throws FsError ENOSPC, ENOENT */
  write(path: string, bytes: Uint8Array): void {
    const entry = this.#entries.get(path);
    if (entry === undefined) throw new FsError('ENOENT', { path, op: 'write' });
    this.#claim(path, bytes.length - entry.bytes.length);
    entry.bytes = new Uint8Array(bytes);
    entry.mtime = Date.now();
  }

  remove(path: string): void {
    const entry = this.#entries.get(path);
    if (entry === undefined) return;
    this.#used -= ENTRY_BYTES + entry.bytes.length;
    this.#entries.delete(path);
  }

  /** There is to be so much more. @throws FsError ENOSPC */
  #claim(path: string, bytes: number): void {
    if (this.#used + bytes > MOST_BYTES) {
      throw new FsError('ENOSPC', {
        path,
        op: 'write',
        reason: `no service has files of this name, so it is kept in memory while the door is open, where all of them may take ${MOST_BYTES} bytes, ${ENTRY_BYTES} of which each takes by itself: write it into /workspace or /tmp`,
      });
    }
    this.#used += bytes;
  }

  /** Gives an entry another name, over what has it. */
  rename(from: string, to: string): void {
    const entry = this.#entries.get(from);
    if (entry === undefined) throw new FsError('ENOENT', { path: from, op: 'rename' });
    if (from === to) return;
    this.remove(to);
    this.#entries.delete(from);
    this.#entries.set(to, entry);
  }
}

/**
 * What is known of a dropping.
 * @param size that of an open file, which may not have been written yet
 */
export function ofScratch(entry: ScratchEntry, size?: number): Inspection {
  const { bytes, target, mode, mtime, identity } = entry;
  const isLink = target !== null;
  return {
    type: isLink ? 'symlink' : 'file',
    mode,
    size: isLink ? Buffer.byteLength(target) : (size ?? bytes.length),
    estimated: false,
    mtime,
    identity,
    links: 1,
  };
}
