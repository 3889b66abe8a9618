/** The command line as a process, for tests. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bundled } from '../bundle/use.ts';
import { MEMORY_FLAGS } from '../memory-flags.ts';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** The program that tests start. */
export const MAIN = bundled(join(ROOT, 'entry', 'main.ts'));

export interface CliResult {
  stdout: Buffer;
  stderr: string;
  status: number | null;
}

export interface CliOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Bytes for stdin, which then ends; null leaves it open and silent. */
  stdin?: string | Uint8Array | null;
  main?: string;
}

/** Starts it; it is killed when the test ends. */
export function startCli(
  args: readonly string[],
  options: CliOptions = {},
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [...MEMORY_FLAGS, options.main ?? MAIN, ...args], {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, ...options.env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  // A command that does not read its stdin may be gone before all of it is written.
  child.stdin.on('error', () => undefined);
  if (options.stdin !== null) child.stdin.end(options.stdin ?? '');
  return child;
}

/** Runs it to its end. */
export async function cli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = startCli(args, options);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (data: Buffer) => stdout.push(data));
  child.stderr.on('data', (data: Buffer) => stderr.push(data));
  const [status] = (await once(child, 'close')) as [number | null];
  return { stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString(), status };
}
