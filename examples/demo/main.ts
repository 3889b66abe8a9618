/**
 * `npm start`: services that run on this machine, and a world in which they are directories. The
 * arguments are those of `dirigent`; without a command they are those of `dirigent sh`.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { dirname, join } from 'node:path';
import { env, stdin } from 'node:process';
import { fileURLToPath } from 'node:url';
import { compileCacheDirectory } from '../../src/cli/compile-cache.ts';
import { CONTROL } from '../../test/stand-ins/process.ts';

const directory = dirname(fileURLToPath(import.meta.url));

enableCompileCache(compileCacheDirectory(env));
const { installation } = await import('../../entry/installation.ts');
const { isCommand } = await import('../../src/cli/commands.ts');
const { parseInvocation, UsageError } = await import('../../src/cli/options.ts');
const { runCli } = await import('../../src/cli/run.ts');

type Invocation = ReturnType<typeof parseInvocation>;

/** Commands that are about the program and not about a world. */
const PLAIN: readonly string[] = ['help', 'version', '--help', '-h', '--version', '-V'];

/** The arguments of `dirigent`; `sh` where no command is named. A script of a command's name is `./run`. */
function argumentsOf(given: readonly string[]): string[] {
  const [first = ''] = given;
  return PLAIN.includes(first) || isCommand(first) ? [...given] : ['sh', ...given];
}

/** What is asked for; null where the command line itself says what is wrong. */
function invocationOf(argv: readonly string[]): Invocation | null {
  try {
    return parseInvocation(argv, installation.schemes);
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}

/** The services that a command needs: none for a help page, nor where the user mounts the real one. */
async function startServices(asked: Invocation | null): Promise<void> {
  if (asked === null || !('mounts' in asked)) return;
  const { SERVICES } = await import('./ports.ts');
  const { useServices } = await import('./client.ts');
  const needed = SERVICES.filter(
    (name) => !asked.mounts.some((each) => each.startsWith(`/mnt/${name}=`)),
  );
  const addresses = await useServices(kept, needed);
  for (const [name, { url, token }] of Object.entries(addresses)) {
    env[`DIRIGENT_DEMO_${name.toUpperCase()}_URL`] = url;
    env[`DIRIGENT_DEMO_${name.toUpperCase()}_TOKEN`] = token;
  }
}

/** A trigger to begin with; what is there is left as it is. */
const TRIGGER = `---
on: github:issues.opened
---

A new issue was opened. Say in one sentence what it is about, and which open issue of that repository is most like it.
`;

/** Has the demo's GitHub tell a server what happens there, as the real one does. */
async function tellServer(asked: Invocation | null): Promise<void> {
  if (asked?.action !== 'serve' || asked.token !== null || asked.stdio || asked.port === 0) return;
  const url = env['DIRIGENT_DEMO_GITHUB_URL'];
  if (url === undefined) return;
  const triggers = join(kept, 'harness', 'triggers');
  mkdirSync(triggers, { recursive: true });
  if (!existsSync(join(triggers, 'new-issue.md')))
    writeFileSync(join(triggers, 'new-issue.md'), TRIGGER);
  const secret = randomBytes(24).toString('hex');
  env['GITHUB_WEBHOOK_SECRET'] = secret;
  const hook = { url: `http://127.0.0.1:${asked.port}/hooks/github`, secret };
  const answer = await fetch(`${url}${CONTROL}/hook`, {
    method: 'PUT',
    body: JSON.stringify(hook),
  });
  if (!answer.ok) throw new Error(`the demo’s GitHub takes no webhook: ${await answer.text()}`);
  const issue = { op: 'create-issue', owner: 'harbor', repo: 'quay', title: 'Cranes are slow' };
  process.stderr.write(
    `Somebody else opens an issue, which begins the turn of ${join(triggers, 'new-issue.md')}:\n  curl ${url}${CONTROL}/edits -d '${JSON.stringify(issue)}'\n`,
  );
}

/** Forgets everything that was done in the demo. */
async function beginAnew(): Promise<void> {
  const { areRunning } = await import('./client.ts');
  if (await areRunning(kept)) {
    throw new Error('the demo runs in another terminal; leave it there before you begin anew');
  }
  rmSync(kept, { recursive: true, force: true });
}

const WELCOME = `A made-up company's GitHub, Linear and Notion are directories here, and nothing leaves this machine.
Try:  cat /README.md   ls /mnt/github/harbor   grep "why do deliveries arrive late" /mnt
`;

const kept = env['DIRIGENT_DEMO_STATE'] ?? join(directory, '.dirigent');
env['DIRIGENT_DEPLOYMENT'] = directory;
const given = process.argv.slice(2);
const argv = argumentsOf(given.filter((each) => each !== '--fresh'));
try {
  if (given.includes('--fresh')) await beginAnew();
  for (const name of ['workspace', 'harness']) mkdirSync(join(kept, name), { recursive: true });
  env['DIRIGENT_DEMO_STATE'] = kept;
  const asked = invocationOf(argv);
  await startServices(asked);
  await tellServer(asked);
  const script = asked?.action === 'sh' && (asked.command ?? asked.file);
  if (script === undefined && stdin.isTTY) process.stderr.write(WELCOME);
} catch (error) {
  process.stderr.write(`dirigent: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
await runCli(argv, installation);
