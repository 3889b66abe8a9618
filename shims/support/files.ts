/** How files look: permission strings, sizes, owners. */
import type { FsStat } from 'just-bash';

/** Everything belongs to the one user that there is. */
export const OWNER = 'user';
export const OWNER_ID = 1000;
const BLOCK = 4096;

/** `d`, `l` or `-`, as ls prints it. */
function typeLetter(stat: FsStat): 'd' | 'l' | '-' {
  if (stat.isSymbolicLink) return 'l';
  return stat.isDirectory ? 'd' : '-';
}

/** `regular empty file`, as stat and diff say it. */
export function kindOf(stat: FsStat): string {
  if (stat.isSymbolicLink) return 'symbolic link';
  if (stat.isDirectory) return 'directory';
  return stat.size === 0 ? 'regular empty file' : 'regular file';
}

/** `drwxr-xr-x` */
export function modeText(stat: FsStat): string {
  const bits = [...'rwxrwxrwx'].map((letter, i) => (stat.mode & (0o400 >> i) ? letter : '-'));
  const special: Array<[bit: number, at: number, on: string, off: string]> = [
    [0o4000, 2, 's', 'S'],
    [0o2000, 5, 's', 'S'],
    [0o1000, 8, 't', 'T'],
  ];
  for (const [bit, at, on, off] of special) {
    if (stat.mode & bit) bits[at] = bits[at] === 'x' ? on : off;
  }
  return typeLetter(stat) + bits.join('');
}

/** Bytes; a directory that names none has one block, as on most disks. */
export function sizeOf(stat: FsStat): number {
  return stat.isDirectory && stat.size === 0 ? BLOCK : stat.size;
}

/** Disk use in units of 1 KiB: whole blocks of 4 KiB. */
export function diskKiB(stat: FsStat): number {
  if (stat.isSymbolicLink) return 0;
  if (stat.isDirectory) return BLOCK / 1024;
  return Math.ceil(stat.size / BLOCK) * (BLOCK / 1024);
}

/** 4.0K, 12M: rounded up, as ls -h and du -h have it. */
export function humanSize(bytes: number, base = 1024): string {
  if (bytes < base) return String(bytes);
  const letters = base === 1024 ? 'KMGTPE' : 'kMGTPE';
  let value = bytes;
  let power = -1;
  while (value >= base && power < letters.length - 1) {
    value /= base;
    power++;
  }
  const tenths = Math.ceil(value * 10 - 1e-9) / 10;
  if (tenths < 10) return `${tenths.toFixed(1)}${letters[power]}`;
  const whole = Math.ceil(value - 1e-9);
  if (whole >= base && power < letters.length - 1) return `1.0${letters[power + 1]}`;
  return `${whole}${letters[power]}`;
}

/** A stable number for an entry that has none of its own. */
export function inodeOf(stat: FsStat): number {
  if (stat.ino !== undefined) return Number(stat.ino);
  let hash = 7;
  for (const char of stat.identity ?? '') hash = (hash * 31 + char.charCodeAt(0)) % 0x7fffffff;
  return hash;
}

/** Whether two entries are one file; undefined when the file systems cannot say. */
export function sameFile(a: FsStat, b: FsStat): boolean | undefined {
  if (a.identity !== undefined && b.identity !== undefined) return a.identity === b.identity;
  if (a.ino !== undefined && b.ino !== undefined) return a.ino === b.ino && a.dev === b.dev;
  return undefined;
}
