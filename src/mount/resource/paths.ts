/** The patterns of resources: which parameters they have, and whose they are. */
import type { Params } from '../table/route.ts';
import type { Resource } from './definition.ts';

const PARAM = /:([a-z_]+)\+?/g;

/** The parameters of a pattern, in their order. */
export function paramsOf(pattern: string): string[] {
  return [...pattern.matchAll(PARAM)].map(([, name = '']) => name);
}

/** The parameter that names one record of a resource. */
export function ownParam({ path = '' }: Pick<Resource<unknown>, 'path'>): string {
  return paramsOf(path).at(-1) ?? '';
}

type Placed = Pick<Resource<unknown>, 'path' | 'at' | 'heldAt' | 'owner'>;

/** The pattern of the place that a resource's records are held at. */
export function placeOf({ path, at, heldAt, owner }: Placed): string {
  return heldAt ?? (owner ? placeOf(owner.of) : (at ?? above(path ?? '')));
}

/** The parameters of the place that a resource's records are held at. */
export function placeParams(of: Placed): string[] {
  return paramsOf(placeOf(of));
}

/** A path of the mount: a pattern with its parameters filled in. */
export function filled(pattern: string, params: Params): string {
  return pattern.replace(PARAM, (_, name: string) => params[name] ?? '');
}

/** The pattern of the directory that a pattern's entries are in. */
export function above(pattern: string): string {
  return pattern.slice(0, pattern.lastIndexOf('/'));
}

/** Do a pattern's entries have contents, or are they directories? */
export function isFile(pattern: string): boolean {
  return /\.[a-z]+$/.test(pattern);
}

/** The resources whose directories a pattern goes through, from the top down. */
export function through(
  pattern: string,
  resources: readonly Resource<unknown>[],
): Resource<unknown>[] {
  return resources
    .filter(({ path }) => path !== undefined && pattern.startsWith(`${path}/`))
    .sort((a, b) => (a.path?.length ?? 0) - (b.path?.length ?? 0));
}
