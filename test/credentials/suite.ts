/**
 * Around a whole run of the tests: everything is written below one directory, and when the run is
 * over, all of it is searched for the credentials that the tests use. A find fails the run.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Searched, searchTree } from './search.ts';
import { PLANTED } from './tokens.ts';
import { KEPT, PRINTED, WATCHED } from './watch.ts';

/** In a run of so many files of tests and more, what must be there to be searched is there. */
const WHOLE_RUN = 100;
/** Directories of the search's own tests, and what this file plants. */
const PLANTED_PATH = /^(kept[/\\])?[^/\\]*planted/;
const MUST_BE_THERE = ['replica.sqlite', 'changes.sqlite', 'log.jsonl'];

export default function setup(): () => void {
  const run = mkdtempSync(join(tmpdir(), 'dirigent-run-'));
  process.env['TMPDIR'] = run;
  mkdirSync(join(run, KEPT, 'planted'), { recursive: true });
  writeFileSync(join(run, KEPT, 'planted', 'state'), `some state\n${PLANTED}\n`);
  return () => {
    try {
      const problems = [...problemsOf(run)];
      if (problems.length === 0) return;
      process.stderr.write(`\ncredentials:\n${problems.map((one) => `  ${one}\n`).join('')}`);
      process.exitCode = 1;
      throw new Error(`credentials: ${problems.length} problems, see above`);
    } finally {
      rmSync(run, { recursive: true, force: true });
    }
  };
}

function* problemsOf(run: string): Iterable<string> {
  const searched = searchTree(run);
  const printed = linesOf(join(run, PRINTED)).filter((line) => !line.includes('_planted_'));
  const found = searched.found
    .map((line) => line.slice(run.length + 1))
    // What was printed is told by itself; what was planted must be found, and is no leak.
    .filter((line) => !line.startsWith(PRINTED) && !PLANTED_PATH.test(line));
  yield* found.map((line) => `found in ${line}`);
  yield* printed.map((line) => `printed by ${line}`);
  if (searched.found.every((line) => !line.startsWith(join(run, KEPT, 'planted', 'state')))) {
    yield 'the search did not find what was planted for it';
  }
  const watched = linesOf(join(run, WATCHED)).map((line) => line.split('\t'));
  const sum = (column: number) => watched.reduce((all, row) => all + Number(row[column]), 0);
  if (watched.length >= WHOLE_RUN) yield* missingFrom(searched, sum(1));
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e5) / 10} MB`;
  process.stdout.write(
    `\ncredentials: searched ${searched.files} files (${megabytes(searched.bytes)}) of ${searched.directories} directories, and what ${sum(1)} processes printed (${megabytes(sum(2))}): ${found.length + printed.length} found\n`,
  );
}

/** A whole run leaves databases, logs and printed lines: without them the search looked at the wrong place. */
function* missingFrom(searched: Searched, processes: number): Iterable<string> {
  for (const name of MUST_BE_THERE) {
    if (!searched.names.has(name)) yield `no ${name} was there to be searched`;
  }
  if (processes === 0) yield 'no process was watched';
}

function linesOf(file: string): string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
