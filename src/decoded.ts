/** Text of bytes, whatever they are encoded in. */
import { isUtf8 } from 'node:buffer';

const NEWLINE = 0x0a;

/** UTF-8; each line that is none is Latin-1, as the shell prints it, and the other lines stay what they are. */
export function decoded(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes).toString('utf8');
  const lines: string[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, from);
    const next = end === -1 ? bytes.length : end + 1;
    const line = Buffer.from(bytes.subarray(from, next));
    lines.push(line.toString(isUtf8(line) ? 'utf8' : 'latin1'));
    from = next;
  }
  return lines.join('');
}
