/** Finding the files of a mount one by one: by its own walk, by its service's, or by listing it. */
import { createHash } from 'node:crypto';
import { type FsError, isFsError } from '../../errors.ts';
import { type Identity, sameIdentity, type WalkedFile } from '../../mount/contract/walked-file.ts';
import type { DirentEntry } from '../../namespace/types.ts';
import { childOf, nameOf, parentOf } from '../../paths.ts';
import type { FilesOf } from './files-of.ts';
import type { KnownDirectory, KnownFiles } from './known-files.ts';
import { isMachinery, type LeftOutBy } from './left-out.ts';

/** A file that may be new. */
export interface MetFile {
  directory: KnownDirectory;
  name: string;
  /** Tells its content from any other; null where the mount cannot tell. */
  identity: Identity | null;
  /** Reads it; null where it has to be waited for. */
  read: (() => Uint8Array | null) | null;
  /** Its text is another one whenever it is read: it is searched as it stands. */
  momentary?: boolean;
}

/** What finders are told, and tell. */
export interface Look {
  /** May the mount be asked for what it does not have at hand? */
  readonly asks: boolean;
  readonly trouble: FsError[];
  leaveOut(path: string, reason: LeftOutBy): void;
  /** What costs a request is found out anew below a path. */
  forgetCosts(path: string): void;
  /** A file is not there any more. */
  gone(path: string): void;
}

export interface FileFinder {
  /** The files at or below a path, apart from those that are certainly as they were. */
  below(scope: string, look: Look): AsyncIterable<MetFile>;
}

/** Finds all files of a mount whenever it is asked. */
export class EachFile implements FileFinder {
  readonly #of: FilesOf;
  readonly #known: KnownFiles;
  /** Those of tools, too? */
  readonly #ofTools: boolean;
  /** What the texts of a service were made of when they were read. */
  readonly #made = new WeakMap<WalkedFile, Identity>();
  /** What a service's records were when all files of a scope were found, and which of these are another each time. */
  readonly #found = new Map<string, { revision: number; momentary: MetFile[] }>();

  constructor(of: FilesOf, known: KnownFiles, ofTools = false) {
    this.#of = of;
    this.#known = known;
    this.#ofTools = ofTools;
  }

  async *below(scope: string, look: Look): AsyncIterable<MetFile> {
    const revision = this.#of.source?.revision?.() ?? null;
    const before = this.#found.get(scope);
    if (before !== undefined && before.revision === revision) {
      yield* before.momentary;
      return;
    }
    this.#found.delete(scope);
    const momentary: MetFile[] = [];
    const troubles = look.trouble.length;
    look.forgetCosts(scope);
    const met = new Map<KnownDirectory, Set<string>>();
    try {
      for await (const file of this.#files(scope, look)) {
        if (file.momentary === true) momentary.push(file);
        const names = met.get(file.directory);
        if (names === undefined) met.set(file.directory, new Set([file.name]));
        else names.add(file.name);
        yield file;
      }
    } catch (error) {
      if (!isFsError(error)) throw error;
      look.trouble.push(error);
    }
    // What could not be listed is not gone.
    if (look.trouble.length > troubles) return;
    this.#forget(scope, met, look);
    if (revision !== null) this.#found.set(scope, { revision, momentary });
  }

  #forget(scope: string, met: ReadonlyMap<KnownDirectory, ReadonlySet<string>>, look: Look): void {
    for (const directory of [...this.#known.within(scope)]) {
      const names = met.get(directory);
      for (const name of directory.files.keys()) {
        if (names?.has(name) === true) continue;
        directory.files.delete(name);
        look.gone(childOf(directory.path, name));
      }
    }
  }

  async *#files(scope: string, look: Look): AsyncIterable<MetFile> {
    const { source, attachment, table } = this.#of;
    const { inside } = table.place(scope);
    const walked =
      source === undefined ? attachment.mount.walk?.(inside) : (source.otherFiles?.(inside) ?? []);
    if (walked == null) yield* this.#listed(scope, look);
    else yield* this.#walked(walked, look);
  }

  /**
   * The mount's own files, asked of the mount: the index is for all who act in the world, and what
   * one of them may not read is held back when an answer shows it.
   */
  *#walked(files: Iterable<WalkedFile>, look: Look): Iterable<MetFile> {
    const { table, attachment, source } = this.#of;
    for (const file of files) {
      const path = table.shown(attachment, file.path);
      if (table.place(path).at !== attachment) continue;
      if (this.#isOfTools(file, look)) continue;
      if (file.costly) look.leaveOut(path, 'costly');
      else {
        const directory = this.#known.open(table.shown(attachment, file.directory));
        yield source === undefined
          ? metFile(directory, file, file.identity())
          : this.#ofService(directory, file);
      }
    }
  }

  /** A service's text is known by its content, which is the same for another process. */
  #ofService(directory: KnownDirectory, file: WalkedFile): MetFile {
    if (file.momentary) return { ...metFile(directory, file, null), momentary: true };
    const now = file.identity();
    const before = this.#made.get(file);
    const known = directory.files.get(file.name) ?? null;
    if (now !== null && before !== undefined && sameIdentity(now, before))
      return metFile(directory, file, known);
    const found = file.identified();
    if (found === null) return { directory, name: file.name, identity: null, read: null };
    if (found.identity !== null) this.#made.set(file, found.identity);
    return metFile(directory, file, ['sha256', hashOf(found.bytes)]);
  }

  #isOfTools({ directory, name }: WalkedFile, look: Look): boolean {
    if (this.#ofTools) return false;
    const names = [...directory.split('/'), name];
    const at = names.findIndex(isMachinery);
    if (at === -1) return false;
    const { table, attachment } = this.#of;
    look.leaveOut(table.shown(attachment, names.slice(0, at + 1).join('/') || '/'), 'tools');
    return true;
  }

  #place(path: string): Pick<MetFile, 'directory' | 'name'> {
    return { directory: this.#known.open(parentOf(path)), name: nameOf(path) };
  }

  /** Of a mount that cannot walk: a directory after the other, as whoever asks may. */
  async *#listed(path: string, look: Look): AsyncIterable<MetFile> {
    const { table, fs } = this.#of;
    let rows: DirentEntry[];
    try {
      rows = await fs.readdirWithFileTypes(path);
    } catch (error) {
      if (!isFsError(error)) throw error;
      if (error.code === 'ENOTDIR') yield { ...this.#place(path), identity: null, read: null };
      else look.trouble.push(error);
      return;
    }
    for (const { name, isDirectory, isFile } of rows) {
      const below = childOf(path, name);
      if (table.isPinned(below) || !(isDirectory || isFile)) continue;
      if (!this.#ofTools && isMachinery(name)) look.leaveOut(below, 'tools');
      else if (fs.costly(below)) look.leaveOut(below, 'costly');
      else if (isDirectory) yield* this.#listed(below, look);
      else yield { directory: this.#known.open(path), name, identity: null, read: null };
    }
  }
}

const metFile = (
  directory: KnownDirectory,
  file: WalkedFile,
  identity: Identity | null,
): MetFile => ({ directory, name: file.name, identity, read: () => file.bytes() });

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');
