/** The machine's own tools, in processes of their own: what a run costs, and whether there is one. */
import { spawnSync } from 'node:child_process';
import type { Cost } from './measure.ts';

/** The first line of `PROGRAM --version`, null where there is no such program. */
export function versionOf(program: string): string | null {
  const { error, stdout, status } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return error !== undefined || status !== 0 ? null : (stdout.split('\n')[0] ?? null);
}

/**
 * Runs a shell command, its output read by us through a pipe: a grep that writes
 * to /dev/null stops at the first match.
 */
export function runNative(command: string, cwd: string): Cost {
  const script = `TIMEFORMAT='%3R %3U %3S'; time ${command}`;
  const { stderr, error } = spawnSync('bash', ['-c', script], {
    cwd,
    maxBuffer: 1 << 30,
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
  if (error !== undefined) throw error;
  const figures = stderr.toString().trim().split('\n').at(-1)?.split(' ').map(Number) ?? [];
  const [real = Number.NaN, user = Number.NaN, system = Number.NaN] = figures;
  return { wall: real * 1000, cpu: (user + system) * 1000 };
}
