/** How the index behaves as it grows, each size in processes of its own. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Asked, Built } from './scale-process.ts';

/** Lines of a document: one chunk, and what an issue with its discussion has. */
export const SHORT = 6;
export const LONG = 24;

/** Makes an index of so many documents, and asks it. */
export function measureScale(documents: number, length: number): Built & Asked {
  const directory = mkdtempSync(join(tmpdir(), 'dirigent-scale-'));
  const file = join(directory, 'index.sqlite');
  try {
    const built = run<Built>(['build', file, String(documents), String(length)]);
    return { ...built, ...run<Asked>(['ask', file]) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function run<T>(args: string[]): T {
  const script = fileURLToPath(new URL('scale-process.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  // What the other process prints.
  return JSON.parse(stdout) as T;
}

/** Prints a line for each size. */
export function benchScale(sizes: readonly number[], print: (line: string) => void): void {
  for (const size of sizes) {
    const { taken, settled, opened, p50, p95, edited, resident } = measureScale(size, SHORT);
    print(
      `${size.toLocaleString('en').padStart(8)} chunks: taken in ${(taken / 1_000).toFixed(1)} s ` +
        `(${((1_000 * taken) / size).toFixed(0)} µs each), put in order ${(settled / 1_000).toFixed(1)} s, ` +
        `answers p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, an edit seen after ${edited.toFixed(0)} ms, ` +
        `opened and answered in ${(opened / 1_000).toFixed(1)} s, resident ${(resident / 1e6).toFixed(0)} MB`,
    );
  }
}
