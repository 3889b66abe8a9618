/** Files of other packages that the installed package keeps compressed. */
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/** A file as its package has it, whether it is compressed here (`.br`) or not. */
export function readVendored(file: string): Buffer {
  const bytes = readFileSync(file);
  return file.endsWith('.br') ? brotliDecompressSync(bytes) : bytes;
}
