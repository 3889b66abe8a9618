/**
 * A file system that does nothing: a tree in memory, answered at once, on the
 * library and with the defaults that everybody has. What a program takes in it
 * is the kernel's way through a process of Node and back.
 *
 *   node bench/null-file-system.ts DIRECTORY     until its stdin ends
 */
import { constants } from 'node:os';
import process from 'node:process';
import type { KernelStat } from '../src/doors/files/stat.ts';
import {
  type KernelMount,
  type KernelOperations,
  type KernelOptions,
  loadBinding,
} from '../src/doors/fuse/binding.ts';

const { ENOENT, EEXIST, ENOTEMPTY, EPERM, ENODATA } = constants.errno;
const DIRECTORY = 0o040_000;
const FILE = 0o100_000;
const LINK = 0o120_000;

interface Entry {
  mode: number;
  bytes: Buffer;
  size: number;
  children: Map<string, Entry>;
  mtime: number;
}

class Missing extends Error {
  readonly errno: number;

  constructor(errno: number) {
    super(`errno ${errno}`);
    this.errno = errno;
  }
}

class Tree {
  readonly #root = Tree.entry(DIRECTORY | 0o755);

  static entry(mode: number): Entry {
    const children = new Map<string, Entry>();
    return { mode, bytes: Buffer.alloc(0), size: 0, children, mtime: Date.now() };
  }

  at(path: string): Entry {
    let entry: Entry | undefined = this.#root;
    for (const name of path.split('/')) if (name !== '') entry = entry?.children.get(name);
    if (entry === undefined) throw new Missing(ENOENT);
    return entry;
  }

  add(path: string, entry: Entry): Entry {
    const { children, name } = this.#above(path);
    children.set(name, entry);
    return entry;
  }

  remove(path: string): void {
    const { children, name } = this.#above(path);
    const size = children.get(name)?.children.size ?? 0;
    if (size > 0) throw new Missing(ENOTEMPTY);
    if (!children.delete(name)) throw new Missing(ENOENT);
  }

  #above(path: string): { children: Map<string, Entry>; name: string } {
    const cut = path.lastIndexOf('/');
    return { children: this.at(path.slice(0, cut)).children, name: path.slice(cut + 1) };
  }
}

const statOf = ({ mode, size, mtime }: Entry): KernelStat => {
  const time = { seconds: Math.floor(mtime / 1000), nanoseconds: (mtime % 1000) * 1e6 };
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const times = { mtime: time, ctime: time, atime: time };
  return { mode, size, nlink: 1, ...owner, ...times, blocks: Math.ceil(size / 512), blksize: 4096 };
};

function resize(entry: Entry, size: number): void {
  if (size > entry.bytes.length) {
    const grown = Buffer.alloc(Math.ceil(size * 1.5));
    entry.bytes.copy(grown, 0, 0, entry.size);
    entry.bytes = grown;
  } else if (size < entry.size) entry.bytes.fill(0, size, entry.size);
  entry.size = size;
  entry.mtime = Date.now();
}

