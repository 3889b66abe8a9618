/** The calls of `internalBinding('fs')`: what each does, on names, on open files, and on whole ones. */
import { Failed, type FileHost, type GuestStat } from './file-host.ts';
import { O_CREAT, S_IFDIR, S_IFLNK, S_IFMT } from './file-numbers.ts';
import type { Files } from './files.ts';
import { bytesOf, coder, joined } from './text.ts';

type Run = (...args: never[]) => unknown;

/** How many arguments a call has before the one that says who is told, and what its errors name. */
export interface FsCall {
  count: number;
  syscall: string;
  /** Which arguments are paths. */
  paths: number;
  run: Run;
}

type Call = (name: string, count: number, paths: number, run: Run, syscall?: string) => void;

/** The calls by their names. */
export function fsCalls(files: Files, host: FileHost): Record<string, FsCall> {
  const calls: Record<string, FsCall> = {};
  const call: Call = (name, count, paths, run, syscall = name) => {
    calls[name] = { count, paths, run, syscall };
  };
  callsOnNames(call, files, host);
  callsOnOpenFiles(call, files, host);
  callsOnWholeFiles(call, files, host);
  return calls;
}

function callsOnNames(call: Call, files: Files, host: FileHost): void {
  const encodedName = (name: string): Uint8Array =>
    host.bufferOf(coder(host.guest.host).encode(name, 'utf8'));
  const text = (path: string, encoding: unknown): unknown =>
    encoding === 'buffer' ? encodedName(path) : path;
  const dirents = (path: unknown, encoding: unknown, withTypes: unknown): unknown => {
    const names = files.list(path);
    const shown = encoding === 'buffer' ? names.map((name) => encodedName(name)) : names;
    if (withTypes !== true) return shown;
    return [shown, names.map((name) => typeOf(files.tryStat(`${String(path)}/${name}`, false)))];
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
  call('access', 2, 1, (path, mode) => files.access(path, mode));
  call('open', 3, 1, (path, flags, mode) => files.open(path, flags, mode));
  call('rename', 2, 2, (from, to) => files.rename(from, to));
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
  call('statfs', 2, 1, () => Float64Array.from([0xef53, 4096, 2 ** 20, 2 ** 20, 2 ** 20, 0, 0]));
  call('readlink', 2, 1, (path, encoding) => text(files.readLink(path), encoding));
  call('symlink', 3, 2, (target, path) => files.symlink(target, path));
  call('link', 2, 2, (from, to) => files.link(from, to));
  call('unlink', 1, 1, (path) => files.unlink(path));
  call('chmod', 2, 1, (path, mode) => files.changeMode(path, mode));
  for (const name of ['chown', 'lchown']) call(name, 3, 1, (path) => void files.stat(path));
  call('utimes', 3, 1, (path, atime, mtime) => files.setTimes(path, atime, mtime));
  call('lutimes', 3, 1, (path, atime, mtime) => files.setTimes(path, atime, mtime));
  call('mkdtemp', 2, 1, temporary);
  call('copyFile', 3, 2, (from, to, mode) => files.copy(from, to, mode), 'copyfile');
  call('realpath', 2, 1, (path, encoding) => text(host.realpath(path), encoding));
  call('rmSync', 3, 1, (path, _retries, isRecursive) => files.removeAll(path, isRecursive), 'rm');
}

function callsOnOpenFiles(call: Call, files: Files, host: FileHost): void {
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
      files.writeAt(fd, encoded(host, value, encoding), place(position)),
    'write',
  );
  call('ftruncate', 2, 0, (fd, size) => files.truncate(fd, size ?? 0));
  call('fstat', 2, 0, (fd, isBig) => {
    const [stat, path] = files.statDescriptor(fd);
    return files.numbersOf(stat, path, isBig === true);
  });
  call('fchmod', 2, 0, (fd, mode) => files.changeMode(files.descriptor(fd).file.path, mode));
  call('fchown', 3, 0, () => undefined);
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
}

function callsOnWholeFiles(call: Call, files: Files, host: FileHost): void {
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
      const bytes = encoded(host, value, 'utf8');
      if (typeof target === 'number') files.writeAt(target, bytes, null);
      else files.write(target, bytes, flags, mode);
    },
    'open',
  );
}

function encoded(host: FileHost, value: unknown, encoding: unknown): Uint8Array {
  return coder(host.guest.host).encode(String(value), String(encoding ?? 'utf8'));
}

/** Where it is read or written; null: where the file stands. */
function place(position: unknown): number | null {
  return (typeof position === 'number' || typeof position === 'bigint') && Number(position) >= 0
    ? Number(position)
    : null;
}

function parts(view: unknown, offset: unknown, length: unknown): Uint8Array {
  const bytes = bytesOf(view as Uint8Array);
  const start = typeof offset === 'number' ? offset : 0;
  const count = typeof length === 'number' ? length : bytes.length - start;
  return bytes.subarray(start, start + count);
}

/** The kind of a file, as its entry in a directory has it. */
export function typeOf(stat: GuestStat | null): number {
  if (stat === null) return 0;
  const type = stat.mode & S_IFMT;
  return type === S_IFDIR ? 2 : type === S_IFLNK ? 3 : 1;
}
