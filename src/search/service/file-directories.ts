/**
 * Finding the files of a mount that keeps listings of its directories. Of a directory that has not
 * changed nothing is asked but that; of a large mount's directories the host tells what changes in
 * them, and only those are looked at, with a few of the others each time: what the host does not
 * tell of (a write through a second name, through a mapping) is found in turn.
 */
import { isFsError } from '../../errors.ts';
import type { Listing, Sieve } from '../../mount/contract/listing.ts';
import type { WalkedFile } from '../../mount/contract/walked-file.ts';
import { childOf, isWithin, nameOf, parentOf } from '../../paths.ts';
import { DirectoryWatch, type Due } from './directory-watch.ts';
import type { FileFinder, Look, MetFile } from './file-finder.ts';
import type { FilesOf } from './files-of.ts';
import type { KnownDirectory, KnownFiles } from './known-files.ts';
import { isMachinery } from './left-out.ts';

/** From so many files on the host is asked to tell of changes; fewer are looked at as quickly. */
const WATCHED_FROM = 2_000;
/** Files that are looked at each time although the host told nothing of them. */
const IN_TURN = 1_000;

export class FileDirectories implements FileFinder {
  readonly #of: FilesOf;
  readonly #known: KnownFiles;
  readonly #watch: DirectoryWatch | null;
  /** Directories with files that had no identity yet: they are looked at again. */
  readonly #unsettled = new Set<string>();
  /** Does the mount show its listings to a sieve? Until it was asked it may. */
  #works = true;
  /** Is the host asked to tell of changes? */
  #watches = false;
  #turn: Iterator<KnownDirectory> | null = null;
  #turnFrom = 0;

  constructor(of: FilesOf, known: KnownFiles) {
    this.#of = of;
    this.#known = known;
    const { mount } = of.attachment;
    this.#watch =
      mount.watch === undefined
        ? null
        : new DirectoryWatch(
            (directory, changed) =>
              mount.watch?.(of.table.place(directory).inside, changed) ?? null,
          );
  }

  /** False where the mount gives all files without showing its listings. */
  get works(): boolean {
    return this.#works;
  }

  close(): void {
    this.#watch?.close();
  }

