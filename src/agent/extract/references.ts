/** Records that a question names by what they are called: `issue 12`, `#12`, `PR 72`, `PLT-12`. */
import { quoted } from '../../shell/quote.ts';
import { wordsOf } from './words.ts';

/** A record that was named: the directories that it may be in, and its name there. */
export interface Reference {
  /** As the question has it. */
  text: string;
  collections: readonly string[];
  name: string;
}

const NUMBER =
  /(?<kind>\b(?:issues?|tickets?|pull requests?|pulls?|prs?|merge requests?)\s+(?:number\s+|no\.?\s*)?#?|(?<![\w/])#|(?<=[\w-])#)(?<number>\d+)\b/gi;
const IDENTIFIER = /\b[A-Z][A-Z0-9]{0,9}-\d+\b/g;

export function referencesOf(question: string): Reference[] {
  const numbers = [...question.matchAll(NUMBER)].map(({ 0: text, groups }) => ({
    text: text.trim(),
    collections: collectionsOf(groups?.['kind'] ?? ''),
    name: String(Number(groups?.['number'])),
  }));
  const identifiers = [...question.matchAll(IDENTIFIER)].map(([text]) => ({
    text,
    collections: ['issues'],
    name: text,
  }));
  return [...numbers, ...identifiers];
}

function collectionsOf(kind: string): string[] {
  if (/^(?:issue|ticket)/i.test(kind)) return ['issues'];
  return /^(?:p|m)/i.test(kind) ? ['pulls'] : ['issues', 'pulls'];
}

/** How deep below a mount directories of records may be. */
const DEPTHS = ['*', '*/*', '*/*/*', '*/*/*/*'];

/** A command that prints the paths which a name may mean, a line each. */
export function locatingCommand(references: readonly Reference[]): string {
  const patterns = references.flatMap(({ collections, name }) =>
    DEPTHS.flatMap((depth) => collections.map((each) => `/mnt/${depth}/${each}/${name}.md`)),
  );
  return existing(patterns);
}

/** A command that prints those of the patterns that match something. */
export function existing(patterns: readonly string[]): string {
  return `for f in ${patterns.join(' ')}; do if [ -e "$f" ]; then echo "$f"; fi; done`;
}

/** The paths that have the most of their directories named in the question: `quay-cli`, `tracker`. */
export function inScope(paths: readonly string[], question: string): string[] {
  const said = new Set(wordsOf(question));
  const score = (path: string): number =>
    path
      .split('/')
      .slice(2, -1)
      .filter((segment) => wordsOf(segment.replace(/--[0-9a-f]+$/, '')).every((w) => said.has(w)))
      .length;
  const best = Math.max(0, ...paths.map(score));
  return paths.filter((path) => score(path) === best);
}

/** Prints the beginning of a record: its fields and its text. */
export const readingCommand = (path: string): string => `sed -n '1,80p' ${quoted(path)}`;
