/** SFTP, version 3, over the files of a visit. */
import { FsError, isFsError } from '../../errors.ts';
import { isWithin, resolvePath } from '../../paths.ts';
import type { WorldFs, WorldMount } from '../../world/world.ts';
import { OpenFiles } from '../files/open-files.ts';
import { attributesOf, exact, OWNER, rowsOf } from './sftp-listing.ts';
import {
  type Attributes,
  answers,
  Fields,
  long,
  MalformedPacket,
  OPEN,
  PacketReader,
  REQUEST,
  STATUS,
} from './sftp-packets.ts';
import { statusOf, Unsupported } from './sftp-status.ts';

export interface SftpOptions {
  fs: WorldFs;
  mounts: readonly WorldMount[];
  /** Where relative paths begin. */
  home: string;
  send(packet: Buffer): void;
  /** What is wrong with the client, or with us: the channel is to end. */
  onFault(error: unknown): void;
}

const VERSION = 3;
/** As much as OpenSSH's own server takes. */
const LARGEST_PACKET = 256 * 1024;
/** A packet has some bytes beside its data. */
const LARGEST_DATA = LARGEST_PACKET - 1024;
const HANDLES = 1024;
/** Names in an answer to one READDIR. */
const ROWS = 100;
const UMASK = 0o022;

const EXTENSIONS = {
  'posix-rename@openssh.com': '1',
  'hardlink@openssh.com': '1',
  'fsync@openssh.com': '1',
  'lsetstat@openssh.com': '1',
  'limits@openssh.com': '1',
  'expand-path@openssh.com': '1',
};

interface Directory {
  path: string;
  /** What is still to be given. */
  names: string[];
}

type Answer = Buffer | null;

/** One client's subsystem. Requests are done one after the other, in their order, as clients count on. */
export class Sftp {
  readonly #options: SftpOptions;
  readonly #reader = new PacketReader(LARGEST_PACKET);
  readonly #files: OpenFiles;
  readonly #directories = new Map<number, Directory>();
  #nextDirectory = 1;
  #queue: Promise<void> = Promise.resolve();
  #ready = false;
  #closed = false;

  constructor(options: SftpOptions) {
    this.#options = options;
    this.#files = new OpenFiles(options.fs, { handles: HANDLES, bytes: 512 * 1024 * 1024 });
  }

  /** Takes what came. @returns once all of it was answered */
  receive(piece: Buffer): Promise<void> {
    let packets: Buffer[];
    try {
      packets = this.#reader.push(piece);
    } catch (error) {
      this.#options.onFault(error);
      return Promise.resolve();
    }
    for (const packet of packets) {
      this.#queue = this.#queue.then(() => this.#answer(packet));
    }
    return this.#queue;
  }

  /** The client has gone: what it did not close is not written. */
  close(): void {
    this.#closed = true;
    this.#files.abandon();
    this.#directories.clear();
  }