/** All of what an ordinary program asks. */
function operations(): KernelOperations {
  const tree = new Tree();
  const open = new Map<number, Entry>();
  let last = 0;
  const opened = (entry: Entry) => {
    last += 1;
    open.set(last, entry);
    return { fd: last, keepCache: true, directIO: false };
  };
  const of = (fd: number): Entry => {
    const entry = open.get(fd);
    if (entry === undefined) throw new Missing(ENOENT);
    return entry;
  };
  // Answers with what the work gives, or with its errno.
  const put = <T>(answer: (result: number, value?: T) => void, work: () => T): void => {
    let value: T;
    try {
      value = work();
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      return answer(-error.errno);
    }
    answer(0, value);
  };
  const touch = (entry: Entry, mode: number): void => {
    entry.mode = (entry.mode & 0o170_000) | (mode & 0o7777);
  };
  return {
    initWithConfig: (_connection, answer) => answer(0),
    getattr: (path, answer) => put(answer, () => statOf(tree.at(path))),
    fgetattr: (_path, fd, answer) => put(answer, () => statOf(of(fd))),
    readdir: (path, answer) => {
      const rows = [...tree.at(path).children];
      answer(
        0,
        rows.map(([name]) => name),
        rows.map(([, { mode }]) => ({ mode })),
      );
    },
    open: (path, _flags, answer) => put(answer, () => opened(tree.at(path))),
    createWithFlags: (path, mode, _flags, answer) =>
      put(answer, () => opened(tree.add(path, Tree.entry(FILE | (mode & 0o7777))))),
    read: (_path, fd, buffer, length, position, answer) => {
      const { bytes, size } = of(fd);
      answer(bytes.copy(buffer, 0, position, Math.min(position + length, size)));
    },
    write: (_path, fd, buffer, length, position, answer) => {
      const entry = of(fd);
      if (position + length > entry.size) resize(entry, position + length);
      answer(buffer.copy(entry.bytes, position, 0, length));
    },
    truncate: (path, size, answer) => put(answer, () => resize(tree.at(path), size)),
    ftruncate: (_path, fd, size, answer) => put(answer, () => resize(of(fd), size)),
    flush: (_path, _fd, answer) => answer(0),
    fsync: (_path, _dataOnly, _fd, answer) => answer(0),
    fsyncdir: (_path, _dataOnly, _fd, answer) => answer(0),
    release: (_path, fd, answer) => put(answer, () => void open.delete(fd)),
    mknod: (path, mode, _device, answer) =>
      put(answer, () => void tree.add(path, Tree.entry(FILE | (mode & 0o7777)))),
    mkdir: (path, mode, answer) =>
      put(answer, () => void tree.add(path, Tree.entry(DIRECTORY | (mode & 0o7777)))),
    rmdir: (path, answer) => put(answer, () => tree.remove(path)),
    unlink: (path, answer) => put(answer, () => tree.remove(path)),
    renameWithFlags: (from, to, flags, answer) =>
      put(answer, () => {
        const entry = tree.at(from);
        if (flags !== 0) throw new Missing(EEXIST);
        tree.add(to, entry);
        tree.remove(from);
      }),
    link: (_from, _to, answer) => answer(-EPERM),
    symlink: (target, path, answer) =>
      put(answer, () => {
        const entry = tree.add(path, Tree.entry(LINK | 0o777));
        entry.bytes = Buffer.from(target);
        entry.size = entry.bytes.length;
      }),
    readlink: (path, answer) => put(answer, () => tree.at(path).bytes.toString()),
    chmod: (path, mode, answer) => put(answer, () => touch(tree.at(path), mode)),
    chown: (_path, _uid, _gid, answer) => answer(0),
    utimensWithTimespec: (_path, _atime, _mtime, answer) => answer(0),
    statfs: (_path, answer) => answer(0, { bsize: 4096, frsize: 4096, namemax: 255 }),
    fallocate: (_path, _fd, _mode, _offset, _length, answer) => answer(0),
    getxattr: (_path, _name, _position, answer) => answer(-ENODATA),
    listxattr: (_path, answer) => answer(0, []),
    setxattr: (_path, _name, _value, _position, _flags, answer) => answer(-EPERM),
    removexattr: (_path, _name, answer) => answer(-EPERM),
  };
}

const Binding = await loadBinding();
const options: Partial<KernelOptions> = { fsname: 'null', autoUnmount: true };
const kernel: KernelMount = new Binding(
  process.argv[2] ?? '',
  operations(),
  options as KernelOptions,
);
await new Promise<void>((resolve, reject) => {
  kernel.mount((error) => (error ? reject(error) : resolve()));
});
process.stdout.write('mounted\n');
process.stdin.resume().on('end', () => kernel.unmount(() => process.exit()));
