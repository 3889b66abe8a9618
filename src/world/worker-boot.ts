/** The first module of a world's worker. It is small, so that the environment is empty before anything else loads. */
import module from 'node:module';

// The one variable that the worker was started with: it turned the compile
// cache on before this module was read.
delete process.env['NODE_COMPILE_CACHE'];
await import('./worker.ts');
// A worker is terminated, which would drop what it compiled.
if (module.getCompileCacheDir?.() !== undefined) setImmediate(module.flushCompileCache);
