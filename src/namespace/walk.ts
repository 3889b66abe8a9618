/** Walking at once: the files under a directory, over mounts, in the order of a depth-first walk. */
import { isFsError } from '../errors.ts';
import type { Sieve } from '../mount/contract/listing.ts';
import {
  type IdentifiedBytes,
  type Identity,
  type WalkedContent,
  WalkedFile,
} from '../mount/contract/walked-file.ts';
import { childOf, isWithin } from '../paths.ts';
import { isMissing } from './lookup.ts';
import type { Attachment, MountTable, Place } from './table.ts';

interface Part {
  place: Place;
  files: Iterable<WalkedFile>;
}

/**
 * The regular files under a path that is taken as it stands.
 * @param sieve knows of files that they need not be given
 * @param fail what a mount's error becomes
 * @returns null where a mount cannot promise a complete answer at once
 */
export function walkMounts(
  table: MountTable,
  path: string,
  sieve: Sieve | null,
  fail: (error: unknown, path: string) => Error,
): Iterable<WalkedFile> | null {
  const parts: Part[] = [];
  for (const place of [
    table.place(path),
    ...table.below(path).map((at) => table.place(at.point)),
  ]) {
    const files = filesOf(place, table, sieve);
    if (files === null) return null;
    parts.push({ place, files });
  }
  const [first, ...nested] = parts;
  if (first === undefined) return null;
  if (nested.length === 0) return shown(first.place.at, first.files, table, fail);
  nested.sort((a, b) => inWalkOrder(a.place.path, b.place.path));
  return merged(first, nested, table, fail);
}

function filesOf(
  place: Place,
  table: MountTable,
  sieve: Sieve | null,
): Iterable<WalkedFile> | null {
  const { at, inside, path } = place;
  try {
    return at.mount.walk?.(inside, sieve && shownTo(sieve, at, table)) ?? null;
  } catch (error) {
    // A directory that is there only because of what is mounted below has no files of its own;
    // anything else is told, with the right error, by the walk with `readdir`.
    return isMissing(error) && inside !== '/' && table.isAncestor(path) ? [] : null;
  }
}

/** A mount knows its own paths alone. */
function shownTo(sieve: Sieve, at: Attachment, table: MountTable): Sieve {
  return {
    wanted: (listing, inside) => sieve.wanted(listing, table.shown(at, inside)),
    enters: (inside) => sieve.enters(table.shown(at, inside)),
  };
}

/** The files of one part, and those of the parts nested in it where their mount points come. */
function* merged(
  { place, files }: Part,
  nested: readonly Part[],
  table: MountTable,
  fail: (error: unknown, path: string) => Error,
): Generator<WalkedFile> {
  let next = 0;
  const point = (): string | undefined => nested[next]?.place.path;
  /** The part at `next` and what is nested in it in turn. */
  const inner = (): Generator<WalkedFile> => {
    const part = nested[next] as Part;
    const start = next + 1;
    for (next = start; isWithin(part.place.path, point() ?? ''); ) next += 1;
    return merged(part, nested.slice(start, next), table, fail);
  };
  let shadow: string | undefined;
  for (const file of shown(place.at, files, table, fail)) {
    for (let at = point(); at !== undefined && inWalkOrder(at, file.path) <= 0; at = point()) {
      shadow = at;
      yield* inner();
    }
    const hidden = shadow !== undefined && isWithin(shadow, file.path);
    if (!hidden && (nested.length === 0 || !table.isAncestor(file.path))) yield file;
  }
  while (next < nested.length) yield* inner();
}

function* shown(
  at: Attachment,
  files: Iterable<WalkedFile>,
  table: MountTable,
  fail: (error: unknown, path: string) => Error,
): Generator<WalkedFile> {
  // One directory after the other, each with one string for all its files.
  let inside = '/';
  let directory = at.point;
  try {
    for (const file of files) {
      if (file.directory !== inside) {
        inside = file.directory;
        directory = table.shown(at, inside);
      }
      yield new WalkedFile(directory, file.name, new Shown(directory, file, fail), file.costly);
    }
  } catch (error) {
    throw fail(error, at.point);
  }
}

/**
 * The same files, of which those that may not be read freely are not at hand:
 * whoever reads them by their paths is told why, or waits for an answer.
 */
export function* withheld(
  files: Iterable<WalkedFile>,
  isFree: (path: string) => boolean,
): Generator<WalkedFile> {
  for (const file of files) {
    const { directory, name, costly } = file;
    // Asked when it is read: a rule may look at what was read before.
    const content: WalkedContent = {
      bytes: () => (isFree(file.path) ? file.bytes() : null),
      identifiable: file.identifiable,
      identity: () => (isFree(file.path) ? file.identity() : null),
      identified: () => (isFree(file.path) ? file.identified() : null),
    };
    yield new WalkedFile(directory, name, content, costly);
  }
}

/** The content of a mount's file, shown in a directory of the namespace. */
class Shown implements WalkedContent {
  readonly #directory: string;
  readonly #file: WalkedFile;
  readonly #fail: (error: unknown, path: string) => Error;

  constructor(directory: string, file: WalkedFile, fail: (error: unknown, path: string) => Error) {
    this.#directory = directory;
    this.#file = file;
    this.#fail = fail;
  }

  bytes(): Uint8Array | null {
    try {
      return this.#file.bytes();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  get identifiable(): boolean {
    return this.#file.identifiable;
  }

  get directoryKey(): object | undefined {
    return this.#file.directoryKey;
  }

  identity(): Identity | null {
    return this.#file.identity();
  }

  identified(): IdentifiedBytes | null {
    try {
      return this.#file.identified();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** A mount knows its own paths alone. */
  #failure(error: unknown): Error {
    const path = childOf(this.#directory, this.#file.name);
    return this.#fail(isFsError(error) ? error.at(path) : error, path);
  }
}

/** Compares two paths as a depth-first walk meets them: name by name, so that `/` comes before any character. */
function inWalkOrder(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    if (x === y) continue;
    if (x === SLASH) return -1;
    if (y === SLASH) return 1;
    return x - y;
  }
  return a.length - b.length;
}

const SLASH = '/'.charCodeAt(0);
