/**
 * The namespace: the root file system, and the only thing a front end ever
 * talks to. It composes mounts, follows links across them, asks the gate before
 * every change, bounds every operation in time, and keeps the true errors.
 */
import { DefenseInDepthBox, type FsStat, unsafeBytesFromLatin1 } from 'just-bash';
import { type Errno, FsError, isFsError } from '../errors.ts';
import type { Mount, MountStat } from '../mount/contract.ts';
import type { Gate, Operation, Origin } from '../policy/gate.ts';
import { decodeText, encodeContent } from './encoding.ts';
import { Faults } from './faults.ts';
import { HeldWrites } from './held-writes.ts';
import { childOf, isWithin, parentOf, resolvePath } from './paths.ts';
import type { Attachment, MountTable, Place } from './table.ts';
import type { DirentEntry, NamespaceFile, NamespaceFs } from './types.ts';

type FileContent = string | Uint8Array;
type Encoding = Parameters<NamespaceFs['writeFile']>[2];

/** What a namespace is made with. */
export interface NamespaceOptions {
  table: MountTable;
  gate: Gate;
  /** Who the operations come from. */
  origin: Origin;
  /** An operation on a mount that waits for something outside ends after this many ms. */
  timeoutMs: number;
}

/** The composed file system. Every method fails with an `FsError` that names the caller's path. */
export class Namespace implements NamespaceFs {
  readonly #table: MountTable;
  readonly #gate: Gate;
  readonly #origin: Origin;
  readonly #timeoutMs: number;
  readonly #faults = new Faults();
  readonly #held = new HeldWrites();
  readonly #changed = new Set<string>();

  constructor(options: NamespaceOptions) {
    this.#table = options.table;
    this.#gate = options.gate;
    this.#origin = options.origin;
    this.#timeoutMs = options.timeoutMs;
  }

  // --- reading

