/** From arguments to an exit status: what `main.ts` and the demo call. */
import { isatty } from 'node:tty';
import { visible, visibleLines, visibleMessage } from '../visible.ts';
import { requireRuntime } from '../world/runtime.ts';
import { spawnWorker } from '../world/spawn-worker.ts';
import { commandPages } from './commands.ts';
import type { Installation } from './installation.ts';
import { type Invocation, parseInvocation, UsageError } from './options.ts';
import { type Output, processOutput } from './output.ts';
import { findDeployment, suggested } from './place.ts';

/** Wrong arguments or a wrong config, as most tools have it. */
const EXIT_USAGE = 2;

/** Runs the command line of a package, and ends the process with its status. */
export async function runCli(argv: readonly string[], installation: Installation): Promise<never> {
  const output = processOutput(isatty);
  // What nobody caught may quote a service; Node would print it as it is.
  process.on('uncaughtException', (error) => void endUncaught(error, output));
  const status = await main(argv, output, installation);
  // Nothing is left to wait for: what was printed has left, the log is on the disk.
  process.exit(status);
}

/** Whatever becomes of the message: its own failure, uncaught in turn, would come back here for ever. */
async function endUncaught(error: unknown, output: Output): Promise<never> {
  let status = 1;
  try {
    const [known, message] = await describe(error);
    status = known;
    await output.err(visible`dirigent: ${visibleMessage(message)}\n`);
  } finally {
    process.exit(status);
  }
}

async function main(
  argv: readonly string[],
  output: Output,
  installation: Installation,
): Promise<number> {
  try {
    const invocation = parseInvocation(argv, installation.schemes);
    if ('given' in invocation) {
      requireRuntime();
      const found = findDeployment(invocation.given.deployment, process.cwd(), process.env);
      invocation.deployment = found?.directory;
    }
    return await dispatch(invocation, output, installation);
  } catch (error) {
    if (error instanceof UsageError) {
      const more = error.topic === 'dirigent' ? '' : `${error.topic} `;
      const help = suggested({ mounts: [], deployment: undefined }, `${more}--help`);
      await output.err(visible`dirigent: ${visibleMessage(error.message)}\nTry "${help}".\n`);
      return EXIT_USAGE;
    }
    const [status, message] = await describe(error);
    await output.err(visible`dirigent: ${visibleMessage(message)}\n`);
    return status;
  }
}

