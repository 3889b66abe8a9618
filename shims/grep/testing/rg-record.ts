/**
 * Records what the machine's ripgrep 13 answers to the calls of `rg-calls.ts`:
 * node shims/grep/testing/rg-record.ts > shims/grep/testing/rg-calls.recorded.json
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NativeTree } from './native.ts';
import { CALLS, REPOSITORY } from './rg-calls.ts';

/** What ripgrep answered; stdout with no time in it. */
export interface Recorded {
  args: readonly string[];
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Times differ from run to run, and so do they here. */
export function timeless(output: string): string {
  return output
    .replace(/"elapsed(?:_total)?":\{[^}]*\}/g, '"elapsed":{}')
    .replace(/^[\d.]+ seconds.*\n/gm, '');
}

/** Asks ripgrep, which walks in the order of paths by its configuration file. */
export function askRipgrep(): Recorded[] {
  const tree = new NativeTree(REPOSITORY);
  const config = join(tree.root, 'config');
  writeFileSync(config, '--sort=path\n');
  try {
    return CALLS.map((args) => {
      const done = spawnSync('rg', [...args], {
        cwd: join(tree.root, 'r'),
        env: {
          PATH: process.env['PATH'],
          LC_ALL: 'C.UTF-8',
          TERM: 'xterm',
          RIPGREP_CONFIG_PATH: config,
        },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const { stdout, stderr, status } = done;
      return { args, stdout: timeless(stdout), stderr, exitCode: status ?? -1 };
    });
  } finally {
    tree.dispose();
  }
}

if (process.argv[1] === import.meta.filename) {
  console.log(JSON.stringify(askRipgrep(), null, 1));
}
