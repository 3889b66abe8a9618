/** The mounts that every world has and nobody writes to: `/`, `/bin` and `/dev`. */
import { randomBytes } from 'node:crypto';
import { FsError } from '../errors.ts';
import type { Capacity, Dirent, Mount, MountStat } from '../mount/contract/contract.ts';

/** A read-only directory of small texts, made from a table. */
export class StaticMount implements Mount {
  readonly kind: string;
  readonly local = true;
  readonly searchable = false;
  readonly #files: ReadonlyMap<string, Uint8Array>;
  readonly #mode: number;
  readonly #made: Date;

  /** @param files name → text; names have no `/`. */
  constructor(kind: string, files: ReadonlyMap<string, string>, mode = 0o644, made = new Date()) {
    this.kind = kind;
    this.#files = new Map([...files].map(([name, text]) => [name, Buffer.from(text)]));
    this.#mode = mode;
    this.#made = made;
  }

  hasLinks(): boolean {
    return false;
  }

  lacks(path: string): boolean {
    const [, name = ''] = path.split('/');
    return name !== '' && Buffer.byteLength(name) <= 255 && !this.#files.has(name);
  }

  async lstat(path: string): Promise<MountStat> {
    if (path === '/') return { type: 'directory', mode: 0o755, size: 4096, mtime: this.#made };
    return {
      type: 'file',
      mode: this.#mode,
      size: this.#file(path, 'lstat').length,
      mtime: this.#made,
    };
  }

  async readdir(path: string): Promise<Dirent[]> {
    if (path !== '/') {
      this.#file(path, 'scandir');
      throw new FsError('ENOTDIR', { path, op: 'scandir' });
    }
    return [...this.#files.keys()].sort().map((name) => ({ name, type: 'file' }));
  }

  async read(path: string): Promise<Uint8Array> {
    if (path === '/') throw new FsError('EISDIR', { path, op: 'read' });
    return this.#file(path, 'open');
  }

  #file(path: string, op: string): Uint8Array {
    return entryOf(this.#files, path, op);
  }
}

/** `/`: its README.md alone. No memory mount, whose code would be loaded for every world, in both of its threads. */
export class RootMount extends StaticMount {
  readonly #bytes: number;

  /** @param made when it was made, in ms: every worker of the world shows the same */
  constructor(readme: { name: string; text: string; made: number }) {
    const { name, text, made } = readme;
    super('memory', new Map([[name, text]]), 0o644, new Date(made));
    this.#bytes = Buffer.byteLength(text);
  }

  /** It has no room but for what is in it. */
  capacity(): Capacity {
    return { total: this.#bytes, used: this.#bytes, free: 0 };
  }
}

/** The commands as files, so that PATH look-ups and `ls /bin` find them. Their text cannot be changed. */
export function createBinMount(commands: readonly string[]): Mount {
  const stubs = commands.map((name) => [name, `${STUB}${name}\n`] as const);
  return new StaticMount('bin', new Map(stubs), 0o755);
}

const STUB = '#!/bin/bash\n# built in: ';

/** The command that a file stands for; null for the text of any other. It may be a link to one, or a copy. */
export function commandOfFile(text: string): string | null {
  if (!text.startsWith(STUB)) return null;
  const name = text.slice(STUB.length).replace(/\n$/, '');
  return /[\s/]/.test(name) || name === '' ? null : name;
}

/** As much of an endless device as one read gives. Bytes. */
const BLOCK = 1024 * 1024;
const ENDLESS: ReadonlySet<string> = new Set(['zero', 'random', 'urandom', 'full']);

/** What reading a device gives: of an endless one its beginning, since a file is read whole. */
const DEVICES: ReadonlyMap<string, () => Uint8Array> = new Map([
  ['null', () => new Uint8Array()],
  ['zero', () => new Uint8Array(BLOCK)],
  ['random', () => randomBytes(BLOCK)],
  ['urandom', () => randomBytes(BLOCK)],
  ['full', () => new Uint8Array(BLOCK)],
  ['tty', () => new Uint8Array()],
  ['stdin', () => new Uint8Array()],
  ['stdout', () => new Uint8Array()],
  ['stderr', () => new Uint8Array()],
]);

/** The command's own streams: the shell connects them, a file system cannot. */
const STREAMS: ReadonlySet<string> = new Set(['tty', 'stdin', 'stdout', 'stderr']);

/** `/dev`: what is written to `null` is gone, `full` is always full. */
export class DeviceMount implements Mount {
  readonly kind = 'dev';
  readonly local = true;
  readonly searchable = false;
  readonly #made = new Date();

  hasLinks(): boolean {
    return false;
  }

  async lstat(path: string): Promise<MountStat> {
    if (path === '/') return { type: 'directory', mode: 0o755, size: 4096, mtime: this.#made };
    this.#device(path, 'lstat');
    return { type: 'file', mode: 0o666, size: 0, mtime: this.#made };
  }

  async readdir(path: string): Promise<Dirent[]> {
    if (path !== '/') {
      this.#device(path, 'scandir');
      throw new FsError('ENOTDIR', { path, op: 'scandir' });
    }
    return [...DEVICES.keys()].sort().map((name) => ({ name, type: 'file' }));
  }

  async read(path: string): Promise<Uint8Array> {
    if (path === '/') throw new FsError('EISDIR', { path, op: 'read' });
    return this.#device(path, 'open')();
  }

  async write(path: string, data: Uint8Array): Promise<void> {
    if (!DEVICES.has(path.slice(1))) {
      throw new FsError('EACCES', {
        path,
        op: 'open',
        rule: 'devices are fixed',
        reason: 'no device can be made under /dev',
      });
    }
    if (STREAMS.has(path.slice(1)) && data.length > 0) {
      throw new FsError('ENOTSUP', {
        path,
        op: 'write',
        reason: 'a stream of the command is no file here: redirect with >&1 or >&2',
      });
    }
    if (path === '/full' && data.length > 0) throw new FsError('ENOSPC', { path, op: 'write' });
  }

  async append(path: string, data: Uint8Array): Promise<void> {
    await this.write(path, data);
  }

  endless(path: string): boolean {
    return ENDLESS.has(path.slice(1));
  }

  #device(path: string, op: string): () => Uint8Array {
    return entryOf(DEVICES, path, op);
  }
}

/** One of a flat directory's entries; below a file there is nothing. */
function entryOf<T>(entries: ReadonlyMap<string, T>, path: string, op: string): T {
  const [name = '', ...below] = path.slice(1).split('/');
  if (Buffer.byteLength(name) > 255) throw new FsError('ENAMETOOLONG', { path, op });
  const entry = entries.get(name);
  if (entry === undefined) throw new FsError('ENOENT', { path, op });
  if (below.length > 0) throw new FsError('ENOTDIR', { path, op });
  return entry;
}
