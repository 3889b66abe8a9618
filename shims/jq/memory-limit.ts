/** How much memory a WebAssembly binary may ask for, which is written in it. */

const PAGE = 65_536;
/** Behind the magic number and the version. */
const FIRST_SECTION = 8;
const MEMORY_SECTION = 5;
const HAS_MAXIMUM = 1;

/** A LEB128 number and where it ends. */
function numberAt(bytes: Uint8Array, from: number): { value: number; end: number } {
  let [value, end] = [0, from];
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[end++] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, end };
  }
}

/**
 * The same binary with another maximum for its only memory: 256 MiB, as it is
 * built, are used up by a file of some 20 MB.
 * @param most bytes; in as many digits as the number that is there
 */
export function withMemory(binary: Uint8Array, most: number): Uint8Array {
  let at = FIRST_SECTION;
  while (binary[at] !== MEMORY_SECTION) {
    if (at >= binary.length) throw new Error('the binary of jq has no memory of its own');
    const { value: length, end } = numberAt(binary, at + 1);
    at = end + length;
  }
  const { end: count } = numberAt(binary, at + 1);
  const flags = count + 1;
  if (binary[count] !== 1 || binary[flags] !== HAS_MAXIMUM)
    throw new Error('the memory of the binary of jq is not as expected');
  const { end: start } = numberAt(binary, flags + 1);
  const { end } = numberAt(binary, start);
  const out = new Uint8Array(binary);
  let left = most / PAGE;
  for (let i = start; i < end; i++) {
    out[i] = (left & 0x7f) | (i < end - 1 ? 0x80 : 0);
    left = Math.floor(left / 128);
  }
  if (left > 0) throw new Error('the maximum does not fit where the old one stood');
  return out;
}
