/** A citation, as an answer has it. */
import { PAGE_UNITS } from '../texts/names.ts';

/** Lines of a text, or pages of a document: `12`, `12-15`, `p12`. */
export type Place =
  | { unit: 'line'; from: number; to: number }
  /** Anchors, as they are written. */
  | { unit: 'page'; from: string; to: string };

/** What an answer cites. */
export interface Citation {
  /** As it is written, perhaps relative. */
  path: string;
  /** null for a file as a whole. */
  place: Place | null;
  /** What is said to stand there, to the word; none where a place alone is named. */
  quotes: readonly string[];
  /** Is it what grep printed, or prose behind a colon? Only what stands there tells. */
  maybeQuote?: string;
  /** Could it be something else, such as a host and its port? It is a citation where there is such a file. */
  doubtful: boolean;
  /** Where it stands in the answer. UTF-16 units. */
  at: number;
  end: number;
}

const ANCHOR = `(?:L|${PAGE_UNITS.join('|')})?\\d{1,9}`;

/** `:12`, `:12-15`, `:p12`, `#L12-L15` */
export const PLACE = `(?::|#(?=L\\d))(?<first>${ANCHOR})(?:[-–](?<second>${ANCHOR}))?`;

/** The place that two anchors name; null where they go together in no way. */
export function placeOf(first: string, second: string | undefined): Place | null {
  const from = lineNumber(first);
  const to = second === undefined ? from : lineNumber(second);
  if (from !== null && to !== null) return { unit: 'line', from, to };
  if (from !== null) return null;
  const last = second === undefined || to === null ? second : `${first.replace(/\d+$/, '')}${to}`;
  return { unit: 'page', from: first.toLowerCase(), to: (last ?? first).toLowerCase() };
}

/** `12` or `L12`. */
const lineNumber = (anchor: string): number | null => {
  const digits = /^[lL]?(\d+)$/.exec(anchor)?.[1];
  return digits === undefined ? null : Number(digits);
};

/** A place as it is written behind a path, without the colon; empty for a whole file. */
export function placeText(place: Place | null): string {
  if (place === null) return '';
  return place.from === place.to ? `${place.from}` : `${place.from}-${place.to}`;
}

/** `/mnt/docs/a.md:12` */
export const citationName = (path: string, place: Place | null): string =>
  place === null ? path : `${path}:${placeText(place)}`;

/** Names of hosts end so more often than those of files. */
const DOMAINS =
  /\.(?:com|org|net|edu|gov|io|dev|app|ai|co|de|eu|uk|fr|ch|at|us|info|local|localhost|internal|lan|home|test|example)$/i;
const EXTENSION = /[^/.][^/]*\.[a-z][a-z0-9]{0,9}$/i;

/** Is it a path beyond doubt, only by the look of it, or none at all? */
export function pathLooks(path: string): 'sure' | 'doubtful' | 'none' {
  if (path.endsWith('/') || /^\d+(?:\.\d+)*$/.test(path)) return 'none';
  if (/^(?:\/|\.{1,2}\/)[^/]/.test(path)) return 'sure';
  if (EXTENSION.test(path)) return DOMAINS.test(path) ? 'doubtful' : 'sure';
  return path.includes('/') ? 'doubtful' : 'none';
}
