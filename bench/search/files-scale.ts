/** What questions over the files of a directory cost, each size in processes of its own. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AskedFiles, BuiltFiles } from './files-process.ts';

/** Passages and files. */
export type Size = readonly [passages: number, files: number];

/** Room for objects that are just made, MB, as the worker of the search has it: three times a half of it. */
const HALF_OF_YOUNG_MB = 4;

/** Prints two lines for each size: CPU time of the whole process, looking at the files included. */
export function benchFiles(sizes: readonly Size[], print: (line: string) => void): void {
  for (const size of sizes) print(lineOf(size, measure(size)));
}

function measure([passages, files]: Size): BuiltFiles & AskedFiles & { building: number } {
  const place = mkdtempSync(join(tmpdir(), 'dirigent-files-'));
  const [directory, index] = [join(place, 'files'), join(place, 'index.sqlite')];
  try {
    mkdirSync(directory);
    run(['write', directory, String(passages), String(files)]);
    const built: BuiltFiles = JSON.parse(run(['build', directory, index]));
    const asked: AskedFiles = JSON.parse(run(['ask', directory, index]));
    return { ...built, ...asked, building: built.resident };
  } finally {
    rmSync(place, { recursive: true });
  }
}

function run(args: string[]): string {
  const script = fileURLToPath(new URL('files-process.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`--max-semi-space-size=${HALF_OF_YOUNG_MB}`, script, ...args],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  );
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  return stdout;
}

function lineOf([, files]: Size, gave: ReturnType<typeof measure>): string {
  const count = (number: number): string => number.toLocaleString('en');
  const ms = (time: number): string => `${time.toFixed(0)} ms`;
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  const {
    passages,
    taken,
    building,
    opened,
    first,
    second,
    p50,
    p95,
    directory,
    edited,
    resident,
  } = gave;
  return (
    `${count(passages)} passages in ${count(files)} files: a question p50 ${ms(p50)}, p95 ${ms(p95)}, ` +
    `about one directory ${ms(directory)}, after an edit ${ms(edited)}\n` +
    `    opened ${ms(opened)}, first question ${ms(first)}, second ${ms(second)}, resident ${mb(resident)}; ` +
    `taken in ${(taken / 1_000).toFixed(1)} s with ${mb(building)}`
  );
}
