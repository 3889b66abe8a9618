/** Lines of the log: how a record becomes one, and what is wrong with one. */
import { hash as hashOf } from 'node:crypto';
import type { Entry, Header } from './entry.ts';

/** SHA-256 as hex. */
export const sha256 = (data: string | Uint8Array): string => hashOf('sha256', data, 'hex');

/** `,"hash":"…64…"}`, with which every line ends. */
const SUFFIX_LENGTH = 75;
const BEFORE_HASH = ',"hash":"';
const SUFFIX = /^,"hash":"([0-9a-f]{64})"\}$/;
const QUOTE = 0x22;
const CLOSING_BRACE = 0x7d;

/** A record as a line with its newline, and its hash. */
export function encodeLine(record: object): { line: string; hash: string } {
  const body = JSON.stringify(record);
  const hash = sha256(body);
  return { line: `${body.slice(0, -1)},"hash":"${hash}"}\n`, hash };
}

/** A line that was read: a record, or what is wrong with it. */
export type Decoded =
  | { record: Entry | Header; hash: string }
  | { fault: string; claimed: string | null; computed: string | null; id: string | null };

/**
 * Reads one line, `bytes` without its newline. The hash is that of the bytes
 * as they stand: a changed byte shows even where JSON would read the same.
 */
export function decodeLine(bytes: Buffer): Decoded {
  const cut = bytes.length - SUFFIX_LENGTH;
  if (cut < 1) return fault(bytes, 'it is too short for an entry', null, null);
  const comma = bytes[cut] ?? 0;
  bytes[cut] = CLOSING_BRACE;
  const computed = sha256(bytes.subarray(0, cut + 1));
  bytes[cut] = comma;
  if (!endsWith(bytes, cut, computed)) {
    const claimed = SUFFIX.exec(bytes.toString('latin1', cut))?.[1] ?? null;
    const what =
      claimed === null
        ? 'it does not end with a hash'
        : 'its bytes are not those that its hash was made of';
    return fault(bytes, what, claimed, computed);
  }
  try {
    return { record: JSON.parse(bytes.toString()), hash: computed };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fault(bytes, `it is no JSON: ${error.message}`, computed, computed);
  }
}

/** Do the bytes from `cut` on give this hash? Compared in place, since a text of them would cost as much as a tenth of the line. */
function endsWith(bytes: Buffer, cut: number, hash: string): boolean {
  const suffix = BEFORE_HASH.length + hash.length;
  for (let index = 0; index < BEFORE_HASH.length; index++)
    if (bytes[cut + index] !== BEFORE_HASH.charCodeAt(index)) return false;
  for (let index = 0; index < hash.length; index++)
    if (bytes[cut + BEFORE_HASH.length + index] !== hash.charCodeAt(index)) return false;
  return bytes[cut + suffix] === QUOTE && bytes[cut + suffix + 1] === CLOSING_BRACE;
}

function fault(bytes: Buffer, text: string, claimed: string | null, computed: string | null) {
  const id = /^\{"(?:type":"session","version":\d+,")?id":"([^"]{1,64})"/.exec(
    bytes.toString('latin1', 0, 128),
  );
  return { fault: text, claimed, computed, id: id?.[1] ?? null };
}

/** What an entry must have, whatever its type; null when it has it. */
export function faultOfEntry(record: object): string | null {
  const { id, parentId, timestamp, type, prev } = record as Partial<Entry>;
  if (typeof id !== 'string') return 'it has no id';
  if (typeof parentId !== 'string' && parentId !== null) return 'it has no parentId';
  if (typeof timestamp !== 'string') return 'it has no timestamp';
  if (typeof type !== 'string') return 'it has no type';
  if (typeof prev !== 'string') return 'it has no prev';
  return null;
}

/** Is a record the header of a log? */
export function isHeader(record: object): record is Header {
  const { type, version, id } = record as Partial<Header>;
  return type === 'session' && typeof version === 'number' && typeof id === 'string';
}
