/**
 * `npm start`: services that run on this machine, and a shell in which they are
 * directories. The arguments are those of `dirigent sh`; with `run` or `chat`
 * before them, those of `dirigent run` or `dirigent chat`.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { dirname, join } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { compileCacheDirectory } from '../../src/cli/compile-cache.ts';

const directory = dirname(fileURLToPath(import.meta.url));

enableCompileCache(compileCacheDirectory(env));
const { parseInvocation, UsageError } = await import('../../src/cli/options.ts');
const { runCli } = await import('../../src/cli/run.ts');

/** What can be done in the demo world. A script of one of these names is `./run`. */
const COMMANDS: readonly string[] = ['sh', 'run', 'chat'];

/** Does it need a stand-in? Not for a help page, nor when the user mounts the real service there. */
function needs(point: string, argv: readonly string[]): boolean {
  try {
    const asked = parseInvocation(argv);
    return 'mounts' in asked && !asked.mounts.some((each) => each.startsWith(`${point}=`));
  } catch (error) {
    // The command line itself says what is wrong.
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/**
 * A directory for the state of this run: the stand-in begins afresh each time,
 * so a replica of it must not outlive it. What a killed run left is removed.
 */
function freshState(): string {
  const all = join(directory, '.dirigent');
  mkdirSync(all, { recursive: true });
  for (const name of readdirSync(all)) {
    if (!isRunning(Number(name))) rmSync(join(all, name), { recursive: true, force: true });
  }
  const state = join(all, String(process.pid));
  mkdirSync(state);
  process.on('exit', () => rmSync(state, { recursive: true, force: true }));
  return state;
}

function isRunning(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    // EPERM is another user's process; a name that is no number is nobody's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Names a stand-in to the config. It ends when its stdin closes, whatever happens to us; this is only sooner. */
function announce(name: string, { url, token, pid }: { url: string; token: string; pid: number }) {
  env[`DIRIGENT_DEMO_${name}_URL`] = url;
  env[`DIRIGENT_DEMO_${name}_TOKEN`] = token;
  process.on('exit', () => process.kill(pid, 'SIGKILL'));
}

async function startGithub(): Promise<void> {
  const { startGithubStandIn } = await import('../../test/stand-ins/github/index.ts');
  announce('GITHUB', await startGithubStandIn());
}

async function startLinear(): Promise<void> {
  const { startLinearStandIn } = await import('../../test/stand-ins/linear/index.ts');
  announce('LINEAR', await startLinearStandIn());
}

async function startNotion(): Promise<void> {
  const { startNotionStandIn } = await import('../../test/stand-ins/notion/index.ts');
  announce('NOTION', await startNotionStandIn());
}

const given = process.argv.slice(2);
const command = COMMANDS.includes(given[0] ?? '') ? (given.shift() ?? 'sh') : 'sh';
const argv = [command, '--deployment', directory, ...given];
env['DIRIGENT_DEMO_STATE'] = freshState();
await Promise.all([
  ...(needs('/mnt/github', argv) ? [startGithub()] : []),
  ...(needs('/mnt/linear', argv) ? [startLinear()] : []),
  ...(needs('/mnt/notion', argv) ? [startNotion()] : []),
]);
await runCli(argv);
