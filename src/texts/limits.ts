/** What the conversion of one document may take. */

/** The largest document that is converted, bytes. */
export const LARGEST_DOCUMENT = 128 * 1024 * 1024;
/** The longest text of one, characters. */
export const LONGEST_TEXT = 16 * 1024 * 1024;
/** What the files of one may come to once they are unpacked, bytes. */
export const LARGEST_UNPACKED = 256 * 1024 * 1024;
/** How many files one may be made of. */
export const MOST_PARTS = 20_000;
/** How long a conversion may take, ms. */
export const LONGEST_CONVERSION = 120_000;
/** What the converter may take of memory: JavaScript's own heap, and buffers outside of it. MiB. */
export const LARGEST_HEAP = 768;
export const LARGEST_BUFFERS = 768;
/** How deep the parts of a mail may be nested, and how large its headers may be, bytes. */
export const MOST_NESTED = 64;
export const LARGEST_HEADERS = 2 * 1024 * 1024;
