/**
 * Directories of the host as a walk goes through them. What a directory holds
 * is kept, and counts as long as its i-node and the times of its last change are
 * the same: every name that comes, goes or is exchanged sets these times. What
 * its files hold is told by the identity of each.
 */
import fs from 'node:fs';
import type { Listing, Subdirectory } from '../mount/contract/listing.ts';
import { type Identity, sameIdentity } from '../mount/contract/walked-file.ts';
import { hostPath } from './host.ts';
import type { Identities } from './identities.ts';

/** Names that are kept unless it is said; each takes about 100 bytes. */
const MOST_NAMES = 200_000;

/** What a directory of the host holds, as it was read. */
export class DiskListing implements Listing {
  readonly key: object;
  readonly names: readonly string[];
  readonly directories: readonly Subdirectory[];
  /** Its path on the host. */
  readonly host: string;
  /** What the directory was told by when it was read; null when that may not be relied on. */
  readonly identity: Identity | null;
  readonly #identities: Identities;

  constructor(
    key: object,
    host: string,
    entries: readonly fs.Dirent[],
    identity: Identity | null,
    identities: Identities,
  ) {
    this.key = key;
    this.host = host;
    this.identity = identity;
    this.#identities = identities;
    const names: string[] = [];
    const directories: Subdirectory[] = [];
    // Pipes, sockets and devices are no regular files: a walk passes them over, as it does links.
    for (const entry of entries) {
      if (entry.isDirectory()) directories.push({ name: entry.name, after: names.length });
      else if (entry.isFile()) names.push(entry.name);
    }
    this.directories = directories;
    this.names = names;
  }

  /**
   * Asked of the path, which a link put there meanwhile may lead out of the root: all that the
   * answer is good for is to be compared with the identity of bytes that were read here.
   */
  is(index: number, identity: Identity): boolean {
    const stat = this.stat(this.names[index] as string);
    return stat !== null && this.#identities.holds(stat, identity);
  }

  /** Of a file by its name; null where there is none, or none to be seen: reading it tells what is wrong. */
  stat(name: string): fs.Stats | null {
    try {
      return fs.lstatSync(hostPath(this.host, `/${name}`), ABSENT) ?? null;
    } catch {
      return null;
    }
  }
}

const ABSENT = { throwIfNoEntry: false } as const;

/** The listings of one mount; where they are too many, those that were read longest ago are given up. */
export class DiskListings {
  readonly #identities: Identities;
  readonly #mostNames: number;
  readonly #byPath = new Map<string, DiskListing>();
  #names = 0;

  constructor(identities: Identities, mostNames: number = MOST_NAMES) {
    this.#identities = identities;
    this.#mostNames = mostNames;
  }

  /**
   * The listing of a directory as it is now.
   * @param path in the mount
   * @param at where the directory is reached
   * @param host its path on the host
   * @param read reads it, in the order of the names
   */
  of(path: string, at: string, host: string, read: () => readonly fs.Dirent[]): DiskListing {
    const known = this.#byPath.get(path);
    const before = this.#identities.ofDirectory(fs.lstatSync(at));
    if (known !== undefined && same(known.identity, before)) return known;
    const entries = read();
    const after = before === null ? null : this.#identities.ofDirectory(fs.lstatSync(at));
    const identity = same(before, after) ? after : null;
    const listing = new DiskListing(known?.key ?? {}, host, entries, identity, this.#identities);
    if (known !== undefined) this.#forget(path, known);
    this.#keep(path, listing);
    return listing;
  }

  #forget(path: string, listing: DiskListing): void {
    if (this.#byPath.delete(path)) this.#names -= sizeOf(listing);
  }

  #keep(path: string, listing: DiskListing): void {
    this.#byPath.set(path, listing);
    this.#names += sizeOf(listing);
    for (const [oldest, old] of this.#byPath) {
      if (this.#names <= this.#mostNames) break;
      this.#forget(oldest, old);
    }
  }
}

/** A directory that is empty takes room, too. */
const sizeOf = ({ names, directories }: DiskListing): number =>
  1 + names.length + directories.length;

function same(one: Identity | null, two: Identity | null): boolean {
  return one !== null && two !== null && sameIdentity(one, two);
}
