/** Which paths may be searched by meaning: told by the mounts alone. */
import { FsError } from '../errors.ts';
import { isWithin } from '../paths.ts';

/** A mount, as far as this is concerned. */
export interface SearchablePoint {
  point: string;
  /** May its text be searched by meaning? */
  searchable: boolean;
}

/**
 * A directory above mount points, such as /mnt, may be searched when all mounts below it may: it
 * holds nothing else.
 * @param path taken as it stands, no link followed
 */
export function isSearchable(mounts: readonly SearchablePoint[], path: string): boolean {
  const above = mounts.filter(({ point }) => isWithin(point, path));
  const [at, ...others] = above;
  if (at === undefined) throw new FsError('ENOENT', { path, op: 'lookup' });
  const nearest = others.reduce((a, b) => (b.point.length > a.point.length ? b : a), at);
  if (nearest.searchable || nearest.point !== '/' || path === '/') return nearest.searchable;
  const below = mounts.filter(({ point }) => point !== path && isWithin(path, point));
  return below.length > 0 && below.every(({ searchable }) => searchable);
}