  async readFileBuffer(path: string): Promise<Uint8Array> {
    return this.#run('open', path, async () => {
      const place = await this.#table.resolve(path, true, 'open');
      if (this.#held.has(place.path)) return new Uint8Array();
      return this.#bounded(place.at.mount, path, 'read', () => this.#read(place));
    });
  }

  async readFile(path: string, options?: Parameters<NamespaceFs['readFile']>[1]): Promise<string> {
    return decodeText(await this.readFileBuffer(path), options);
  }

  async readFileBytes(path: string) {
    return unsafeBytesFromLatin1(toLatin1(await this.readFileBuffer(path)));
  }

  async exists(path: string): Promise<boolean> {
    try {
      await this.stat(path);
      return true;
    } catch (error) {
      if (isFsError(error) && !error.loud) return false;
      throw error;
    }
  }

  async stat(path: string): Promise<FsStat> {
    return this.#run('stat', path, async () =>
      this.#fsStat(await this.#table.resolve(path, true, 'stat'), path),
    );
  }

  async lstat(path: string): Promise<FsStat> {
    return this.#run('lstat', path, async () =>
      this.#fsStat(await this.#table.resolve(path, false, 'lstat'), path),
    );
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithFileTypes(path)).map((row) => row.name);
  }

  async readdirWithFileTypes(path: string): Promise<DirentEntry[]> {
    return this.#run('scandir', path, async () => {
      const place = await this.#table.resolve(path, true, 'scandir');
      const rows = await this.#bounded(place.at.mount, path, 'scandir', () =>
        this.#table.readdir(place),
      );
      return rows.map(({ name, type }) => ({
        name,
        isFile: type === 'file',
        isDirectory: type === 'directory',
        isSymbolicLink: type === 'symlink',
      }));
    });
  }

  async readlink(path: string): Promise<string> {
    return this.#run('readlink', path, async () => {
      const place = await this.#table.resolve(path, false, 'readlink');
      const { mount } = place.at;
      if (mount.readlink === undefined) {
        await mount.lstat(place.inside);
        throw new FsError('EINVAL', { path, op: 'readlink' });
      }
      return mount.readlink(place.inside);
    });
  }

  async realpath(path: string): Promise<string> {
    return this.#run('realpath', path, async () => {
      const place = await this.#table.resolve(path, true, 'realpath');
      await this.#bounded(place.at.mount, path, 'realpath', () => this.#table.lstat(place));
      return place.path;
    });
  }

  resolvePath(base: string, path: string): string {
    return resolvePath(base, path);
  }

  /** Only `ls` with an unexpanded glob asks; it then finds nothing, as it should. */
  getAllPaths(): string[] {
    return [];
  }

  // --- changing

  async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    const data = encodeContent(content, options);
    return this.#run('open', path, async () => {
      const place = await this.#writable(path, 'write');
      const { mount } = place.at;
      if (mount.transactional === true && data.length === 0) {
        this.#held.hold(place);
        return;
      }
      this.#held.release(place.path);
      await this.#mutate(
        place,
        path,
        'open',
        mount.write && (() => mount.write?.(place.inside, data)),
      );
    });
  }

  async appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    const data = encodeContent(content, options);
    return this.#run('open', path, async () => {
      const place = await this.#writable(path, 'append');
      const { mount } = place.at;
      if (this.#held.has(place.path) && data.length > 0) {
        this.#held.release(place.path);
        return this.#mutate(
          place,
          path,
          'open',
          mount.write && (() => mount.write?.(place.inside, data)),
        );
      }
      if (mount.transactional === true && data.length === 0) return;
      await this.#mutate(
        place,
        path,
        'open',
        mount.append && (() => mount.append?.(place.inside, data)),
      );
    });
  }

  async mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    if (options?.recursive === true) return this.#makeParents(resolvePath('/', path));
    return this.#run('mkdir', path, () => this.#mkdir(path));
  }

  async rm(path: string, options: { recursive?: boolean; force?: boolean } = {}): Promise<void> {
    return this.#run('unlink', path, async () => {
      const place = await this.#table.resolve(path, false, 'unlink');
      let stat: MountStat;
      try {
        stat = await this.#bounded(place.at.mount, path, 'lstat', () => this.#table.lstat(place));
      } catch (error) {
        if (options.force === true && isFsError(error) && !error.loud) return;
        throw error;
      }
      if (stat.type !== 'directory') return this.#unlink(place, path);
      if (options.recursive === true) {
        for (const row of await this.#table.readdir(place))
          await this.rm(childOf(place.path, row.name), options);
      }
      await this.#rmdir(place, path);
    });
  }

  async cp(source: string, target: string, options: { recursive?: boolean } = {}): Promise<void> {
    return this.#run('copyfile', source, async () => {
      const from = await this.#table.resolve(source, options.recursive !== true, 'copyfile');
      const stat = await this.#bounded(from.at.mount, source, 'lstat', () =>
        this.#table.lstat(from),
      );
      if (stat.type === 'directory') {
        if (options.recursive !== true)
          throw new FsError('EISDIR', { path: source, op: 'copyfile' });
        return this.#copyTree(from, source, target);
      }
      if (stat.type === 'symlink') return this.symlink(await this.readlink(from.path), target);
      await this.writeFile(target, await this.readFileBuffer(from.path));
      const to = await this.#table.resolve(target, true, 'copyfile');
      if (to.at.mount.chmod !== undefined && stat.mode !== 0o644)
        await this.chmod(to.path, stat.mode);
    });
  }

  async mv(source: string, target: string): Promise<void> {
    return this.#run('rename', source, async () => {
      const from = await this.#table.resolve(source, false, 'rename');
      const to = await this.#table.resolve(target, false, 'rename');
      const stat = await this.#bounded(from.at.mount, source, 'lstat', () =>
        this.#table.lstat(from),
      );
      if (this.#table.isPinned(from.path)) throw pinned(source, 'rename');
      if (this.#table.isPinned(to.path)) throw pinned(target, 'rename');
      await this.#allow('rename', from, source);
      await this.#allow((await this.#isThere(to)) ? 'write' : 'create', to, target);
      // A rule for a path below would be walked around by renaming a directory above it.
      const whole =
        stat.type !== 'directory' || (from.at.access.rules ?? to.at.access.rules) === undefined;
      if (from.at === to.at && whole) {
        const { mount } = from.at;
        await this.#mutate(
          from,
          source,
          'rename',
          mount.rename && (() => mount.rename?.(from.inside, to.inside)),
        );
        this.#changed.add(to.path);
        return;
      }
      if (isWithin(from.path, to.path)) throw new FsError('EINVAL', { path: target, op: 'rename' });
      await this.cp(from.path, to.path, { recursive: true });
      await this.rm(from.path, { recursive: true });
    });
  }

  async chmod(path: string, mode: number): Promise<void> {
    return this.#run('chmod', path, async () => {
      const place = await this.#existing(path, true, 'chmod');
      const { mount } = place.at;
      await this.#mutate(
        place,
        path,
        'chmod',
        mount.chmod && (() => mount.chmod?.(place.inside, mode)),
      );
    });
  }

  async utimes(path: string, _atime: Date, mtime: Date): Promise<void> {
    return this.#run('utimes', path, async () => {
      const place = await this.#existing(path, true, 'utimes');
      const { mount } = place.at;
      await this.#mutate(
        place,
        path,
        'utimes',
        mount.utimes && (() => mount.utimes?.(place.inside, mtime)),
      );
    });
  }

  async symlink(target: string, path: string): Promise<void> {
    return this.#run('symlink', path, async () => {
      const place = await this.#table.resolve(path, false, 'symlink');
      if (await this.#isThere(place)) throw new FsError('EEXIST', { path, op: 'symlink' });
      await this.#allow('symlink', place, path);
      const { mount } = place.at;
      await this.#mutate(
        place,
        path,
        'symlink',
        mount.symlink && (() => mount.symlink?.(target, place.inside)),
      );
    });
  }

  async link(existing: string, path: string): Promise<void> {
    return this.#run('link', path, async () => {
      const from = await this.#table.resolve(existing, true, 'link');
      const place = await this.#table.resolve(path, false, 'link');
      await this.#bounded(from.at.mount, existing, 'link', () => this.#table.lstat(from));
      if (await this.#isThere(place)) throw new FsError('EEXIST', { path, op: 'link' });
      // A second name for a file is a way to write it: both ends must be writable.
      await this.#allow('link', from, existing);
      await this.#allow('create', place, path);
      if (from.at !== place.at) throw new FsError('EXDEV', { path, op: 'link' });
      const { mount } = place.at;
      await this.#mutate(
        place,
        path,
        'link',
        mount.link && (() => mount.link?.(from.inside, place.inside)),
      );
    });
  }

  // --- beyond just-bash's interface

  async prefetch(path: string): Promise<void> {
    await this.#run('prefetch', path, async () => {
      const place = await this.#table.resolve(path, true, 'prefetch');
      for (const at of [place.at, ...this.#table.below(place.path)]) {
        const inside = at === place.at ? place.inside : '/';
        if (at.mount.prefetch !== undefined) await at.mount.prefetch(inside);
      }
    });
  }

  walk(path: string): Iterable<NamespaceFile> | null {
    const place = this.#table.place(resolvePath('/', path));
    const parts: Iterable<NamespaceFile>[] = [];
    const nested = this.#table.below(place.path);
    for (const at of [place.at, ...nested]) {
      const files = at.mount.walk?.(at === place.at ? place.inside : '/');
      if (files === undefined || files === null) return null;
      parts.push(this.#shownFiles(at, files));
    }
    return chained(parts);
  }

  searchable(path: string): boolean {
    return this.#table.place(resolvePath('/', path)).at.searchable;
  }

  errorMark(): number {
    return this.#faults.mark();
  }

  errorsSince(mark: number): readonly FsError[] {
    return this.#faults.since(mark);
  }

  /** Writes the files that were opened for writing and got no data: the end of a command. */
  async flush(): Promise<void> {
    for (const place of this.#held.drain()) {
      const { mount } = place.at;
      await this.#run('open', place.path, () =>
        this.#mutate(
          place,
          place.path,
          'open',
          mount.write && (() => mount.write?.(place.inside, new Uint8Array())),
        ),
      );
    }
  }

  /** The paths changed since the last call, in order of their first change. */
  takeChanges(): string[] {
    const paths = [...this.#changed];
    this.#changed.clear();
    return paths;
  }

  /** Forgets the errors of a command that has ended. */
  clearErrors(): void {
    this.#faults.clear();
  }

  // --- the one way in

  /** Runs an operation in trusted context; its failure is recorded and names the caller's path. */
  async #run<T>(op: string, path: string, operation: () => Promise<T>): Promise<T> {
    try {
      if (path.includes('\0')) throw new FsError('EINVAL', { path, op });
      return await DefenseInDepthBox.runTrustedAsync(operation);
    } catch (error) {
      const failure = asFsError(error, op, path);
      this.#faults.record(failure);
      throw failure;
    }
  }

  /** A mount that waits for something outside gets so much time and no more. */
  async #bounded<T>(
    mount: Mount,
    path: string,
    op: string,
    operation: () => Promise<T>,
  ): Promise<T> {
    if (mount.local === true) return operation();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.#late(mount, path, op)), this.#timeoutMs);
    });
    try {
      return await Promise.race([operation(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #late(mount: Mount, path: string, op: string): FsError {
    const seconds = this.#timeoutMs / 1000;
    return new FsError('ETIMEDOUT', {
      path,
      op,
      rule: 'time-out of a mount operation',
      reason: `${mount.kind} did not answer within ${seconds} s; try again, or look at something smaller`,
    });
  }

  /** Carries out a change that was allowed; a mount without the method cannot do it. */
  async #mutate(
    place: Place,
    path: string,
    op: string,
    act: (() => Promise<void> | undefined) | undefined,
  ): Promise<void> {
    if (act === undefined) {
      throw new FsError('EPERM', {
        path,
        op,
        rule: `${place.at.mount.kind} mounts have no ${op}`,
        reason: `${op} is not possible in ${place.at.point} (${place.at.mount.kind})`,
      });
    }
    await this.#bounded(place.at.mount, path, op, async () => act());
    this.#changed.add(place.path);
  }

  async #allow(op: Operation, place: Place, path: string): Promise<void> {
    const answer = this.#gate({
      op,
      path: place.path,
      mount: place.at.point,
      origin: this.#origin,
    });
    if (answer.decision === 'allow') return;
    throw new FsError('EACCES', { path, op, rule: answer.rule, reason: answer.reason });
  }

  /** The place of a file that is about to be written, if that is allowed. */
  async #writable(path: string, op: 'write' | 'append'): Promise<Place> {
    const place = await this.#table.resolve(path, true, 'open');
    const there = await this.#isThere(place);
    await this.#allow(there ? op : 'create', place, path);
    return place;
  }

  /** The place of something that must be there, if changing it is allowed. */
  async #existing(path: string, follow: boolean, op: 'chmod' | 'utimes'): Promise<Place> {
    const place = await this.#table.resolve(path, follow, op);
    await this.#bounded(place.at.mount, path, op, () => this.#table.lstat(place));
    await this.#allow(op, place, path);
    return place;
  }

  async #isThere(place: Place): Promise<boolean> {
    try {
      await this.#bounded(place.at.mount, place.path, 'lstat', () => this.#table.lstat(place));
      return true;
    } catch (error) {
      if (isFsError(error, 'ENOENT')) return false;
      throw error;
    }
  }

  async #read(place: Place): Promise<Uint8Array> {
    try {
      return await place.at.mount.read(place.inside);
    } catch (error) {
      if (isFsError(error, 'ENOENT') && this.#table.isPinned(place.path)) {
        throw new FsError('EISDIR', { path: place.path, op: 'read' });
      }
      throw error;
    }
  }

  async #fsStat(place: Place, path: string): Promise<FsStat> {
    const stat = await this.#bounded(place.at.mount, path, 'lstat', () => this.#table.lstat(place));
    const file = stat.type === 'file' && this.#held.has(place.path);
    return {
      isFile: stat.type === 'file',
      isDirectory: stat.type === 'directory',
      isSymbolicLink: stat.type === 'symlink',
      mode: stat.mode,
      size: file ? 0 : stat.size,
      mtime: stat.mtime,
      identity: `${place.at.id}:${stat.ino ?? place.inside}`,
    };
  }

  async #mkdir(path: string): Promise<void> {
    const place = await this.#table.resolve(path, false, 'mkdir');
    if (this.#table.isPinned(place.path) || (await this.#isThere(place))) {
      throw new FsError('EEXIST', { path, op: 'mkdir' });
    }
    await this.#allow('mkdir', place, path);
    const { mount } = place.at;
    await this.#mutate(place, path, 'mkdir', mount.mkdir && (() => mount.mkdir?.(place.inside)));
  }

  async #makeParents(path: string): Promise<void> {
    if (path === '/') return;
    const found = await this.#run('mkdir', path, async () => {
      const place = await this.#table.resolve(path, true, 'mkdir');
      return (await this.#isThere(place)) ? this.#table.lstat(place) : null;
    });
    if (found?.type === 'directory') return;
    if (found !== null) throw new FsError('EEXIST', { path, op: 'mkdir' });
    await this.#makeParents(parentOf(path));
    await this.#run('mkdir', path, () => this.#mkdir(path));
  }

  async #unlink(place: Place, path: string): Promise<void> {
    await this.#allow('unlink', place, path);
    const { mount } = place.at;
    await this.#mutate(place, path, 'unlink', mount.unlink && (() => mount.unlink?.(place.inside)));
    this.#held.release(place.path);
  }

  async #rmdir(place: Place, path: string): Promise<void> {
    if (this.#table.isPinned(place.path)) throw pinned(path, 'rmdir');
    await this.#allow('rmdir', place, path);
    const { mount } = place.at;
    await this.#mutate(place, path, 'rmdir', mount.rmdir && (() => mount.rmdir?.(place.inside)));
  }

  async #copyTree(from: Place, source: string, target: string): Promise<void> {
    const to = await this.#table.resolve(target, true, 'copyfile');
    if (isWithin(from.path, to.path)) throw new FsError('EINVAL', { path: source, op: 'copyfile' });
    if (!(await this.#isThere(to))) await this.mkdir(to.path);
    for (const row of await this.#table.readdir(from)) {
      await this.cp(childOf(from.path, row.name), childOf(to.path, row.name), { recursive: true });
    }
  }

  *#shownFiles(
    at: Attachment,
    files: Iterable<{ path: string; bytes(): Uint8Array | null }>,
  ): Generator<NamespaceFile> {
    const nested = this.#table.below(at.point);
    for (const file of files) {
      const path = this.#table.shown(at, file.path);
      if (!nested.some((each) => isWithin(each.point, path)))
        yield { path, bytes: () => file.bytes() };
    }
  }
}

function* chained(parts: readonly Iterable<NamespaceFile>[]): Generator<NamespaceFile> {
  for (const part of parts) yield* part;
}

function pinned(path: string, op: string): FsError {
  return new FsError('EBUSY', {
    path,
    op,
    rule: 'mount points stay',
    reason: `${path} is a mount point, or holds one; only the deployment can remove it`,
  });
}

function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** A mount's error under the caller's path; anything else is a fault of the mount, said as such. */
function asFsError(error: unknown, op: string, path: string): FsError {
  if (error instanceof FsError) return error.path === path ? error : error.at(path);
  const code: Errno = 'EIO';
  const reason = `the mount failed: ${error instanceof Error ? error.message : String(error)}`;
  return new FsError(code, { path, op, reason, cause: error });
}
