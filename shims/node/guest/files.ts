/**
 * The bindings of files: the namespace under its own paths. A file is fetched
 * when it is opened and written in one piece when it is closed, since a write is
 * one transaction here; what was opened to append is appended.
 */
import type { Bag, Guest } from './loose.ts';
import { bytesOf, coder } from './text.ts';

const O_CREAT = 0o100;
const O_EXCL = 0o200;
const O_TRUNC = 0o1000;
const O_APPEND = 0o2000;
const O_DIRECTORY = 0o200_000;
const O_ACCMODE = 3;
const S_IFMT = 0o170_000;
const S_IFDIR = 0o040_000;
const S_IFREG = 0o100_000;
const S_IFLNK = 0o120_000;
const S_IFIFO = 0o010_000;
const COPYFILE_EXCL = 1;
/** What the shell makes files with. */
const UMASK = 0o022;
const BLOCK = 512;

/** The most that a file may hold while it is open. Bytes. */
const FILE_LIMIT = 256 * 1024 * 1024;

interface GuestStat {
  mode: number;
  size: number;
  mtimeMs: number;
}

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

/** An errno on its way to the error that Node.js makes of it. */
class Failed extends Error {
  readonly errno: string;
  constructor(errno: string) {
    super(errno);
    this.errno = errno;
  }
}

export interface FileHost {
  guest: Guest;
  /** The working directory. */
  cwd(): string;
  /** Number and text of an errno, as libuv has them. */
  errno(name: string): [number, string];
  /** Runs something when the loop comes around. */
  later(run: () => void): void;
  print(descriptor: 1 | 2, bytes: Uint8Array | string): void;
  stdin(): Uint8Array;
  bufferOf(bytes: Uint8Array): Uint8Array;
  realpath(path: string): string;
}

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
    return (
      this.#open.get(path)?.data.slice(0, this.#open.get(path)?.size) ?? this.#call('read', path)
    );
  }

  get #input(): Uint8Array {
    this.#stdin ??= this.#host.stdin();
    return this.#stdin;
  }

  #restOfStdin(): Uint8Array {
    const rest = this.#input.slice(this.#stdinRead);
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

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

type Run = (...args: never[]) => unknown;

/** How many arguments a call has before the one that says who is told, and what its errors name. */
interface Spec {
  count: number;
  syscall: string;
  /** Which arguments are paths. */
  paths: number;
  run: Run;
}

