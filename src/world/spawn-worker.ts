/** Starts the worker of a world. A module of its own, so that a front end can start it before it loads anything else. */
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { workerModule } from './runtime.ts';

/** What the engine lets it have at most. */
const HEAP_MIB = 8 * 1024;

/**
 * Starts a worker that waits for its plan; to be called early, since it takes a while.
 * @param what it is to hold: a world, or the shell of a background job
 */
export function spawnWorker(what: 'world' | 'job' = 'world'): Worker {
  return new Worker(workerModule(), {
    workerData: what,
    // Nothing of the host's environment is in the sandbox's process environment.
    // The worker has most of the code to load. It forgets the variable at once.
    env: sharedCompileCache(),
    execArgv: workerFlags(),
    // The supervisor ends it long before (MemoryWatch). The engine's own limit depends on the
    // machine, and may be lower than what a config allows.
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    name: what === 'world' ? 'dirigent' : 'dirigent job',
  });
}

/**
 * The flags of a world's worker. Those of the host's process were meant for the
 * host's program: --input-type, --frozen-intrinsics, --env-file, --import.
 */
function workerFlags(): string[] {
  // Deno's workers take no flags.
  if (process.versions['deno'] !== undefined) return [];
  // Under Yarn's Plug'n'Play nothing is found but through its table.
  // SQLite is experimental to Node 22, which would say so in every program.
  return ['--disable-warning=ExperimentalWarning', ...plugAndPlay()];
}

/** What has modules found under Yarn's Plug'n'Play, if the process runs under it: those by `require`, and by `import`. */
function plugAndPlay(): string[] {
  if (process.versions['pnp'] === undefined) return [];
  const table = module.createRequire(import.meta.url).resolve('pnpapi');
  const loader = join(dirname(table), '.pnp.loader.mjs');
  const imports = existsSync(loader) ? ['--experimental-loader', pathToFileURL(loader).href] : [];
  return ['--require', table, ...imports];
}

/** The variable by which another thread, or a process, has this one's compile cache: it holds for one thread. */
export function sharedCompileCache(): { NODE_COMPILE_CACHE?: string } {
  // Deno has no such cache.
  const cache = module.getCompileCacheDir?.();
  // It is named by its parent directory.
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) };
}
