/** Runs a script with this machine's gawk as awk, for the tests. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FILES } from './scripts.ts';

export type Answer = [stdout: string, status: number];

const found = spawnSync('bash', ['-c', 'command -v gawk'], { encoding: 'utf8' });

/** Where gawk is, '' if it is not here. */
export const GAWK = found.status === 0 ? found.stdout.trim() : '';

/** The first line of `gawk --version`. */
export function gawkVersion(): string {
  return spawnSync(GAWK, ['--version'], { encoding: 'utf8' }).stdout.split('\n')[0] ?? '';
}

/** What gawk answers, in a new directory with the files. Stdout is a byte string. */
export function inGawk(script: string): Answer {
  const root = mkdtempSync(join(tmpdir(), 'dirigent-gawk-'));
  try {
    const work = join(root, 'work');
    const bin = join(root, 'bin');
    for (const directory of [work, bin]) mkdirSync(directory);
    symlinkSync(GAWK, join(bin, 'awk'));
    for (const [name, content] of Object.entries(FILES)) {
      mkdirSync(dirname(join(work, name)), { recursive: true });
      writeFileSync(join(work, name), content);
    }
    const { stdout, status } = spawnSync('bash', ['--norc', '-c', script], {
      cwd: work,
      env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, LC_ALL: 'C.UTF-8', TZ: 'UTC' },
      input: '',
      timeout: 10_000,
    });
    return [stdout.toString('latin1'), status ?? -1];
  } finally {
    rmSync(root, { recursive: true });
  }
}
