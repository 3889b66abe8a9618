/** Runs a script with this machine's own tools, for the tests. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ENV, FILES } from './cases.ts';

/** stdout is a byte string. */
export type Answer = [stdout: string, status: number];

/** Is this command on the machine? */
export function hasCommand(name: string): boolean {
  return spawnSync('bash', ['-c', `command -v -- ${name}`]).status === 0;
}

/** What the machine answers, in a new directory with the files. */
export function native(script: string): Answer {
  const root = mkdtempSync(join(tmpdir(), 'dirigent-commands-'));
  try {
    for (const [name, content] of Object.entries(FILES)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), content);
    }
    const { stdout, status } = spawnSync('bash', ['--norc', '-c', script], {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', HOME: root, ...ENV },
      input: '',
      timeout: 20_000,
    });
    return [stdout.toString('latin1'), status ?? -1];
  } finally {
    rmSync(root, { recursive: true });
  }
}
