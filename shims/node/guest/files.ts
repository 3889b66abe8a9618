/**
 * Files that are open: the namespace under its own paths. A file is fetched
 * when it is opened and written in one piece when it is closed, since a write is
 * one transaction here; what was opened to append is appended.
 */
import { Failed, type FileHost, type GuestStat } from './file-host.ts';
import {
  BLOCK,
  COPYFILE_EXCL,
  O_ACCMODE,
  O_APPEND,
  O_CREAT,
  O_DIRECTORY,
  O_EXCL,
  O_TRUNC,
  S_IFCHR,
  S_IFDIR,
  S_IFIFO,
  S_IFLNK,
  S_IFMT,
  S_IFREG,
  UMASK,
} from './file-numbers.ts';
import { coder, joined } from './text.ts';

/** The most that a file may hold while it is open. Bytes. */
const FILE_LIMIT = 256 * 1024 * 1024;

/** A file while it is open somewhere. */
interface OpenFile {
  path: string;
  data: Uint8Array;
  size: number;
  descriptors: number;
  /** Does the namespace have other content? */
  isDirty: boolean;
  isDirectory: boolean;
}

interface Descriptor {
  file: OpenFile;
  position: number;
  flags: number;
  appended: Uint8Array[];
}

/** What is there may have no end. */
const isDevice = (path: string): boolean => path.startsWith('/dev/');

export class Files {
  readonly #host: FileHost;
  readonly #open = new Map<string, OpenFile>();
  readonly #descriptors = new Map<number, Descriptor>();
  readonly #inodes = new Map<string, number>();
  #stdin: Uint8Array | null = null;
  #stdinRead = 0;

  constructor(host: FileHost) {
    this.#host = host;
  }

