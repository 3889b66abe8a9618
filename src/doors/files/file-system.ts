/**
 * The world as a POSIX file system: what the kernel asks, answered out of the
 * world's files, the files that programs have open, and their droppings. It
 * knows nothing of FUSE, and every method fails with an `FsError`.
 */
import { FsError, sentenceOf } from '../../errors.ts';
import type { Inspection, Location } from '../../namespace/inspect.ts';
import { isWithin, parentOf } from '../../paths.ts';
import { Attributes, type Freshness } from './attributes.ts';
import { Entries, orNull, type Parts } from './entries.ts';
import { Handles } from './handles.ts';
import type { OpenLimits } from './limits.ts';
import { Names, type NamesOptions } from './names.ts';
import type { OpenFile } from './open-file.ts';
import { OpenFiles } from './open-files.ts';
import { DOOR_FILE, ofScratch, Scratch } from './scratch.ts';
import { type KernelStat, type KernelTime, millisecondsOf, typeBits } from './stat.ts';
import { Times } from './times.ts';
import type { WorldFiles } from './world-files.ts';

const BLOCK = 4096;

/** Bytes, and files and directories, where nobody can tell how much room there is. */
const PLENTY = 2 ** 40;
const ENTRIES = 1_000_000;

/** How much room there is, in blocks of so many bytes. */
export interface Room {
  block: number;
  blocks: number;
  free: number;
  /** Files and directories that there is room for. */
  entries: number;
  /** Bytes. */
  longestName: number;
}

/** A row of a directory; `mode` has its type alone. */
export interface DirectoryRow {
  name: string;
  mode: number;
}

export interface FileSystemOptions extends NamesOptions {
  files: WorldFiles;
  /** Points of mounts whose files are written as a whole, by a close. */
  services: readonly string[];
  /** Points of mounts in memory, of which nobody outside the world has a part. */
  inMemory: readonly string[];
  /** Points of other mounts inside of those. */
  elsewhere: readonly string[];
  /** What the door says of itself, in a file that is found when named; null for a door without. */
  socket: string | null;
  /** How long the world's answers stand, ms; 0 where a client asks but once. */
  freshness: Freshness;
  /** What may be open at once. */
  limits: OpenLimits;
  /** Bytes of contents that are kept once their files are closed. */
  keptBytes: number;
  /** Whose all files are. */
  owner: { uid: number; gid: number };
  /** Told what no errno can say. */
  onTrouble(message: string): void;
}

export class FileSystem {
  readonly handles: Handles;
  readonly names: Names;
  readonly #options: FileSystemOptions;
  readonly #files: WorldFiles;
  readonly #scratch = new Scratch();
  readonly #attributes: Attributes;
  readonly #open: OpenFiles;
  readonly #times: Times;
  readonly #entries: Entries;
  /** The latest sentence about a path that an errno was given for. */
  readonly #sentences = new Map<string, string>();

