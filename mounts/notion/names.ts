/**
 * Names of pages and databases: `Title--0123456789ab`. The last 12 digits of
 * the id find it, whatever stands before `--`: a path that was noted goes on
 * working when the title changes. The first digits of Notion's ids will not
 * do: pages made at about the same time share them.
 */
import type { ParamType } from '../../src/mount/index.ts';

/** A segment of a place. */
export const PLACE: ParamType = {
  matches: /^[^/]*--[0-9a-f]{12}$/,
  example: 'Roadmap--0123456789ab',
};

/** Bytes of UTF-8 that the title may take: a name has 255 at most, with `--`, 12 digits and `.md`. */
const TITLE_BYTES = 180;

/** The last 12 digits of an id: its key in the replica. */
export function keyOf(id: string): string {
  return id.replaceAll('-', '').slice(-12);
}

/** The key that a place of one segment or more ends in. */
export function keyOfPlace(place: string): string {
  return place.slice(-12);
}

/** The keys along a place, the outermost first. */
export function keysOfPlace(place: string): string[] {
  return place.split('/').map(keyOfPlace);
}

export function nameOf(title: string, id: string): string {
  return `${slugOf(title)}--${keyOf(id)}`;
}

/** A title as a file name that needs no quotes: no space, no `/`, nothing that a shell expands. */
function slugOf(title: string): string {
  const plain = title
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, ' ')
    .replace(/[\s/\\:,*?"'`<>|$&;()[\]{}!#~=%^-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
  let cut = '';
  let bytes = 0;
  for (const character of plain) {
    bytes += Buffer.byteLength(character);
    if (bytes > TITLE_BYTES) break;
    cut += character;
  }
  return cut === '' ? 'Untitled' : cut.replace(/[-.]+$/, '');
}
