/**
 * The namespace as a file system of Emscripten. A file is fetched when it is
 * opened and written in one piece when it is closed, since a write is one
 * transaction here; what was opened to append is appended.
 */

import { type Bridge, CallFailed } from '../support/program/bridge.ts';
import { numberOf } from '../support/wasi-errno.ts';
import {
  type AttributeChange,
  bytesOf,
  type EmscriptenFs,
  type FsNode,
  type FsStream,
  type GuestAttributes,
  type NodeOperations,
  type StreamOperations,
} from './emscripten.ts';

const S_IFDIR = 0o040_000;
const S_IFREG = 0o100_000;
const ANY_EXECUTES = 0o111;
const O_ACCMODE = 3;
const O_TRUNC = 0o1000;
const O_APPEND = 0o2000;
const SEEK_CUR = 1;
const SEEK_END = 2;
const BLOCK = 512;

/** The most that a file may hold while it is open. Bytes. */
const FILE_LIMIT = 256 * 1024 * 1024;

/** A file while it is open somewhere. */
interface OpenFile {
  /** Its content from `unread` on. */
  data: Uint8Array;
  /** Bytes at its start that nobody asked for: what is only appended to need not be readable. */
  unread: number;
  /** Of all of it, in bytes. */
  size: number;
  streams: number;
  /** Does the namespace have other content? */
  dirty: boolean;
}

export class NamespaceFiles {
  readonly #fs: EmscriptenFs;
  readonly #bridge: Bridge;
  /** By the node's number. */
  readonly #open = new Map<number, OpenFile>();
  /** Nodes that were made and not written yet: a file comes to be when it is closed. */
  readonly #unborn = new Set<FsNode>();
  /** What a stream that was opened to append has written. */
  readonly #appended = new Map<FsStream, Uint8Array[]>();

  constructor(fs: EmscriptenFs, bridge: Bridge) {
    this.#fs = fs;
    this.#bridge = bridge;
  }

  /** From now on the root is the namespace's, but for the names that Emscripten has there already. */
  show(): void {
    const { root } = this.#fs;
    // The gate alone says who may do what: modes are only shown.
    this.#fs.ignorePermissions = true;
    // Of processes there is nothing to see, and what Emscripten has there cannot be opened.
    this.#fs.hashRemoveNode(this.#fs.lookupPath('/proc').node);
    root.node_ops = { ...this.#nodeOperations, getattr: root.node_ops.getattr };
  }

  /** Writes what is still open at the end. @throws CallFailed the first fault; the others were told */
  finish(): void {
    let first: unknown;
    for (const stream of this.#fs.streams) {
      if (stream == null) continue;
      try {
        this.#flush(stream);
      } catch (error) {
        first ??= error;
      }
    }
    if (first !== undefined) throw first;
  }

  #node(parent: FsNode, name: string, mode: number): FsNode {
    const node = this.#fs.createNode(parent, name, mode, 0);
    node.node_ops = this.#nodeOperations;
    node.stream_ops = this.#streamOperations;
    return node;
  }

