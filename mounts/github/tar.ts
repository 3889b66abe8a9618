/** Reading the archive of a repository: a gzipped tar, as pax(1) writes it. */
import { gunzipSync } from 'node:zlib';

const BLOCK = 512;

/** A regular file of an archive. */
export interface TarFile {
  path: string;
  data: Uint8Array;
}

/**
 * The regular files of an archive, without the directory that all of them are in.
 *
 * @param limit bytes of the unpacked archive
 * @throws Error when it is no such archive, is cut off, or is larger than `limit`
 */
export function* filesOfArchive(gzipped: Uint8Array, limit: number): Iterable<TarFile> {
  const tar = gunzipSync(gzipped, { maxOutputLength: limit });
  let longName: string | null = null;
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const header = tar.subarray(at, at + BLOCK);
    const size = Number.parseInt(textOf(header, 124, 12).trim() || '0', 8);
    const data = tar.subarray(at + BLOCK, at + BLOCK + size);
    if (!(size >= 0) || data.length < size) throw new Error('the archive is cut off');
    const kind = String.fromCharCode(header[156] ?? 0);
    const prefix = textOf(header, 345, 155);
    const name = textOf(header, 0, 100);
    if (kind === 'x') longName = paxPath(data) ?? longName;
    else if (kind === 'L') longName = textOf(data, 0, data.length);
    else if (kind !== 'g') {
      const path = longName ?? (prefix === '' ? name : `${prefix}/${name}`);
      longName = null;
      if (kind === '0' || kind === '\0') {
        yield { path: path.slice(path.indexOf('/') + 1), data };
      }
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}

/** A field, up to its first NUL. */
function textOf(bytes: Uint8Array, start: number, length: number): string {
  const field = bytes.subarray(start, start + length);
  const end = field.indexOf(0);
  return Buffer.from(end === -1 ? field : field.subarray(0, end)).toString('utf8');
}

/** `LENGTH path=NAME\n` among the records of an extended header. */
function paxPath(data: Uint8Array): string | null {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(Buffer.from(data).toString('utf8'))?.[1] ?? null;
}
