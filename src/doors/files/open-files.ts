/** The files that programs have open: found by any of their names, loaded, and committed. */
import { FsError, isFsError, sentenceOf } from '../../errors.ts';
import type { Inspection, Made } from '../../namespace/inspect.ts';
import { isWithin, parentOf } from '../../paths.ts';
import type { FsCall } from '../../world/fs-call.ts';
import type { Attributes } from './attributes.ts';
import { KeptContents } from './kept-contents.ts';
import { OpenFile } from './open-file.ts';
import type { Scratch } from './scratch.ts';
import { Untold } from './untold.ts';
import type { WorldFiles } from './world-files.ts';

/** The rights that the world gives what it makes. */
const NEW_FILE = 0o644;

export interface OpenFilesOptions {
  files: WorldFiles;
  scratch: Scratch;
  attributes: Attributes;
  isOfService(path: string): boolean;
  /** The contents of files that were closed take so many bytes at most. */
  keptBytes: number;
  /** Told what no errno can say. */
  onTrouble(message: string): void;
}

export class OpenFiles {
  readonly #options: OpenFilesOptions;
  readonly #byIdentity = new Map<string, OpenFile>();
  readonly #byName = new Map<string, OpenFile>();
  /** Other names of files that have several, as far as they were seen: one of them may outlive the rest. */
  readonly #names = new Map<string, Set<string>>();
  readonly #kept: KeptContents;
  /** Contents that are being written, and were allowed by rules that are others now. */
  readonly #allowedBefore = new Set<OpenFile>();
  /** Counts how often the rules became others. */
  #forgotten = 0;
  readonly #loading = new Map<OpenFile, Promise<void>>();
  /** Commits of one file are made one after the other. */
  readonly #committing = new Map<OpenFile, Promise<void>>();
  readonly #untold = new Untold({
    file: (file) => this.#tell(file),
    calls: (calls) => this.#tellCalls(calls),
  });
  /** How many were made without the world. */
  #made = 0;

  constructor(options: OpenFilesOptions) {
    this.#options = options;
    this.#kept = new KeptContents(options.keptBytes);
  }

  /** An empty file where nothing is and nothing is refused: the world is told of it later. */
  make(path: string, mode: number): OpenFile {
    this.#made += 1;
    const file = new OpenFile(`untold:${this.#made}`, path, 'world');
    file.isUntold = true;
    file.mode = mode;
    file.empty();
    this.add(file, path);
    this.#untold.add(file);
    return file;
  }

  /** A call that nobody refuses: the world is told of it later. */
  putOff(call: FsCall): void {
    this.#untold.add(call);
  }

  /** Makes calls, those that were put off ahead of them in the same message. */
  behind<T>(work: (ahead: readonly FsCall[]) => Promise<T>): Promise<T> {
    return this.#untold.inTurn(null, work);
  }

  /** Resolves once the world knows all that was done; null where it does. */
  told(): Promise<void> | null {
    return this.#untold.told();
  }

  at(path: string): OpenFile | undefined {
    return this.#byName.get(path);
  }

  of(identity: string): OpenFile | undefined {
    return this.#byIdentity.get(identity);
  }

  all(): Iterable<OpenFile> {
    return this.#byIdentity.values();
  }

  /** The file that an entry of the world is, opened by a name. */
  open(path: string, found: Inspection): OpenFile {
    const file = this.#fileOf(path, found);
    if (found.links < 2) this.#onlyNameOf(file, path);
    for (const name of this.#names.get(found.identity) ?? []) file.names.add(name);
    file.links = found.links;
    const base = baseOf(found);
    if (!file.isDirty && isOther(file.base, base) && !this.#committing.has(file)) {
      file.unload();
      file.base = base;
      file.mode = found.mode;
    }
    this.add(file, path);
    return file;
  }

  #fileOf(path: string, { identity }: Inspection): OpenFile {
    const named = this.#byName.get(path);
    // Its text is being replaced: what was told is of the old file, or of the new one already.
    if (named !== undefined && this.#committing.has(named)) return named;
    return this.#byIdentity.get(identity) ?? new OpenFile(identity, path, 'world');
  }

  /** The other names that a file had are no more, or another's. */
  #onlyNameOf(file: OpenFile, path: string): void {
    this.#names.delete(file.identity);
    for (const name of file.names) {
      if (name === path) continue;
      file.names.delete(name);
      if (this.#byName.get(name) === file) this.#byName.delete(name);
    }
  }

  /** A file is found by a name. */
  add(file: OpenFile, path: string): void {
    file.names.add(path);
    this.#byIdentity.set(file.identity, file);
    for (const name of file.names) this.#byName.set(name, file);
  }

  /** An entry was seen by a name: what is open, and has others, is found by it from now on. */
  see(path: string, { identity, links, type }: Inspection): void {
    if (type !== 'file') return;
    const file = this.#byIdentity.get(identity);
    if (file !== undefined) file.links = links;
    if (links < 2) return void this.#names.delete(identity);
    const names = this.#names.get(identity) ?? new Set();
    names.add(path);
    // Some were removed in another way than this.
    this.#names.set(identity, names.size > links ? new Set([path]) : names);
    if (file !== undefined && !file.names.has(path)) this.add(file, path);
  }

  /** The names of a file that has several, as far as they were seen. */
  namesOf(identity: string): Iterable<string> {
    return this.#names.get(identity) ?? [];
  }

  /** A name is gone; the open file, if it was one, goes on under its others, or without. */
  removed(path: string, identity?: string): void {
    if (identity !== undefined) {
      const names = this.#names.get(identity);
      names?.delete(path);
      if (names?.size === 0) this.#names.delete(identity);
    }
    const file = this.#byName.get(path);
    this.#byName.delete(path);
    if (file?.names.delete(path) === true) file.links -= 1;
    // A file that is made anew may get the number of one that is gone.
    if (file?.isRemoved === true) this.#byIdentity.delete(file.identity);
  }

  /** A name, and all names below it, are others now. */
  renamed(from: string, to: string): void {
    const moved = (name: string): string => to + name.slice(from.length);
    const within = [...this.#byName].filter(([name]) => isWithin(from, name));
    for (const [name, file] of within) {
      this.#byName.delete(name);
      file.names.delete(name);
      file.names.add(moved(name));
      this.#byName.set(moved(name), file);
    }
    for (const names of this.#names.values())
      for (const name of [...names].filter((each) => isWithin(from, each))) {
        names.delete(name);
        names.add(moved(name));
      }
  }

  /** Resolves once what of a path, or below it, is on its way to the world has come to its end, well or not. */
  async settled(path: string): Promise<void> {
    for (const [file, done] of [...this.#committing])
      if ([...file.names].some((name) => isWithin(path, name))) await done;
  }

  /**
   * What is here was allowed by rules that are others now: it is asked for anew, by whoever has it
   * open, too. What is being written stays until it is committed, and what has no name any more.
   */
  forget(): void {
    this.#forgotten += 1;
    this.#kept.dropAll();
    for (const file of this.#byIdentity.values()) {
      if (file.keeper === 'scratch' || file.isNew || !file.isLoaded) continue;
      if (file.isDirty || this.#committing.has(file)) this.#allowedBefore.add(file);
      else file.unload();
    }
  }

  /** Gets the content, if it is not here: once for all who want it now. @throws FsError */
  load(file: OpenFile): Promise<void> {
    if (file.isLoaded) return Promise.resolve();
    const under = this.#loading.get(file);
    if (under !== undefined) return under;
    const load = this.#load(file).finally(() => this.#loading.delete(file));
    this.#loading.set(file, load);
    return load;
  }

  async #load(file: OpenFile): Promise<void> {
    const [path] = file.names;
    if (path === undefined) throw new FsError('ESTALE', { path: '/', op: 'read' });
    const kept = this.#kept.get(file.identity);
    if (kept !== undefined && !isOther(file.base, { ...kept, size: kept.bytes.length }))
      return file.load(kept.bytes);
    const forgotten = this.#forgotten;
    const bytes = await this.#options.files.read(path);
    if (file.isLoaded) return;
    if (forgotten !== this.#forgotten) return this.#load(file);
    file.load(bytes);
    if (file.base === null || file.base.size === bytes.length) return;
    // It has changed since its attributes were told.
    file.base.size = bytes.length;
    this.#options.attributes.forget(path);
  }

  /**
   * Has the world take what was written.
   * @throws FsError; what was written is given up then, as the caller is told
   */
  commit(file: OpenFile): Promise<void> {
    const before = this.#committing.get(file) ?? Promise.resolve();
    const commit = before.then(() => this.#commit(file));
    const done = commit
      .catch(() => undefined)
      .then(() => {
        if (this.#committing.get(file) === done) this.#committing.delete(file);
      });
    this.#committing.set(file, done);
    return commit;
  }

  async #commit(file: OpenFile): Promise<void> {
    if (!file.isDirty) return;
    const { changes, size } = file;
    const [path] = file.names;
    if (path === undefined) return file.committed(changes, size);
    if (file.keeper === 'scratch') {
      this.#options.scratch.write(path, file.bytes());
      return file.committed(changes, size);
    }
    try {
      const found = await this.#send(file, path);
      file.committed(changes, size);
      this.#options.attributes.certain.takes(size);
      this.#settle(file, path, found);
    } catch (error) {
      this.#giveUp(file, path, changes);
      throw error;
    }
  }

  /** @returns what it is now; null for a record, of which the service makes what it likes */
  async #send(file: OpenFile, path: string): Promise<Inspection | null> {
    const { files, isOfService, attributes } = this.#options;
    for (const name of file.names) attributes.forget(name);
    if (isOfService(path)) {
      await files.call(['writeFile', path, file.bytes()]);
      return null;
    }
    if (file.isUntold)
      return this.#untold.inTurn(file, (ahead) => this.#sendUntold(file, path, ahead));
    const pending = file.pending();
    const calls: FsCall[] =
      'added' in pending
        ? [['appendFile', path, pending.added]]
        : [['writeFile', path, pending.whole]];
    if (file.isNew && file.mode !== NEW_FILE) calls.push(['chmod', path, file.mode]);
    const { left } = await attributes.after(calls, [path, parentOf(path)]);
    attributes.certain.made(path);
    return left[0] ?? null;
  }

  /** A file that the world may not know yet, with what is in it. */
  async #sendUntold(
    file: OpenFile,
    path: string,
    ahead: readonly FsCall[],
  ): Promise<Inspection | null> {
    const whole: FsCall = ['writeFile', path, file.bytes()];
    const { left } = file.isUntold
      ? await this.#makeFile(file, path, ahead, file.size > 0 ? [whole] : [])
      : await this.#options.attributes.after([...ahead, whole], [path], 'ask');
    const [found = null] = left;
    file.isUntold = false;
    // Whoever opens it next has it by its number, though it may have been written meanwhile.
    if (found !== null) this.#identify(file, found);
    return found;
  }

  /**
   * Has the world make a file, and asks about its directory, unless all is known of that but its time,
   * which is that of the file.
   * @param next what is done with the file at once, and what that leaves asked about; null: neither
   */
  async #makeFile(
    { mode }: OpenFile,
    path: string,
    ahead: readonly FsCall[],
    next: readonly FsCall[] | null,
  ): Promise<{ made: Inspection | null; left: Inspection[] }> {
    const { attributes } = this.#options;
    const above = parentOf(path);
    const isKnown = attributes.lasts(above);
    const asked = [...(next === null ? [] : [path]), ...(isKnown ? [] : [above])];
    const calls = [...ahead, makes(path, mode), ...(next ?? [])];
    const { values, left } = await attributes.after(calls, asked, 'ask');
    const { made } = values[ahead.length] as Made;
    if (isKnown && made !== null) attributes.madeIn(above, made.mtime);
    else if (isKnown) attributes.forget(above);
    return { made, left };
  }

  /** The world is told of a file whose content is still to come. */
  async #tell(file: OpenFile): Promise<void> {
    const [path] = file.names;
    if (!file.isUntold || path === undefined) return;
    const { made } = await this.#makeFile(file, path, [], null);
    // Whoever closes it writes it in any case.
    if (made === null) return;
    file.isUntold = false;
    this.#identify(file, made);
    file.base = baseOf(made);
    if (!file.isOnlyEmptied) return;
    file.committed(file.changes, file.size);
    file.changedAt = null;
  }

  /**
   * Where one is not taken those after it are not made, and of a world that has ended it is not known
   * which were: each goes by itself then.
   */
  async #tellCalls(calls: readonly FsCall[]): Promise<void> {
    const { files, attributes, onTrouble } = this.#options;
    const refused = (call: FsCall, error: unknown): void => {
      // What was known of it is not true.
      attributes.refused(call);
      onTrouble(sentenceOf(error));
    };
    await files.ask(calls).catch(async (error: unknown) => {
      const [call, ...others] = calls;
      if (call !== undefined && others.length === 0 && isFsError(error))
        return refused(call, error);
      for (const each of calls) await files.ask([each]).catch((why: unknown) => refused(each, why));
    });
  }

  #settle(file: OpenFile, path: string, found: Inspection | null): void {
    const { attributes } = this.#options;
    this.replaced(file.identity);
    for (const name of file.names) {
      // What was written by one name was told with it.
      if (name === path && found !== null) continue;
      attributes.forget(name);
      // A commit may make a file: this one, or a record.
      attributes.forget(parentOf(name));
    }
    if (file.isDirty) return;
    if (found === null) {
      file.base = null;
      return file.unload();
    }
    this.#identify(file, found);
    file.base = baseOf(found);
    file.mode = found.mode;
    file.links = found.links;
    file.changedAt = null;
    // A hook may have put another text in its place.
    if (this.#allowedBefore.delete(file) || found.size !== file.size) file.unload();
  }

  /** It was replaced, and what it was is gone with its number, which a new file may get. */
  #identify(file: OpenFile, { identity }: Inspection): void {
    if (identity === file.identity) return;
    this.#names.delete(file.identity);
    this.#kept.drop(file.identity);
    if (this.#byIdentity.get(file.identity) === file) this.#byIdentity.delete(file.identity);
    file.identity = identity;
    if (!file.isRemoved) this.#byIdentity.set(identity, file);
  }

  /** A file was given another time: what it holds is the same. */
  retimed(before: Inspection, after: Inspection): void {
    const kept = this.#kept.get(before.identity);
    if (kept?.mtime === before.mtime && before.identity === after.identity)
      kept.mtime = after.mtime;
  }

  /** A file has another content: of a service, whose times are whole seconds, that need not show. */
  replaced(identity: string): void {
    this.#kept.drop(identity);
  }

  #giveUp(file: OpenFile, path: string, changes: number): void {
    this.#options.attributes.forget(path);
    // What was certain of its directory is not.
    this.#options.attributes.certain.forgetRules();
    if (file.changes !== changes) return;
    file.unload();
    file.isUntold = false;
    file.base = null;
    if (file.isNew) this.removed(path);
  }

  /** One handle less. The content of what nobody has open any more is kept for a while. */
  release(file: OpenFile): void {
    file.handles -= 1;
    if (file.handles > 0) return;
    if (this.#byIdentity.get(file.identity) === file) this.#byIdentity.delete(file.identity);
    for (const name of file.names) if (this.#byName.get(name) === file) this.#byName.delete(name);
    const wasBefore = this.#allowedBefore.delete(file);
    if (file.keeper === 'scratch' || file.isRemoved || !file.isLoaded || file.base === null) return;
    if (wasBefore) return;
    const { mtime, version } = file.base;
    this.#kept.keep(file.identity, { bytes: file.bytes(), mtime, version });
  }
}

type Base = NonNullable<OpenFile['base']>;

const baseOf = ({ mtime, size, version }: Inspection): Base => ({ mtime, size, version });

/** Is it another content, as far as is told of both? */
const isOther = (one: Base | null, other: Base): boolean =>
  one?.mtime !== other.mtime || one.size !== other.size || one.version !== other.version;

/** Nobody else can have made a file that was put off: if one is there all the same, it is not written over. */
const makes = (path: string, mode: number): FsCall => ['make', path, mode, true];

/** Nothing is there, and nobody has more to say about it. */
export const isAbsent = (error: unknown): boolean =>
  isFsError(error, 'ENOENT') || isFsError(error, 'ENOTDIR');
