/**
 * The namespace: the root file system, and the only thing a front end ever
 * talks to. It composes mounts, follows links across them, asks the gate before
 * every change, bounds every operation in time, and keeps the true errors.
 */
import { type FsStat, unsafeBytesFromLatin1 } from 'just-bash';
import { FsError, isFsError } from '../errors.ts';
import type { MountStat } from '../mount/contract/contract.ts';
import type { Sieve } from '../mount/contract/listing.ts';
import type { ProgramInput, ProgramOutput } from '../mount/contract/program.ts';
import type { WalkedFile } from '../mount/contract/walked-file.ts';
import { NOWHERE, resolvePath } from '../paths.ts';
import type { DocumentTexts } from '../texts/texts.ts';
import { otherCall } from './consider.ts';
import { Edits, type WriteTerms } from './edits.ts';
import { decodeText, encodeContent } from './encoding.ts';
import { Guard, type GuardOptions } from './guard.ts';
import { HeldWrites } from './held-writes.ts';
import { type Inspection, inspect, type Location, locate, type Made } from './inspect.ts';
import { isMissing, Lookup } from './lookup.ts';
import { Reads } from './reads.ts';
import { stampOf } from './stamp.ts';
import { createSurvey } from './survey.ts';
import type { MountTable, Place } from './table.ts';
import { Trees } from './tree.ts';
import type { DirentEntry, DocumentFs, DoorFs, NamespaceFs } from './types.ts';
import { walkMounts, withheld } from './walk.ts';

type FileContent = string | Uint8Array;
type Encoding = Parameters<NamespaceFs['writeFile']>[2];

/** What a namespace is made with. */
export interface NamespaceOptions extends GuardOptions {
  table: MountTable;
  /** Shows the texts of documents beside them. */
  texts?: DocumentTexts;
}

/** The composed file system. Every method fails with an `FsError` that names the caller's path. */
export class Namespace implements DocumentFs, DoorFs {
  readonly #table: MountTable;
  readonly #guard: Guard;
  readonly #lookup: Lookup;
  readonly #held: HeldWrites;
  readonly #reads: Reads;
  readonly #edits: Edits;
  readonly #trees: Trees;

