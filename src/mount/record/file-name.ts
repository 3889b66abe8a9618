/** Ids of a service as names of files, and back: whatever they hold, they stay in their directory. */
import { createHash } from 'node:crypto';

/** Longer names become digests: a file's name has 255 bytes, and needs an ending. */
const LONGEST_NAME = 200;
/** What no name of a file can have, what stands between the values of a key, and what a digest begins with. */
const UNSAFE = /[%/,~]|\p{Cc}|\p{Bidi_Control}|^\./gu;
/** Without an ending of ours: a directory beside the files could not be told from them. */
const ENDED = /\.(?=(?:md|json|tsv)$)/;

/**
 * The name of a file without its ending.
 * @param values of a key, in its order
 * @param isTaken does the name stand for something else there?
 */
export function fileNameOf(
  values: readonly string[],
  isTaken: (name: string) => boolean = () => false,
): string {
  const name = values
    .map((value) => value.toWellFormed().replace(UNSAFE, escaped))
    .join(',')
    .replace(ENDED, '%2E');
  if (Buffer.byteLength(name) > LONGEST_NAME || name === '') {
    return `~${createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 32)}`;
  }
  if (!isTaken(name)) return name;
  const [first = ''] = name;
  return first === '%' ? `%25${name.slice(1)}` : `${escaped(first)}${name.slice(first.length)}`;
}

/** The values that a name stands for; null where it does not tell. */
export function keyNamed(name: string): string[] | null {
  if (name.startsWith('~')) return null;
  try {
    return name.split(',').map((part) => decodeURIComponent(part));
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** Each byte as `%XX`, which `encodeURIComponent` leaves out for some. */
function escaped(one: string): string {
  return [...Buffer.from(one)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
