/** What clients may have open at once. */
import { FsError } from '../../errors.ts';
import type { OpenFile } from './open-file.ts';

export interface OpenLimits {
  handles: number;
  /** Bytes that the open files have, in all. */
  bytes: number;
}

export class Limits {
  readonly #limits: OpenLimits | null;

  /** @param limits null where the kernel says it */
  constructor(limits: OpenLimits | null) {
    this.#limits = limits;
  }

  /** @throws FsError EAGAIN where too many are open */
  admit(path: string, open: number): void {
    const most = this.#limits?.handles ?? Number.POSITIVE_INFINITY;
    if (open < most) return;
    throw new FsError('EAGAIN', {
      path,
      op: 'open',
      reason: `${most} files are open at once, and no more can be; close some`,
    });
  }

  /**
   * A file is to have so many bytes.
   * @throws FsError EFBIG where the open files would have more than they may
   */
  claim(file: OpenFile, bytes: number, handles: Iterable<{ file: OpenFile }>): void {
    if (this.#limits === null || bytes <= file.size) return;
    const open = new Set([...handles].map((handle) => handle.file));
    let used = bytes;
    for (const other of open) if (other !== file) used += other.size;
    if (used <= this.#limits.bytes) return;
    const [path = ''] = file.names;
    throw new FsError('EFBIG', {
      path,
      op: 'write',
      rule: 'open files are kept in memory',
      reason: `the files that are open at once have ${this.#limits.bytes} bytes at most; close some, or take smaller ones`,
    });
  }
}
