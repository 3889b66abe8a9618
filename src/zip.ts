/** Zip archives: reading and writing, stored or deflated. */
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

/** A member of an archive. A directory's name ends in `/`. */
export interface Member {
  name: string;
  /** Of a symbolic link its target. */
  data: Buffer;
  date: Date;
  mode: number;
  isLink?: boolean;
}

/** A member as the directory of an archive describes it; `read` unpacks. */
export interface Listed {
  name: string;
  size: number;
  packed: number;
  crc: number;
  method: number;
  /** How hard it was pressed, where it is deflated: 0 as usual, 1 harder, 2 and 3 faster. */
  effort: number;
  date: Date;
  /** Is the date a moment? Else it is what a clock showed, nobody knows where. */
  isMoment: boolean;
  mode: number;
  isLink: boolean;
  /** @param most what it may come to, in bytes: what is more is a RangeError of zlib's */
  read(most?: number): Buffer;
}

const LOCAL = 0x04034b50;
/** The extra field with the times of a file. */
const TIMES = 0x5455;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const UTF8_NAMES = 0x0800;
/** The file type of a symbolic link. */
const LINK = 0o120000;
const STORED = 0;
const DEFLATED = 8;
/** What one member may grow to. */
const MAX_BYTES = 512 * 1024 * 1024;

/** An archive that is none, or broken. */
export class ZipError extends Error {
  override readonly name = 'ZipError';
}

function dosTime(date: Date): [time: number, day: number] {
  const year = Math.max(1980, date.getUTCFullYear());
  const time =
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return [time, ((year - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()];
}

function fromDos(time: number, day: number): Date {
  const [year, month, date] = [(day >> 9) + 1980, ((day >> 5) & 15) - 1, day & 31];
  return new Date(Date.UTC(year, month, date, time >> 11, (time >> 5) & 63, (time & 31) * 2));
}

/** The 26 bytes that a member's two headers share. */
function header(member: Member, packed: Buffer, method: number, name: Buffer): Buffer {
  const out = Buffer.alloc(26);
  const [time, day] = dosTime(member.date);
  out.writeUInt16LE(20, 0);
  out.writeUInt16LE(UTF8_NAMES, 2);
  out.writeUInt16LE(method, 4);
  out.writeUInt16LE(time, 6);
  out.writeUInt16LE(day, 8);
  out.writeUInt32LE(crc32(member.data), 10);
  out.writeUInt32LE(packed.length, 14);
  out.writeUInt32LE(member.data.length, 18);
  out.writeUInt16LE(name.length, 22);
  return out;
}

/** Packs members. `level` 0 only stores them. */
export function pack(members: readonly Member[], level: number): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const name = Buffer.from(member.name, 'utf8');
    const deflated = level === 0 ? member.data : deflateRawSync(member.data, { level });
    const method = deflated.length < member.data.length ? DEFLATED : STORED;
    const packed = method === DEFLATED ? deflated : member.data;
    const shared = header(member, packed, method, name);
    const start = Buffer.alloc(4);
    start.writeUInt32LE(LOCAL, 0);
    const local = Buffer.concat([start, shared, name, packed]);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(CENTRAL, 0);
    central.writeUInt16LE(0x031e, 4);
    shared.copy(central, 6);
    const kind = member.isLink === true ? LINK : member.name.endsWith('/') ? 0o040000 : 0o100000;
    central.writeUInt32LE(((kind | member.mode) * 0x10000) >>> 0, 38);
    central.writeUInt32LE(offset, 42);
    directory.push(central, name);
    bodies.push(local);
    offset += local.length;
  }
  const table = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(table.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, table, end]);
}

function unpack(
  data: Buffer,
  at: number,
  listed: Omit<Listed, 'read'>,
  most: number = MAX_BYTES,
): Buffer {
  if (data.readUInt32LE(at) !== LOCAL) throw new ZipError('bad local header');
  const start = at + 30 + data.readUInt16LE(at + 26) + data.readUInt16LE(at + 28);
  const packed = data.subarray(start, start + listed.packed);
  if (listed.method !== STORED && listed.method !== DEFLATED) {
    throw new ZipError(`unsupported compression method ${listed.method}`);
  }
  const out =
    listed.method === STORED
      ? packed
      : inflateRawSync(packed, { maxOutputLength: Math.max(1, most) });
  if (crc32(out) !== listed.crc) throw new ZipError(`bad CRC in ${listed.name}`);
  return out;
}

/** The time of change among the extra fields of a member, in seconds since 1970; null where there is none. */
function momentIn(extra: Buffer): Date | null {
  for (let at = 0; at + 4 <= extra.length; ) {
    const size = extra.readUInt16LE(at + 2);
    const has = size >= 5 && at + 9 <= extra.length && ((extra[at + 4] ?? 0) & 1) === 1;
    if (extra.readUInt16LE(at) === TIMES && has) return new Date(extra.readInt32LE(at + 5) * 1000);
    at += 4 + size;
  }
  return null;
}

/** Lists an archive. Fails with {@link ZipError}. */
export function list(data: Buffer): Listed[] {
  const end = data.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0 || end + 22 > data.length) {
    throw new ZipError('End-of-central-directory signature not found.');
  }
  const out: Listed[] = [];
  let at = data.readUInt32LE(end + 16);
  for (let i = 0; i < data.readUInt16LE(end + 10); i++) {
    if (at + 46 > data.length || data.readUInt32LE(at) !== CENTRAL)
      throw new ZipError('bad central directory');
    const nameEnd = at + 46 + data.readUInt16LE(at + 28);
    const offset = data.readUInt32LE(at + 42);
    const extraEnd = nameEnd + data.readUInt16LE(at + 30);
    const moment = momentIn(data.subarray(nameEnd, extraEnd));
    const listed = {
      name: data.toString('utf8', at + 46, nameEnd),
      size: data.readUInt32LE(at + 24),
      packed: data.readUInt32LE(at + 20),
      crc: data.readUInt32LE(at + 16),
      method: data.readUInt16LE(at + 10),
      effort: (data.readUInt16LE(at + 8) >> 1) & 3,
      date: moment ?? fromDos(data.readUInt16LE(at + 12), data.readUInt16LE(at + 14)),
      isMoment: moment !== null,
      mode: (data.readUInt32LE(at + 38) >>> 16) & 0o7777,
      isLink: ((data.readUInt32LE(at + 38) >>> 16) & 0o170000) === LINK,
    };
    out.push({ ...listed, read: (most) => unpack(data, offset, listed, most) });
    at = extraEnd + data.readUInt16LE(at + 32);
  }
  return out;
}
