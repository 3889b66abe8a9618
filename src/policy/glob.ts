/** Globs of paths and names: the one place in which they become expressions. */
import picomatch from 'picomatch';

/**
 * Does a text match one of the globs? A name may hold any character, a newline too: where it did not
 * match one, a name that an agent gave would lead out of a rule.
 */
export const matcherOf = (
  globs: string | readonly string[],
  { nocase = false }: { nocase?: boolean } = {},
): ((text: string) => boolean) =>
  picomatch(typeof globs === 'string' ? globs : [...globs], {
    dot: true,
    flags: nocase ? 'si' : 's',
    nocase,
  });

/** What stands in a glob before its first wildcard, and whether it has one. */
export const scanGlob = (glob: string): { base: string; isGlob: boolean } => {
  const { base, isGlob } = picomatch.scan(glob);
  return { base, isGlob };
};
