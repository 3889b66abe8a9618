/** Search by ranked keywords. */
export { createRankedSearch, type FollowedSource, type RankedSearch } from './ranked.ts';
