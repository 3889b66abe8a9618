/** Starting is a budget: what a world has not been asked for is not loaded, in neither of its threads. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../cli/run-cli.ts';
import { temporaryDirectory } from './harness.ts';

const LOADED = join(import.meta.dirname, 'loaded.mjs');
/** From its sources: what is loaded is told by their names. */
const MAIN = join(ROOT, 'entry', 'main.ts');

/** The addresses that a thread loads for one command line. */
function loaded(command: string): Record<'main' | 'worker', string[]> {
  const output = execFileSync(
    process.execPath,
    ['--import', LOADED, MAIN, 'sh', '--mount', '/mnt/notes=mem', '-c', command],
    { encoding: 'utf8', cwd: temporaryDirectory(), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const of = (thread: string): string[] =>
    output
      .split('\n')
      .filter((line) => line.startsWith(`${thread} `))
      .map((line) => line.slice(thread.length + 1));
  return { main: of('main'), worker: of('worker') };
}

test('memfs waits until a file is made, fetch and node:http until a host is asked, and the YAML library until a record is written', () => {
  const { main, worker } = loaded('cat /README.md; sleep 0.3');
  expect(worker.some((url) => url.endsWith('/src/world/worker.ts'))).toBe(true);
  expect(
    [...main, ...worker].filter((url) =>
      /\/node_modules\/(?:memfs|yaml)\/|^node:https?$|undici/.test(url),
    ),
  ).toEqual([]);
  const made = loaded('echo x > /mnt/notes/x');
  expect(made.worker.filter((url) => /\/memfs\/lib\/index/.test(url))).toHaveLength(1);
});
