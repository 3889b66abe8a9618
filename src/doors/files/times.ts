/** Times of files beyond those that the world keeps, while the door is open. */
import type { Inspection } from '../../namespace/inspect.ts';
import { isWithin } from '../../paths.ts';
import { type KernelStat, type KernelTime, kernelStat, type OwnTimes } from './stat.ts';

/** So many paths are remembered. */
const MOST = 100_000;

export class Times {
  readonly #owner: { uid: number; gid: number };
  readonly #own = new Map<string, OwnTimes>();
  /** How often the content of a path was seen to change: the kernel is to tell two of one ms apart. */
  readonly #versions = new Map<string, number>();

  constructor(owner: { uid: number; gid: number }) {
    this.#owner = owner;
  }

  statOf(path: string, found: Inspection): KernelStat {
    return kernelStat(found, this.#owner, this.versionOf(path) % 1_000_000, this.#own.get(path));
  }

  /** Counts the changes of a content. */
  versionOf(path: string): number {
    return this.#versions.get(path) ?? 0;
  }

  /** Its content is another. */
  changed(path: string): void {
    this.#versions.set(path, (this.#versions.get(path) ?? 0) + 1);
    const own = this.#own.get(path);
    if (own?.mtime !== undefined) delete own.mtime;
    bound(this.#versions);
  }

  /** Its attributes are others. */
  touched(path: string): void {
    this.#own.set(path, { ...this.#own.get(path), ctime: Date.now() });
    bound(this.#own);
  }

  /** null leaves a time as it is. */
  set(path: string, atime: KernelTime | null, mtime: KernelTime | null): void {
    this.touched(path);
    const own = this.#own.get(path) ?? {};
    if (atime !== null) own.atime = atime;
    if (mtime !== null) own.mtime = mtime;
    this.#own.set(path, own);
  }

  removed(path: string): void {
    this.#own.delete(path);
    // Another file of that name is another content.
    this.changed(path);
  }

  renamed(from: string, to: string): void {
    const moved = [...this.#own].filter(([path]) => isWithin(from, path));
    for (const [path] of moved) this.#own.delete(path);
    for (const [path, own] of moved) this.#own.set(to + path.slice(from.length), own);
    this.changed(to);
    this.touched(to);
  }
}

/** The oldest are forgotten. */
function bound(map: Map<string, unknown>): void {
  if (map.size <= MOST) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    break;
  }
}
