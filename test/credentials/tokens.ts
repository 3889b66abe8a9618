/**
 * Every credential that a test hands to the code under test. Each holds {@link MARK} in both of its
 * halves, so that one search finds them all, whole or cut in two by the pages of a database.
 */

/** What no text of ours says, and every credential does. */
// Put together, so that a copy of this file, which a test of the package makes, is no find.
export const MARK = ['hostonly', 'secret'].join('');

/** A credential of a kind: its prefix is that of the service's own. */
export function credential<Prefix extends string>(prefix: Prefix, name: string): string {
  return `${prefix}${MARK}_${name}_${MARK}`;
}

/** What the run itself plants, so that a search that finds nothing can be told from one that does not look. */
export const PLANTED = credential('', 'planted');
