/** --include, --exclude and --exclude-dir: which names are passed over. */
import { globRegExp } from './glob.ts';

interface Rule {
  include: boolean;
  /** On a bare name. */
  test: RegExp;
}

const STYLE = { crossSlash: true, extended: false };

/** The last rule that matches decides; where none does, the kind of the first. */
export class NameFilter {
  private readonly rules: Rule[];
  private readonly verdicts = new Map<string, boolean>();

  constructor(rules: readonly { include: boolean; glob: string }[]) {
    this.rules = rules.map(({ include, glob }) => ({ include, test: globRegExp(glob, STYLE) }));
  }

  get empty(): boolean {
    return this.rules.length === 0;
  }

  /** Is a name met while walking passed over? */
  skips(name: string): boolean {
    const dot = name.lastIndexOf('.');
    const known = this.verdicts.get(name);
    if (known !== undefined) return known;
    const verdict = this.decide((rule) => rule.test.test(name));
    if (this.verdicts.size < 5000 || dot === -1) this.verdicts.set(name, verdict);
    return verdict;
  }

  /** Is a path from the command line passed over? A rule may match from any component on. */
  skipsOperand(path: string): boolean {
    const tails = [path];
    for (let i = 0; i + 1 < path.length; i++) {
      if (path[i] === '/' && path[i + 1] !== '/') tails.push(path.slice(i + 1));
    }
    return this.decide((rule) => tails.some((tail) => rule.test.test(tail)));
  }

  private decide(matches: (rule: Rule) => boolean): boolean {
    for (let i = this.rules.length - 1; i >= 0; i--) {
      const rule = this.rules[i] as Rule;
      if (matches(rule)) return !rule.include;
    }
    return this.rules[0]?.include ?? false;
  }
}
