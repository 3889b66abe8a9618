/** What the index is made of: a piece of a document that can be pointed to and read on its own. */

export interface Chunk {
  /** First and last line in the document, 1-based, inclusive. */
  firstLine: number;
  lastLine: number;
  /** Where in the document it is: title and headings above it, `A › B`. */
  crumb: string;
  /** Its lines, as they are in the document. */
  text: string;
}

/** Longer pieces are cut. Characters. */
export const LARGEST_CHUNK = 2_000;
/** Neighbours are joined up to here: a heading with one line below it tells little. Characters. */
export const SMALLEST_CHUNK = 400;

/** Changes whenever the same document would give other chunks: it is part of what an index is known by. */
export const CHUNKER_VERSION = 1;
