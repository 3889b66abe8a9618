/** Which of the deployment's rules are about a path. */
import { isWithin } from '../paths.ts';
import type { PathsOfRule } from './context.ts';
import { matcherOf, scanGlob } from './glob.ts';

interface Compiled {
  name: string;
  isMatch(path: string): boolean;
  /** Directories below which all that it is about lies. */
  bases: readonly string[];
}

/** The rules that are given with whoever acts. */
export class PathRules {
  readonly of: readonly PathsOfRule[];
  readonly #rules: readonly Compiled[];

  constructor(rules: readonly PathsOfRule[]) {
    this.of = rules;
    this.#rules = rules.map(({ name, paths }) => ({
      name,
      isMatch: matcherOf(paths),
      bases: paths.map((glob) => `/${scanGlob(glob).base.replace(/^\//, '')}`),
    }));
  }

  /**
   * The names of those that are about a path.
   * @param whole all that is below it was met: which paths, is not known, and a rule for any of them counts
   */
  meet(path: string, whole: boolean): string[] {
    return this.#rules
      .filter(
        ({ isMatch, bases }) =>
          isMatch(path) ||
          (whole && bases.some((base) => isWithin(path, base) || isWithin(base, path))),
      )
      .map(({ name }) => name);
  }
}
