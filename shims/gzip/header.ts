/** The header of a gzip file: a name and a time. RFC 1952. */

const NAME = 0x08;
const EXTRA = 0x04;
const FIXED = 10;

/** The name that a gzip file keeps; undefined where it has none. */
export function nameIn(data: Buffer): string | undefined {
  const flags = data[3] ?? 0;
  if ((flags & NAME) === 0) return undefined;
  const from = FIXED + ((flags & EXTRA) === 0 ? 0 : 2 + data.readUInt16LE(FIXED));
  const to = data.indexOf(0, from);
  return to < 0 ? undefined : data.toString('utf8', from, to);
}

/** What zlib packed, with the header that gzip writes on Unix. */
export function withHeader(
  packed: Buffer,
  level: number,
  file: { name: string; mtime: Date } | undefined,
): Buffer {
  const header = Buffer.from(packed.subarray(0, FIXED));
  header[8] = level === 9 ? 2 : level === 1 ? 4 : 0;
  header[9] = 3;
  const body = packed.subarray(FIXED);
  if (file === undefined) return Buffer.concat([header, body]);
  header[3] = NAME;
  header.writeUInt32LE(Math.max(0, Math.floor(file.mtime.getTime() / 1000)) >>> 0, 4);
  const name = file.name.slice(file.name.lastIndexOf('/') + 1);
  return Buffer.concat([header, Buffer.from(`${name}\0`), body]);
}
