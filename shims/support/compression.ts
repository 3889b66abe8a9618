/** What is compressed, told by its first bytes, and its content. */
import { gunzipSync } from 'node:zlib';
import Bunzip from 'seek-bzip';
import { unzstd } from './zstd.ts';

/** What a compressed file may grow to. */
export const MAX_BYTES = 512 * 1024 * 1024;

/** A way to compress. */
export type Compression = 'gzip' | 'bzip2' | 'xz' | 'zstd';

const MAGIC: readonly (readonly [Compression, string])[] = [
  ['gzip', '\x1f\x8b'],
  ['bzip2', 'BZh'],
  ['xz', '\xfd7zXZ\0'],
  ['zstd', '\x28\xb5\x2f\xfd'],
];

/** Data that is broken, cut off, or grows beyond the limit. */
export class CompressionError extends Error {
  override readonly name = 'CompressionError';
}

/** How these bytes are compressed; undefined where they are not. */
export function compressionOf(data: Buffer): Compression | undefined {
  const start = data.toString('latin1', 0, 6);
  return MAGIC.find(([, magic]) => start.startsWith(magic))?.[0];
}

const REASONS: Readonly<Record<string, string>> = {
  'incorrect header check': 'not in gzip format',
  'incorrect data check': 'invalid compressed data--crc error',
  'incorrect length check': 'invalid compressed data--length error',
  'unexpected end of file': 'unexpected end of file',
};

/** Unpacks gzip, member after member. Fails with {@link CompressionError} in gzip's words. */
export function gunzip(data: Buffer, limit = MAX_BYTES): Buffer {
  try {
    return gunzipSync(data, { maxOutputLength: limit });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw new CompressionError(`unpacked it is larger than ${limit} bytes`, { cause: error });
    }
    const reason = REASONS[error.message] ?? 'invalid compressed data--format violated';
    throw new CompressionError(reason, { cause: error });
  }
}

/** Unpacks what needs no program of its own: all but xz. Fails with {@link CompressionError}. */
export function decompress(data: Buffer, kind: 'gzip' | 'bzip2' | 'zstd'): Buffer {
  if (kind === 'gzip') return gunzip(data);
  try {
    if (kind === 'zstd') return unzstd(data, MAX_BYTES);
    return Buffer.from(Bunzip.decode(data, null, true));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new CompressionError(error.message, { cause: error });
  }
}
