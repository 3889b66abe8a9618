/** The first module of a world's worker: its compile cache must be on before the others load. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { dirname } from 'node:path';
import { workerData } from 'node:worker_threads';

const { compileCache } = workerData as { compileCache: string | null };
// Node names the directory with a folder of its own version in it.
if (compileCache !== null) enableCompileCache(dirname(compileCache));
await import('./worker.ts');
// A worker is terminated, which would drop what it compiled.
if (compileCache !== null) setImmediate(flushCompileCache);
