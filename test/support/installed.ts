/** Packages of others, installed for one test file into a directory of their own, and their programs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** What a program printed, and its status. */
export interface Ran {
  stdout: string;
  stderr: string;
  status: number | null;
}

export interface Installed {
  directory: string;
  /** Why they are not there; '' where they are. Known once a test runs. */
  missing(): string;
  /** Runs a program to its end, in the directory. @param env besides that of this process */
  run(command: string, args: readonly string[], env?: Record<string, string>): Promise<Ran>;
}

/**
 * Has npm install them before the first test of the file, and removes them after the last.
 * @param name of the directory, in a word
 */
export function installed(name: string, packages: readonly string[]): Installed {
  const directory = mkdtempSync(join(tmpdir(), `dirigent-${name}-`));
  let missing = '';
  const run: Installed['run'] = async (command, args, env = {}) => {
    const child = spawn(command, args, { cwd: directory, env: { ...process.env, ...env } });
    const printed = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].on('data', (data: Buffer) => {
        printed[stream] += data.toString();
      });
    }
    const [status] = (await once(child, 'close')) as [number | null];
    return { ...printed, status };
  };
  beforeAll(async () => {
    writeFileSync(join(directory, 'package.json'), '{"private": true, "type": "module"}\n');
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    const { status, stderr } = await run('npm', ['install', ...options, ...packages]);
    if (status !== 0) missing = stderr.trim() || 'they were not installed';
  }, 300_000);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return { directory, missing: () => missing, run };
}