/** What `internalBinding('fs')` is. */
export function fsBinding(files: Files, host: FileHost): object {
  const usesPromises = Symbol('fs_use_promises_symbol');
  class FSReqCallback {
    oncomplete: ((error: unknown, value?: unknown) => void) | undefined;
    context: unknown;
  }
  const fail = (error: unknown, { syscall, paths }: Spec, args: unknown[]): Error => {
    if (!(error instanceof Failed)) return error as Error;
    return uvException(host, error.errno, syscall, args.slice(0, paths));
  };
  const define = (spec: Spec) =>
    function called(...args: unknown[]): unknown {
      const request = args.find(
        (arg, index) => index > 0 && (arg instanceof FSReqCallback || arg === usesPromises),
      );
      let value: unknown;
      let error: Error | null = null;
      try {
        value = (spec.run as (...given: unknown[]) => unknown)(...args.slice(0, spec.count));
      } catch (caught) {
        error = fail(caught, spec, args);
      }
      if (request instanceof FSReqCallback) {
        host.later(() => {
          if (error === null) request.oncomplete?.(null, value);
          else request.oncomplete?.(error);
        });
        return undefined;
      }
      if (request === usesPromises) {
        return new Promise((resolve, reject) => {
          host.later(() => (error === null ? resolve(value) : reject(error)));
        });
      }
      if (error !== null) throw error;
      return value;
    };
  const dirents = (path: unknown, encoding: unknown, withTypes: unknown): unknown => {
    const names = files.list(path);
    const shown = encoding === 'buffer' ? names.map((name) => encodedName(name)) : names;
    if (withTypes !== true) return shown;
    return [shown, names.map((name) => typeOf(files.tryStat(`${String(path)}/${name}`, false)))];
  };
  const encodedName = (name: string): Uint8Array =>
    host.bufferOf(coder(host.guest.host).encode(name, 'utf8'));
  const text = (path: string, encoding: unknown): unknown =>
    encoding === 'buffer' ? encodedName(path) : path;
  const bytesFrom = (value: unknown, encoding: unknown): Uint8Array =>
    coder(host.guest.host).encode(String(value), String(encoding ?? 'utf8'));
  const place = (position: unknown): number | null =>
    (typeof position === 'number' || typeof position === 'bigint') && Number(position) >= 0
      ? Number(position)
      : null;
  const parts = (view: unknown, offset: unknown, length: unknown): Uint8Array => {
    const bytes = bytesOf(view as Uint8Array);
    const start = typeof offset === 'number' ? offset : 0;
    const count = typeof length === 'number' ? length : bytes.length - start;
    return bytes.subarray(start, start + count);
  };
  const temporary = (prefix: unknown, encoding: unknown): unknown => {
    const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
    const random = host.guest.host('randomBytes', 6) as Uint8Array;
    const path = `${String(prefix)}${[...random].map((byte) => letters[byte % letters.length]).join('')}`;
    files.makeDirectory(path, 0o700, false);
    return text(path, encoding);
  };
  const statOf =
    (follows: boolean) =>
    (path: unknown, isBig: unknown): unknown =>
      files.numbersOf(files.stat(path, follows), files.resolve(path), isBig === true);
  class FileHandle {
    fd: number;
    #isClosed = false;
    constructor(fd: number) {
      this.fd = fd;
    }
    getAsyncId(): number {
      return 0;
    }
    close(): Promise<void> {
      return new Promise((resolve, reject) => {
        host.later(() => {
          try {
            if (!this.#isClosed) files.close(this.fd);
            this.#isClosed = true;
            this.fd = -1;
            resolve();
          } catch (error) {
            const spec = { count: 0, syscall: 'close', paths: 0, run: () => null };
            reject(fail(error, spec, []));
          }
        });
      });
    }
    releaseFD(): number {
      const { fd } = this;
      this.fd = -1;
      this.#isClosed = true;
      return fd;
    }
  }
  const specs: Record<string, Spec> = {};
  const call = (name: string, count: number, paths: number, run: Run, syscall = name): void => {
    specs[name] = { count, paths, run, syscall };
  };
  call('access', 2, 1, (path, mode) => files.access(path, mode));
  call('open', 3, 1, (path, flags, mode) => files.open(path, flags, mode));
  call(
    'openFileHandle',
    3,
    1,
    (path, flags, mode) => new FileHandle(files.open(path, flags, mode)),
    'open',
  );
  call('close', 1, 0, (fd) => files.close(fd));
  call('read', 5, 0, (fd, view, offset, length, position) =>
    files.readAt(fd, parts(view, offset, length), place(position)),
  );
  call(
    'readBuffers',
    3,
    0,
    (fd, views: Uint8Array[], position) => {
      let total = 0;
      for (const view of views) {
        const at = place(position);
        total += files.readAt(fd, bytesOf(view), at === null ? null : at + total);
      }
      return total;
    },
    'read',
  );
  call(
    'writeBuffer',
    5,
    0,
    (fd, view, offset, length, position) =>
      files.writeAt(fd, parts(view, offset, length), place(position)),
    'write',
  );
  call(
    'writeBuffers',
    3,
    0,
    (fd, views: Uint8Array[], position) => {
      const bytes = joined(views.map((view) => bytesOf(view)));
      return files.writeAt(fd, bytes, place(position));
    },
    'write',
  );
  call(
    'writeString',
    4,
    0,
    (fd, value, position, encoding) =>
      files.writeAt(fd, bytesFrom(value, encoding), place(position)),
    'write',
  );
  call('rename', 2, 2, (from, to) => files.rename(from, to));
  call('ftruncate', 2, 0, (fd, size) => files.truncate(fd, size ?? 0));
  call('rmdir', 1, 1, (path) => files.removeDirectory(path));
  call('mkdir', 3, 1, (path, mode, isRecursive) => files.makeDirectory(path, mode, isRecursive));
  call(
    'readdir',
    3,
    1,
    (path, encoding, withTypes) => dirents(path, encoding, withTypes),
    'scandir',
  );
  call('stat', 2, 1, statOf(true));
  call('lstat', 2, 1, statOf(false));
  call('fstat', 2, 0, (fd, isBig) => {
    const [stat, path] = files.statDescriptor(fd);
    return files.numbersOf(stat, path, isBig === true);
  });
  call('statfs', 2, 1, () => Float64Array.from([0xef53, 4096, 2 ** 20, 2 ** 20, 2 ** 20, 0, 0]));
  call('readlink', 2, 1, (path, encoding) => text(files.readLink(path), encoding));
  call('symlink', 3, 2, (target, path) => files.symlink(target, path));
  call('link', 2, 2, (from, to) => files.link(from, to));
  call('unlink', 1, 1, (path) => files.unlink(path));
  call('chmod', 2, 1, (path, mode) => files.changeMode(path, mode));
  call('fchmod', 2, 0, (fd, mode) => files.changeMode(files.descriptor(fd).file.path, mode));
  for (const name of ['chown', 'lchown']) call(name, 3, 1, (path) => void files.stat(path));
  call('fchown', 3, 0, () => undefined);
  call('utimes', 3, 1, (path, atime, mtime) => files.setTimes(path, atime, mtime));
  call('lutimes', 3, 1, (path, atime, mtime) => files.setTimes(path, atime, mtime));
  call(
    'futimes',
    3,
    0,
    (fd, atime, mtime) => {
      files.sync(fd);
      files.setTimes(files.descriptor(fd).file.path, atime, mtime);
    },
    'futime',
  );
  call('fsync', 1, 0, (fd) => files.sync(fd));
  call('fdatasync', 1, 0, (fd) => files.sync(fd));
  call('mkdtemp', 2, 1, temporary);
  call('copyFile', 3, 2, (from, to, mode) => files.copy(from, to, mode), 'copyfile');
  call('realpath', 2, 1, (path, encoding) => text(host.realpath(path), encoding));
  call('rmSync', 3, 1, (path, _retries, isRecursive) => files.removeAll(path, isRecursive), 'rm');
  call(
    'readFileUtf8',
    2,
    1,
    (path: unknown, flags: number) => {
      if (typeof path !== 'number') {
        if (files.isDirectory(path)) throw new Failed('EISDIR');
        if ((flags & O_CREAT) !== 0) files.close(files.open(path, flags, 0o666));
        return coder(host.guest.host).decode(files.read(path), 'utf8');
      }
      const all: Uint8Array[] = [];
      for (;;) {
        const chunk = new Uint8Array(65_536);
        const count = files.readAt(path, chunk, null);
        if (count === 0) return coder(host.guest.host).decode(joined(all), 'utf8');
        all.push(chunk.subarray(0, count));
      }
    },
    'open',
  );
  call(
    'writeFileUtf8',
    4,
    1,
    (target: unknown, value, flags, mode) => {
      const bytes = bytesFrom(value, 'utf8');
      if (typeof target === 'number') files.writeAt(target, bytes, null);
      else files.write(target, bytes, flags, mode);
    },
    'open',
  );
  const called = Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [name, define(spec)]),
  );
  const quiet =
    (name: 'stat' | 'lstat') =>
    (path: unknown, isBig: unknown, request: unknown, throws = true): unknown => {
      if (request !== undefined || throws !== false) return called[name]?.(path, isBig, request);
      const stat = files.tryStat(path, name === 'stat');
      return stat === null ? undefined : files.numbersOf(stat, files.resolve(path), isBig === true);
    };
  return {
    ...called,
    stat: quiet('stat'),
    lstat: quiet('lstat'),
    existsSync: (path: unknown) => files.tryStat(path) !== null,
    internalModuleStat: (...args: unknown[]) => {
      const path = args.find((arg) => typeof arg === 'string');
      const stat = files.tryStat(path);
      return stat === null ? -2 : (stat.mode & S_IFMT) === S_IFDIR ? 1 : 0;
    },
    cpSyncCheckPaths: () => undefined,
    cpSyncOverrideFile: (from: unknown, to: unknown, mode: number) => {
      files.unlink(to);
      files.copy(from, to, mode);
    },
    cpSyncCopyDir: (from: unknown, to: unknown, isForced = true) =>
      copyTree(files, from, to, isForced),
    getFormatOfExtensionlessFile: () => 0,
    legacyMainResolve: () => 0,
    FSReqCallback,
    FileHandle,
    kUsePromises: usesPromises,
    kFsStatsFieldsNumber: 18,
    statValues: new Float64Array(36),
    bigintStatValues: new BigInt64Array(36),
    StatWatcher: class {},
  } satisfies Bag;
}

