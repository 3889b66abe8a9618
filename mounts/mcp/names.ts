/** Names of files for what a server calls as it likes. */
import { createHash } from 'node:crypto';

/** Longer names are cut, and told apart by a digest. Bytes. */
const LONGEST = 180;

/** What ends a name, or is not seen in it: `/`, `%`, controls, marks of direction, halves of pairs. */
const ESCAPED = /[/%\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Names that the core has in any directory. */
const RESERVED = /^(?:README\.md|new\..*)$/;

/**
 * The file of a name. What cannot stand in a file's name is written as in a URL, so that {@link nameOf}
 * has it back.
 */
export function fileOf(name: string): string {
  const escaped = name.replace(ESCAPED, percent).replace(/^\./, '%2E');
  const safe = RESERVED.test(escaped) ? escaped.replace('.', '%2E') : escaped;
  if (Buffer.byteLength(safe) <= LONGEST) return safe;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return `${Buffer.from(safe).subarray(0, LONGEST).toString().replaceAll('\ufffd', '')}~${digest}`;
}

/** The file of a program: beside it stands its definition, `FILE.json`. */
export const programFileOf = (name: string): string => fileOf(name).replace(/\.json$/, '%2Ejson');

/** The name of a file; null where it is none that {@link fileOf} makes. */
export function nameOf(file: string): string | null {
  try {
    const name = decodeURIComponent(file);
    return fileOf(name) === file ? name : null;
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function percent(character: string): string {
  // Half of a pair has no UTF-8: it becomes what stands for it.
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
