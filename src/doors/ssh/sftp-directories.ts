/** Directories that a client of SFTP has open. */
import { FsError } from '../../errors.ts';
import type { FileSystem } from '../files/file-system.ts';
import { rowsOf } from './sftp-listing.ts';

/** Names in an answer to one READDIR. */
const ROWS = 100;

interface Directory {
  path: string;
  /** What is still to be given. */
  names: string[];
}

export class SftpDirectories {
  readonly #files: FileSystem;
  readonly #open = new Map<number, Directory>();
  #last = 0;

  constructor(files: FileSystem) {
    this.#files = files;
  }

  get size(): number {
    return this.#open.size;
  }

  /** @returns its handle */
  async open(path: string): Promise<Buffer> {
    const rows = await this.#files.list(path);
    this.#last += 1;
    this.#open.set(this.#last, { path, names: ['.', '..', ...rows.map(({ name }) => name)] });
    return Buffer.from(`d${this.#last}`);
  }

  /** The next of its rows; null where there are no more. @throws FsError EINVAL for what is not open */
  async read(handle: Buffer): Promise<Awaited<ReturnType<typeof rowsOf>> | null> {
    const directory = this.#open.get(numberOf(handle) ?? 0);
    if (directory === undefined) throw notOpen();
    const { path, names } = directory;
    while (names.length > 0) {
      const rows = await rowsOf(this.#files, path, names.splice(0, ROWS));
      if (rows.length > 0) return rows;
    }
    return null;
  }

  /** @returns false where it is the handle of no directory. @throws FsError EINVAL for one that is not open */
  close(handle: Buffer): boolean {
    const number = numberOf(handle);
    if (number === null) return false;
    if (!this.#open.delete(number)) throw notOpen();
    return true;
  }

  clear(): void {
    this.#open.clear();
  }
}

const numberOf = (handle: Buffer): number | null => {
  const [, number] = /^d(\d+)$/.exec(handle.toString('latin1')) ?? [];
  return number === undefined ? null : Number(number);
};

const notOpen = (): FsError =>
  new FsError('EINVAL', { path: '', op: 'readdir', reason: 'the handle is not open' });
