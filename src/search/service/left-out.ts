/** What is in scope of a question and was not searched, and how that is said. */
import { isWithin } from '../../paths.ts';
import type { Unsearched } from '../contract.ts';
import { noText } from './unindexed-files.ts';

/** Why the index does not have a file. */
export type LeftOutBy = 'binary' | 'large' | 'costly' | 'tools';

/** Larger files are data, not text to be read: they are searched literally. Bytes. */
export const LARGEST_DOCUMENT = 1_000_000;

/** What is said of each. */
const SAID: Readonly<Record<Exclude<LeftOutBy, 'large'>, (example: string) => Unsearched>> = {
  costly: (example) => ({
    count: 1,
    example,
    what: 'files',
    why: ['it costs a request', 'each costs a request'],
    how: 'name the files to search them',
    fails: true,
  }),
  binary: noText,
  tools: (example) => ({
    count: 1,
    example,
    what: 'names',
    why: ['tools keep it for themselves', 'tools keep them for themselves'],
    how: 'name it to search it',
    fails: false,
  }),
};

/** The paths of one mount that the index does not have, with the reason. */
export class LeftOut {
  readonly #reasons = new Map<string, LeftOutBy>();

  set(path: string, reason: LeftOutBy): void {
    this.#reasons.set(path, reason);
  }

  delete(path: string): void {
    this.#reasons.delete(path);
  }

  /** Forgets what was left out for one reason below some paths. */
  clear(reason: LeftOutBy, paths: readonly string[]): void {
    for (const path of this.below(paths, reason)) this.#reasons.delete(path);
  }

  /** Those at or below some paths. */
  below(paths: readonly string[], reason: LeftOutBy): string[] {
    const found: string[] = [];
    for (const [path, own] of this.#reasons) {
      if (own === reason && paths.some((each) => isWithin(each, path))) found.push(path);
    }
    return found;
  }

  /** What is to be said of what is below some paths; what was named was searched, or its search says why not. */
  unsearched(paths: readonly string[]): Unsearched[] {
    return (['costly', 'binary', 'tools'] as const).flatMap((reason) =>
      this.below(paths, reason)
        .filter((path) => !paths.includes(path))
        .map(SAID[reason]),
    );
  }
}

/** What is to be said, each reason once. */
export function joined(each: readonly Unsearched[]): Unsearched[] {
  const byReason = new Map<string, Unsearched>();
  for (const one of each) {
    const key = one.why[1];
    const before = byReason.get(key);
    byReason.set(key, before === undefined ? one : { ...before, count: before.count + one.count });
  }
  return [...byReason.values()];
}

/** Names that tools keep for themselves: copies of what is elsewhere, and their own records. */
export function isMachinery(name: string): boolean {
  return MACHINERY.has(name);
}

const MACHINERY: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.jj',
  '.svn',
  '.DS_Store',
  'node_modules',
]);

/** Is a path, or anything that it is in, kept by tools? */
export function isInMachinery(path: string): boolean {
  return path.split('/').some(isMachinery);
}
