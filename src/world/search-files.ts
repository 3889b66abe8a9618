/** What the search by meaning is started from. */
import { join } from 'node:path';
import type { SearchFiles } from '../search/mounted.ts';
import { packageDirectory } from './plan.ts';

/** The engine's worker, and the word table of the package. */
export function searchFiles(): SearchFiles {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return {
    module: new URL(`../search/service/engine-worker.${extension}`, import.meta.url).href,
    words: join(packageDirectory(), 'data', 'words.bin'),
  };
}
