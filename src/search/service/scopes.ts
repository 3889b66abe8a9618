/** The places of a question: what is searched is what their links lead to, and answers are named as it was. */
import { isFsError } from '../../errors.ts';
import type { NamespaceFs } from '../../namespace/types.ts';
import { isWithin } from '../../paths.ts';

export interface SearchScope {
  /** As it was given, absolute. */
  given: string;
  /** Where that leads. */
  real: string;
  isFile: boolean;
}

export async function scopesOf(fs: NamespaceFs, paths: readonly string[]): Promise<SearchScope[]> {
  const places: SearchScope[] = [];
  for (const given of paths) {
    try {
      const real = await fs.realpath(given);
      const { isFile } = await fs.stat(real);
      places.push({ given, real, isFile });
    } catch (error) {
      if (!isFsError(error)) throw error;
      // Whoever looks at it is told what is wrong with it.
      places.push({ given, real: given, isFile: false });
    }
  }
  return places;
}

/** A path as it is called where the question was asked. */
export function namedFrom(places: readonly SearchScope[], path: string): string {
  if (places.some(({ given }) => isWithin(given, path))) return path;
  const place = places.find(({ real }) => isWithin(real, path));
  return place === undefined ? path : place.given + path.slice(place.real.length);
}
