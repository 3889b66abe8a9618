/** Which files ripgrep leaves out: ignore files, globs, types, hidden names. */
import { globRegExp } from './glob.ts';

/** Says of a path below a directory whether a rule file there leaves it out. */
type Verdict = 'ignore' | 'keep' | null;

interface Rule {
  negated: boolean;
  directoryOnly: boolean;
  /** On the path relative to the directory that the rule was written in. */
  test: RegExp;
}

function ruleOf(line: string, ignoreCase: boolean): Rule | null {
  let text = line.replace(/\r$/, '').replace(/(?<!\\)\s+$/, '');
  if (text === '' || text.startsWith('#')) return null;
  const negated = text.startsWith('!');
  if (negated) text = text.slice(1);
  const directoryOnly = text.endsWith('/');
  if (directoryOnly) text = text.slice(0, -1);
  const anchored = text.includes('/');
  if (text.startsWith('/')) text = text.slice(1);
  else if (!anchored) text = `**/${text}`;
  if (text === '') return null;
  const test = globRegExp(text, { crossSlash: false, extended: true, ignoreCase });
  return { negated, directoryOnly, test };
}

/** The rules of one file (or of -g), the last that matches deciding. */
export class RuleList {
  private readonly rules: Rule[];

  constructor(lines: readonly { text: string; ignoreCase: boolean }[]) {
    this.rules = lines.flatMap(({ text, ignoreCase }) => ruleOf(text, ignoreCase) ?? []);
  }

  static parse(content: string): RuleList {
    return new RuleList(content.split('\n').map((text) => ({ text, ignoreCase: false })));
  }

  get positive(): boolean {
    return this.rules.some((rule) => !rule.negated);
  }

  decide(relative: string, directory: boolean): Verdict {
    for (let i = this.rules.length - 1; i >= 0; i--) {
      const rule = this.rules[i] as Rule;
      if (rule.directoryOnly && !directory) continue;
      if (rule.test.test(relative)) return rule.negated ? 'keep' : 'ignore';
    }
    return null;
  }
}

/** Names of ignore files, the strongest first. */
export const IGNORE_FILES = ['.rgignore', '.ignore', '.gitignore'] as const;
export type IgnoreFile = (typeof IGNORE_FILES)[number];

export interface IgnoreOptions {
  hidden: boolean;
  globs: readonly { glob: string; ignoreCase: boolean }[];
  /** Globs of the types asked for, and of those left out. */
  types: { wanted: readonly string[]; unwanted: readonly string[] };
}

/** All rules in force; rule files are added as they are found. */
export class IgnoreRules {
  private readonly files: Record<IgnoreFile, Map<string, RuleList>> = {
    '.rgignore': new Map(),
    '.ignore': new Map(),
    '.gitignore': new Map(),
  };
  private readonly hidden: boolean;
  private readonly overrides: RuleList | null;
  private readonly wanted: RegExp[];
  private readonly unwanted: RegExp[];
  /** The directory that -g globs are relative to. */
  private readonly base: string;

  constructor(options: IgnoreOptions, base: string) {
    this.hidden = options.hidden;
    this.base = base;
    const globs = options.globs.map(({ glob, ignoreCase }) => ({ text: glob, ignoreCase }));
    this.overrides = globs.length > 0 ? new RuleList(globs) : null;
    const style = { crossSlash: false, extended: true };
    this.wanted = options.types.wanted.map((glob) => globRegExp(glob, style));
    this.unwanted = options.types.unwanted.map((glob) => globRegExp(glob, style));
  }

  add(dir: string, name: IgnoreFile, content: string): void {
    this.files[name].set(dir, RuleList.parse(content));
  }

  /** Is an entry of a directory searched or walked into? */
  takes(name: string, dir: string, directory: boolean): boolean {
    const path = dir === '/' ? `/${name}` : `${dir}/${name}`;
    const forced = this.forced(path, directory);
    if (forced !== null) return forced;
    const verdict = this.byFiles(path, dir, directory);
    if (verdict === 'ignore') return false;
    let kept = verdict === 'keep';
    if (!directory) {
      if (this.unwanted.some((test) => test.test(name))) return false;
      if (this.wanted.length > 0) {
        if (!this.wanted.some((test) => test.test(name))) return false;
        kept = true;
      }
    }
    return kept || this.hidden || !name.startsWith('.');
  }

  /** What -g says, which is above everything; null where it says nothing. */
  private forced(path: string, directory: boolean): boolean | null {
    if (this.overrides === null) return null;
    const verdict = this.overrides.decide(below(path, this.base), directory);
    if (verdict !== null) return verdict === 'ignore';
    return !directory && this.overrides.positive ? false : null;
  }

  private byFiles(path: string, dir: string, directory: boolean): Verdict {
    for (const name of IGNORE_FILES) {
      const lists = this.files[name];
      if (lists.size === 0) continue;
      for (let at = dir; ; at = at.slice(0, at.lastIndexOf('/')) || '/') {
        const verdict = lists.get(at)?.decide(below(path, at), directory) ?? null;
        if (verdict !== null) return verdict;
        if (at === '/') break;
      }
    }
    return null;
  }
}

function below(path: string, dir: string): string {
  if (dir === '/') return path.slice(1);
  return path.startsWith(`${dir}/`) ? path.slice(dir.length + 1) : path.slice(1);
}
