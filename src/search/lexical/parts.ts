/** What is held in memory as a few arrays of bytes, to be kept and put back without looking at each chunk. */

/** Arrays by name. */
export type KeptParts = Map<string, Uint8Array>;

/** The bytes of an array, not copied. */
export function bytesOf(array: Uint32Array | Float32Array | Int8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** @throws Error where there is no such part */
export function part(parts: KeptParts, name: string): Uint8Array {
  const found = parts.get(name);
  if (found === undefined) throw new Error(`the kept index has no ${name}`);
  return found;
}

export function wordsPart(parts: KeptParts, name: string): Uint32Array {
  const aligned = alignedBytes(part(parts, name));
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

export function floatsPart(parts: KeptParts, name: string): Float32Array {
  const aligned = alignedBytes(part(parts, name));
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

/** Strings as one part. */
export function stringsPart(strings: readonly string[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(strings));
}

/** What {@link stringsPart} was given. */
export function stringsOf(parts: KeptParts, name: string): string[] {
  return JSON.parse(new TextDecoder().decode(part(parts, name)));
}

/** Bytes at a place where numbers of four bytes may begin. */
function alignedBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
}