async function dispatch(
  invocation: Invocation,
  output: Output,
  installation: Installation,
): Promise<number> {
  switch (invocation.action) {
    case 'help': {
      const { helpPage } = await import('./help.ts');
      const pages = commandPages(installation.schemes);
      await output.out(visibleLines(helpPage(invocation.topic, pages)));
      return 0;
    }
    case 'version': {
      const { packageVersion } = await import('../version.ts');
      await output.out(visible`${packageVersion()}\n`);
      return 0;
    }
    case 'completion': {
      const { completionScript } = await import('./completion-script.ts');
      const pages = commandPages(installation.schemes);
      await output.out(visibleLines(completionScript(invocation.shell, pages)));
      return 0;
    }
    case 'sh': {
      // It loads the shell while this thread loads what checks the config.
      const worker = spawnWorker();
      const { runSh } = await import('./sh.ts');
      return runSh(invocation, output, installation, worker);
    }
    case 'run': {
      const { server } = invocation;
      if (server !== undefined) {
        const { runServedTurn } = await import('./served-run.ts');
        return runServedTurn({ ...invocation, server }, output);
      }
      const worker = spawnWorker();
      const { runTurnCommand } = await import('./run-turn.ts');
      return runTurnCommand(invocation, output, installation, worker);
    }
    case 'chat': {
      const { server } = invocation;
      if (server !== undefined) {
        const { runServedChat } = await import('./served-chat.ts');
        return runServedChat({ ...invocation, server }, output);
      }
      const worker = spawnWorker();
      const { runChat } = await import('./chat.ts');
      return runChat(invocation, output, installation, worker);
    }
    case 'mcp': {
      const worker = spawnWorker();
      const { runMcp } = await import('./mcp.ts');
      return runMcp(invocation, output, installation, worker);
    }
    case 'acp': {
      const worker = spawnWorker();
      const { runAcp } = await import('./acp.ts');
      return runAcp(invocation, output, installation, worker);
    }
    case 'ssh': {
      const worker = spawnWorker();
      const { runSsh } = await import('./ssh.ts');
      return runSsh(invocation, output, installation, worker);
    }
    case 'mount': {
      const worker = spawnWorker();
      const { runMount } = await import('./mount.ts');
      return runMount(invocation, output, installation, worker);
    }
    case 'serve': {
      const { runServe } = await import('./serve.ts');
      return runServe(invocation, output, installation);
    }
    case 'doors': {
      const { runDoors } = await import('./doors.ts');
      return runDoors(invocation, output, installation);
    }
    case 'schedule': {
      const worker = spawnWorker();
      const { runSchedule } = await import('./schedule.ts');
      return runSchedule(invocation, output, installation, worker);
    }
    case 'memory': {
      const worker = spawnWorker();
      const { runMemory } = await import('./memory.ts');
      return runMemory(invocation, output, installation, worker);
    }
    case 'verify': {
      const worker = spawnWorker();
      const { runVerify } = await import('./verify.ts');
      return runVerify(invocation, output, installation, worker);
    }
    case 'session': {
      const { runSession } = await import('./session.ts');
      return runSession(invocation, output, installation);
    }
    case 'sync': {
      const worker = spawnWorker();
      const { runSync } = await import('./sync.ts');
      return runSync(invocation, output, installation, worker);
    }
    case 'index': {
      const worker = spawnWorker();
      const { runIndex } = await import('./index-documents.ts');
      return runIndex(invocation, output, installation, worker);
    }
    case 'changes': {
      const worker = spawnWorker();
      const { runChanges } = await import('./changes.ts');
      return runChanges(invocation, output, installation, worker);
    }
    case 'approvals': {
      const worker = spawnWorker();
      const { runApprovals } = await import('./approvals.ts');
      return runApprovals(invocation, output, installation, worker);
    }
    case 'questions': {
      const worker = spawnWorker();
      const { runQuestions } = await import('./questions.ts');
      return runQuestions(invocation, output, installation, worker);
    }
    case 'init': {
      const worker = spawnWorker();
      const { runInit } = await import('./init.ts');
      return runInit(invocation, output, installation, worker);
    }
    case 'create': {
      const { runCreate } = await import('./create.ts');
      return runCreate(invocation, output);
    }
    case 'shim': {
      const { runShim } = await import('./shim.ts');
      return runShim(invocation, output);
    }
    case 'doctor': {
      const worker = spawnWorker();
      const { runDoctor } = await import('./doctor.ts');
      return runDoctor(invocation, output, installation, worker);
    }
    case 'harness': {
      const { runHarness } = await import('./harness.ts');
      return runHarness(invocation, output, installation);
    }
  }
}

/** What went wrong, for the person at the terminal: sentences, and no stack that nobody asked for. */
async function describe(error: unknown): Promise<[status: number, message: string]> {
  const { ConfigError, isFsError } = await import('../errors.ts');
  if (error instanceof ConfigError) return [EXIT_USAGE, error.message];
  if (isFsError(error)) return [1, error.reason ?? error.message];
  if (!(error instanceof Error)) return [1, String(error)];
  // A failed system call says what and where.
  if ('syscall' in error) return [1, error.message];
  // Nothing that a person did: the stack is for whoever mends it.
  if (process.env['DIRIGENT_DEBUG'] !== undefined) return [1, error.stack ?? error.message];
  const what = error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
  return [1, `${what} (DIRIGENT_DEBUG=1 shows where)`];
}
