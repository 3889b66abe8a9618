/** dd's conversions of what it copies. */

/** Each pair of bytes the other way round; a last single one stays. */
export function swapped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.subarray(0, copy.length - (copy.length % 2)).swap16();
  return copy;
}

/** EBCDIC as POSIX's table for dd has it, by ASCII code. */
const TO_EBCDIC = Buffer.from(
  '00010203372d2e2f1605250b0c0d0e0f101112133c3d322618193f271c1d1e1f' +
    '405a7f7b5b6c507d4d5d5c4e6b604b61f0f1f2f3f4f5f6f7f8f97a5e4c7e6e6f' +
    '7cc1c2c3c4c5c6c7c8c9d1d2d3d4d5d6d7d8d9e2e3e4e5e6e7e8e9ade0bd9a6d' +
    '79818283848586878889919293949596979899a2a3a4a5a6a7a8a9c04fd05f07' +
    '202122232415061728292a2b2c090a1b30311a333435360838393a3b04143ee1' +
    '4142434445464748495152535455565758596263646566676869707172737475' +
    '767778808a8b8c8d8e8f906a9b9c9d9e9fa0aaabac4aaeafb0b1b2b3b4b5b6b7' +
    'b8b9babbbca1bebfcacbcccdcecfdadbdcdddedfeaebecedeeeffafbfcfdfeff',
  'hex',
);

/** Where IBM's table differs. */
const IBM = [
  [0x5e, 0x5f],
  [0x7e, 0xa1],
  [0xcb, 0x9a],
  [0xd5, 0xad],
  [0xe5, 0xbd],
] as const;

function table(to: 'ebcdic' | 'ibm' | 'ascii'): Buffer {
  const made = Buffer.from(TO_EBCDIC);
  if (to === 'ibm') {
    for (const [ascii, ebcdic] of IBM) made[ascii] = ebcdic;
  }
  if (to !== 'ascii') return made;
  const back = Buffer.alloc(256);
  for (const [ascii, ebcdic] of made.entries()) back[ebcdic] = ascii;
  return back;
}

const mapped = (bytes: Buffer, to: Uint8Array): Buffer =>
  Buffer.from(bytes.map((byte) => to[byte] ?? byte));

function cased(bytes: Buffer, first: number, by: number): Buffer {
  return Buffer.from(bytes.map((byte) => (byte >= first && byte < first + 26 ? byte + by : byte)));
}

/** Lines to records of a fixed size, filled with blanks; what is longer is cut. */
function blocked(bytes: Buffer, size: number): { bytes: Buffer; truncated: number } {
  const lines = bytes.toString('latin1').split('\n');
  if (lines.at(-1) === '') lines.pop();
  const records = lines.map((line) => line.slice(0, size).padEnd(size));
  const truncated = lines.filter((line) => line.length > size).length;
  return { bytes: Buffer.from(records.join(''), 'latin1'), truncated };
}

/** Records of a fixed size to lines, without the blanks at their ends. */
function unblocked(bytes: Buffer, size: number): Buffer {
  const text = bytes.toString('latin1');
  let out = '';
  for (let at = 0; at < text.length; at += size) {
    out += `${text.slice(at, at + size).replace(/ +$/, '')}\n`;
  }
  return Buffer.from(out, 'latin1');
}

/** Does what `conv=` names. @param size of records, in bytes; 0 for none */
export function convert(
  given: Buffer,
  conversions: ReadonlySet<string>,
  size: number,
): { bytes: Buffer; truncated: number } {
  let bytes = given;
  let truncated = 0;
  const ascii = conversions.has('ascii');
  if (ascii) bytes = mapped(bytes, table('ascii'));
  if (conversions.has('lcase')) bytes = cased(bytes, 0x41, 0x20);
  if (conversions.has('ucase')) bytes = cased(bytes, 0x61, -0x20);
  const ebcdic = conversions.has('ebcdic') || conversions.has('ibm');
  if (size > 0 && (conversions.has('unblock') || ascii)) bytes = unblocked(bytes, size);
  if (size > 0 && (conversions.has('block') || ebcdic)) {
    ({ bytes, truncated } = blocked(bytes, size));
  }
  if (ebcdic) bytes = mapped(bytes, table(conversions.has('ibm') ? 'ibm' : 'ebcdic'));
  return { bytes, truncated };
}
