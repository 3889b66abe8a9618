/** Attributes as the kernel takes them. */
import type { FileType } from '../../mount/contract/contract.ts';
import type { Inspection } from '../../namespace/inspect.ts';

/** The kernel's bits of a type. */
const TYPE_BITS: Readonly<Record<FileType, number>> = {
  file: 0o100000,
  directory: 0o040000,
  symlink: 0o120000,
};

export interface KernelTime {
  seconds: number;
  nanoseconds: number;
}

export interface KernelStat {
  mode: number;
  size: number;
  nlink: number;
  uid: number;
  gid: number;
  mtime: KernelTime;
  ctime: KernelTime;
  atime: KernelTime;
  blocks: number;
  blksize: number;
}

/** What is known of a file besides what the world keeps. */
export interface OwnTimes {
  /** Set by utimensat(2): the world keeps a time of change, in ms. */
  atime?: KernelTime;
  mtime?: KernelTime;
  /** When its attributes were changed last, ms. */
  ctime?: number;
}

const kernelTime = (ms: number, nanoseconds = 0): KernelTime => {
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanoseconds: Math.floor(ms - seconds * 1000) * 1_000_000 + nanoseconds };
};

export const millisecondsOf = ({ seconds, nanoseconds }: KernelTime): number =>
  seconds * 1000 + Math.floor(nanoseconds / 1_000_000);

export const typeBits = (type: FileType): number => TYPE_BITS[type];

/**
 * @param owner whose all files are
 * @param version tells two contents of one ms apart: below 1,000,000
 */
export function kernelStat(
  found: Pick<Inspection, 'type' | 'mode' | 'size' | 'mtime' | 'links'>,
  owner: { uid: number; gid: number },
  version: number,
  own: OwnTimes = {},
): KernelStat {
  const { type, mode, size, links } = found;
  // The world follows links where it sets times.
  const exact =
    own.mtime !== undefined && (type === 'symlink' || millisecondsOf(own.mtime) === found.mtime);
  const mtime = exact ? (own.mtime as KernelTime) : kernelTime(found.mtime, version);
  const changed = own.ctime !== undefined && own.ctime > found.mtime;
  return {
    mode: TYPE_BITS[type] | mode,
    size,
    // Of a directory 1 means, as on other file systems, that its directories are not counted.
    nlink: links,
    ...owner,
    mtime,
    ctime: changed ? kernelTime(own.ctime as number) : kernelTime(found.mtime, version),
    atime: own.atime ?? mtime,
    blocks: Math.ceil(size / 512),
    blksize: 4096,
  };
}
