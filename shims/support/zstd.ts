/** zstd frame by frame: Node.js unpacks the first one alone. */
import { zstdDecompressSync } from 'node:zlib';

const MAGIC = 0xfd2fb528;
/** Frames that hold something of others, to be passed over. */
const SKIPPABLE = 0x184d2a50;
const DICTIONARY_SIZES = [0, 1, 2, 4];
const CONTENT_SIZES = [0, 2, 4, 8];

/** Where the frame that begins at a position ends; the end of the data where it is cut off or broken. */
function frameEnd(data: Buffer, start: number): number {
  if (start + 8 > data.length) return data.length;
  if (((data.readUInt32LE(start) ^ SKIPPABLE) & ~0xf) === 0)
    return start + 8 + data.readUInt32LE(start + 4);
  const descriptor = data[start + 4] ?? 0;
  const single = (descriptor & 0x20) !== 0;
  const flag = descriptor >> 6;
  let at = start + 5 + (single ? 0 : 1) + (DICTIONARY_SIZES[descriptor & 3] ?? 0);
  at += flag === 0 && single ? 1 : (CONTENT_SIZES[flag] ?? 0);
  for (let last = false; !last; ) {
    if (at + 3 > data.length) return data.length;
    const header = data.readUIntLE(at, 3);
    last = (header & 1) === 1;
    // A block of one byte that is repeated holds it once.
    at += 3 + (((header >> 1) & 3) === 1 ? 1 : header >> 3);
  }
  return at + ((descriptor & 4) !== 0 ? 4 : 0);
}

/** Unpacks all frames. Throws what `zstdDecompressSync` throws. @param limit bytes that it may grow to */
export function unzstd(data: Buffer, limit: number): Buffer {
  const parts: Buffer[] = [];
  let left = limit;
  for (let at = 0; at < data.length; ) {
    const end = Math.min(frameEnd(data, at), data.length);
    const known = data.length - at >= 4 ? data.readUInt32LE(at) : 0;
    if (known === MAGIC || ((known ^ SKIPPABLE) & ~0xf) !== 0) {
      const part = zstdDecompressSync(data.subarray(at, end), { maxOutputLength: left });
      left -= part.length;
      parts.push(part);
    }
    at = end;
  }
  return Buffer.concat(parts);
}
