/**
 * What `internalBinding('fs')` is: how Node.js's own library calls files. A call answers at once, by a
 * request's callback or by a promise, and fails with the error that libuv would give.
 */
import { Failed, type FileHost, type GuestStat } from './file-host.ts';
import { O_CREAT, S_IFDIR, S_IFLNK, S_IFMT } from './file-numbers.ts';
import type { Files } from './files.ts';
import type { Bag } from './loose.ts';
import { bytesOf, coder, joined } from './text.ts';

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