  constructor({ table, texts, ...guard }: NamespaceOptions) {
    this.#table = table;
    this.#guard = new Guard(guard);
    this.#held = new HeldWrites(this.#guard.strands);
    this.#reads = new Reads(table, this.#guard, this.#held);
    this.#lookup = new Lookup(table, this.#guard, texts ?? null);
    const read: Reads['read'] = (place, allowed) => this.#reads.read(place, allowed);
    this.#guard.survey = createSurvey(this.#lookup, this.#guard, (place) => read(place, true));
    this.#edits = new Edits(table, this.#guard, this.#lookup, this.#held);
    this.#trees = new Trees({
      table,
      guard: this.#guard,
      lookup: this.#lookup,
      edits: this.#edits,
      read,
    });
  }

  // --- reading

  async readFileBuffer(path: string): Promise<Uint8Array> {
    return this.#guard.run('open', [path], async () =>
      this.#reads.read(await this.#lookup.resolve(path, true, 'open')),
    );
  }

  async readFile(path: string, options?: Parameters<NamespaceFs['readFile']>[1]): Promise<string> {
    return decodeText(await this.readFileBuffer(path), options);
  }

  async readFileBytes(path: string) {
    return unsafeBytesFromLatin1(decodeText(await this.readFileBuffer(path), 'latin1'));
  }

  async exists(path: string): Promise<boolean> {
    try {
      return await this.#guard.run('stat', [path], async () => {
        const place = await this.#lookup.resolve(path, true, 'stat');
        return this.#held.has(place.path) || (await this.#lookup.isThere(place));
      });
    } catch (error) {
      if (isFsError(error) && !error.loud) return false;
      throw error;
    }
  }

  async stat(path: string): Promise<FsStat> {
    return this.#guard.run('stat', [path], async () =>
      this.#stat(await this.#lookup.resolve(path, true, 'stat')),
    );
  }

  async lstat(path: string): Promise<FsStat> {
    return this.#guard.run('lstat', [path], async () =>
      this.#stat(await this.#lookup.resolve(path, false, 'lstat')),
    );
  }

  async inspect(path: string): Promise<Inspection> {
    return this.#guard.run('lstat', [path], async () => {
      return this.#inspected(await this.#lookup.resolve(path, false, 'lstat'));
    });
  }

  async #inspected(place: Place): Promise<Inspection> {
    const stat = await this.#attributes(place);
    return inspect(place, stat, this.#guard, () => this.#reads.read(place));
  }

  /** @see stampOf */
  async stamp(point: string): Promise<string | null> {
    return stampOf(this.#table, resolvePath('/', point), this.#guard, this.#held);
  }

  async locate(path: string): Promise<Location> {
    return this.#guard.run('lstat', [path], async () => {
      const place = await this.#lookup.resolve(path, false, 'lstat');
      return locate(place, this.#table.isSearchable(place.path), this.#guard.keeper);
    });
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.#list(path)).map((row) => row.name);
  }

  async readdirWithFileTypes(path: string): Promise<DirentEntry[]> {
    return (await this.#list(path)).map(({ name, type }) => ({
      name,
      isFile: type === 'file',
      isDirectory: type === 'directory',
      isSymbolicLink: type === 'symlink',
    }));
  }

  async readlink(path: string): Promise<string> {
    return this.#guard.run('readlink', [path], async () => {
      const place = await this.#lookup.resolve(path, false, 'readlink');
      const { type } = await this.#attributes(place);
      if (type !== 'symlink') throw new FsError('EINVAL', { path: place.named, op: 'readlink' });
      const target = await this.#guard.ask(place, 'readlink', async (mount, inside) => {
        if (mount.readlink === undefined)
          throw new FsError('EINVAL', { path: inside, op: 'readlink' });
        return mount.readlink(inside);
      });
      this.#guard.keeper?.noteRead(place.at.point, place.path);
      return target;
    });
  }

  async realpath(path: string): Promise<string> {
    return this.#guard.run('realpath', [path], async () => {
      const place = await this.#lookup.resolve(path, true, 'realpath');
      await this.#attributes(place);
      this.#guard.keeper?.noteRead(place.at.point, place.path, 'path');
      return place.path;
    });
  }

  resolvePath(base: string, path: string): string {
    return path === '' ? NOWHERE : resolvePath(base, path);
  }

  /** Only `ls` with an unexpanded glob asks; it then finds nothing, as it should. */
  getAllPaths(): string[] {
    return [];
  }

  // --- changing

  async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    const data = encodeContent(content, options);
    return this.#guard.run('open', [path], async () => {
      await this.#edits.write(await this.#lookup.resolve(path, true, 'open'), data);
    });
  }

  async appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    const data = encodeContent(content, options);
    return this.#guard.run('open', [path], async () =>
      this.#edits.append(await this.#lookup.resolve(path, true, 'open'), data),
    );
  }

  /**
   * What an open of a file for writing, or for appending, would be refused, and what is to be known
   * of the writes that follow. Nothing is written, and nobody is asked.
   */
  async checkWrite(path: string, op: 'write' | 'append'): Promise<WriteTerms> {
    return this.#guard.run('open', [path], async () =>
      this.#edits.checkWrite(await this.#lookup.resolve(path, true, 'open'), op),
    );
  }

  /**
   * open(2) with O_CREAT and O_EXCL: makes a file, unless something is there already, or nothing may
   * be written before all of it is known.
   * @param mode its permission bits
   * @param exclusive throws EEXIST where something is there, so that no call behind it is made
   */
  async make(path: string, mode: number, exclusive = false): Promise<Made> {
    return this.#guard.run('open', [path], async () => {
      const place = await this.#lookup.resolve(path, true, 'open');
      const terms = await this.#edits.make(place, mode);
      if (exclusive && terms.there) throw new FsError('EEXIST', { path, op: 'open' });
      return { ...terms, made: terms.there || terms.whole ? null : await this.#inspected(place) };
    });
  }

  async mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    return this.#guard.run('mkdir', [path], async () => {
      if (options?.recursive === true) return this.#edits.mkdirs(resolvePath('/', path));
      await this.#edits.mkdir(await this.#lookup.resolve(path, false, 'mkdir'));
    });
  }

  async rm(path: string, options: { recursive?: boolean; force?: boolean } = {}): Promise<void> {
    return this.#guard.run('unlink', [path], async () => {
      let place: Place;
      let stat: MountStat;
      try {
        place = await this.#lookup.resolve(path, false, 'unlink');
        stat = await this.#attributes(place);
      } catch (error) {
        if (options.force === true && isMissing(error) && !(error as FsError).loud) return;
        throw error;
      }
      if (stat.type !== 'directory') return this.#edits.unlink(place);
      return options.recursive === true ? this.#trees.remove(place) : this.#edits.rmdir(place);
    });
  }

  async cp(source: string, target: string, options: { recursive?: boolean } = {}): Promise<void> {
    return this.#guard.run('copyfile', [source, target], async () => {
      const recursive = options.recursive === true;
      const from = await this.#lookup.resolve(source, !recursive, 'copyfile');
      const stat = await this.#attributes(from);
      if (stat.type === 'directory' && !recursive)
        throw new FsError('EISDIR', { path: from.named, op: 'copyfile' });
      await this.#trees.copy(from, stat, target);
    });
  }

  async mv(source: string, target: string): Promise<void> {
    return this.#guard.run('rename', [source, target], async () => {
      const from = await this.#lookup.resolve(source, false, 'rename');
      const to = await this.#lookup.resolve(target, false, 'rename');
      await this.#trees.move(from, await this.#attributes(from), to);
    });
  }

  async chmod(path: string, mode: number): Promise<void> {
    return this.#guard.run('chmod', [path], async () =>
      this.#edits.chmod(await this.#lookup.resolve(path, true, 'chmod'), mode),
    );
  }

  async utimes(path: string, _atime: Date, mtime: Date): Promise<void> {
    return this.#guard.run('utimes', [path], async () =>
      this.#edits.utimes(await this.#lookup.resolve(path, true, 'utimes'), mtime),
    );
  }

  async symlink(target: string, path: string): Promise<void> {
    return this.#guard.run('symlink', [path], async () =>
      this.#edits.symlink(target, await this.#lookup.resolve(path, false, 'symlink')),
    );
  }

  /** As link(2) on Linux does, a link is not followed: it is what gets a second name. */
  async link(existing: string, path: string): Promise<void> {
    return this.#guard.run('link', [existing, path], async () => {
      const from = await this.#lookup.resolve(existing, false, 'link');
      await this.#edits.link(from, await this.#lookup.resolve(path, false, 'link'));
    });
  }

  // --- beyond just-bash's interface

  async call(
    path: string,
    input: ProgramInput,
    signal: AbortSignal,
  ): Promise<ProgramOutput | null> {
    return this.#guard.run('call', [path], async () => {
      const place = await this.#lookup.resolve(path, true, 'call');
      if (place.at.mount.plan === undefined || place.document !== undefined) return null;
      if (this.#guard.keeper?.watchesReads === true) await this.#guard.allow('read', place);
      const planned = await this.#guard.ask(
        place,
        'call',
        async (mount, inside) => (await mount.plan?.(inside, input)) ?? null,
      );
      if (planned === null) return null;
      this.#guard.keeper?.noteRead(place.at.point, place.path);
      if ('exitCode' in planned) return planned;
      const { program, effect, shown } = planned;
      const data = Buffer.from(shown);
      const allowed = await this.#guard.allowAll([
        { op: 'call', place, intent: { data }, call: { program, effect } },
      ]);
      if (allowed?.replaced === true) throw otherCall(place);
      return this.#guard.carryOut(place, planned, signal);
    });
  }

  async prefetch(path: string): Promise<readonly FsError[]> {
    return this.#guard.run('prefetch', [path], async () => {
      const failures: FsError[] = [];
      const start = await this.#lookup.resolve(path, true, 'prefetch');
      const below = this.#table.below(start.path).map((at) => this.#table.place(at.point));
      for (const place of [start, ...below]) {
        try {
          await this.#guard.ask(place, 'prefetch', async (mount, inside) =>
            mount.prefetch?.(inside),
          );
        } catch (error) {
          if (!isFsError(error)) throw error;
          failures.push(error);
        }
      }
      return failures;
    });
  }

  walk(path: string, sieve: Sieve | null = null): Iterable<WalkedFile> | null {
    const start = resolvePath('/', path);
    if (this.#held.within(start).length > 0) return null;
    const { keeper } = this.#guard;
    // Where each reading is asked about, none may be left out.
    const watched = keeper?.watchesReads === true;
    const fail = (error: unknown, at: string): Error => this.#guard.fault(error, 'open', at);
    const files = walkMounts(this.#table, start, watched ? null : sieve, fail);
    // Where it is not walked at once, each reading is noted as it is done.
    if (files === null || keeper === null) return files;
    const { at, path: real } = this.#table.place(start);
    keeper.noteRead(at.point, real, 'tree');
    for (const { point } of this.#table.below(start)) keeper.noteRead(point, point, 'tree');
    if (!watched) return files;
    return withheld(files, (path) => this.#guard.readsFreely(this.#table.place(path)));
  }

  endlessRead(): string | null {
    return this.#guard.faults.endless();
  }

  noteEndless(command: string): void {
    this.#guard.faults.recordEndless(command);
  }

  enough(): void {
    this.#guard.faults.enough();
  }

  searchable(path: string): boolean {
    return this.#table.isSearchable(resolvePath('/', path));
  }

  separately<T>(run: () => T): T {
    return this.#guard.strands.begin(run);
  }

  errorMark(): number {
    return this.#guard.faults.mark();
  }

  errorsSince(mark: number): readonly FsError[] {
    return this.#guard.faults.since(mark);
  }

  /**
   * Text of a file that was come by without reading it here, such as a line of
   * an index, as a read of the file would have shown it.
   * @throws FsError EACCES where the file may not be read
   */
  async screen(path: string, text: string): Promise<string> {
    if (this.#guard.keeper === null) return text;
    return this.#guard.run('open', [path], async () => {
      const place = await this.#lookup.resolve(path, true, 'open');
      if (place.document !== undefined) await this.#reads.allowText(place, place.document, true);
      return Buffer.from(await this.#guard.read(place, async () => Buffer.from(text))).toString();
    });
  }

  async documentText(path: string): Promise<string> {
    return this.#guard.run('open', [path], async () => {
      const place = await this.#lookup.documentText(path, 'open');
      return Buffer.from(await this.#reads.read(place)).toString();
    });
  }

  costly(path: string): boolean {
    const { at, inside } = this.#table.place(resolvePath('/', path));
    return at.mount.costly?.(inside) === true;
  }

  async checkRemoval(directory: string): Promise<boolean> {
    return this.#guard.run('rmdir', [directory], async () => {
      const place = await this.#lookup.resolve(directory, false, 'rmdir');
      const { mount, point } = place.at;
      if (this.#trees.goesWhole(place)) return true;
      if (mount.rmdir !== undefined) return this.#trees.asksToRemove(place);
      this.#guard.check('rmdir', place);
      throw new FsError('EPERM', {
        path: place.named,
        op: 'rmdir',
        rule: `${mount.kind} mounts have no rmdir`,
        reason: `this directory of ${point} (${mount.kind}) cannot be removed, so nothing below ${place.path} was; name the single files to remove`,
      });
    });
  }

  heldMark(): number {
    return this.#held.mark();
  }

  /** Drops the writes that are held back: those of a command that was interrupted. */
  forgetHeld(): void {
    this.#held.forget();
  }

  async flush(since = 0): Promise<void> {
    const failures: unknown[] = [];
    for (const { place, fresh } of this.#held.drain(since)) {
      const written = this.#guard.run('open', [place.path], () => this.#edits.empty(place, fresh));
      await written.catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** The paths changed since the last call, in order of their first change. */
  takeChanges(): string[] {
    const paths = [...this.#guard.changed];
    this.#guard.changed.clear();
    return paths;
  }

  /** Forgets the errors of a command that has ended. */
  clearErrors(): void {
    this.#guard.faults.clear();
  }

  // --- places

  async #list(path: string) {
    return this.#guard.run('scandir', [path], async () => {
      const place = await this.#lookup.resolve(path, true, 'scandir');
      this.#guard.noteListing(place);
      return this.#lookup.readdir(place);
    });
  }

  /** The attributes of a place, those of a file that is being written included. */
  async #attributes(place: Place): Promise<MountStat> {
    const held = this.#held.stat(place.path);
    if (held === null) return this.#lookup.lstat(place);
    const stat = await this.#lookup.lstatOrNull(place);
    return stat === null ? held : { ...stat, size: 0 };
  }

  async #stat(place: Place): Promise<FsStat> {
    const { type, mode, size, mtime, ino } = await this.#attributes(place);
    return {
      isFile: type === 'file',
      isDirectory: type === 'directory',
      isSymbolicLink: type === 'symlink',
      mode,
      size,
      mtime,
      identity: `${place.at.id}:${ino ?? place.inside}`,
    };
  }
}
