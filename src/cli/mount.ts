/** `dirigent mount`: the world as a directory of the host, while a program runs or until somebody ends it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { type OpenMount, openMount } from '../doors/fuse/door.ts';
import { USER } from '../policy/context.ts';
import { visible, visibleMessage } from '../visible.ts';
import type { MountArguments } from './agent-options.ts';
import { doorwayOf } from './doorway.ts';
import type { Installation } from './installation.ts';
import type { Output } from './output.ts';
import { askedToEnd, ENDING_SIGNALS } from './signals.ts';

/** Where programs are found where nothing says so. */
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Runs `dirigent mount`, and gives the status of the program, or 0. */
export async function runMount(
  options: MountArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const { agent, command } = options;
  const doorway = await doorwayOf('fuse', options, output, installation, worker, {
    ownAgents: true,
  });
  const mount = await openMount(doorway, {
    directory: options.directory,
    principal: agent === undefined ? { actor: USER } : { actor: agent, agent },
    onTrouble: (message) => void output.err(visible`dirigent: ${visibleMessage(message)}\n`),
  });
  try {
    if (command.length > 0) return await runIn(mount, command);
    await output.err(
      visible`dirigent: the world is at ${mount.directory}; Ctrl-C or "fusermount3 -u ${options.directory}" ends it\n`,
    );
    if (await Promise.race([mount.ended, askedToEnd()])) return 0;
    await output.err(
      visible`dirigent: the process that served ${mount.directory} was ended; what had been closed was written\n`,
    );
    return 1;
  } finally {
    await mount.close();
    await doorway.close();
  }
}

/**
 * Runs a program in the mounted world, where its shell stands.
 * @returns its status, as a shell gives it
 */
async function runIn(mount: OpenMount, command: readonly string[]): Promise<number> {
  const { directory, shims, visit } = mount;
  // The directory is entered by the new process: this one answers the questions about it, and must
  // not wait for itself.
  const enter = 'cd -- "$1" && shift && exec "$@"';
  const child = spawn('/bin/sh', ['-c', enter, 'sh', directory + visit.cwd, ...command], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${shims}:${process.env['PATH'] ?? SYSTEM_PATH}` },
  });
  const stop = passSignals(child);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      );
    });
  } finally {
    stop();
  }
}

/** A signal to this process is the program's; a Ctrl-C at the terminal reaches it by itself. */
function passSignals(child: ChildProcess): () => void {
  const handlers = ENDING_SIGNALS.map((signal) => {
    const pass = (): void => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    };
    process.on(signal, pass);
    return () => process.off(signal, pass);
  });
  return () => {
    for (const off of handlers) off();
  };
}
