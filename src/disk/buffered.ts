/**
 * A directory of the host whose texts another program has open. Names, stats and
 * links are the disk's; what a text file holds is asked of that program, and what
 * is written goes to it.
 *
 * It opens files by their names, so that no directory can be held open for it as
 * a disk mount does. Instead a name is looked at before and after, and nothing
 * is moved, linked or removed through this mount while the program is asked.
 */
import { isUtf8 } from 'node:buffer';
import { isFsError } from '../errors.ts';
import type { Capacity, Dirent, Mount, MountStat } from '../mount/contract/contract.ts';
import { WalkedFile } from '../mount/contract/walked-file.ts';
import type { Buffers } from './buffers.ts';
import type { DiskMount } from './mount.ts';
import { Turns } from './turns.ts';

/** Files of a host directory, their texts as another program has them. */
export class BufferedMount implements Mount {
  readonly kind = 'disk';
  /** The search by meaning would have every file opened there. */
  readonly searchable = false;
  readonly sizedByRead: boolean;
  readonly #disk: DiskMount;
  readonly #buffers: Buffers;
  readonly #turns = new Turns();

  constructor(disk: DiskMount, buffers: Buffers) {
    this.#disk = disk;
    this.#buffers = buffers;
    this.sizedByRead = buffers.reads;
  }

  get directory(): string {
    return this.#disk.directory;
  }

  capacity(): Capacity {
    return this.#disk.capacity();
  }

  hasLinks(path: string): boolean {
    return this.#disk.hasLinks(path);
  }

  lacks(path: string): boolean {
    return this.#disk.lacks(path);
  }

  lstat(path: string): Promise<MountStat> {
    return this.#disk.lstat(path);
  }

  readdir(path: string): Promise<Dirent[]> {
    return this.#disk.readdir(path);
  }

  readlink(path: string): Promise<string> {
    return this.#disk.readlink(path);
  }

  read(path: string): Promise<Uint8Array> {
    return this.#turns.together(() => this.#read(path));
  }

  write(path: string, data: Uint8Array): Promise<void> {
    return this.#turns.alone(() => this.#write(path, data));
  }

  append(path: string, data: Uint8Array): Promise<void> {
    return this.#turns.alone(async () => {
      // There is no request for a part: the whole text is written anew.
      if (!this.#buffers.writes) return this.#disk.append(path, data);
      return this.#write(path, Buffer.concat([await this.#readOrNothing(path), data]));
    });
  }

  mkdir(path: string): Promise<void> {
    return this.#turns.alone(() => this.#disk.mkdir(path));
  }

  unlink(path: string): Promise<void> {
    return this.#turns.alone(() => this.#disk.unlink(path));
  }

  rmdir(path: string): Promise<void> {
    return this.#turns.alone(() => this.#disk.rmdir(path));
  }

  rename(from: string, to: string): Promise<void> {
    return this.#turns.alone(() => this.#disk.rename(from, to));
  }

  symlink(target: string, path: string): Promise<void> {
    return this.#turns.alone(() => this.#disk.symlink(target, path));
  }

  link(existing: string, path: string): Promise<void> {
    return this.#turns.alone(() => this.#disk.link(existing, path));
  }

  chmod(path: string, mode: number): Promise<void> {
    return this.#turns.alone(() => this.#disk.chmod(path, mode));
  }

  utimes(path: string, mtime: Date): Promise<void> {
    return this.#turns.alone(() => this.#disk.utimes(path, mtime));
  }

  walk(path: string): Iterable<WalkedFile> | null {
    const files = this.#disk.walk(path);
    return files === null ? null : unread(files);
  }

  close(): Promise<void> {
    return this.#disk.close();
  }

  async #read(path: string): Promise<Uint8Array> {
    const bytes = await this.#disk.read(path);
    const saved = textOf(bytes);
    if (!this.#buffers.reads || saved === null) return bytes;
    this.#disk.requireFile(path, 'find');
    const shown = await this.#buffers.read(path);
    // Where something else was put there meanwhile, nothing of it is handed out.
    this.#disk.requireFile(path, 'find');
    return shown === saved || shown === asShown(saved) ? bytes : Buffer.from(shown);
  }

  async #write(path: string, data: Uint8Array): Promise<void> {
    const text = textOf(data);
    if (!this.#buffers.writes || text === null || (await this.#isBinary(path)))
      return this.#disk.write(path, data);
    this.#disk.requireFile(path, 'put');
    await this.#buffers.write(path, text);
    this.#disk.requireFile(path, 'put');
  }

  /** Is something on the disk there that an editor does not open? A shell empties it before it writes. */
  async #isBinary(path: string): Promise<boolean> {
    try {
      return textOf(await this.#disk.read(path)) === null;
    } catch (error) {
      // What can be written and not read is no reason against it; all else, the write itself meets.
      if (isFsError(error)) return false;
      throw error;
    }
  }

  async #readOrNothing(path: string): Promise<Uint8Array> {
    try {
      return await this.#read(path);
    } catch (error) {
      if (isFsError(error, 'ENOENT')) return new Uint8Array();
      throw error;
    }
  }
}

/** Files of which no text is at hand, and no identity says what it is: it changes where nobody sees it. */
function* unread(files: Iterable<WalkedFile>): Generator<WalkedFile> {
  for (const { directory, name } of files)
    yield new WalkedFile(directory, name, { bytes: () => null });
}

/** What bytes say; null where they are no text that an editor opens. */
function textOf(bytes: Uint8Array): string | null {
  if (!isUtf8(bytes) || bytes.includes(0)) return null;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/** Editors keep a text without its byte order mark, and with the line ends of Unix. */
const asShown = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
