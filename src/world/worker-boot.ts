/** The first module of a world's worker. It is small, so that the environment is empty before anything else loads. */
import module from 'node:module';
import { workerData } from 'node:worker_threads';

// The one variable that the worker was started with: it turned the compile
// cache on before this module was read.
delete process.env['NODE_COMPILE_CACHE'];

// just-bash looks at Headers as it loads, for a network of its own, which no world has. To Node the
// look alone is a reason to load all of fetch, a sixth of a world's start. So there are none until
// just-bash is there, and then they are what they were, for whoever asks for them first.
Reflect.deleteProperty(globalThis, 'Headers');
// A background job has a thread like a world's, without the world.
await (workerData === 'job' ? import('./background/thread.ts') : import('./worker.ts'));
const define = (value: unknown): unknown => {
  Object.defineProperty(globalThis, 'Headers', { value, configurable: true, writable: true });
  return value;
};
Object.defineProperty(globalThis, 'Headers', {
  configurable: true,
  // Reading the descriptor that Node made would load them, too; of an answer they are the class.
  get: () => define(new Response().headers.constructor),
  set: define,
});

// A worker is terminated, which would drop what it compiled.
if (module.getCompileCacheDir?.() !== undefined) setImmediate(module.flushCompileCache);
