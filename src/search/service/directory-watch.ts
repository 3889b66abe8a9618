/**
 * Which directories of a mount have to be looked at, because the host told of changes in them.
 * What it tells has arrived, for all that was done before, once the event loop has polled.
 * A queue that was too long loses the rest without a word; so many events mean all directories.
 */
import { setImmediate } from 'node:timers/promises';
import type { Mount } from '../../mount/contract/contract.ts';
import { childOf, isWithin } from '../../paths.ts';

/** Far fewer than a queue holds (16,384, unless the host says otherwise). */
const MANY_EVENTS = 4_000;
/** So many directories are watched of one mount; those beyond are looked at for every question. */
const MOST_WATCHED = 20_000;

/** Names in a directory that have to be looked at; null for all. */
export type Due = ReadonlySet<string> | null;

type Watch = NonNullable<Mount['watch']>;

export class DirectoryWatch {
  readonly #watch: Watch;
  readonly #watched = new Map<string, () => void>();
  readonly #due = new Map<string, Set<string> | null>();
  #events = 0;
  /** The host gives no more of them. */
  #refused = false;

  /** @param watch watches a directory of the namespace */
  constructor(watch: Watch) {
    this.#watch = watch;
  }

  get size(): number {
    return this.#watched.size;
  }

  has(directory: string): boolean {
    return this.#watched.has(directory);
  }

  /** From now on changes in a directory are told; to be called before it is looked at. */
  add(directory: string): void {
    if (this.#refused || this.has(directory) || this.size >= MOST_WATCHED) return;
    const close = this.#watch(directory, (name) => this.#changed(directory, name));
    if (close === null) this.#refused = true;
    else this.#watched.set(directory, close);
  }

  /** Forgets a directory and what is below it. */
  remove(directory: string): void {
    for (const [path, close] of this.#watched) {
      if (!isWithin(directory, path)) continue;
      close();
      this.#watched.delete(path);
      this.#due.delete(path);
    }
  }

  close(): void {
    this.remove('/');
  }

  /** Waits until what has been done so far has been told of. */
  async settled(): Promise<void> {
    // The first may come in a turn of the loop that has polled already.
    await setImmediate();
    await setImmediate();
    if (this.#events >= MANY_EVENTS)
      for (const path of this.#watched.keys()) this.#due.set(path, null);
    this.#events = 0;
  }

  /** The directories at or below a path that have to be looked at. */
  due(path: string): [directory: string, names: Due][] {
    return [...this.#due].filter(([directory]) => isWithin(path, directory));
  }

  /** What is due in a directory, which is going to be looked at; undefined where nothing is. */
  take(directory: string): Due | undefined {
    const due = this.#due.get(directory);
    this.#due.delete(directory);
    return due;
  }

  #changed(directory: string, name: string | null): void {
    this.#events += 1;
    const before = this.#due.get(directory);
    if (name === null) this.#due.set(directory, null);
    else if (before === undefined) this.#due.set(directory, new Set([name]));
    else before?.add(name);
    // A directory of that name may be another one now: its watch is still that of the old one.
    const below = name === null ? directory : childOf(directory, name);
    if (name !== null && this.has(below)) this.remove(below);
  }
}
