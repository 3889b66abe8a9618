/** Starts the worker of a world. A module of its own, so that a front end can start it before it loads anything else. */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Starts a worker that waits for its plan; to be called early, since it takes a while. */
export function spawnWorker(): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./worker-boot.${extension}`, import.meta.url), {
    // Nothing of the host's environment is in the sandbox's process environment.
    // The worker has most of the code to load. It forgets the variable at once.
    env: sharedCompileCache(),
    // Nor are the flags of the host's process: --input-type, --frozen-intrinsics,
    // --env-file and --import were meant for the host's program.
    execArgv: [],
    name: 'dirigent',
  });
}

/** The variable by which another thread, or a process, has this one's compile cache: it holds for one thread. */
export function sharedCompileCache(): { NODE_COMPILE_CACHE?: string } {
  const cache = getCompileCacheDir();
  // It is named by its parent directory.
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) };
}
