/**
 * Latent semantic analysis: chunks and queries as points in a space of few
 * dimensions that is fitted on the corpus itself, in which words that keep the
 * same company lie near each other. New chunks are folded into a fitted space.
 */
import type { Corpus } from '../lexical/corpus.ts';
import {
  gram,
  orthonormalise,
  type SparseRows,
  symmetricEigen,
  times,
  timesTransposed,
} from './linear-algebra.ts';
import { normalised } from './normalised.ts';
import type { Vectors } from './place.ts';

const LATENT_DIMENSIONS = 64;
/** Columns beyond what is kept, for accuracy. */
const OVERSAMPLED = 8;
/** Chunks that a space is fitted on, at most; the others are folded in. */
const LARGEST_SAMPLE = 12_000;
/** Below so few chunks there is nothing to learn. */
const SMALLEST_CORPUS = 24;

/** A fitted space: what each term points to, its rarity included. */
export class LatentSpace implements Vectors {
  readonly dimensions: number;
  /** Chunks that were there when it was fitted. */
  readonly fittedOn: number;
  /** Its terms, in the order of their rows. */
  readonly terms: readonly string[];
  readonly rows: Float32Array;
  readonly #rowOf: ReadonlyMap<string, number>;

  constructor(dimensions: number, fittedOn: number, terms: readonly string[], rows: Float32Array) {
    this.dimensions = dimensions;
    this.fittedOn = fittedOn;
    this.terms = terms;
    this.rows = rows;
    this.#rowOf = new Map(terms.map((term, row) => [term, row]));
  }

  rowOf(term: string): number {
    return this.#rowOf.get(term) ?? -1;
  }

  scaleOf(): number {
    return 1;
  }
}

/** Terms in one chunk alone connect nothing; terms in half of all tell nothing. */
function informative(corpus: Corpus, term: number): boolean {
  const spread = corpus.spread(term);
  return spread >= 2 && spread * 2 <= corpus.living;
}

/** Weight of a term in a chunk. */
function weightOf(corpus: Corpus, term: number, count: number): number {
  return (1 + Math.log(count)) * corpus.idf(term);
}

/** Fits a space; null where the corpus is too small for one. Deterministic. */
export function fitLatentSpace(corpus: Corpus, dimensions = LATENT_DIMENSIONS): LatentSpace | null {
  if (corpus.living < SMALLEST_CORPUS) return null;
  const columns = new Map<number, number>();
  const matrix = sampleMatrix(corpus, columns);
  const kept = Math.min(dimensions, Math.floor(Math.min(matrix.rows, matrix.columns) / 3));
  if (kept < 2) return null;
  const width = Math.min(kept + OVERSAMPLED, matrix.rows, matrix.columns);
  let basis = gaussian(matrix.columns * width);
  for (let step = 0; step < 3; step++) {
    const left = times(matrix, basis, width);
    orthonormalise(left, width);
    basis = timesTransposed(matrix, left, width);
  }
  // basis = Aᵀ·Q: its right singular vectors, turned back, are those of A.
  const { values, vectors } = symmetricEigen(gram(basis, width), width);
  const terms = [...columns.keys()].map((term) => corpus.vocabulary[term] ?? '');
  const rows = new Float32Array(terms.length * kept);
  for (const [term, column] of columns) {
    const idf = corpus.idf(term);
    for (let k = 0; k < kept; k++) {
      let sum = 0;
      for (let j = 0; j < width; j++) {
        sum += (basis[column * width + j] ?? 0) * (vectors[j * width + k] ?? 0);
      }
      // Aᵀ·Q·W = V·S: divided by S it is orthonormal.
      rows[column * kept + k] = (sum / Math.sqrt(Math.max(1e-12, values[k] ?? 0))) * idf;
    }
  }
  return new LatentSpace(kept, corpus.living, terms, rows);
}

/** Chunks as rows of unit length, evenly taken from the whole corpus. */
function sampleMatrix(corpus: Corpus, columns: Map<number, number>): SparseRows {
  const slots: number[] = [];
  for (let slot = 0; slot < corpus.size; slot++) if (corpus.alive(slot)) slots.push(slot);
  const step = Math.max(1, slots.length / LARGEST_SAMPLE);
  const starts = [0];
  const column: number[] = [];
  const value: number[] = [];
  for (let at = 0; at < slots.length; at += step) {
    const from = value.length;
    let size = 0;
    for (const entry of corpus.bag(slots[Math.floor(at)] ?? 0)) {
      const term = entry >>> 8;
      if (!informative(corpus, term)) continue;
      const weight = weightOf(corpus, term, entry & 255);
      size += weight * weight;
      const known = columns.get(term) ?? columns.size;
      columns.set(term, known);
      column.push(known);
      value.push(weight);
    }
    for (let i = from; i < value.length; i++) value[i] = (value[i] ?? 0) / Math.sqrt(size);
    starts.push(value.length);
  }
  return {
    rows: starts.length - 1,
    columns: columns.size,
    starts: Uint32Array.from(starts),
    column: Uint32Array.from(column),
    value: Float32Array.from(value),
  };
}

/** Normal deviates from a fixed seed: two fits of one corpus are the same. */
function gaussian(size: number): Float64Array {
  let state = 0x9e3779b9;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return Float64Array.from(
    { length: size },
    () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  );
}

/** The point of some counted terms: of unit length, or all 0 where the space knows none. */
export function foldIn(
  space: LatentSpace,
  counts: Iterable<readonly [string, number]>,
): Float32Array {
  const { dimensions, rows } = space;
  const point = new Float32Array(dimensions);
  for (const [term, count] of counts) {
    const row = space.rowOf(term);
    if (row < 0) continue;
    const weight = 1 + Math.log(Math.max(1, count));
    for (let k = 0; k < dimensions; k++) {
      point[k] = (point[k] ?? 0) + weight * (rows[row * dimensions + k] ?? 0);
    }
  }
  return normalised(point);
}