  #call<T>(name: string, ...args: unknown[]): T {
    try {
      return this.#host.guest.host(name, ...args) as T;
    } catch (error) {
      const { errno } = error as { errno?: unknown };
      throw typeof errno === 'string' ? new Failed(errno) : error;
    }
  }

  /** The absolute path of what a script names. */
  resolve(given: unknown): string {
    const path = given instanceof Uint8Array ? this.#text(given) : String(given);
    if (path === '') return '';
    const whole = path.startsWith('/') ? path : `${this.#host.cwd()}/${path}`;
    const parts: string[] = [];
    for (const part of whole.split('/')) {
      if (part === '' || part === '.') continue;
      if (part === '..') parts.pop();
      else parts.push(part);
    }
    // A slash at the end says that it is a directory.
    const isDirectory = path.endsWith('/') && parts.length > 0;
    return `/${parts.join('/')}${isDirectory ? '/' : ''}`;
  }

  #text(bytes: Uint8Array): string {
    return coder(this.#host.guest.host).decode(bytes, 'utf8');
  }

  stat(given: unknown, follows = true): GuestStat {
    const path = this.resolve(given);
    if (path === '') throw new Failed('ENOENT');
    const open = this.#open.get(path);
    const stat = this.#call<GuestStat>(follows || path.endsWith('/') ? 'stat' : 'lstat', path);
    // Of a device nobody knows beforehand how much it gives.
    if (isDevice(path) && (stat.mode & S_IFMT) === S_IFREG) {
      return { ...stat, mode: S_IFCHR | (stat.mode & ~S_IFMT), size: 0 };
    }
    return open === undefined || open.isDirectory ? stat : { ...stat, size: open.size };
  }

  tryStat(given: unknown, follows = true): GuestStat | null {
    try {
      return this.stat(given, follows);
    } catch (error) {
      if (error instanceof Failed) return null;
      throw error;
    }
  }

  isDirectory(given: unknown): boolean {
    return ((this.tryStat(given)?.mode ?? 0) & S_IFMT) === S_IFDIR;
  }

  read(given: unknown): Uint8Array {
    const path = this.resolve(given);
    if (/^\/(?:dev\/stdin|dev\/fd\/0|proc\/self\/fd\/0)$/.test(path)) return this.#restOfStdin();
    if (path === '') throw new Failed('ENOENT');
    const open = this.#open.get(path);
    const data = open?.data.slice(0, open.size) ?? this.#call<Uint8Array>('read', path);
    if (isDevice(path)) this.#call('atEnd', path);
    return data;
  }

  get #input(): Uint8Array {
    this.#stdin ??= this.#host.stdin();
    return this.#stdin;
  }

  #restOfStdin(): Uint8Array {
    const rest = this.#input.slice(this.#stdinRead);
    this.#call('atEnd', '/dev/stdin');
    this.#stdinRead += rest.length;
    return rest;
  }

  write(given: unknown, bytes: Uint8Array, flags: number, mode: number): void {
    const path = this.resolve(given);
    const standard = standardOf(path);
    if (standard !== null) return this.#host.print(standard, bytes);
    const descriptor = this.open(given, flags, mode);
    try {
      this.writeAt(descriptor, bytes, null);
    } finally {
      this.close(descriptor);
    }
  }

  open(given: unknown, flags: number, mode: number): number {
    const path = this.resolve(given);
    const standard = /^\/dev\/(?:stdin|fd\/0)$/.test(path) ? 0 : standardOf(path);
    if (standard !== null) return standard;
    const stat = this.tryStat(path);
    if (stat === null) {
      if ((flags & O_CREAT) === 0) this.stat(path);
      // A link to nothing is written through, and an error of another kind is told.
      if (path.endsWith('/')) throw new Failed('EISDIR');
    } else if ((flags & (O_CREAT | O_EXCL)) === (O_CREAT | O_EXCL)) {
      throw new Failed('EEXIST');
    }
    const isDirectory = stat !== null && (stat.mode & S_IFMT) === S_IFDIR;
    const writes = (flags & O_ACCMODE) !== 0;
    if (isDirectory && writes) throw new Failed('EISDIR');
    if ((flags & O_DIRECTORY) !== 0 && !isDirectory) throw new Failed('ENOTDIR');
    const present = this.#open.get(path);
    const file = present ?? this.#fetch(path, flags, stat, isDirectory);
    if (present !== undefined && (flags & O_TRUNC) !== 0) this.#resize(present, 0);
    file.descriptors += 1;
    this.#open.set(path, file);
    const number = this.#freeNumber();
    this.#descriptors.set(number, { file, position: 0, flags, appended: [] });
    if (stat === null) {
      // It is there from now on, for whoever looks, and its mode is the one that was asked for.
      try {
        this.#call('write', path, new Uint8Array());
        const wanted = mode & ~UMASK & 0o777;
        if ((wanted & 0o111) !== 0) this.#call('chmod', path, wanted);
      } catch (error) {
        this.#descriptors.delete(number);
        this.#open.delete(path);
        throw error;
      }
    }
    return number;
  }

  #fetch(path: string, flags: number, stat: GuestStat | null, isDirectory: boolean): OpenFile {
    const isEmptied = stat !== null && (flags & O_TRUNC) !== 0 && !isDirectory;
    // What is only appended to need not be readable, and its content is not wanted.
    const appends = (flags & O_APPEND) !== 0 && (flags & O_ACCMODE) === 1;
    const isFetched = stat !== null && !isDirectory && !isEmptied && !appends;
    const data = isFetched ? this.#call<Uint8Array>('read', path) : new Uint8Array();
    return { path, data, size: data.length, descriptors: 0, isDirty: isEmptied, isDirectory };
  }

  #freeNumber(): number {
    let number = 3;
    while (this.#descriptors.has(number)) number += 1;
    return number;
  }

  descriptor(number: number): Descriptor {
    const found = this.#descriptors.get(number);
    if (found === undefined) throw new Failed('EBADF');
    return found;
  }

  close(number: number): void {
    if (number >= 0 && number <= 2) return;
    const descriptor = this.descriptor(number);
    const { file } = descriptor;
    this.#descriptors.delete(number);
    file.descriptors -= 1;
    try {
      this.#flush(descriptor);
    } finally {
      if (file.descriptors === 0) this.#open.delete(file.path);
    }
  }

  /** Writes what is open. @returns whether all of it could be written */
  finish(): boolean {
    let isWhole = true;
    for (const number of [...this.#descriptors.keys()]) {
      try {
        this.close(number);
      } catch (error) {
        if (!(error instanceof Failed)) throw error;
        isWhole = false;
      }
    }
    return isWhole;
  }

  /** What other programs are to see: a program's children see what it wrote. */
  flushAll(): void {
    for (const descriptor of this.#descriptors.values()) this.#flush(descriptor);
  }

  sync(number: number): void {
    if (number > 2) this.#flush(this.descriptor(number));
  }

  #flush({ file, appended }: Descriptor): void {
    if (file.isDirty) {
      file.isDirty = false;
      this.#call('write', file.path, file.data.slice(0, file.size));
    } else if (appended.length > 0) {
      this.#call('append', file.path, joined(appended));
    }
    appended.length = 0;
  }

  readAt(number: number, target: Uint8Array, position: number | null): number {
    if (number === 0) {
      const part = this.#input.subarray(this.#stdinRead, this.#stdinRead + target.length);
      if (part.length === 0 && target.length > 0) this.#call('atEnd', '/dev/stdin');
      target.set(part);
      this.#stdinRead += part.length;
      return part.length;
    }
    const descriptor = this.descriptor(number);
    const { file, flags } = descriptor;
    if (file.isDirectory) throw new Failed('EISDIR');
    if ((flags & O_ACCMODE) === 1) throw new Failed('EBADF');
    const at = position ?? descriptor.position;
    const part = file.data.subarray(
      Math.min(at, file.size),
      Math.min(at + target.length, file.size),
    );
    if (part.length === 0 && target.length > 0 && isDevice(file.path)) {
      this.#call('atEnd', file.path);
    }
    target.set(part);
    if (position === null) descriptor.position += part.length;
    return part.length;
  }

  writeAt(number: number, bytes: Uint8Array, position: number | null): number {
    if (number === 1 || number === 2) {
      this.#host.print(number, bytes);
      return bytes.length;
    }
    const descriptor = this.descriptor(number);
    const { file, flags } = descriptor;
    if ((flags & O_ACCMODE) === 0) throw new Failed('EBADF');
    const appends = (flags & O_APPEND) !== 0;
    const at = appends ? file.size : (position ?? descriptor.position);
    if (at + bytes.length > file.size) this.#resize(file, at + bytes.length);
    file.data.set(bytes, at);
    if (appends && !file.isDirty) descriptor.appended.push(bytes.slice());
    else file.isDirty = true;
    if (position === null) descriptor.position = at + bytes.length;
    return bytes.length;
  }

  #resize(file: OpenFile, size: number): void {
    if (size > FILE_LIMIT) throw new Failed('EFBIG');
    if (size > file.data.length) {
      const grown = new Uint8Array(Math.min(FILE_LIMIT, Math.max(size, file.data.length * 2)));
      grown.set(file.data.subarray(0, file.size));
      file.data = grown;
    } else if (size < file.size) {
      file.data.fill(0, size, file.size);
      file.isDirty = true;
    }
    file.size = size;
  }

  truncate(number: number, size: number): void {
    const { file } = this.descriptor(number);
    if (size !== file.size) file.isDirty = true;
    this.#resize(file, size);
  }

  list(given: unknown): string[] {
    const path = this.resolve(given);
    if (path === '') throw new Failed('ENOENT');
    return this.#call<string[]>('list', path).toSorted();
  }

  makeDirectory(given: unknown, mode: number, isRecursive: boolean): string | undefined {
    const path = this.resolve(given).replace(/(?<=.)\/$/, '');
    if (path === '') throw new Failed('ENOENT');
    if (!isRecursive) {
      this.#call('mkdir', path);
      this.#setMode(path, mode);
      return undefined;
    }
    const parts = path.split('/').slice(1);
    let first: string | undefined;
    for (const [index] of parts.entries()) {
      const part = `/${parts.slice(0, index + 1).join('/')}`;
      const stat = this.tryStat(part);
      if (stat !== null && (stat.mode & S_IFMT) === S_IFDIR) continue;
      if (stat !== null) throw new Failed(index === parts.length - 1 ? 'EEXIST' : 'ENOTDIR');
      this.#call('mkdir', part);
      first ??= part;
    }
    if (first !== undefined) this.#setMode(path, mode);
    return first;
  }

  #setMode(path: string, mode: number): void {
    if ((mode & 0o777) !== 0o777) this.#call('chmod', path, mode & ~UMASK & 0o7777);
  }

  removeDirectory(given: unknown): void {
    const stat = this.stat(given, false);
    if ((stat.mode & S_IFMT) !== S_IFDIR) throw new Failed('ENOTDIR');
    this.#call('remove', this.resolve(given));
  }

  unlink(given: unknown): void {
    const stat = this.stat(given, false);
    if ((stat.mode & S_IFMT) === S_IFDIR) throw new Failed('EISDIR');
    this.#call('remove', this.resolve(given));
  }

  removeAll(given: unknown, isRecursive: boolean): void {
    const path = this.resolve(given);
    const stat = this.tryStat(path, false);
    if (stat === null) return;
    if ((stat.mode & S_IFMT) === S_IFDIR && isRecursive) {
      for (const name of this.list(path))
        this.removeAll(`${path.replace(/\/$/, '')}/${name}`, true);
    }
    this.#call('remove', path);
  }

  rename(from: unknown, to: unknown): void {
    this.stat(from, false);
    this.#call('rename', this.resolve(from), this.resolve(to));
  }

  link(from: unknown, to: unknown): void {
    this.#call('link', this.resolve(from), this.resolve(to));
  }

  symlink(target: unknown, path: unknown): void {
    this.#call('symlink', String(target), this.resolve(path));
  }

  readLink(given: unknown): string {
    if ((this.stat(given, false).mode & S_IFMT) !== S_IFLNK) throw new Failed('EINVAL');
    return this.#call('readlink', this.resolve(given));
  }

  changeMode(given: unknown, mode: number): void {
    this.#call('chmod', this.resolve(given), mode & 0o7777);
  }

  setTimes(given: unknown, atime: number, mtime: number): void {
    this.stat(given);
    this.#call('utimes', this.resolve(given), atime * 1000, mtime * 1000);
  }

  copy(from: unknown, to: unknown, mode: number): void {
    const stat = this.stat(from);
    if ((stat.mode & S_IFMT) === S_IFDIR) throw new Failed('EISDIR');
    const present = this.tryStat(to);
    if (present !== null && (mode & COPYFILE_EXCL) !== 0) throw new Failed('EEXIST');
    const bytes = this.read(from);
    const target = this.resolve(to);
    this.#call('write', target, bytes);
    if (present === null && (stat.mode & 0o111) !== 0)
      this.#call('chmod', target, stat.mode & 0o777);
  }

  access(given: unknown, mode: number): void {
    const stat = this.stat(given);
    const isExecuted = (mode & 1) !== 0;
    const isFile = (stat.mode & S_IFMT) === S_IFREG;
    if (isExecuted && isFile && (stat.mode & 0o111) === 0) throw new Failed('EACCES');
    if ((mode & 2) !== 0 && (stat.mode & 0o222) === 0) throw new Failed('EACCES');
  }

  /** In the order in which Node.js has them. */
  numbersOf(stat: GuestStat, path: string, isBig: boolean): Float64Array | BigInt64Array {
    const inode = this.#inodes.get(path) ?? this.#inodes.size + 1;
    this.#inodes.set(path, inode);
    const seconds = Math.floor(stat.mtimeMs / 1000);
    const nanoseconds = Math.round((stat.mtimeMs - seconds * 1000) * 1e6);
    const times = Array.from({ length: 4 }, () => [seconds, nanoseconds]).flat();
    const all = [
      1,
      stat.mode,
      1,
      0,
      0,
      0,
      4096,
      inode,
      stat.size,
      Math.ceil(stat.size / BLOCK),
      ...times,
    ];
    return isBig ? BigInt64Array.from(all.map((number) => BigInt(number))) : Float64Array.from(all);
  }

  statDescriptor(number: number): [GuestStat, string] {
    if (number >= 0 && number <= 2) {
      return [{ mode: S_IFIFO | 0o600, size: 0, mtimeMs: Date.now() }, `/dev/fd/${number}`];
    }
    const { file } = this.descriptor(number);
    return [{ ...this.stat(file.path), size: file.size }, file.path];
  }
}

function standardOf(path: string): 1 | 2 | null {
  if (/^\/(?:dev\/stdout|dev\/fd\/1|proc\/self\/fd\/1)$/.test(path)) return 1;
  return /^\/(?:dev\/stderr|dev\/fd\/2|proc\/self\/fd\/2)$/.test(path) ? 2 : null;
}
