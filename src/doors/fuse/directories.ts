/** Open directories: each shows what was there when its reading began, in an order that stays. */
import { FsError } from '../../errors.ts';
import type { DirectoryRow } from '../files/file-system.ts';

/** So many rows are an answer. */
const PAGE = 512;

const DIRECTORY = 0o040000;

export interface Listing {
  list(path: string): Promise<DirectoryRow[]>;
}

export interface DirectoryPage {
  names: string[];
  stats: { mode: number }[];
  /** Where the reading goes on after each row. */
  next: number[];
}

export class Directories {
  readonly #files: Listing;
  readonly #open = new Map<number, { path: string; rows: DirectoryRow[] | null }>();
  #last = 0;

  constructor(files: Listing) {
    this.#files = files;
  }

  open(path: string): number {
    this.#last += 1;
    this.#open.set(this.#last, { path, rows: null });
    return this.#last;
  }

  /** @param offset 0 begins anew, as rewinddir(3) does */
  async page(fd: number, offset: number): Promise<DirectoryPage> {
    const directory = this.#open.get(fd);
    if (directory === undefined) throw new FsError('ESTALE', { path: '/', op: 'scandir' });
    if (offset === 0 || directory.rows === null) {
      const self = { mode: DIRECTORY };
      const rows = await this.#files.list(directory.path);
      directory.rows = [{ name: '.', ...self }, { name: '..', ...self }, ...rows];
    }
    const rows = directory.rows.slice(offset, offset + PAGE);
    return {
      names: rows.map(({ name }) => name),
      stats: rows.map(({ mode }) => ({ mode })),
      next: rows.map((_, index) => offset + index + 1),
    };
  }

  release(fd: number): void {
    this.#open.delete(fd);
  }
}
