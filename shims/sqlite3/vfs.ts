/**
 * SQLite's file system (a "VFS" in its words) over the namespace: a database is read
 * whole when it is opened and written whole when it is closed, or before another
 * command may look. Journals and temporary files stay in memory.
 *
 * @see https://www.sqlite.org/vfs.html
 */
import { posix } from 'node:path';
import { type Errno, STRERROR } from '../../src/errors.ts';
import { type Bridge, CallFailed } from '../support/program/bridge.ts';
import type { Pointer, Sqlite } from './sqlite-wasm.ts';

const PAGE = 4096;
/** Where a database's header says whether it has a write-ahead log: 2 twice if so. */
const LOG_VERSIONS = 18;
/** A journal or log of another program, which has what the file lacks. */
const BESIDE = ['-journal', '-wal'];

/** Another command wrote a database that this one changed. */
class LockedError extends Error {
  constructor(path: string) {
    super(`database is locked: ${path} was written by another command meanwhile`);
  }
}

/** A file's content while it is open. */
class Content {
  /** In the namespace; undefined for what stays in memory. */
  readonly path: string | undefined;
  bytes: Uint8Array;
  size: number;
  isDirty = false;
  /** As it was read or written last; undefined if there was no file. */
  stored: Uint8Array | undefined;
  hadLog = false;
  opened = 0;

  constructor(path: string | undefined, stored?: Uint8Array) {
    this.path = path;
    this.stored = stored;
    this.bytes = stored === undefined ? new Uint8Array(0) : stored.slice();
    this.size = this.bytes.length;
    // Without shared memory SQLite cannot open one with a log, which is empty here.
    if (path !== undefined && this.size >= 100 && this.bytes[LOG_VERSIONS + 1] === 2) {
      this.hadLog = true;
      this.bytes.fill(1, LOG_VERSIONS, LOG_VERSIONS + 2);
    }
  }

  resize(size: number): void {
    if (size > this.bytes.length) {
      const grown = new Uint8Array(Math.max(size, this.bytes.length * 2, PAGE));
      grown.set(this.bytes.subarray(0, this.size));
      this.bytes = grown;
    } else if (size < this.size) this.bytes.fill(0, size, this.size);
    this.size = size;
  }

  /** What the file is to be. */
  image(): Uint8Array {
    const image = this.bytes.slice(0, this.size);
    if (this.hadLog && image.length >= 100) image.fill(2, LOG_VERSIONS, LOG_VERSIONS + 2);
    return image;
  }
}

/** The files of one run. */
export class NamespaceVfs {
  readonly #bridge: Bridge;
  readonly #cwd: string;
  readonly #sqlite: Sqlite;
  readonly #open = new Map<Pointer, Content>();
  readonly #byName = new Map<string, Content>();
  /** What could not be written when it was closed, for a human. */
  readonly faults: string[] = [];
  #refusal: string | undefined;

  constructor(sqlite: Sqlite, bridge: Bridge, cwd: string) {
    this.#sqlite = sqlite;
    this.#bridge = bridge;
    this.#cwd = cwd;
  }

