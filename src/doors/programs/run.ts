/**
 * Runs a program of the host inside a world: the world is mounted by FUSE for
 * it, in the name of whoever runs it, and bubblewrap shows it that and nothing
 * else. It ends with its command, and the mount with it.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import type { HostProgramEnd } from '../../shell/host-programs.ts';
import type { RunProgram } from '../../world/host-programs.ts';
import { KernelProcess } from '../fuse/door.ts';
import { makeMountPoint, removeMountPoint } from './place.ts';
import { checkSandbox, type Handed, LIMITS, PROGRAM_PATH, sandboxArguments } from './sandbox.ts';
import { systemCallFilter } from './seccomp.ts';
import { watchTree } from './watch.ts';

/** See {@link RunProgram}. */
export const runProgram: RunProgram = async (program, use) => {
  await checkSandbox();
  const point = await makeMountPoint();
  const { world, line: place } = point;
  const troubles: string[] = [];
  const kernel = new KernelProcess(use, (message) => void troubles.push(message));
  try {
    // Links are followed in the sandbox, where the world is at the root.
    await kernel.mount({ directory: world, seenAt: '', socket: '', place });
    const root = (await use.fs.readdirWithFileTypes('/')).map(({ name, isDirectory }) => ({
      name,
      isDirectory,
    }));
    const handed = sandboxArguments(program, { world, root, filter: systemCallFilter() });
    const end = await new Sandboxed(handed, program.stdin).ended(use.signal);
    const said = troubles.map((message) => `dirigent: ${message}\n`).join('');
    return said === '' ? end : { ...end, stderr: Buffer.concat([end.stderr, Buffer.from(said)]) };
  } finally {
    await kernel.close();
    await removeMountPoint(point);
  }
};

/** A program that runs. */
class Sandboxed {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #printed = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  #size = 0;
  /** Why it was ended from here. */
  #reason: string | null = null;

  constructor({ args, data }: Handed, stdin: Uint8Array) {
    // The environment of the host is not even bubblewrap's.
    const env = { PATH: PROGRAM_PATH.join(':') };
    const handed = data.map(() => 'pipe' as const);
    const child = spawn('bwrap', args, {
      cwd: '/',
      env,
      stdio: ['pipe', 'pipe', 'pipe', ...handed],
    });
    // The first three are pipes, whatever the others are.
    this.#child = child as ChildProcessWithoutNullStreams;
    for (const [index, bytes] of data.entries()) {
      const pipe = child.stdio[index + 3] as Writable;
      pipe.on('error', ignore);
      pipe.end(bytes);
    }
    // A program that reads none of it has closed its end.
    this.#child.stdin.on('error', ignore);
    this.#child.stdin.end(stdin);
    for (const name of ['stdout', 'stderr'] as const)
      this.#child[name].on('data', (bytes: Buffer) => this.#take(name, bytes));
  }

  /** Waits for its end, which the signal brings about. */
  async ended(signal: AbortSignal): Promise<HostProgramEnd> {
    const child = this.#child;
    const stop = (): void => this.#kill('it was stopped');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const unwatch = watchTree(child.pid ?? 0, LIMITS, (what) => this.#kill(what));
    try {
      const [code, killed] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
      const { stdout, stderr } = this.#printed;
      if (this.#reason !== null) stderr.push(Buffer.from(`run: killed: ${this.#reason}\n`));
      return {
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr),
        exitCode: code ?? 128 + (killed === null ? 0 : constants.signals[killed]),
      };
    } finally {
      unwatch();
      signal.removeEventListener('abort', stop);
    }
  }

  #take(name: 'stdout' | 'stderr', bytes: Buffer): void {
    if (this.#reason !== null) return;
    this.#size += bytes.length;
    this.#printed[name].push(bytes);
    if (this.#size > LIMITS.output)
      this.#kill(`it printed more than ${LIMITS.output / 1024 ** 2} MiB`);
  }

  /** All that is in the sandbox ends with the process that made it. */
  #kill(reason: string): void {
    this.#reason ??= reason;
    this.#child.kill('SIGKILL');
  }
}

const ignore = (): void => undefined;
