/**
 * What is certain while this door has the world to itself: the names in directories in memory, of which
 * what is not among them is not there, and in which of them no file can be refused. Nobody has to be asked.
 */
import type { Location } from '../../namespace/inspect.ts';
import { isWithin, nameOf, parentOf } from '../../paths.ts';
import { parseTextName } from '../../texts/names.ts';
import type { FsCall } from '../../world/fs-call.ts';
import type { WorldFiles } from './world-files.ts';

/** So many names that are not in a directory are asked about before its listing is. */
const MISSES = 2;

/** Where there is less room, bytes, the world is asked first: it may have none for what is made. */
const ROOM_BYTES = 1024 ** 2;

/** What a name takes besides what is in it, in bytes, or more. */
const ENTRY_BYTES = 1024;

/** Bytes of a name, and of a path, that every world takes. */
const NAME_BYTES = 255;
const PATH_BYTES = 4_000;

export class Certain {
  readonly #files: WorldFiles;
  readonly #isInMemory: (path: string) => boolean;
  readonly #names = new Map<string, Set<string>>();
  readonly #misses = new Map<string, number>();
  /** In which directories every change is allowed, and in which not. */
  readonly #allowed = new Map<string, boolean>();
  /** Counts how often the rules became others. */
  #rules = 0;
  /** Bytes that there is room for, at least, in each mount that those directories are in. */
  #room = Number.POSITIVE_INFINITY;
  /** Of which lease all of it is. */
  #lease = 0;

  /** @param isInMemory is a path in a mount of which nobody outside the world has a part? */
  constructor(files: WorldFiles, isInMemory: (path: string) => boolean) {
    this.#files = files;
    this.#isInMemory = isInMemory;
  }

  /** The lease under which what is asked about a path now stays true; 0 for none. */
  leaseFor(path: string): number {
    const { lease } = this.#files;
    if (this.#lease !== lease) {
      this.#names.clear();
      this.#misses.clear();
      this.#allowed.clear();
      this.#lease = lease;
    }
    // A text changes with its document, and is in no listing.
    return lease === 0 || !this.#isInMemory(path) || parseTextName(path) !== null ? 0 : lease;
  }

  /** Is it certain that nothing is there? */
  lacks(path: string): boolean {
    if (this.leaseFor(path) === 0) return false;
    return this.#names.get(parentOf(path))?.has(nameOf(path)) === false;
  }

  /** Nothing was found at a path. @returns is it time to ask for the listing of its directory? */
  missed(path: string): boolean {
    const directory = parentOf(path);
    if (this.leaseFor(path) === 0 || this.leaseFor(directory) === 0) return false;
    if (this.#names.has(directory)) return false;
    const misses = (this.#misses.get(directory) ?? 0) + 1;
    this.#misses.set(directory, misses);
    return misses === MISSES;
  }

  /** All that is in a directory. @param lease under which that was asked */
  listed(directory: string, names: Iterable<string>, lease: number): void {
    if (lease === 0 || lease !== this.leaseFor(directory)) return;
    this.#names.set(directory, new Set(names));
  }

  /** Can a file be made at a path by whoever asks, whatever the world says? */
  canMake(path: string): boolean {
    return this.lacks(path) && this.canChange(path) && isShort(path);
  }

  /** Can what is at a path be changed by whoever asks, whatever the world says? */
  canChange(path: string): boolean {
    return this.leaseFor(path) !== 0 && this.#allowed.get(parentOf(path)) === true;
  }

  /** What is asked to know that of a directory; `learn` takes what came of it. Nothing where it is known, or never certain. */
  asks(directory: string): { calls: FsCall[]; learn(values: readonly unknown[]): void } {
    const lease = this.leaseFor(directory);
    if (lease === 0 || this.#allowed.has(directory)) return { calls: [], learn: () => undefined };
    const rules = this.#rules;
    const learn = (values: readonly unknown[]): void => {
      if (rules !== this.#rules || lease !== this.leaseFor(directory)) return;
      const { kind, allAllowed, capacity } = values[0] as Location;
      const free = capacity?.free ?? Number.POSITIVE_INFINITY;
      const isAllowed = kind === 'memory' && allAllowed && free > ROOM_BYTES;
      this.#allowed.set(directory, isAllowed);
      if (isAllowed) this.#room = Math.min(this.#room, free);
    };
    return { calls: [['locate', directory]], learn };
  }

  /** The rules are others now, or the room. */
  forgetRules(): void {
    this.#rules += 1;
    this.#allowed.clear();
    this.#room = Number.POSITIVE_INFINITY;
  }

  /** An entry was made, or written, with so many bytes in it: once there may be no room, the world is asked again. */
  takes(bytes: number): void {
    this.#room -= ENTRY_BYTES + bytes;
    if (this.#room < ROOM_BYTES) this.forgetRules();
  }

  /** A directory was made: nothing is in it, and its rules are those of the one above. @param lease under which */
  madeDirectory(path: string, lease: number): void {
    this.made(path);
    this.listed(path, [], lease);
    const allowed = this.#allowed.get(parentOf(path));
    if (lease !== 0 && lease === this.leaseFor(path) && allowed !== undefined)
      this.#allowed.set(path, allowed);
  }

  /** A name was given. */
  made(path: string): void {
    this.#names.get(parentOf(path))?.add(nameOf(path));
  }

  /** A name is gone, of a file or of an empty directory. */
  gone(path: string): void {
    this.#names.get(parentOf(path))?.delete(nameOf(path));
    for (const known of [this.#names, this.#misses, this.#allowed]) known.delete(path);
  }

  /** A name is gone, and what was below it, of which more may be known than of itself. */
  goneTree(path: string): void {
    this.gone(path);
    for (const known of [this.#names, this.#misses, this.#allowed])
      for (const directory of known.keys()) if (isWithin(path, directory)) known.delete(directory);
  }
}

const isShort = (path: string): boolean =>
  Buffer.byteLength(nameOf(path)) <= NAME_BYTES && Buffer.byteLength(path) <= PATH_BYTES;
