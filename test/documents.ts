/** The documents of the project that people read: pages of markdown. */
import { globSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');

/** Absolute paths. */
export function documents(): string[] {
  const patterns = ['*.md', 'docs/**/*.md', 'examples/*/*.md'];
  return globSync(patterns, { cwd: ROOT }).map((path) => join(ROOT, path));
}