  constructor(options: FileSystemOptions) {
    const { files, services, socket, freshness, owner } = options;
    this.#options = options;
    this.#files = files;
    if (socket !== null) {
      this.#scratch.make(DOOR_FILE, 0o400);
      this.#scratch.write(DOOR_FILE, Buffer.from(`${socket}\n`));
    }
    const isOfService = (path: string): boolean => liesIn(services, path);
    const isOfMemory = (path: string): boolean => isInMemory(options, path);
    const stampedAt = (path: string): string | null =>
      freshness.service === 0 ? null : innermostOf(services, path);
    this.#attributes = new Attributes(files, isOfService, freshness, isOfMemory, stampedAt);
    const { onTrouble } = options;
    this.#open = new OpenFiles({
      files,
      scratch: this.#scratch,
      attributes: this.#attributes,
      isOfService,
      keptBytes: options.keptBytes,
      onTrouble,
    });
    files.putOff(() => this.#open.told());
    // A record that is written changes others of its service: its index, `.last`, `.error`.
    files.noteChanges((paths) => {
      for (const point of new Set(paths.map((path) => innermostOf(services, path))))
        if (point !== null) this.#attributes.forgetTree(point);
    });
    this.#times = new Times(owner);
    const parts: Parts = {
      files,
      scratch: this.#scratch,
      attributes: this.#attributes,
      open: this.#open,
      times: this.#times,
      isOfService,
    };
    this.#entries = new Entries(parts);
    this.names = new Names(parts, this.#entries, options);
    this.handles = new Handles({
      open: this.#open,
      attributes: this.#attributes,
      scratch: this.#scratch,
      times: this.#times,
      isOfService,
      locate: (path) => files.locate(path),
      call: (call) => files.call(call),
      limits: options.limits,
      onTrouble,
    });
  }

  /** The rules of the world are others now: what was allowed before is asked for anew. */
  forget(): void {
    this.#attributes.forgetTree('/');
    this.#attributes.certain.forgetRules();
    this.#open.forget();
  }

  /** Resolves once the world knows all that was done. */
  async told(): Promise<void> {
    await this.#open.told();
  }

  /** The last sentence about a path, for whoever got an errno. */
  sentence(path: string): string | undefined {
    return this.#sentences.get(path);
  }

  /** Keeps what an errno cannot say. */
  refused(path: string, error: FsError): void {
    if (!error.loud) return;
    const sentence = sentenceOf(error);
    // What could not be made has no attributes: its directory tells of it.
    for (const above of [parentOf(path), parentOf(error.path)])
      this.#sentences.set(above, `${error.path}: ${sentence}`);
    this.#sentences.delete(path);
    // Of two names it may be the other that is refused.
    this.#sentences.set(path, error.path === path ? sentence : `${error.path}: ${sentence}`);
    if (this.#sentences.size > 1_000)
      this.#sentences.delete(this.#sentences.keys().next().value ?? '');
  }

  // --- attributes

  /** @throws FsError ENOENT */
  async stat(path: string): Promise<KernelStat> {
    return this.#ownStat(path) ?? this.#statOf(path, await this.#entries.found(path, 'lstat'));
  }

  /** What can be said at once: null where nothing is, undefined where the world has to be asked. */
  known(path: string): KernelStat | null | undefined {
    const own = this.#ownStat(path);
    if (own !== null) return own;
    const known = this.#attributes.known(path);
    if (known === undefined || known === null) return known;
    this.#open.see(path, known);
    return this.#statOf(path, known);
  }

  /** Of what is here and not in the world, or not as it is here. */
  #ownStat(path: string): KernelStat | null {
    const dropping = this.#scratch.get(path);
    const file = this.#open.at(path);
    if (dropping !== undefined) return this.#times.statOf(path, ofScratch(dropping, file?.size));
    if (file?.isNew !== true && file?.isDirty !== true) return null;
    return this.#times.statOf(path, this.handles.inspection(file));
  }

  #statOf(path: string, found: Inspection): KernelStat {
    // It may be another name of one that is being written.
    const named = this.#open.at(path);
    if (named?.isDirty === true) return this.#times.statOf(path, this.handles.inspection(named));
    const isRecord = found.type === 'file' && this.#isOfService(path);
    // It lives at its service, too. Editors that see a second name keep this one, and write in place.
    return this.#times.statOf(path, isRecord ? { ...found, links: 2 } : found);
  }

  /** Attributes with the true size, of a file that has an estimate, too: it is read. */
  async exactStat(path: string): Promise<KernelStat> {
    const stat = await this.stat(path);
    if (!this.#isOfService(path)) return stat;
    const estimated = (await this.#attributes.of(path).catch(orNull))?.estimated === true;
    if (!estimated) return stat;
    try {
      return { ...stat, size: (await this.content(path))?.length ?? stat.size };
    } catch (error) {
      // Who reads it is told why it cannot be; here it is there all the same.
      if (error instanceof FsError) return stat;
      throw error;
    }
  }

  async chmod(path: string, mode: number): Promise<void> {
    const dropping = this.#scratch.get(path);
    const file = this.#open.at(path);
    this.#times.touched(path);
    if (dropping !== undefined) dropping.mode = mode;
    else if (file?.isNew === true) file.mode = mode;
    else {
      const found = await this.#entries.found(path, 'chmod');
      // Programs give a file the rights that it has.
      if (found.mode === mode) return;
      await this.#attributes.after([['chmod', path, mode]], [path]);
      this.#entries.forgetOthers(path, found);
      if (file !== undefined) file.mode = mode;
    }
  }

  /** null leaves a time as it is. */
  async utimes(path: string, atime: KernelTime | null, mtime: KernelTime | null): Promise<void> {
    const dropping = this.#scratch.get(path);
    const file = this.#open.at(path);
    if (dropping === undefined && file?.isDirty === true && !this.#isOfService(path))
      await this.#open.commit(file);
    // One that is still to be sent gets its time from its service.
    if (dropping === undefined && file?.isNew === true) return this.#times.set(path, atime, mtime);
    if (dropping !== undefined)
      dropping.mtime = mtime === null ? dropping.mtime : millisecondsOf(mtime);
    else if (mtime !== null) {
      const time = new Date(millisecondsOf(mtime));
      const found = await this.#entries.found(path, 'utimes');
      if (found.type !== 'symlink') {
        const [now = found] = await this.#retime(path, found, time);
        this.#open.retimed(found, now);
      }
      if (file?.base != null && !file.isDirty) file.base.mtime = time.getTime();
    } else await this.#entries.found(path, 'utimes');
    this.#times.set(path, atime, mtime);
  }

  /** @returns what is there now */
  async #retime(path: string, found: Inspection, time: Date): Promise<Inspection[]> {
    const call = ['utimes', path, time, time] as const;
    const { certain } = this.#attributes;
    const isSimple = found.type === 'file' && found.links < 2 && !Number.isNaN(time.getTime());
    if (isSimple && certain.canChange(path)) {
      const now = { ...found, mtime: time.getTime() };
      this.#open.putOff(call);
      this.#attributes.forget(path);
      this.#attributes.know(path, now, certain.leaseFor(path));
      return [now];
    }
    const { left } = await this.#attributes.after([call], [path]);
    this.#entries.forgetOthers(path, found);
    return left;
  }

  /** Files have one owner here: whoever has mounted them. @throws FsError EPERM */
  async chown(path: string, uid: number, gid: number): Promise<void> {
    const { owner } = this.#options;
    const stat = await this.stat(path);
    const isSame = (wanted: number, is: number): boolean =>
      wanted === is || wanted === 0xffffffff || wanted === -1;
    if (isSame(uid, stat.uid) && isSame(gid, stat.gid)) return this.#times.touched(path);
    throw new FsError('EPERM', {
      path,
      op: 'chown',
      rule: 'files of a mounted world have one owner',
      reason: `all files here are those of user ${owner.uid} and group ${owner.gid}, who mounted them`,
    });
  }

  /** The open file of a name. */
  opened(path: string): OpenFile | undefined {
    return this.#open.at(path);
  }

  /** Attributes of an open file, whatever became of its name. */
  statOf(file: OpenFile): KernelStat {
    const links = file.isRemoved ? 0 : file.links;
    return this.#times.statOf('', { ...this.handles.inspection(file), links });
  }

  /** The whole content of a file; null for what is none. */
  async content(path: string): Promise<Uint8Array | null> {
    const file = this.#open.at(path);
    if (file?.isLoaded === true) return file.bytes();
    const dropping = this.#scratch.get(path);
    if (dropping !== undefined) return dropping.bytes;
    const { type } = await this.#entries.found(path, 'open');
    return type === 'file' ? this.#files.read(path) : null;
  }

  /** statfs(2) of where a path lies. */
  async room(path: string): Promise<Room> {
    const { capacity } = await this.#files.locate(path);
    const { total, free } = capacity ?? { total: PLENTY, free: PLENTY };
    const blocks = (bytes: number): number => Math.floor(bytes / BLOCK);
    return {
      block: BLOCK,
      blocks: blocks(total),
      free: blocks(free),
      entries: ENTRIES,
      longestName: 255,
    };
  }

  /** Where a path lies. */
  locate(path: string): Promise<Location> {
    return this.#files.locate(path);
  }

  // --- directories

  async list(path: string): Promise<DirectoryRow[]> {
    const rows = await this.#attributes.list(path);
    const listed = rows.map(({ name, isDirectory, isSymbolicLink }) => ({
      name,
      mode: typeBits(isDirectory ? 'directory' : isSymbolicLink ? 'symlink' : 'file'),
    }));
    for (const { name, isLink } of this.#scratch.in(path))
      listed.push({ name, mode: typeBits(isLink ? 'symlink' : 'file') });
    return listed;
  }

  #isOfService(path: string): boolean {
    return liesIn(this.#options.services, path);
  }
}

/** Is the innermost of the mounts that a path lies in one in memory? */
function isInMemory(
  { inMemory, elsewhere }: Pick<FileSystemOptions, 'inMemory' | 'elsewhere'>,
  path: string,
): boolean {
  const length = (points: readonly string[]): number => innermostOf(points, path)?.length ?? 0;
  return length(inMemory) > length(elsewhere);
}

/** The longest of the points that a path lies in; null where it lies in none. */
function innermostOf(points: readonly string[], path: string): string | null {
  let longest: string | null = null;
  for (const point of points)
    if (point.length > (longest?.length ?? 0) && isWithin(point, path)) longest = point;
  return longest;
}

function liesIn(points: readonly string[], path: string): boolean {
  return points.some((point) => isWithin(point, path));
}
