/** SFTP, version 3, over the files of a visit. */
import { FsError, isFsError } from '../../errors.ts';
import { resolvePath } from '../../paths.ts';
import type { WorldFs, WorldMount } from '../../world/world.ts';
import type { FileSystem } from '../files/file-system.ts';
import { SftpDirectories } from './sftp-directories.ts';
import { LIMITS, SftpFiles } from './sftp-files.ts';
import { attributesOf, isLink } from './sftp-listing.ts';
import {
  type Attributes,
  answers,
  Fields,
  long,
  MalformedPacket,
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
const UMASK = 0o022;
/** Of renameat2(2). */
const RENAME_NOREPLACE = 1;

const EXTENSIONS = {
  'posix-rename@openssh.com': '1',
  'hardlink@openssh.com': '1',
  'fsync@openssh.com': '1',
  'statvfs@openssh.com': '2',
  'fstatvfs@openssh.com': '2',
  'lsetstat@openssh.com': '1',
  'limits@openssh.com': '1',
  'expand-path@openssh.com': '1',
};

type Answer = Buffer | null;

/** One client's subsystem. Requests are done one after the other, in their order, as clients count on. */
export class Sftp {
  readonly #options: SftpOptions;
  readonly #reader = new PacketReader(LARGEST_PACKET);
  readonly #paths: SftpFiles;
  readonly #files: FileSystem;
  readonly #directories: SftpDirectories;
  #queue: Promise<void> = Promise.resolve();
  #ready = false;
  #closed = false;

  constructor(options: SftpOptions) {
    this.#options = options;
    this.#paths = new SftpFiles(options.fs, options.mounts);
    this.#files = this.#paths.files;
    this.#directories = new SftpDirectories(this.#files);
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
    this.#files.handles.abandon();
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
    const { handles } = this.#files;
    const path = (): string => this.#path(fields.text());
    const named = (): Promise<string> => this.#paths.real(path(), false);
    switch (type) {
      case REQUEST.OPEN:
        return this.#open(id, path(), fields.number(), fields.attributes());
      case REQUEST.CLOSE:
        return this.#close(fields.bytes());
      case REQUEST.READ:
        return this.#read(id, fileOf(fields.bytes()), fields.long(), fields.number());
      case REQUEST.WRITE:
        await handles.write(...this.#written(fields));
        return null;
      case REQUEST.STAT:
        return this.#stat(id, path(), true);
      case REQUEST.LSTAT:
        return this.#stat(id, path(), false);
      case REQUEST.FSTAT: {
        const stat = await handles.stat(fileOf(fields.bytes()), (each) => this.#files.stat(each));
        return answers.attributes(id, attributesOf(stat));
      }
      case REQUEST.SETSTAT:
        await this.#paths.set(await this.#paths.real(path(), true), fields.attributes());
        return null;
      case REQUEST.FSETSTAT:
        await this.#paths.setOpen(fileOf(fields.bytes()), fields.attributes());
        return null;
      case REQUEST.OPENDIR:
        return this.#openDirectory(id, path());
      case REQUEST.READDIR:
        return this.#readDirectory(id, fields.bytes());
      case REQUEST.REMOVE:
        await this.#files.names.unlink(await named());
        return null;
      case REQUEST.MKDIR: {
        const directory = await named();
        await this.#files.names.mkdir(
          directory,
          (fields.attributes().mode ?? 0o777) & 0o777 & ~UMASK,
        );
        return null;
      }
      case REQUEST.RMDIR:
        await this.#files.names.rmdir(await named());
        return null;
      case REQUEST.REALPATH:
        return this.#named(id, await this.#real(path()));
      case REQUEST.RENAME:
        await this.#files.names.rename(await named(), await named(), RENAME_NOREPLACE);
        return null;
      case REQUEST.READLINK:
        return this.#named(id, await this.#files.names.readlink(await named()));
      case REQUEST.SYMLINK: {
        // The target first: the draft has it the other way round, and no client.
        const target = fields.text();
        await this.#files.names.symlink(target, await named());
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
    const named = (): Promise<string> => this.#paths.real(path(), false);
    switch (name) {
      case 'posix-rename@openssh.com':
        await this.#files.names.rename(await named(), await named());
        return null;
      case 'hardlink@openssh.com':
        await this.#files.names.link(await named(), await named());
        return null;
      case 'fsync@openssh.com':
        await this.#files.handles.sync(fileOf(fields.bytes()));
        return null;
      case 'statvfs@openssh.com':
        return this.#room(id, await this.#paths.real(path(), true));
      case 'fstatvfs@openssh.com':
        return this.#room(id, this.#files.handles.nameOf(fileOf(fields.bytes())) ?? '/');
      case 'lsetstat@openssh.com': {
        const whole = await named();
        if (isLink(await this.#files.stat(whole)))
          throw new Unsupported('a link has no mode and no times of its own');
        await this.#paths.set(whole, fields.attributes());
        return null;
      }
      case 'limits@openssh.com':
        return answers.extended(
          id,
          ...[LARGEST_PACKET, LARGEST_DATA, LARGEST_DATA, LIMITS.handles].map(long),
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
    const mode = given.mode === undefined ? undefined : given.mode & 0o777 & ~UMASK;
    const handle = await this.#paths.open(path, flags, mode);
    return answers.handle(id, Buffer.from(`f${handle}`));
  }

  async #close(handle: Buffer): Promise<Answer> {
    if (!this.#directories.close(handle)) await this.#files.handles.close(fileOf(handle));
    return null;
  }

  async #read(id: number, handle: number, offset: number, length: number): Promise<Answer> {
    const data = Buffer.alloc(Math.min(length, LARGEST_DATA));
    const read = await this.#files.handles.read(handle, data, data.length, offset);
    return read === 0 && length > 0
      ? answers.status(id, STATUS.EOF, 'end of file')
      : answers.data(id, data.subarray(0, read));
  }

  #written(fields: Fields): [handle: number, data: Buffer, offset: number] {
    const [handle, offset, data] = [fileOf(fields.bytes()), fields.long(), fields.bytes()];
    return [handle, data, offset];
  }

  async #stat(id: number, path: string, follow: boolean): Promise<Answer> {
    return answers.attributes(id, attributesOf(await this.#paths.stat(path, follow)));
  }

  /** How much room there is where a path lies. */
  async #room(id: number, path: string): Promise<Answer> {
    const { block, blocks, free, entries, longestName } = await this.#files.room(path);
    const [serial, flags] = [0, 0];
    const numbers = [block, block, blocks, free, free, entries, entries, entries];
    return answers.extended(id, ...[...numbers, serial, flags, longestName].map(long));
  }

  async #openDirectory(id: number, given: string): Promise<Answer> {
    const path = await this.#paths.real(given, true);
    if (this.#directories.size + this.#files.handles.size >= LIMITS.handles)
      throw new FsError('EAGAIN', { path, op: 'opendir', reason: 'too many handles are open' });
    return answers.handle(id, await this.#directories.open(path));
  }

  async #readDirectory(id: number, handle: Buffer): Promise<Answer> {
    const rows = await this.#directories.read(handle);
    return rows === null
      ? answers.status(id, STATUS.EOF, 'end of directory')
      : answers.names(id, rows);
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
}

const fileOf = (handle: Buffer): number => {
  const [, number] = /^f(\d+)$/.exec(handle.toString('latin1')) ?? [];
  return Number(number ?? 0);
};
