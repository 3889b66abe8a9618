/** What file(1) says of a gzip file. */
import type { Kind } from './kind.ts';

/** Systems by their number in the header. */
const SYSTEMS: Readonly<Record<number, string>> = {
  0: 'FAT filesystem (MS-DOS, OS/2, NT)',
  1: 'Amiga',
  2: 'VMS',
  3: 'Unix',
  4: 'VM/CMS',
  6: 'HPFS filesystem (OS/2, NT)',
  7: 'MacOS',
  10: 'TOPS/20',
  11: 'NTFS filesystem (NT)',
};
const HAS_NAME = 8;
const EXTRA_FIELD = 4;

export function gzip(bytes: Buffer): Kind | undefined {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return;
  return { text: described(bytes), mime: 'application/gzip' };
}

function described(bytes: Buffer): string {
  const facts = ['gzip compressed data'];
  const flags = bytes.length > 3 ? bytes.readUInt8(3) : 0;
  if ((flags & HAS_NAME) !== 0) {
    const start =
      (flags & EXTRA_FIELD) === 0 ? 10 : 12 + (bytes.length > 11 ? bytes.readUInt16LE(10) : 0);
    const end = bytes.indexOf(0, start);
    if (end > start) facts.push(`was "${bytes.toString('utf8', start, end)}"`);
  }
  const seconds = bytes.length > 7 ? bytes.readUInt32LE(4) : 0;
  if (seconds !== 0) {
    const [, day = '', date = '', month = '', year = '', clock = ''] =
      /^(\w+), (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(seconds * 1000).toUTCString()) ?? [];
    facts.push(`last modified: ${day} ${month} ${date.replace(/^0/, ' ')} ${clock} ${year}`);
  }
  const level = bytes.length > 8 ? bytes.readUInt8(8) : 0;
  if (level === 2) facts.push('max compression');
  if (level === 4) facts.push('max speed');
  const system = bytes.length > 9 ? SYSTEMS[bytes.readUInt8(9)] : undefined;
  if (system !== undefined) facts.push(`from ${system}`);
  // The last four bytes, even where they are of the header.
  if (bytes.length >= 10)
    facts.push(`original size modulo 2^32 ${bytes.readUInt32LE(bytes.length - 4)}`);
  return facts.join(', ');
}
