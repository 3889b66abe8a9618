/**
 * The `dirigent` command. Start-up is a budget: this file imports next to
 * nothing, the worker starts before anything else is loaded, and the process
 * ends as soon as what it printed has left.
 */
import module from 'node:module';
import { env } from 'node:process';
import { compileCacheDirectory } from '../src/cli/compile-cache.ts';

// Before the first import that is worth caching; those are all dynamic.
// Deno and Bun have no such cache; what they are told is in run.ts.
module.enableCompileCache?.(compileCacheDirectory(env));
const [{ runCli }, { installation }] = await Promise.all([
  import('../src/cli/run.ts'),
  import('./installation.ts'),
]);
await runCli(process.argv.slice(2), installation);
