/**
 * When is a chunk near? That differs from model to model and from corpus to
 * corpus, so both are asked: questions of all kinds, which hardly any corpus
 * answers, are put to them, and what stands out of how near those come is an answer.
 */
import { EVERYDAY_QUESTIONS } from '../words/everyday.ts';
import type { ByteVectors } from './byte-vectors.ts';
import { EmbeddingFailure, hasDirection } from './embedder.ts';

/** What is put to model and corpus. */
export const BACKDROP = EVERYDAY_QUESTIONS;

/** How near the nearest chunk comes to such a question. Cosines. */
export interface Nearness {
  mean: number;
  deviation: number;
}

/** Vectors one after another. @throws EmbeddingFailure when one is of another length */
export function joined(vectors: readonly Float32Array[], dimensions: number): Float32Array {
  const all = new Float32Array(vectors.length * dimensions);
  for (const [index, vector] of vectors.entries()) {
    if (vector.length !== dimensions) {
      const text = `the model answered vectors of ${dimensions} and of ${vector.length} numbers`;
      throw new EmbeddingFailure('passing', text);
    }
    all.set(vector, index * dimensions);
  }
  return all;
}

/** @param backdrop the vectors of {@link BACKDROP}, joined */
export function nearnessOf(backdrop: Float32Array, vectors: ByteVectors, size: number): Nearness {
  const { dimensions } = vectors;
  const most: number[] = [];
  for (let from = 0; from < backdrop.length; from += dimensions) {
    const question = backdrop.subarray(from, from + dimensions);
    if (!hasDirection(question)) continue;
    let nearest = -1;
    for (const cosine of vectors.cosines(question, size)) {
      if (cosine > nearest) nearest = cosine;
    }
    most.push(nearest);
  }
  if (most.length === 0) return { mean: 0, deviation: 0 };
  const mean = most.reduce((sum, each) => sum + each, 0) / most.length;
  const squares = most.reduce((sum, each) => sum + (each - mean) ** 2, 0) / most.length;
  return { mean, deviation: Math.sqrt(squares) };
}
