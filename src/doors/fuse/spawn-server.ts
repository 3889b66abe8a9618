/** Starts the process that serves the kernel. */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '../../errors.ts';
import { sharedCompileCache } from '../../world/spawn-worker.ts';

/** What the helpers of the system need of the host's environment. */
const NEEDED = ['PATH', 'HOME', 'LANG'] as const;

/**
 * By how many percent what is in use may grow, the buffers of the kernel's questions included, until
 * garbage is collected. By itself V8 collects after 13 MB of those, once much was collected before.
 */
const GROWING = 400;

/** @throws ConfigError where a bundler left its file behind */
export function spawnServer(): ChildProcess {
  const here: string | undefined = import.meta.url;
  const file =
    here === undefined ? null : new URL(`./server.${here.endsWith('.ts') ? 'ts' : 'js'}`, here);
  if (file === null || !existsSync(fileURLToPath(file))) {
    throw new ConfigError(
      '',
      'dirigent was put into a bundle, and the process that serves a mount is a file that was left behind: keep the package out of it',
    );
  }
  const env = Object.fromEntries(
    NEEDED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  return fork(fileURLToPath(file), [], {
    // A group of its own: what is typed at the terminal is for the program that runs there.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning', `--heap-growing-percent=${GROWING}`],
    env: { ...env, ...sharedCompileCache() },
  });
}
