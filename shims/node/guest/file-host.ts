/** What the bindings of files are handed, and how an operation on a file fails. */
import type { Guest } from './loose.ts';

/** Times in milliseconds. */
export interface GuestStat {
  mode: number;
  size: number;
  mtimeMs: number;
}

/** An errno on its way to the error that Node.js makes of it. */
export class Failed extends Error {
  readonly errno: string;
  constructor(errno: string) {
    super(errno);
    this.errno = errno;
  }
}

export interface FileHost {
  guest: Guest;
  /** The working directory. */
  cwd(): string;
  /** Number and text of an errno, as libuv has them. */
  errno(name: string): [number, string];
  /** Runs something when the loop comes around. */
  later(run: () => void): void;
  print(descriptor: 1 | 2, bytes: Uint8Array | string): void;
  stdin(): Uint8Array;
  bufferOf(bytes: Uint8Array): Uint8Array;
  realpath(path: string): string;
}
