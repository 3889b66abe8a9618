/** `dirigent sh`: one command, one script, or a session at the terminal. */
import fs from 'node:fs';
import { constants } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { likePath } from '../like-path.ts';
import type { ExecResult, World } from '../world/world.ts';
import type { Desk } from './desk.ts';
import type { Installation } from './installation.ts';
import { openWorld } from './open-world.ts';
import { type ShArguments, UsageError } from './options.ts';
import { type Output, promptStream } from './output.ts';
import { suggested } from './place.ts';
import { Printer } from './printer.ts';
import { showProgress } from './progress.ts';
import { ENDING_SIGNALS, type EndingSignal } from './signals.ts';
import { readToEnd, stdinFor, stdinKind } from './stdin.ts';

/** Runs `dirigent sh`, and gives its exit status. */
export async function runSh(
  options: ShArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const script = await scriptOf(options);
  if (script === null) {
    if (options.json)
      throw new UsageError('sh', '--json needs -c COMMAND, FILE, or a script on stdin');
    const desk: Desk = { onAsked: () => undefined };
    const world = await openWorld(options, installation, worker, output, {
      onApproval: (approval) => desk.onAsked(approval),
    });
    const { historyFile } = await import('./history.ts');
    const { runInteractive } = await import('./interactive.ts');
    return runInteractive({
      world,
      input: process.stdin,
      prompts: promptStream(),
      output,
      suggest: (command) => suggested(options.given, command),
      desk,
      history: historyFile(world.state),
    });
  }
  // The pipe is read while the world comes up.
  const stdin = script.fromStdin ? Promise.resolve(undefined) : stdinFor(script.text, output);
  stdin.catch(() => undefined);
  const world = await openWorld(options, installation, worker, output);
  const bytes = await stdin;
  const status = await runScript(world, script.text, bytes, options.json, output);
  const isPassing = options.command !== undefined && options.session === undefined && !options.keep;
  if (isPassing) dropPassing(world);
  return status;
}

/** What one command leaves in its session's log where it did nothing that anybody may ask about later. */
const PASSING: ReadonlySet<string> = new Set(['bash_start', 'bash_end']);

/** Removes the session of one command. Where it wrote to a service, say, its log is the record of that, and stays. */
function dropPassing({ session }: World): void {
  if (session.entries().every(({ type }) => PASSING.has(type))) session.discard();
}

interface Script {
  text: string;
  fromStdin: boolean;
}

/** The script to run; null for a session at the terminal. */
async function scriptOf({ command, file }: ShArguments): Promise<Script | null> {
  if (command !== undefined) return { text: command, fromStdin: false };
  if (file !== undefined) return { text: readScript(file), fromStdin: false };
  if (stdinKind() === 'terminal') return null;
  return { text: new TextDecoder().decode(await readToEnd()), fromStdin: true };
}

function readScript(file: string): string {
  try {
    // A script's first line may name an interpreter; to this shell it is a comment.
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      'sh',
      `the script ${file} cannot be read: ${(error as Error).message}${likePath(file)}`,
    );
  }
}

/** Runs a script and prints what it printed. Signals end it as they would end a shell. */
async function runScript(
  world: World,
  script: string,
  stdin: Uint8Array | undefined,
  json: boolean,
  output: Output,
): Promise<number> {
  const stop = new AbortController();
  const signals = watchSignals(() => stop.abort());
  const progress = showProgress(output);
  const printer = json ? null : new Printer(output, () => stop.abort());
  let result: ExecResult;
  try {
    result = await world.exec(script, {
      signal: stop.signal,
      // The world ends with it: what goes on beside it is waited for.
      keepsJobs: true,
      onOutput: (stream, bytes) => {
        progress.stop();
        printer?.print(stream, bytes);
      },
      ...(stdin === undefined ? {} : { stdin }),
    });
  } finally {
    progress.stop();
  }
  const exitCode = signals.status() ?? result.exitCode;
  if (printer === null) {
    const { stdout, stderr } = result;
    const report = { stdout, stderr, exitCode, mounts: world.usage() };
    await output.json(report);
  } else {
    await printer.finish(result);
    if (printer.closed) return statusOf('SIGPIPE');
  }
  return exitCode;
}

/** 128 + n, as shells tell that signal n ended a command. */
const statusOf = (signal: EndingSignal | 'SIGPIPE'): number => 128 + constants.signals[signal];

/** A Ctrl-C under npm comes twice, from the terminal and from npm; within so many ms it is one. */
const ONE_SIGNAL_MS = 250;

/** Calls back at the first signal that asks to end; the second one ends the process. */
function watchSignals(onSignal: () => void): { status(): number | null } {
  let status: number | null = null;
  let first = 0;
  for (const signal of ENDING_SIGNALS) {
    process.on(signal, () => {
      if (status === null) {
        status = statusOf(signal);
        first = Date.now();
        onSignal();
      } else if (Date.now() - first > ONE_SIGNAL_MS) {
        process.exit(statusOf(signal));
      }
    });
  }
  return { status: () => status };
}
