/** Archives in GNU's own format, which its tar writes: byte by byte the same for the same members. */
import type { Header, Member } from './member.ts';

const BLOCK = 512;
const LONGEST_NAME = 100;
/** What stands for a header that holds a name alone. */
const LONG_NAME = '././@LongLink';

/** As the field `typeflag` has them. */
const TYPES: Readonly<Record<string, string>> = { link: '1', symlink: '2', directory: '5' };

/** Offsets and sizes of a header's fields. */
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  linkname: [157, 100],
  magic: [257, 8],
  uname: [265, 32],
  gname: [297, 32],
} as const;

type Field = keyof typeof FIELDS;

/** The members, one after the other, with the two empty blocks that end an archive. */
export function packGnu(members: readonly Member[]): Buffer {
  const blocks = members.flatMap(({ header, data }) => [
    ...longName('K', header.linkname ?? ''),
    ...longName('L', nameOf(header)),
    headerBlock(header, data?.length ?? 0),
    ...(data === undefined ? [] : filled(Buffer.from(data))),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/** A directory's name ends in a slash. */
function nameOf({ name, type }: Header): string {
  return type === 'directory' && !name.endsWith('/') ? `${name}/` : name;
}

/** Nothing, or what goes before the header of a member whose name or link does not fit into it. */
function longName(type: 'K' | 'L', name: string): Buffer[] {
  const bytes = Buffer.from(`${name}\0`);
  if (bytes.length - 1 <= LONGEST_NAME) return [];
  const block = Buffer.alloc(BLOCK);
  putText(block, 'name', LONG_NAME);
  putNumber(block, 'mode', 0o644);
  putNumber(block, 'size', bytes.length);
  for (const field of ['uid', 'gid', 'mtime'] as const) putNumber(block, field, 0);
  putText(block, 'type', type);
  putText(block, 'uname', 'root');
  putText(block, 'gname', 'root');
  return [finished(block), ...filled(bytes)];
}

function headerBlock(header: Header, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  putText(block, 'name', nameOf(header));
  putNumber(block, 'mode', header.mode ?? 0);
  putNumber(block, 'uid', header.uid ?? 0);
  putNumber(block, 'gid', header.gid ?? 0);
  putNumber(block, 'size', size);
  putNumber(block, 'mtime', Math.floor((header.mtime?.getTime() ?? 0) / 1000));
  putText(block, 'type', TYPES[header.type ?? 'file'] ?? '0');
  putText(block, 'linkname', header.linkname ?? '');
  putText(block, 'uname', header.uname ?? '');
  putText(block, 'gname', header.gname ?? '');
  return finished(block);
}

/** With its magic and its checksum, which is made of the block with blanks in its own place. */
function finished(block: Buffer): Buffer {
  putText(block, 'magic', 'ustar  ');
  putText(block, 'checksum', ' '.repeat(8));
  const sum = block.reduce((total, byte) => total + byte, 0);
  putText(block, 'checksum', `${sum.toString(8).padStart(6, '0')}\0 `);
  return block;
}

function putText(block: Buffer, field: Field, text: string): void {
  const [at, size] = FIELDS[field];
  Buffer.from(text).copy(block, at, 0, size);
}

/** In octal; what is too large for that, or negative, in bytes behind a mark. */
function putNumber(block: Buffer, field: Field, value: number): void {
  const [at, size] = FIELDS[field];
  const octal = value.toString(8);
  if (value >= 0 && octal.length < size) {
    putText(block, field, octal.padStart(size - 1, '0'));
    return;
  }
  let rest = BigInt(value);
  for (let i = at + size - 1; i > at; i--, rest >>= 8n) block[i] = Number(rest & 255n);
  block[at] = value < 0 ? 0xff : 0x80;
}

/** Content, filled up to whole blocks. */
function filled(bytes: Buffer): Buffer[] {
  const over = bytes.length % BLOCK;
  return over === 0 ? [bytes] : [bytes, Buffer.alloc(BLOCK - over)];
}
