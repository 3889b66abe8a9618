/** What clients may have open at once. */
import { FsError } from '../../errors.ts';
import type { OpenFile } from './open-file.ts';

export interface OpenLimits {
  /** Infinity where a kernel says it. */
  handles: number;
  /** Bytes that the open files have, in all. */
  bytes: number;
}

export class Limits {
  readonly #limits: OpenLimits;
  /** The open files have no more bytes than that: what was closed since they were counted is in it. */
  #most = 0;

  constructor(limits: OpenLimits) {
    this.#limits = limits;
  }

  /** @throws FsError EAGAIN where too many are open */
  admit(path: string, open: number): void {
    const most = this.#limits.handles;
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
    if (bytes <= file.size) return;
    const more = bytes - file.size;
    if (this.#most + more > this.#limits.bytes) this.#most = sizeOf(handles);
    if (this.#most + more <= this.#limits.bytes) {
      this.#most += more;
      return;
    }
    const [path = ''] = file.names;
    throw new FsError('EFBIG', {
      path,
      op: 'write',
      rule: 'open files are kept in memory',
      reason: `the files that are open at once have ${this.#limits.bytes} bytes at most; close some, or take smaller ones`,
    });
  }
}

/** Each open file once. */
function sizeOf(handles: Iterable<{ file: OpenFile }>): number {
  let size = 0;
  for (const file of new Set([...handles].map((handle) => handle.file))) size += file.size;
  return size;
}
