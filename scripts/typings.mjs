// Removes the declarations that nobody can see: those that no entry of the
// package reaches. Most are of its inside, in some 600 files.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const SPECIFIER = /\b(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g;

/** @param entries the declarations of what package.json exports, all of them below dist */
export function pruneTypings(root, entries) {
  const dist = join(root, 'dist');
  const seen = new Set();
  const visit = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(SPECIFIER)) {
      const found = join(dirname(file), specifier).replace(/(\.[jt]s)?$/, '.d.ts');
      // What is not there is an example in a comment.
      if (existsSync(found)) visit(found);
    }
  };
  for (const entry of entries) visit(join(root, entry));
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (file.endsWith('.d.ts') && !seen.has(file)) rmSync(file);
  }
}
