/**
 * Which trigrams a text has, as a set of bits: a trigram, three bytes in a row,
 * has one bit, which it may share with others. So a signature can say that a
 * text does not have a trigram, and never that it has. Making one takes a pass
 * over the text, and a quarter to half of the text's size.
 *
 * A signature is a stretch of 32-bit words, their number a power of two, among
 * those of other texts: so what a search looks at lies close together.
 */

const FEWEST_BITS_LOG2 = 9;
const MOST_BITS_LOG2 = 20;

/**
 * By names of their own: just-bash freezes Math for each command and makes it
 * anew afterwards, from which on every look into it is a look-up by name.
 */
const { clz32, imul, max, min } = Math;

/** Knuth's multiplier: the upper bits of a product with it are spread evenly. */
const SPREAD = 0x9e3779b1;

/** How far a product is shifted so that as many bits remain as number the bits of a signature. */
function shiftOf(words: number): number {
  return clz32(words * 32 - 1);
}

/** How many words the signature of a text of so many bytes takes. */
export function wordsFor(bytes: number): number {
  const log2 = 33 - clz32(bytes);
  return 2 ** (min(MOST_BITS_LOG2, max(FEWEST_BITS_LOG2, log2)) - 5);
}

/** Makes the signature of a text in words that are 0. */
export function sign(text: Uint8Array, into: Int32Array, from: number, words: number): void {
  const shift = shiftOf(words);
  const { length } = text;
  let trigram = length < 2 ? 0 : ((text[0] as number) << 8) | (text[1] as number);
  for (let at = 2; at < length; at++) {
    trigram = ((trigram << 8) | (text[at] as number)) & 0xffffff;
    const bit = imul(trigram, SPREAD) >>> shift;
    const word = from + (bit >>> 5);
    into[word] = (into[word] as number) | (1 << bit);
  }
}

/** Texts of which a match has at least one, as the trigrams of each. */
export type Required = readonly Uint32Array[];

/**
 * What a search requires of a text, null where that cannot be asked of signatures.
 * @param texts one of them is in every match
 */
export function requiredOf(texts: readonly Uint8Array[] | null): Required | null {
  if (texts === null || texts.length === 0) return null;
  // Lines end in other places where a NUL ends one, and a text must not span them.
  const asks = (text: Uint8Array): boolean =>
    text.length >= 3 && !text.includes(10) && !text.includes(0);
  return texts.every(asks) ? texts.map(trigramsOf) : null;
}

function trigramsOf(text: Uint8Array): Uint32Array {
  const found = new Set<number>();
  for (let at = 2; at < text.length; at++) {
    found.add(
      ((text[at - 2] as number) << 16) | ((text[at - 1] as number) << 8) | (text[at] as number),
    );
  }
  return Uint32Array.from(found);
}

/** Is it certain of a text with this signature that it has nothing of what is required? */
export function excludes(
  signatures: Int32Array,
  from: number,
  words: number,
  required: Required,
): boolean {
  const shift = shiftOf(words);
  for (const trigrams of required) {
    if (hasAll(signatures, from, shift, trigrams)) return false;
  }
  return true;
}

function hasAll(
  signatures: Int32Array,
  from: number,
  shift: number,
  trigrams: Uint32Array,
): boolean {
  for (let index = 0; index < trigrams.length; index++) {
    const bit = imul(trigrams[index] as number, SPREAD) >>> shift;
    if (((signatures[from + (bit >>> 5)] as number) & (1 << bit)) === 0) return false;
  }
  return true;
}
