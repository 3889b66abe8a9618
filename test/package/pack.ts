/** The package, packed as it would be published, and what it says where it is installed. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { isAlive } from '../../src/changes/owner.ts';
import { pdf } from '../documents/make.ts';

export const ROOT = join(import.meta.dirname, '..', '..');

export interface Ran {
  stdout: string;
  stderr: string;
  status: number | null;
}

export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Ran {
  return spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ...env },
  });
}

/** Runs what must succeed, and gives its stdout. */
export function out(...[command, args, cwd, env]: Parameters<typeof run>): string {
  const { stdout, stderr, status } = run(command, args, cwd, env);
  expect(status, `${command} ${args.join(' ')}: ${stdout}${stderr}`).toBe(0);
  return stdout;
}

/** Builds and packs it, after whoever else builds this checkout. @returns the tarball */
export function pack(directory: string): string {
  const build = takeTurn(join(ROOT, 'node_modules', '.cache', 'pack.lock'));
  try {
    out('npm', ['pack', '--silent', '--pack-destination', directory], ROOT);
  } finally {
    build.end();
  }
  const name = readdirSync(directory).find((each) => each.endsWith('.tgz'));
  if (name === undefined) throw new Error('npm pack left no tarball');
  return join(directory, name);
}

const LOOK_AGAIN_MS = 200;

/** Waits until nobody holds the lock, and takes it: a build writes dist/, where another one would read. */
function takeTurn(lock: string): { end(): void } {
  mkdirSync(dirname(lock), { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return { end: () => rmSync(lock) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (isLeft(lock)) rmSync(lock, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
    }
  }
}

/** Was the lock taken by a process that has died? */
function isLeft(lock: string): boolean {
  if (!existsSync(lock)) return false;
  const pid = Number(readFileSync(lock, 'utf8'));
  // Its name is written just after the file is made.
  return pid > 0 && !isAlive(pid);
}

/** Makes a program of somebody's in a directory: what smoke.mjs looks at, and itself. */
export function writeProgram(directory: string): void {
  mkdirSync(join(directory, 'docs'), { recursive: true });
  writeFileSync(join(directory, 'docs', 'locks.md'), '# Locks\n\nOf locks: one process writes.\n');
  writeFileSync(join(directory, 'docs', 'z.pdf'), pdf(['lease']));
  cpSync(join(import.meta.dirname, 'smoke.mjs'), join(directory, 'smoke.mjs'));
}

/** What smoke.mjs prints, but for services. */
export const SMOKE = {
  shell: '1A\n2b\n',
  grep: '/mnt/docs/locks.md:3:Of locks: one process writes.\n',
  meaning: './locks.md\n',
  sqlite: '2\n',
  markdown: '**x**\n',
  archive: 'x\n',
  document: 'y\nlease\n',
  error: [true, 'ENOENT'],
  failure: true,
  commonjs: true,
  mcp: ['bash', 'read', 'write', 'edit', 'verify'],
};
