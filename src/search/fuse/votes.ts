/** What each signal says of the candidates for one question. */
import type { Stemmer } from '../words/words.ts';
import type { Vote } from './parts.ts';
import type { Pool, Signals } from './pool.ts';
import { kindred } from './votes/kindred.ts';
import { byLead } from './votes/lead.ts';
import { nearest, nearFound } from './votes/near.ts';
import { byPairs } from './votes/pairs.ts';
import { byPieces } from './votes/pieces.ts';

/** A number for each candidate, in any unit. */
export type Votes = Map<Vote, Float32Array>;

/** All votes; those whose part is missing are left out. */
export function votesOn(pool: Pool, signals: Signals, stemmer: Stemmer): Votes {
  const { corpus, latent, words } = signals;
  const { candidates, byExpansion } = pool;
  const votes: Votes = new Map();
  if (latent !== null && pool.latent !== null) {
    votes.set('latent', nearest(pool, pool.latent));
    votes.set('found', nearFound(pool, latent.points));
  }
  if (words !== null && pool.words !== null) {
    votes.set('words', nearest(pool, pool.words));
    votes.set('kindred', kindred(pool, corpus, words.table));
  }
  votes.set(
    'expansion',
    Float32Array.from(candidates, ({ row }) => byExpansion[row] as number),
  );
  votes.set('lead', byLead(pool, signals, stemmer));
  votes.set('pairs', byPairs(pool, signals, stemmer));
  votes.set('pieces', byPieces(pool, corpus));
  return votes;
}

/**
 * How far each number is above the mean, in standard deviations; 0 where all are alike,
 * and for what is no number, since nothing is known of it.
 */
export function standardised(values: Float32Array): Float32Array {
  const known = values.filter((value) => !Number.isNaN(value));
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const square = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = Math.sqrt(square / known.length);
  return values.map((value) =>
    Number.isNaN(value) || !(deviation > 1e-9) ? 0 : (value - mean) / deviation,
  );
}
