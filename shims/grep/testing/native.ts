/** Runs the machine's own grep or rg over the same files, to compare. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface NativeResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** The first line of `PROGRAM --version`, or null where there is none. */
export function versionOf(program: string): string | null {
  const run = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (run.error || run.status !== 0) return null;
  return run.stdout.split('\n')[0] ?? null;
}

/** A directory on disk with the given files, removed again by `dispose`. */
export class NativeTree {
  readonly root: string;

  constructor(files: Readonly<Record<string, string | Uint8Array>>) {
    this.root = mkdtempSync(join(tmpdir(), 'grep-parity-'));
    for (const [path, data] of Object.entries(files)) {
      const file = join(this.root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, data);
    }
  }

  /** Runs a program in a directory of the tree; stdout is one character a byte. */
  run(program: string, args: readonly string[], cwd: string, stdin: string): NativeResult {
    const done = spawnSync(program, [...args], {
      cwd: join(this.root, cwd),
      input: Buffer.from(stdin, 'latin1'),
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', TERM: 'xterm' },
      timeout: 10_000,
      maxBuffer: 1 << 26,
    });
    return {
      stdout: done.stdout.toString('latin1'),
      stderr: done.stderr.toString('utf8'),
      exitCode: done.status ?? -1,
    };
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