function typeOf(stat: GuestStat | null): number {
  if (stat === null) return 0;
  const type = stat.mode & S_IFMT;
  return type === S_IFDIR ? 2 : type === S_IFLNK ? 3 : 1;
}

function copyTree(files: Files, from: unknown, to: unknown, isForced: boolean): void {
  files.makeDirectory(to, 0o777, true);
  for (const name of files.list(from)) {
    const [source, target] = [`${String(from)}/${name}`, `${String(to)}/${name}`];
    const type = typeOf(files.tryStat(source, false));
    if (type === 2) copyTree(files, source, target, isForced);
    else if (type === 3) files.symlink(files.readLink(source), target);
    else if (isForced || files.tryStat(target) === null) files.copy(source, target, 0);
  }
}

/** The error that Node.js makes of an errno. */
function uvException(
  host: FileHost,
  code: string,
  syscall: string,
  [path, dest]: unknown[],
): Error {
  const [errno, text] = host.errno(code);
  const shown = (value: unknown): string => ` '${String(value)}'`;
  const where = path === undefined ? '' : shown(path);
  const message = `${code}: ${text}, ${syscall}${where}${dest === undefined ? '' : ` ->${shown(dest)}`}`;
  const error = new Error(message) as Error & Bag;
  error['errno'] = errno;
  error['code'] = code;
  error['syscall'] = syscall;
  if (path !== undefined) error['path'] = String(path);
  if (dest !== undefined) error['dest'] = String(dest);
  return error;
}
