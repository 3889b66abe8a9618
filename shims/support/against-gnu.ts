/** Compares commands with the GNU tools of this machine, for the tests. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ShimFactory } from '../../src/shell/command.ts';
import { doubleShell } from './double-shell.ts';

/** What both shells gave for one command. */
export interface Pair {
  ours: [stdout: string, status: number];
  gnu: [stdout: string, status: number];
}

/** Are these programs here, and GNU's? */
export function hasGnu(...programs: readonly string[]): boolean {
  return programs.every((program) => {
    const found = spawnSync('bash', ['-c', `command -v ${program}`]);
    return found.status === 0;
  });
}

/** Runs a command here and there, in a directory with the same files. */
export async function both(
  factories: readonly ShimFactory[],
  files: Record<string, string | Uint8Array>,
  command: string,
): Promise<Pair> {
  const root = mkdtempSync(join(tmpdir(), 'shims-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), content);
    }
    const there = spawnSync('bash', ['-c', command], {
      cwd: root,
      input: '',
      encoding: 'latin1',
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8', TZ: 'UTC', HOME: root },
    });
    const own: Record<string, string | Uint8Array> = {};
    for (const [name, content] of Object.entries(files)) own[`/data/${name}`] = content;
    const { stdout, exitCode } = await doubleShell(factories, own).run(command);
    const text = Buffer.from(there.stdout, 'latin1').toString('utf8');
    return { ours: [stdout, exitCode], gnu: [text, there.status ?? -1] };
  } finally {
    rmSync(root, { recursive: true });
  }
}
