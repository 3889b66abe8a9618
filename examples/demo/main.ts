/**
 * `npm start`: a GitHub that runs on this machine, and a shell in which it is a
 * directory. The arguments are those of `dirigent sh`.
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

/** Does it need the stand-in? Not for a help page, nor when the user mounts the real GitHub there. */
function needsStandIn(argv: readonly string[]): boolean {
  try {
    const asked = parseInvocation(argv);
    return asked.action === 'sh' && !asked.mounts.some((each) => each.startsWith('/mnt/github='));
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

async function startGithub(): Promise<void> {
  const { startGithubStandIn } = await import('../../test/stand-ins/github/index.ts');
  const github = await startGithubStandIn();
  env['DIRIGENT_DEMO_GITHUB_URL'] = github.url;
  env['DIRIGENT_DEMO_GITHUB_TOKEN'] = github.token;
  // It ends when its stdin closes, whatever happens to us; this is only sooner.
  process.on('exit', () => process.kill(github.pid, 'SIGKILL'));
}

const argv = ['sh', '--deployment', directory, ...process.argv.slice(2)];
env['DIRIGENT_DEMO_STATE'] = freshState();
if (needsStandIn(argv)) await startGithub();
await runCli(argv);
