/** In each process of the tests: worlds and processes run from the bundle, where the run has made one. */
import { syncBuiltinESMExports } from 'node:module';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads from 'node:worker_threads';
import { ENTRIES, ROOT } from './entries.ts';

/** The variable that has the directory of the bundle. */
export const BUNDLE = 'DIRIGENT_TEST_BUNDLE';

/** The file to run in place of one of the sources; itself, where the bundle does not have it. */
export function bundled(source: string): string {
  const directory = process.env[BUNDLE];
  const entry = relative(ROOT, source).replaceAll(sep, '/').replace(/\.ts$/, '');
  return directory !== undefined && ENTRIES.includes(entry)
    ? join(directory, `${entry}.js`)
    : source;
}

/** Threads that the tests' own process begins are those of the bundle, also for the files of tests that follow in it. */
export function useBundle(): void {
  if (threads.Worker.name === 'BundledWorker') return;
  threads.Worker = class BundledWorker extends threads.Worker {
    constructor(file: string | URL, options?: threads.WorkerOptions) {
      const isFile = file instanceof URL && file.protocol === 'file:';
      super(isFile ? pathToFileURL(bundled(fileURLToPath(file))) : file, options);
    }
  };
  syncBuiltinESMExports();
}
