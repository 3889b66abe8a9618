/** Which members are meant, what they are called, and what of a name is not to be trusted. */

import type { Options } from '../support/getopt.ts';
import { globMatcher } from '../support/glob.ts';
import { splitLines, type Tool, toText } from '../support/tool.ts';

const VCS = [
  '.git',
  '.gitignore',
  '.gitmodules',
  '.gitattributes',
  '.svn',
  '.hg',
  '.hgignore',
  '.bzr',
  'CVS',
  '_darcs',
  'RCS',
  'SCCS',
];

/** Tells whether a name is left out: a pattern may fit the whole or begin behind any slash. */
export type Excluded = (name: string) => boolean;

/** The patterns of `--exclude`, `-X` and `--exclude-vcs`. */
export async function exclusions(tool: Tool, options: Options): Promise<Excluded> {
  const patterns = options.all('exclude');
  if (options.has('vcs')) patterns.push(...VCS);
  for (const file of options.all('X')) {
    const text = await tool.tryRead(file, 2);
    patterns.push(...splitLines(toText(text ?? '')).filter((line) => line !== ''));
  }
  const matchers = patterns.map((pattern) => globMatcher(pattern.replace(/(.)\/+$/, '$1')));
  return (name) => {
    const whole = name.replace(/\/+$/, '');
    const ends = [whole, ...[...whole.matchAll(/\//g)].map(({ index }) => whole.slice(index + 1))];
    // What is below a directory that is left out is left out, too.
    const parts = ends.flatMap((end) => [
      end,
      ...[...end.matchAll(/\//g)].map(({ index }) => end.slice(0, index)),
    ]);
    return matchers.some((matches) => parts.some((part) => matches(part)));
  };
}

/** The members asked for on the command line; all where none is. */
export class Wanted {
  readonly #names: { name: string; isFound: boolean; matches: (name: string) => boolean }[];

  constructor(names: readonly string[], hasWildcards: boolean) {
    this.#names = names.map((name) => {
      const plain = name.replace(/(.)\/+$/, '$1');
      const glob = hasWildcards ? globMatcher(plain) : undefined;
      return { name, isFound: false, matches: glob ?? ((other) => other === plain) };
    });
  }

  has(member: string): boolean {
    if (this.#names.length === 0) return true;
    const name = member.replace(/(.)\/+$/, '$1');
    const above = [name, ...[...name.matchAll(/\//g)].map(({ index }) => name.slice(0, index))];
    const found = this.#names.filter(({ matches }) => above.some((part) => matches(part)));
    for (const each of found) each.isFound = true;
    return found.length > 0;
  }

  /** The names that no member had. */
  get missing(): string[] {
    return this.#names.filter(({ isFound }) => !isFound).map(({ name }) => name);
  }
}

/** What of a name stands before its safe part: a leading slash, and all up to the last `..`. */
function unsafePrefix(name: string): string {
  const above = /^(?:.*\/)?\.\.(?:\/+|$)/s.exec(name)?.[0] ?? '';
  const slashes = /^\/*/.exec(name.slice(above.length))?.[0] ?? '';
  return above + slashes;
}

/** Takes unsafe beginnings away, and says so once for each kind. */
export class SafeNames {
  readonly #tool: Tool;
  readonly #isOff: boolean;
  readonly #told = new Set<string>();

  constructor(tool: Tool, isOff: boolean) {
    this.#tool = tool;
    this.#isOff = isOff;
  }

  of(name: string, what: 'member names' | 'hard link targets'): string {
    if (this.#isOff) return name;
    const prefix = unsafePrefix(name);
    if (prefix === '') return name;
    if (!this.#told.has(prefix + what)) {
      this.#told.add(prefix + what);
      this.#tool.warn(`Removing leading \`${prefix}' from ${what}`);
    }
    return name.slice(prefix.length) || '.';
  }
}
