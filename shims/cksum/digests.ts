/** The checksums: by name, from bytes. Digests come from OpenSSL; the three old sums are here. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { blake2b } from '@noble/hashes/blake2.js';

/** A digest that is printed in hexadecimal, and can be checked. */
export interface Digest {
  /** As `--tag` prints it. */
  tag: string;
  /** Bits. */
  bits: number;
  /** What OpenSSL calls it. */
  openssl: string;
}

/** By the name that `cksum -a` takes. */
export const DIGESTS: Readonly<Record<string, Digest>> = {
  md5: { tag: 'MD5', bits: 128, openssl: 'md5' },
  sha1: { tag: 'SHA1', bits: 160, openssl: 'sha1' },
  sha224: { tag: 'SHA224', bits: 224, openssl: 'sha224' },
  sha256: { tag: 'SHA256', bits: 256, openssl: 'sha256' },
  sha384: { tag: 'SHA384', bits: 384, openssl: 'sha384' },
  sha512: { tag: 'SHA512', bits: 512, openssl: 'sha512' },
  blake2b: { tag: 'BLAKE2b', bits: 512, openssl: 'blake2b512' },
  sm3: { tag: 'SM3', bits: 256, openssl: 'sm3' },
};

/** The digest of some bytes in hexadecimal; `bits` shortens BLAKE2b, whose lengths are digests of their own. */
export function hexDigest({ openssl, bits: whole }: Digest, bytes: Buffer, bits = whole): string {
  if (bits === whole) return createHash(openssl).update(bytes).digest('hex');
  return Buffer.from(blake2b(bytes, { dkLen: bits / 8 })).toString('hex');
}

/** The bits of each byte, the other way round, four bytes at a time. */
function reversed(bytes: Buffer): Buffer {
  const copy = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  copy.set(bytes);
  const words = new Uint32Array(copy.buffer);
  for (let i = 0; i < words.length; i++) {
    let word = words[i] ?? 0;
    word = ((word >>> 1) & 0x55555555) | ((word & 0x55555555) << 1);
    word = ((word >>> 2) & 0x33333333) | ((word & 0x33333333) << 2);
    words[i] = ((word >>> 4) & 0x0f0f0f0f) | ((word & 0x0f0f0f0f) << 4);
  }
  return Buffer.from(copy.buffer, 0, bytes.length);
}

/** What is fed to the sum at a time, so that its mirror image stays small. */
const CHUNK = 4 * 1024 * 1024;

/** POSIX's CRC: zlib's polynomial on mirrored bits, begun at 0, with the length behind the bytes. */
export function posixCrc(bytes: Buffer): number {
  const length: number[] = [];
  for (let rest = bytes.length; rest > 0; rest = Math.floor(rest / 256)) length.push(rest % 256);
  let crc = 0xffffffff;
  for (let at = 0; at < bytes.length; at += CHUNK) {
    crc = crc32(reversed(bytes.subarray(at, at + CHUNK)), crc);
  }
  crc = crc32(reversed(Buffer.from(length)), crc);
  const [a, b, c, d] = reversed(Buffer.from([crc, crc >>> 8, crc >>> 16, crc >>> 24]));
  return (((a ?? 0) << 24) | ((b ?? 0) << 16) | ((c ?? 0) << 8) | (d ?? 0)) >>> 0;
}

/** The sum of BSD: 16 bits, rotated before each byte. */
export function bsdSum(bytes: Buffer): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i++) {
    sum = (((sum >> 1) | ((sum & 1) << 15)) + (bytes[i] ?? 0)) & 0xffff;
  }
  return sum;
}

/** The sum of System V: all bytes, folded to 16 bits. */
export function sysvSum(bytes: Buffer): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i++) sum += bytes[i] ?? 0;
  const folded = (sum % 0x10000) + Math.floor((sum % 0x100000000) / 0x10000);
  return (folded % 0x10000) + Math.floor(folded / 0x10000);
}
