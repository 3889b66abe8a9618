/**
 * libfuse gives a file that is open another name before it is unlinked or
 * replaced, so that its handles go on. Here they go on by themselves, and the
 * name is none of the world's. Which of the two is to come it does not say; the
 * system call that the program waits in does.
 */
import { readFileSync } from 'node:fs';
import { FsError, sentenceOf } from '../../errors.ts';
import { nameOf } from '../../paths.ts';
import type { FileSystem } from '../files/file-system.ts';
import type { OpenFile } from '../files/open-file.ts';
import type { KernelStat } from '../files/stat.ts';

const HIDDEN = /^\.fuse_hidden[0-9a-f]+$/;

/** @param path null of an open file that has no name any more */
export const isHiddenName = (path: string | null): boolean =>
  path !== null && HIDDEN.test(nameOf(path));

/** The numbers of system calls, as the kernel has them for a machine. */
const CALLS: Readonly<Record<string, { unlink: readonly number[]; rename: readonly number[] }>> = {
  x64: { unlink: [87, 263], rename: [82, 264, 316] },
  arm64: { unlink: [35], rename: [38, 276] },
};

/**
 * What a thread waits in: removing a file, or renaming one onto it.
 * @param thread its id; null where that cannot be told, as of another user's or in another namespace
 */
function waitingIn(thread: number): 'unlink' | 'rename' | null {
  const calls = CALLS[process.arch];
  if (calls === undefined) return null;
  let line: string;
  try {
    line = readFileSync(`/proc/${thread}/syscall`, 'utf8');
  } catch {
    // Not ours to look at; the caller has another way.
    return null;
  }
  const number = Number(line.split(' ', 1)[0]);
  if (calls.unlink.includes(number)) return 'unlink';
  return calls.rename.includes(number) ? 'rename' : null;
}

export interface HiddenOptions {
  files: FileSystem;
  onTrouble(message: string): void;
}

/** How long a removal may be a renaming yet, ms, where the system call cannot be seen. */
const REPLACED_WITHIN_MS = 200;

/** The files that have such a name, until their last handle is closed. */
export class Hidden {
  readonly #options: HiddenOptions;
  /** By the name alone, which no other has: its directory may be renamed. */
  readonly #files = new Map<string, OpenFile>();
  readonly #resized = new Set<string>();
  /** What is removed unless something is renamed onto it at once. */
  readonly #waiting = new Map<string, NodeJS.Timeout>();

  constructor(options: HiddenOptions) {
    this.#options = options;
  }

  /**
   * A file is to get such a name.
   * @param thread what asks
   * @throws FsError where it is to be removed, and may not be
   */
  async hide(path: string, name: string, thread: number): Promise<void> {
    const { files } = this.#options;
    const file = files.opened(path);
    const call = waitingIn(thread);
    if (call === 'unlink') await files.names.unlink(path);
    // What is renamed onto a record is its write: it must not be removed before.
    else if (call === null) this.#waiting.set(path, this.#removeSoon(path));
    if (file !== undefined) this.#files.set(nameOf(name), file);
  }

  /** Something is renamed onto a path now. */
  replacing(path: string): void {
    clearTimeout(this.#waiting.get(path));
    this.#waiting.delete(path);
  }

  /** @throws FsError ENOENT */
  async stat(name: string): Promise<KernelStat> {
    return this.counted(name, this.#options.files.statOf(this.#file(name, 'lstat')));
  }

  /** libfuse takes the hidden name off the number of names that it is told, but for what it tells of a change. */
  counted(name: string, stat: KernelStat): KernelStat {
    return this.#resized.delete(name) ? stat : { ...stat, nlink: stat.nlink + 1 };
  }

  /** Its size was changed, and libfuse asks for its attributes next. */
  resized(name: string): void {
    this.#resized.add(name);
  }

  async truncate(name: string, size: number): Promise<void> {
    this.#file(name, 'truncate').resize(size);
    this.resized(name);
  }

  /** Its last handle is closed. */
  async drop(name: string): Promise<void> {
    this.#files.delete(nameOf(name));
    this.#resized.delete(name);
  }

  #file(name: string, op: string): OpenFile {
    const file = this.#files.get(nameOf(name));
    if (file === undefined) throw new FsError('ENOENT', { path: name, op });
    return file;
  }

  #removeSoon(path: string): NodeJS.Timeout {
    const { files, onTrouble } = this.#options;
    return setTimeout(() => {
      this.#waiting.delete(path);
      files.names.unlink(path).catch((error: unknown) => {
        onTrouble(`${path} was not removed: ${sentenceOf(error)}`);
      });
    }, REPLACED_WITHIN_MS);
  }
}
