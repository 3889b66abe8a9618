/**
 * How what speaks for the candidates is counted together. BM25 is scaled to 1, and each vote
 * adds or takes the same small amount a standard deviation over the question's own candidates:
 * signals that know nothing of it cancel out, and BM25 stands. `npm run bench:search --
 * --choosing` tells what other constants would give.
 */
import type { Stemmer } from '../words/words.ts';
import type { Parts } from './parts.ts';
import type { Pool, Signals } from './pool.ts';
import { bySentences, votesOfModel } from './votes/sentences.ts';
import { standardised, type Votes, votesOn } from './votes.ts';

export interface FusionConstants {
  /**
   * How much of BM25 is that of the best passage, and not of the whole document: a long
   * document among short ones has its answer in a few lines.
   */
  passage: number;
  /** What a vote counts a standard deviation, beside the best BM25. */
  vote: number;
  /**
   * What the word table and a sentence model count besides where the terms of a question are not
   * believed at all, and how far they must be believed for these to count no more than ever.
   */
  inDoubt: { words: number; sentence: number; below: number };
}

export const FUSION: FusionConstants = {
  passage: 0.5,
  vote: 0.04,
  inDoubt: { words: 0.3, sentence: 0.6, below: 0.65 },
};

/** What speaks for each candidate of one question. */
export interface Poll {
  /** How far the question's terms are to be believed, 0 to 1. */
  trust: number;
  /** BM25, the best 1. */
  whole: Float32Array;
  passage: Float32Array;
  /** Standardised. */
  votes: Votes;
  /** A sentence model's, and as how many votes it counts; null without one. */
  model: { values: Float32Array; counts: number } | null;
}

export function pollOf(pool: Pool, signals: Signals, stemmer: Stemmer): Poll {
  const { candidates, trust } = pool;
  const { sentences = null } = signals;
  const votes: Votes = new Map();
  for (const [name, values] of votesOn(pool, signals, stemmer)) {
    votes.set(name, standardised(values));
  }
  return {
    trust,
    whole: scaled(candidates.map(({ whole }) => whole)),
    passage: scaled(candidates.map(({ passage }) => passage)),
    votes,
    model: sentences && {
      values: standardised(bySentences(pool, sentences)),
      counts: votesOfModel(sentences.weight),
    },
  };
}

/** What each part adds to the score of each candidate. */
export function counted(
  { trust, whole, passage, votes, model }: Poll,
  { passage: share, vote, inDoubt }: FusionConstants,
): Map<keyof Parts, Float32Array> {
  const doubt = Math.max(0, 1 - trust / inDoubt.below);
  const added = new Map<keyof Parts, Float32Array>();
  added.set(
    'bm25',
    whole.map((score, at) => (1 - share) * score + share * (passage[at] as number)),
  );
  const add = (name: keyof Parts, values: Float32Array, counts: number): void => {
    added.set(
      name,
      values.map((value) => counts * value),
    );
  };
  for (const [name, values] of votes) {
    add(name, values, name === 'words' ? vote + doubt * inDoubt.words : vote);
  }
  if (model !== null) {
    add('sentence', model.values, vote * model.counts + doubt * inDoubt.sentence);
  }
  return added;
}

function scaled(scores: readonly number[]): Float32Array {
  const most = scores.reduce((held, score) => Math.max(held, score), 1e-9);
  return Float32Array.from(scores, (score) => score / most);
}