  /** Registers it under a name, as the default. */
  install(name: string): void {
    const { capi, wasm, vfs } = this.#sqlite;
    const usual = new capi.sqlite3_vfs(capi.sqlite3_vfs_find(null));
    const struct = new capi.sqlite3_vfs();
    struct.$iVersion = 2;
    struct.$szOsFile = capi.sqlite3_file.structInfo.sizeof;
    struct.$mxPathname = 4096;
    struct.$xRandomness = usual.$xRandomness;
    struct.$xSleep = usual.$xSleep;
    struct.$xCurrentTime = usual.$xCurrentTime;
    struct.$xCurrentTimeInt64 = usual.$xCurrentTimeInt64;
    usual.dispose();
    const io = new capi.sqlite3_io_methods();
    io.$iVersion = 1;
    const name_ = (pointer: Pointer): string => wasm.cstrToJs(pointer) ?? '';
    vfs.installVfs({
      io: { struct: io, methods: this.#fileMethods() },
      vfs: {
        struct,
        name,
        asDefault: true,
        methods: {
          xOpen: (_vfs: Pointer, path: Pointer, file: Pointer, flags: number, out: Pointer) => {
            const content = this.#take(path === 0 ? undefined : name_(path), flags);
            if (content === undefined) return capi['SQLITE_CANTOPEN'];
            content.opened += 1;
            this.#open.set(file, content);
            const handle = new capi.sqlite3_file(file);
            handle.$pMethods = io.pointer;
            handle.dispose();
            if (out !== 0) wasm.poke32(out, flags);
            return 0;
          },
          xDelete: (_vfs: Pointer, path: Pointer) => {
            this.#byName.delete(name_(path));
            return 0;
          },
          xAccess: (_vfs: Pointer, path: Pointer, _flags: number, out: Pointer) => {
            wasm.poke32(out, this.#byName.has(name_(path)) ? 1 : 0);
            return 0;
          },
          xFullPathname: (_vfs: Pointer, path: Pointer, room: number, out: Pointer) => {
            const full = Buffer.from(`${posix.resolve(this.#cwd, name_(path))}\0`);
            if (full.length > room) return capi['SQLITE_CANTOPEN'];
            wasm.heap8u().set(full, out);
            return 0;
          },
          xGetLastError: () => 0,
        },
      },
    });
  }

  /** Is a database open that is no file yet? */
  isNew(path: string): boolean {
    return this.#byName.get(path)?.size === 0;
  }

  /** Why the last database could not be opened, if there is more to say than SQLite does. */
  takeRefusal(): string | undefined {
    const refusal = this.#refusal;
    this.#refusal = undefined;
    return refusal;
  }

  /** Writes what changed since it was read; what fails is a fault. */
  store(): void {
    for (const content of new Set(this.#open.values())) this.#finish(content);
  }

  /** Reads again what another command may have written. */
  reload(): void {
    for (const content of new Set(this.#open.values())) {
      if (content.path === undefined || content.isDirty) continue;
      const stored = this.#read(content.path);
      if (stored === undefined || same(stored, content.stored)) continue;
      const fresh = new Content(content.path, stored);
      Object.assign(content, { bytes: fresh.bytes, size: fresh.size, stored });
    }
  }

  #take(path: string | undefined, flags: number): Content | undefined {
    const { capi } = this.#sqlite;
    if (path === undefined) return new Content(undefined);
    const known = this.#byName.get(path);
    if (known !== undefined) return known;
    const isDatabase = (flags & (capi['SQLITE_OPEN_MAIN_DB'] ?? 0)) !== 0;
    const content = isDatabase ? this.#load(path, flags) : new Content(undefined);
    if (content !== undefined) this.#byName.set(path, content);
    return content;
  }

  #load(path: string, flags: number): Content | undefined {
    const mayCreate = (flags & (this.#sqlite.capi['SQLITE_OPEN_CREATE'] ?? 0)) !== 0;
    try {
      const stored = this.#read(path);
      if (stored === undefined && !mayCreate) return undefined;
      for (const end of BESIDE) {
        if ((this.#read(path + end)?.length ?? 0) === 0) continue;
        this.#refusal = `${path}${end} holds changes of another program that are not in ${path}; they can be joined where that program runs`;
        return undefined;
      }
      if (stored === undefined) this.#bridge.call('stat', posix.dirname(path));
      return new Content(path, stored);
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      if (!isAbsence(error.errno)) this.#refusal = `${path}: ${STRERROR[error.errno]}`;
      return undefined;
    }
  }

  /** A file's bytes; undefined if there is none. */
  #read(path: string): Uint8Array | undefined {
    try {
      return this.#bridge.call('read', path);
    } catch (error) {
      if (error instanceof CallFailed && isAbsence(error.errno)) return undefined;
      throw error;
    }
  }

  #store(content: Content): void {
    const { path } = content;
    if (path === undefined || !content.isDirty) return;
    // Both would have read the same, and the later one would undo what the other wrote.
    if (!same(this.#read(path), content.stored)) {
      throw new LockedError(path);
    }
    const image = content.image();
    this.#bridge.call('write', path, image);
    content.stored = image;
    content.isDirty = false;
  }

  #fileMethods(): Record<string, (...args: never[]) => unknown> {
    const { capi, wasm } = this.#sqlite;
    const of = (file: Pointer): Content => {
      const content = this.#open.get(file);
      if (content === undefined) throw new Error('a file that is not open');
      return content;
    };
    return {
      xClose: (file: Pointer) => {
        const content = of(file);
        this.#open.delete(file);
        content.opened -= 1;
        if (content.opened > 0) return 0;
        for (const [name, each] of this.#byName) {
          if (each === content && content.path !== undefined) this.#byName.delete(name);
        }
        return this.#finish(content);
      },
      xRead: (file: Pointer, to: Pointer, bytes: number, offset: bigint) => {
        const { bytes: all, size } = of(file);
        const from = Number(offset);
        const there = Math.max(0, Math.min(bytes, size - from));
        const heap = wasm.heap8u();
        heap.set(all.subarray(from, from + there), to);
        if (there === bytes) return 0;
        heap.fill(0, to + there, to + bytes);
        return capi['SQLITE_IOERR_SHORT_READ'];
      },
      xWrite: (file: Pointer, from: Pointer, bytes: number, offset: bigint) => {
        const content = of(file);
        const at = Number(offset);
        if (at + bytes > content.size) content.resize(at + bytes);
        content.bytes.set(wasm.heap8u().subarray(from, from + bytes), at);
        content.isDirty = true;
        return 0;
      },
      xTruncate: (file: Pointer, size: bigint) => {
        const content = of(file);
        content.resize(Number(size));
        content.isDirty = true;
        return 0;
      },
      xSync: () => 0,
      xFileSize: (file: Pointer, out: Pointer) => {
        wasm.poke64(out, BigInt(of(file).size));
        return 0;
      },
      xLock: () => 0,
      xUnlock: () => 0,
      xCheckReservedLock: (_file: Pointer, out: Pointer) => {
        wasm.poke32(out, 0);
        return 0;
      },
      xFileControl: () => capi['SQLITE_NOTFOUND'],
      xSectorSize: () => PAGE,
      xDeviceCharacteristics: () => 0,
    };
  }

  #finish(content: Content): number {
    try {
      this.#store(content);
      return 0;
    } catch (error) {
      // SQLite takes no failure of closing a file.
      this.faults.push(faultOf(error, content.path ?? ''));
      return this.#sqlite.capi['SQLITE_IOERR_WRITE'] ?? 1;
    }
  }
}

/** A failed call in words. */
function faultOf(error: unknown, path: string): string {
  if (error instanceof CallFailed) return `${path}: ${STRERROR[error.errno]}`;
  if (error instanceof LockedError) return error.message;
  throw error;
}

function isAbsence(errno: Errno): boolean {
  return errno === 'ENOENT';
}

function same(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return Buffer.compare(a, b) === 0;
}