  async *below(scope: string, look: Look): AsyncIterable<MetFile> {
    const watch = this.#watch;
    if (watch !== null && this.#watches) await watch.settled();
    const isDirectory = this.#known.get(scope) !== undefined || (await this.#isDirectory(scope));
    if (!isDirectory) {
      yield* this.#in(parentOf(scope), new Set([nameOf(scope)]), look);
      return;
    }
    this.#known.open(scope);
    const due = this.#due(scope);
    for (const [directory, names] of due) {
      if (this.#known.get(directory) === undefined) continue;
      yield* this.#in(directory, names, look);
      if (!this.#works) return;
      for (const name of this.#known.get(directory)?.below ?? []) {
        const path = childOf(directory, name);
        // A map goes on with what is put in it meanwhile.
        if (this.#known.get(path)?.names === null && !due.has(path)) due.set(path, null);
      }
    }
    if (this.#watches) yield* this.#inTurn(scope, look);
    else if (watch !== null && this.#known.files >= WATCHED_FROM) this.#watches = true;
  }

  async #isDirectory(path: string): Promise<boolean> {
    try {
      return (await this.#of.fs.lstat(path)).isDirectory;
    } catch (error) {
      if (!isFsError(error)) throw error;
      // Listing it says what is wrong with it.
      return true;
    }
  }

  /** The directories at or below a path that have to be looked at, in their order. */
  #due(scope: string): Map<string, Due> {
    const watch = this.#watch;
    const due = new Map<string, Due>(watch?.due(scope));
    for (const path of this.#unsettled) if (isWithin(scope, path)) due.set(path, null);
    if (watch === null || watch.size < this.#known.size) {
      for (const { path } of this.#known.within(scope))
        if (watch?.has(path) !== true) due.set(path, null);
    }
    return due;
  }

  /** A few files of directories that the host told nothing of. */
  async *#inTurn(scope: string, look: Look): AsyncIterable<MetFile> {
    let files = 0;
    // A directory without files is something to look at, too.
    for (let looked = 0; files < IN_TURN && looked < IN_TURN / 10; looked++) {
      this.#turn ??= this.#known.directories[Symbol.iterator]();
      const next = this.#turn.next();
      if (next.done === true) {
        this.#turn = null;
        return;
      }
      const directory = next.value;
      if (!isWithin(scope, directory.path) || this.#known.get(directory.path) !== directory)
        continue;
      const names = directory.names ?? [];
      const some = names.slice(this.#turnFrom, this.#turnFrom + IN_TURN - files);
      files += some.length + 1;
      yield* this.#in(directory.path, new Set(some), look);
      this.#turnFrom += some.length;
      if (this.#turnFrom < names.length) {
        this.#turn = prepended(directory, this.#turn);
        return;
      }
      this.#turnFrom = 0;
    }
  }

  /** What is new in one directory; of its files only those that are due. */
  async *#in(path: string, names: Due, look: Look): AsyncIterable<MetFile> {
    const { table, attachment, fs } = this.#of;
    const watch = this.#watch;
    const due = joined(names, watch?.take(path));
    // Before it is looked at: what changes from now on is told.
    if (this.#watches) watch?.add(path);
    const known = this.#known.open(path);
    this.#unsettled.delete(path);
    const troubles = look.trouble.length;
    let asked = false;
    const sieve: Sieve = {
      enters: () => false,
      wanted: (listing) => {
        asked = true;
        return this.#compare(known, listing, due, look);
      },
    };
    try {
      const files = attachment.mount.walk?.(table.place(path).inside, sieve) ?? null;
      // Listing it says what is wrong; a mount that says nothing cannot be walked.
      if (files === null) await fs.readdirWithFileTypes(path);
      for (const file of files ?? []) {
        if (!asked) break;
        yield this.#met(known, file);
      }
      this.#works = asked;
    } catch (error) {
      if (!isFsError(error)) throw error;
      if (isFsError(error, 'ENOENT')) for (const gone of this.#forget(path)) look.gone(gone);
      else look.trouble.push(error);
    } finally {
      if (look.trouble.length > troubles) this.#again(known);
    }
  }

  #met(directory: KnownDirectory, file: WalkedFile): MetFile {
    const identity = file.identity();
    if (identity === null) this.#unsettled.add(directory.path);
    return { directory, name: file.name, identity, read: () => file.bytes() };
  }

  /** It is compared as a whole the next time. */
  #again(known: KnownDirectory): void {
    known.epoch = undefined;
    if (this.#known.get(known.path) === known) this.#unsettled.add(known.path);
  }

  /** The indices of the names in a listing that are new, or stand for another content. */
  #compare(known: KnownDirectory, listing: Listing, due: Due, look: Look): number[] {
    const isSame = known.names === listing.names;
    const { epoch } = listing;
    if (isSame && epoch !== undefined && known.epoch === epoch) return [];
    if (!isSame) this.#renamed(known, listing, look);
    const wanted: number[] = [];
    for (let index = 0; index < listing.names.length; index++) {
      const name = listing.names[index] as string;
      const before = known.files.get(name);
      const isDue = due === null || due.has(name) || (!isSame && before === undefined);
      if (!isDue) continue;
      if (before != null && listing.is(index, before)) continue;
      if (isMachinery(name)) look.leaveOut(childOf(known.path, name), 'tools');
      else if (!this.#of.table.isPinned(childOf(known.path, name))) wanted.push(index);
    }
    known.names = listing.names;
    // What was not looked at this time may be what has changed.
    if (due === null) known.epoch = epoch;
    return wanted;
  }

  /** Names have come or gone. */
  #renamed(known: KnownDirectory, listing: Listing, look: Look): void {
    const there = new Set(listing.names);
    for (const name of known.files.keys()) {
      if (there.has(name)) continue;
      known.files.delete(name);
      look.gone(childOf(known.path, name));
    }
    const directories = new Set(listing.directories.map(({ name }) => name));
    for (const name of [...known.below]) {
      if (directories.has(name)) continue;
      for (const path of this.#forget(childOf(known.path, name))) look.gone(path);
    }
    for (const name of directories) {
      const path = childOf(known.path, name);
      if (isMachinery(name)) look.leaveOut(path, 'tools');
      else if (this.#of.table.at(path) === undefined) this.#known.open(path);
    }
  }

  #forget(path: string): string[] {
    this.#watch?.remove(path);
    for (const each of this.#unsettled) if (isWithin(path, each)) this.#unsettled.delete(each);
    return this.#known.forget(path);
  }
}

function* prepended(first: KnownDirectory, rest: Iterator<KnownDirectory>) {
  yield first;
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
}

/** What is due by one account or the other. */
function joined(names: Due, more: Due | undefined): Due {
  if (more === undefined) return names;
  return names === null || more === null ? null : new Set([...names, ...more]);
}

/** Of a mount that can be walked; null of any other. */
export function byDirectory(of: FilesOf, known: KnownFiles): FileDirectories | null {
  return of.attachment.mount.walk === undefined ? null : new FileDirectories(of, known);
}