  #path(node: FsNode): string {
    return node === this.#fs.root ? '/' : this.#below(node.parent, node.name);
  }

  #below(parent: FsNode, name: string): string {
    const path = this.#path(parent);
    return path === '/' ? `/${name}` : `${path}/${name}`;
  }

  /** Runs an operation; a fault becomes Emscripten's. */
  #attempt<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (error instanceof CallFailed) throw new this.#fs.ErrnoError(numberOf(error.errno));
      throw error;
    }
  }

  #fault(errno: Parameters<typeof numberOf>[0]): Error {
    return new this.#fs.ErrnoError(numberOf(errno));
  }

  #attributes(node: FsNode): GuestAttributes {
    const open = this.#open.get(node.id);
    const stat = this.#unborn.has(node)
      ? { mode: node.mode, size: 0, mtimeMs: Date.now() }
      : this.#attempt(() => this.#bridge.call('lstat', this.#path(node)));
    const size = open?.size ?? stat.size;
    const time = new Date(stat.mtimeMs);
    return {
      dev: 1,
      ino: node.id,
      mode: stat.mode,
      nlink: 1,
      uid: 0,
      gid: 0,
      rdev: 0,
      size,
      atime: time,
      mtime: time,
      ctime: time,
      blksize: 4096,
      blocks: Math.ceil(size / BLOCK),
    };
  }

  #change(node: FsNode, { mode, size, mtime, atime }: AttributeChange): void {
    const path = this.#path(node);
    if (mode !== undefined) {
      // Emscripten sets the mode of what it has just made: it is set once the file is there.
      if (!this.#unborn.has(node))
        this.#attempt(() => this.#bridge.call('chmod', path, mode & 0o7777));
      node.mode = mode;
    }
    if (size !== undefined) {
      this.#truncate(node, size);
    } else if (mtime !== undefined) {
      this.#attempt(() => this.#bridge.call('utimes', path, atime ?? mtime, mtime));
    }
  }

  #truncate(node: FsNode, size: number): void {
    const open = this.#open.get(node.id);
    // `open` with O_TRUNC does this before there is a stream; what it opens begins empty.
    if (open === undefined && size === 0) {
      this.#emptied.add(node);
      return;
    }
    if (open !== undefined) {
      if (size > 0) this.#readWhole(node, open);
      this.#resize(open, size);
      open.dirty = true;
      return;
    }
    const path = this.#path(node);
    this.#attempt(() => {
      const file = fileOf(this.#bridge.call('read', path));
      this.#resize(file, size);
      this.#bridge.call('write', path, file.data.subarray(0, size));
    });
  }

  /** Nodes that were truncated and not opened since. */
  readonly #emptied = new Set<FsNode>();

  #resize(file: OpenFile, size: number): void {
    if (size === 0) file.unread = 0;
    const [held, wanted] = [file.size - file.unread, size - file.unread];
    if (wanted > FILE_LIMIT) throw this.#fault('EFBIG');
    if (wanted > file.data.length) {
      const grown = new Uint8Array(Math.min(FILE_LIMIT, Math.max(wanted, file.data.length * 2)));
      grown.set(file.data.subarray(0, held));
      file.data = grown;
    } else if (wanted < held) {
      file.data.fill(0, wanted, held);
    }
    file.size = size;
  }

  /** Of a file that was only appended to so far, what is before that. */
  #readWhole(node: FsNode, file: OpenFile): void {
    if (file.unread === 0) return;
    for (const stream of this.#appended.keys()) if (stream.node === node) this.#flush(stream);
    const data = this.#attempt(() => this.#bridge.call('read', this.#path(node)));
    Object.assign(file, { data, unread: 0, size: data.length });
  }

  #openStream(stream: FsStream): void {
    const { node, flags } = stream;
    if (this.#fs.isDir(node.mode)) return;
    if ((flags & O_APPEND) !== 0) this.#appended.set(stream, []);
    const appends = (flags & O_APPEND) !== 0 && (flags & O_ACCMODE) === 1;
    let file = this.#open.get(node.id);
    if (file === undefined) {
      const emptied = this.#emptied.delete(node) || (flags & O_TRUNC) !== 0;
      const isNew = this.#unborn.has(node);
      file =
        isNew || emptied
          ? { ...fileOf(new Uint8Array()), dirty: true }
          : appends
            ? fileOf(new Uint8Array(), this.#attributes(node).size)
            : fileOf(this.#attempt(() => this.#bridge.call('read', this.#path(node))));
      this.#open.set(node.id, file);
    } else if ((flags & O_TRUNC) !== 0) {
      this.#resize(file, 0);
      file.dirty = true;
    } else if (!appends) this.#readWhole(node, file);
    file.streams += 1;
  }

  #closeStream(stream: FsStream): void {
    const { node } = stream;
    const file = this.#open.get(node.id);
    if (file === undefined) return;
    file.streams -= 1;
    try {
      this.#flush(stream);
    } finally {
      this.#appended.delete(stream);
      if (file.streams === 0) this.#open.delete(node.id);
    }
  }

  #flush(stream: FsStream): void {
    const { node } = stream;
    const file = this.#open.get(node.id);
    if (file === undefined) return;
    const path = this.#path(node);
    const appended = this.#appended.get(stream) ?? [];
    if (file.dirty) {
      file.dirty = false;
      const isNew = this.#unborn.delete(node);
      this.#attempt(() => {
        this.#bridge.call('write', path, file.data.slice(0, file.size));
        if (isNew && (node.mode & ANY_EXECUTES) !== 0)
          this.#bridge.call('chmod', path, node.mode & 0o7777);
      });
    } else if (appended.length > 0) {
      const data = Buffer.concat(appended);
      this.#attempt(() => this.#bridge.call('append', path, data));
    }
    appended.length = 0;
  }

  #write(stream: FsStream, bytes: Uint8Array, position: number): number {
    const file = this.#openOf(stream);
    const appended = this.#appended.get(stream);
    const at = appended === undefined ? position : file.size;
    if (at + bytes.length > file.size) this.#resize(file, at + bytes.length);
    file.data.set(bytes, at - file.unread);
    if (appended === undefined || this.#unborn.has(stream.node)) file.dirty = true;
    else appended.push(bytes.slice());
    return bytes.length;
  }

  #openOf(stream: FsStream): OpenFile {
    const file = this.#open.get(stream.node.id);
    if (file === undefined) throw this.#fault('EBADF');
    return file;
  }

  readonly #nodeOperations: NodeOperations = {
    getattr: (node) => this.#attributes(node),
    setattr: (node, change) => this.#change(node, change),
    lookup: (parent, name) => {
      const { mode } = this.#attempt(() => this.#bridge.call('lstat', this.#below(parent, name)));
      return this.#node(parent, name, mode);
    },
    mknod: (parent, name, mode) => {
      const type = mode & 0o170_000;
      if (type !== S_IFDIR && type !== S_IFREG && type !== 0) throw this.#fault('EPERM');
      if (type === S_IFDIR) {
        this.#attempt(() => this.#bridge.call('mkdir', this.#below(parent, name)));
        return this.#node(parent, name, mode);
      }
      const node = this.#node(parent, name, mode | S_IFREG);
      this.#unborn.add(node);
      return node;
    },
    rename: (node, directory, name) => {
      this.#attempt(() =>
        this.#bridge.call('rename', this.#path(node), this.#below(directory, name)),
      );
      node.name = name;
      node.parent = directory;
    },
    unlink: (parent, name) => {
      this.#attempt(() => this.#bridge.call('remove', this.#below(parent, name)));
    },
    rmdir: (parent, name) => {
      this.#attempt(() => this.#bridge.call('remove', this.#below(parent, name)));
    },
    readdir: (node) => [
      '.',
      '..',
      ...this.#attempt(() => this.#bridge.call('list', this.#path(node))),
    ],
    symlink: (parent, name, target) => {
      const path = this.#below(parent, name);
      const { mode } = this.#attempt(() => {
        this.#bridge.call('symlink', target, path);
        return this.#bridge.call('lstat', path);
      });
      return this.#node(parent, name, mode);
    },
    readlink: (node) => {
      if (!this.#fs.isLink(node.mode)) throw this.#fault('EINVAL');
      return this.#attempt(() => this.#bridge.call('readlink', this.#path(node)));
    },
  };

  readonly #streamOperations: StreamOperations = {
    open: (stream) => this.#openStream(stream),
    close: (stream) => this.#closeStream(stream),
    fsync: (stream) => {
      this.#flush(stream);
      return 0;
    },
    read: (stream, heap, offset, length, position) => {
      const file = this.#openOf(stream);
      const end = Math.min(file.size, position + length);
      if (end <= position) return 0;
      bytesOf(heap, offset, length).set(file.data.subarray(position, end));
      return end - position;
    },
    write: (stream, heap, offset, length, position) =>
      this.#write(stream, bytesOf(heap, offset, length), position),
    llseek: (stream, offset, whence) => {
      const from =
        whence === SEEK_CUR ? stream.position : whence === SEEK_END ? this.#openOf(stream).size : 0;
      if (from + offset < 0) throw this.#fault('EINVAL');
      return from + offset;
    },
  };
}

function fileOf(data: Uint8Array, unread = 0): OpenFile {
  return { data, unread, size: unread + data.length, streams: 0, dirty: false };
}
