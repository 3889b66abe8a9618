/**
 * The shell against recorded answers of bash with GNU tools, where the recording
 * is at hand. The file is no part of this repository; without it the tests skip
 * and say so.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { inProcessWorld } from '../world/in-process.ts';

interface Case {
  id: string;
  group: string;
  command: string;
  stdout: string;
  exit: number;
}

interface Recording {
  about: { roots: string[] };
  files: Record<string, string>;
  cases: Case[];
}

interface Outcome {
  case: Case;
  passed: boolean;
  /** Same status, nothing on stderr, and yet another answer: the worst kind of failure. */
  silent: boolean;
  stdout: string;
  stderr: string;
  exit: number;
}

const SOURCE = fileURLToPath(new URL('../../../shared/data/shell-cases.json', import.meta.url));
const GOAL = 0.97;

/** Runs every so-many-th case, on fresh files. */
async function outcomes(recording: Recording, every: number): Promise<Outcome[]> {
  const files: Record<string, Uint8Array> = {};
  for (const [path, base64] of Object.entries(recording.files)) {
    files[path] = Buffer.from(base64, 'base64');
  }
  const out: Outcome[] = [];
  for (const one of recording.cases.filter((_, place) => place % every === 0)) {
    const world = await inProcessWorld({
      roots: recording.about.roots,
      files,
      cwd: '/data',
      env: { HOME: '/data', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
    });
    const { stdout, stderr, exitCode } = await world.run(one.command);
    const same = stdout.trimEnd() === one.stdout.trimEnd();
    out.push({
      case: one,
      passed: same && exitCode === one.exit,
      silent: !same && exitCode === one.exit && stderr === '',
      stdout,
      stderr,
      exit: exitCode,
    });
  }
  return out;
}

function describeFailure(one: Outcome): string {
  const shown = JSON.stringify({
    want: [one.case.exit, one.case.stdout.slice(0, 300)],
    got: [one.exit, one.stdout.slice(0, 300)],
    stderr: one.stderr.slice(0, 300),
  });
  return `${one.silent ? 'SILENT ' : ''}${one.case.group} ${one.case.id}\n  ${one.case.command}\n  ${shown}`;
}

/** Is there a recording? Says where it would be. */
export function recorded(): boolean {
  const there = existsSync(SOURCE);
  if (!there) console.warn(`skipped: there is no recording at ${SOURCE}`);
  return there;
}

/** Every so-many-th case: all but a few pass, and none is wrong in silence. */
export async function expectAgreement(every: number): Promise<void> {
  const recording = JSON.parse(readFileSync(SOURCE, 'utf8')) as Recording;
  const all = await outcomes(recording, every);
  const failed = all.filter((one) => !one.passed);
  const silent = failed.filter((one) => one.silent);
  console.info(
    `${all.length - failed.length} of ${all.length} pass, ${silent.length} wrong in silence`,
    failed.map((one) => `\n${describeFailure(one)}`).join(''),
  );
  expect(silent.map(describeFailure)).toEqual([]);
  expect(1 - failed.length / all.length).toBeGreaterThanOrEqual(GOAL);
}