  async #answer(packet: Buffer): Promise<void> {
    if (this.#closed) return;
    const fields = new Fields(packet);
    let id = 0;
    try {
      const type = fields.byte();
      if (type === REQUEST.INIT) {
        if (this.#ready) throw new MalformedPacket('a session begins once');
        this.#ready = true;
        return this.#options.send(answers.version(VERSION, EXTENSIONS));
      }
      if (!this.#ready) throw new MalformedPacket('a session begins with INIT');
      id = fields.number();
      const answer = await this.#do(type, id, fields);
      if (!this.#closed) this.#options.send(answer ?? answers.status(id, STATUS.OK));
    } catch (error) {
      const status = statusOf(error);
      if (status === null || !this.#ready) return this.#options.onFault(error);
      if (!this.#closed) this.#options.send(answers.status(id, status.code, status.message));
    }
  }

  async #do(type: number, id: number, fields: Fields): Promise<Answer> {
    const { fs } = this.#options;
    const path = (): string => this.#path(fields.text());
    switch (type) {
      case REQUEST.OPEN:
        return this.#open(id, path(), fields.number(), fields.attributes());
      case REQUEST.CLOSE:
        return this.#close(fields.bytes());
      case REQUEST.READ: {
        const [handle, offset, length] = [fields.bytes(), fields.long(), fields.number()];
        const data = await this.#files.read(fileOf(handle), offset, Math.min(length, LARGEST_DATA));
        return data.length === 0 && length > 0
          ? answers.status(id, STATUS.EOF, 'end of file')
          : answers.data(id, data);
      }
      case REQUEST.WRITE:
        await this.#files.write(fileOf(fields.bytes()), fields.long(), fields.bytes());
        return null;
      case REQUEST.STAT:
        return this.#stat(id, path(), true);
      case REQUEST.LSTAT:
        return this.#stat(id, path(), false);
      case REQUEST.FSTAT:
        return answers.attributes(
          id,
          attributesOf(await this.#files.fstat(fileOf(fields.bytes()))),
        );
      case REQUEST.SETSTAT:
        return this.#set(path(), fields.attributes());
      case REQUEST.FSETSTAT:
        return this.#setOpen(fileOf(fields.bytes()), fields.attributes());
      case REQUEST.OPENDIR:
        return this.#openDirectory(id, path());
      case REQUEST.READDIR:
        return this.#readDirectory(id, fields.bytes());
      case REQUEST.REMOVE:
        return this.#remove(path());
      case REQUEST.MKDIR:
        return this.#makeDirectory(path(), fields.attributes());
      case REQUEST.RMDIR: {
        const directory = path();
        const { isDirectory } = await fs.lstat(directory);
        if (!isDirectory) throw new FsError('ENOTDIR', { path: directory, op: 'rmdir' });
        await fs.rm(directory);
        return null;
      }
      case REQUEST.REALPATH:
        return this.#named(id, await this.#real(path()));
      case REQUEST.RENAME:
        return this.#rename(path(), path(), false);
      case REQUEST.READLINK:
        return this.#named(id, await fs.readlink(path()));
      case REQUEST.SYMLINK: {
        // The target first: the draft has it the other way round, and no client.
        const target = fields.text();
        await fs.symlink(target, path());
        return null;
      }
      case REQUEST.EXTENDED:
        return this.#extended(id, fields.text(), fields);
      default:
        throw new Unsupported(`requests of the kind ${type} are not known`);
    }
  }

  async #extended(id: number, name: string, fields: Fields): Promise<Answer> {
    const path = (): string => this.#path(fields.text());
    switch (name) {
      case 'posix-rename@openssh.com':
        return this.#rename(path(), path(), true);
      case 'hardlink@openssh.com':
        await this.#options.fs.link(path(), path());
        return null;
      case 'fsync@openssh.com':
        await this.#files.sync(fileOf(fields.bytes()));
        return null;
      case 'lsetstat@openssh.com': {
        const whole = path();
        const { isSymbolicLink } = await this.#options.fs.lstat(whole);
        if (isSymbolicLink) throw new Unsupported('a link has no mode and no times of its own');
        return this.#set(whole, fields.attributes());
      }
      case 'limits@openssh.com':
        return answers.extended(
          id,
          ...[LARGEST_PACKET, LARGEST_DATA, LARGEST_DATA, HANDLES].map(long),
        );
      case 'expand-path@openssh.com': {
        const given = fields.text();
        return this.#named(id, this.#path(given === '~' ? '.' : given.replace(/^~\//, '')));
      }
      default:
        throw new Unsupported(`the extension ${name} is not known`);
    }
  }

  async #open(id: number, path: string, flags: number, given: Attributes): Promise<Answer> {
    const has = (flag: number): boolean => (flags & flag) !== 0;
    const handle = await this.#files.open(path, {
      read: has(OPEN.READ) || !has(OPEN.WRITE | OPEN.APPEND),
      write: has(OPEN.WRITE) || has(OPEN.APPEND),
      append: has(OPEN.APPEND),
      create: has(OPEN.CREAT),
      exclusive: has(OPEN.EXCL),
      truncate: has(OPEN.TRUNC),
      ...(given.mode === undefined ? {} : { mode: given.mode & 0o777 & ~UMASK }),
    });
    return answers.handle(id, Buffer.from(`f${handle}`));
  }

  async #close(handle: Buffer): Promise<Answer> {
    const directory = directoryOf(handle);
    if (directory === null) await this.#files.close(fileOf(handle));
    else if (!this.#directories.delete(directory)) throw notOpen();
    return null;
  }

  async #stat(id: number, path: string, follow: boolean): Promise<Answer> {
    const stat = await this.#files.stat(path, follow);
    const isOfService = stat.isFile && this.#isOfService(path);
    const whole = isOfService && !this.#files.isOpen(path);
    const { fs } = this.#options;
    return answers.attributes(id, attributesOf(whole ? await exact(fs, path, stat) : stat));
  }

