/**
 * A vote by pieces of four letters: forms that stemming keeps apart, and words
 * that are parts of others, have some in common.
 */
import { K1, lengthNorm } from '../../lexical/bm25.ts';
import type { Corpus } from '../../lexical/corpus.ts';
import type { Pool } from '../pool.ts';

const LETTERS = 4;

/** What a term of the corpus has of the question's pieces. */
interface Pieces {
  /** Places among the question's pieces. */
  asked: readonly number[];
  /** How many pieces it has in all. */
  size: number;
}

/** BM25 over pieces, of what the candidates' best passages have of those of the question. */
export function byPieces({ candidates, terms }: Pool, corpus: Corpus): Float32Array {
  const asked = new Map<string, number>();
  const said: number[] = [];
  for (const term of terms) {
    for (const piece of piecesOf(term)) {
      const at = asked.get(piece) ?? asked.size;
      asked.set(piece, at);
      said[at] = (said[at] ?? 0) + 1;
    }
  }
  const known: (Pieces | undefined)[] = new Array(corpus.vocabulary.length);
  const spread = new Float32Array(asked.size);
  const bags = candidates.map(({ passages }) => {
    const counts = new Float32Array(asked.size);
    let length = 0;
    for (const slot of passages) {
      for (const entry of corpus.bag(slot)) {
        const term = entry >>> 8;
        let pieces = known[term];
        if (pieces === undefined) {
          pieces = sharedPieces(corpus.vocabulary[term] ?? '', asked);
          known[term] = pieces;
          for (const at of pieces.asked) spread[at] = (spread[at] as number) + corpus.spread(term);
        }
        const often = entry & 255;
        length += often * pieces.size;
        for (const at of pieces.asked) counts[at] = (counts[at] as number) + often;
      }
    }
    return { counts, length };
  });
  const average = bags.reduce((sum, { length }) => sum + length, 0) / Math.max(1, bags.length);
  const { base, slope } = lengthNorm(average || 1);
  const worth = Float32Array.from(spread, (chunks, at) => {
    // Chunks with two such terms were counted twice.
    const found = Math.min(chunks, corpus.living);
    const idf = Math.log(1 + (corpus.living - found + 0.5) / (found + 0.5));
    return (said[at] ?? 0) * idf * (K1 + 1);
  });
  return Float32Array.from(bags, ({ counts, length }) => {
    const norm = base + slope * length;
    return worth.reduce((sum, each, at) => {
      const often = counts[at] as number;
      return often === 0 ? sum : sum + (each * often) / (often + norm);
    }, 0);
  });
}

function sharedPieces(term: string, asked: ReadonlyMap<string, number>): Pieces {
  const shared: number[] = [];
  const size = Math.max(1, term.length - LETTERS + 1);
  for (let from = 0; from < size; from++) {
    const at = asked.get(term.slice(from, from + LETTERS));
    if (at !== undefined) shared.push(at);
  }
  return { asked: shared, size };
}

/** Of a shorter word the whole is its piece. */
function piecesOf(term: string): string[] {
  if (term.length <= LETTERS) return [term];
  return Array.from({ length: term.length - LETTERS + 1 }, (_, at) => term.slice(at, at + LETTERS));
}