  async #set(path: string, given: Attributes): Promise<Answer> {
    const { fs } = this.#options;
    refuseOwner(given, path);
    if (given.size !== undefined) await this.#truncate(path, given.size);
    if (given.mode !== undefined) await fs.chmod(path, given.mode & 0o7777);
    if (given.mtime !== undefined && given.atime !== undefined)
      await fs.utimes(path, new Date(given.atime * 1000), new Date(given.mtime * 1000));
    return null;
  }

  async #setOpen(handle: number, { size, ...given }: Attributes): Promise<Answer> {
    if (size !== undefined) await this.#files.truncate(handle, size);
    const rest = Object.values(given).some((value) => value !== undefined);
    if (!rest) return null;
    const path = this.#files.pathOf(handle);
    if (path === null) return null;
    // What is set holds for what was written, too: a commit later would give it a new time.
    await this.#files.sync(handle);
    return this.#set(path, given);
  }

  async #truncate(path: string, size: number): Promise<void> {
    const handle = await this.#files.open(path, {
      read: false,
      write: true,
      append: false,
      create: false,
      exclusive: false,
      truncate: false,
    });
    try {
      await this.#files.truncate(handle, size);
    } finally {
      await this.#files.close(handle);
    }
  }

  async #openDirectory(id: number, path: string): Promise<Answer> {
    if (this.#directories.size + this.#files.size >= HANDLES)
      throw new FsError('EAGAIN', { path, op: 'opendir', reason: 'too many handles are open' });
    const names = await this.#options.fs.readdir(path);
    const handle = this.#nextDirectory++;
    this.#directories.set(handle, { path, names: ['.', '..', ...names] });
    return answers.handle(id, Buffer.from(`d${handle}`));
  }

  async #readDirectory(id: number, handle: Buffer): Promise<Answer> {
    const directory = this.#directories.get(directoryOf(handle) ?? 0);
    if (directory === undefined) throw notOpen();
    const { path, names } = directory;
    const { fs } = this.#options;
    while (names.length > 0) {
      const next = names.splice(0, ROWS);
      const rows = await rowsOf(fs, path, next, (each) => this.#isOfService(each));
      if (rows.length > 0) return answers.names(id, rows);
    }
    return answers.status(id, STATUS.EOF, 'end of directory');
  }

  async #remove(path: string): Promise<Answer> {
    const { fs } = this.#options;
    if (await this.#files.unlinked(path)) return null;
    const { isDirectory } = await fs.lstat(path);
    if (isDirectory) throw new FsError('EISDIR', { path, op: 'unlink' });
    await fs.rm(path);
    this.#files.forget(path);
    return null;
  }

  async #makeDirectory(path: string, { mode }: Attributes): Promise<Answer> {
    const { fs } = this.#options;
    await fs.mkdir(path);
    const wanted = mode === undefined ? undefined : mode & 0o777 & ~UMASK;
    if (wanted !== undefined && wanted !== ((await fs.stat(path)).mode & 0o777))
      await fs.chmod(path, wanted);
    return null;
  }

  async #rename(from: string, to: string, replaces: boolean): Promise<Answer> {
    const { fs } = this.#options;
    if (!replaces && (await isThere(fs, to)))
      throw new FsError('EEXIST', { path: to, op: 'rename' });
    if (this.#files.isNew(from)) {
      this.#files.renamed(from, to);
      return null;
    }
    await fs.mv(from, to);
    this.#files.renamed(from, to);
    return null;
  }

  /** As OpenSSH's server has it: the last name need not be there. */
  async #real(path: string): Promise<string> {
    const { fs } = this.#options;
    try {
      return await fs.realpath(path);
    } catch (error) {
      if (isFsError(error, 'ENOENT')) return path;
      throw error;
    }
  }

  #named(id: number, name: string): Buffer {
    return answers.names(id, [{ name, line: name, attributes: {} }]);
  }

  #path(given: string): string {
    return resolvePath(this.#options.home, given === '' ? '.' : given);
  }

  #isOfService(path: string): boolean {
    const { mounts } = this.#options;
    return mounts.some(({ service, point }) => service && isWithin(point, path));
  }
}

const fileOf = (handle: Buffer): number => {
  const [, number] = /^f(\d+)$/.exec(handle.toString('latin1')) ?? [];
  return Number(number ?? 0);
};

const directoryOf = (handle: Buffer): number | null => {
  const [, number] = /^d(\d+)$/.exec(handle.toString('latin1')) ?? [];
  return number === undefined ? null : Number(number);
};

const notOpen = (): FsError =>
  new FsError('EINVAL', { path: '', op: 'readdir', reason: 'the handle is not open' });

function refuseOwner({ uid, gid }: Attributes, path: string): void {
  // Who says of a file that it is whose it is says nothing new.
  if ((uid ?? OWNER) === OWNER && (gid ?? OWNER) === OWNER) return;
  throw new FsError('EPERM', {
    path,
    op: 'chown',
    rule: 'files have no owners here',
    reason: 'who may do what with a file is said by the policy; it has no owner to change',
  });
}

async function isThere(fs: WorldFs, path: string): Promise<boolean> {
  try {
    await fs.lstat(path);
    return true;
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return false;
    throw error;
  }
}
