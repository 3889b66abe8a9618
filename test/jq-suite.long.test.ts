/**
 * jq's own test-suite and one-liners of agents, run in a world's shell, where the
 * recording is at hand. The file is no part of this repository; without it the
 * test skips and says so.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { testWorld } from './world/harness.ts';
import { type Answer, inProcessWorld } from './world/in-process.ts';

interface Case {
  id: string;
  suite: string;
  command: string;
  exit: number;
  /** Text for JSON; otherwise a character is a byte. */
  stdout: string;
  compare: 'bytes' | 'lines' | 'json';
  /** Keys of blobs by absolute path. */
  files?: Record<string, string>;
}

interface Recording {
  cases: Case[];
  /** Contents in base64. */
  blobs: Record<string, string>;
}

const SOURCE = fileURLToPath(new URL('../../shared/data/shell-suites.json', import.meta.url));
const GOAL = 0.99;

type Run = (command: string) => Promise<Answer>;

/** A line as JSON; as text where it is none, such as `nan`. */
function parsedLine(line: string): unknown {
  try {
    // -0 is 0 to jq, too.
    return JSON.parse(line, (_key, value: unknown) => (value === 0 ? 0 : value));
  } catch (error) {
    if (error instanceof SyntaxError) return line;
    throw error;
  }
}

/** What is compared of an output. */
function comparable(output: string, how: Case['compare']): unknown {
  const lines = output.trimEnd().split('\n');
  if (how === 'json') return lines.map(parsedLine);
  return how === 'lines' ? lines.sort() : output;
}

function failureOf(one: Case, answer: Answer): string | null {
  const isText = one.compare === 'json';
  const expected = isText ? one.stdout : Buffer.from(one.stdout, 'latin1').toString();
  try {
    expect(comparable(answer.stdout, one.compare)).toEqual(comparable(expected, one.compare));
    if (answer.exitCode === one.exit) return null;
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AssertionError')) throw error;
  }
  const isSilent = answer.exitCode === one.exit && answer.stderr === '';
  const shown = JSON.stringify({ want: [one.exit, expected], got: answer });
  return `${isSilent ? 'SILENT ' : ''}${one.id}\n  ${one.command}\n  ${shown}`;
}

/** The failures among cases, each a text; those that are wrong in silence begin with SILENT. */
async function failures(
  cases: readonly Case[],
  runFor: (one: Case) => Promise<Run>,
): Promise<string[]> {
  const out: string[] = [];
  for (const one of cases) {
    const failure = failureOf(one, await (await runFor(one))(one.command));
    if (failure !== null) out.push(failure);
  }
  console.info(`${cases.length - out.length} of ${cases.length} pass`, out.join('\n'));
  return out;
}

describe('jq against recorded answers', () => {
  const there = existsSync(SOURCE);
  if (!there) console.warn(`skipped: there is no recording at ${SOURCE}`);
  const recording = there
    ? (JSON.parse(readFileSync(SOURCE, 'utf8')) as Recording)
    : { cases: [], blobs: {} };

  it.skipIf(!there)('passes its own suite, and is never wrong in silence', async () => {
    const cases = recording.cases.filter(({ suite }) => suite.startsWith('jq:'));
    // In a worker, which has the stack that deep nesting takes. No case leaves anything behind.
    const world = testWorld();
    await world.exec('export PAGER=less');
    const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
    const run: Run = async (command) => {
      const { stdoutBytes, stderr, exitCode } = await world.exec(command);
      return { stdout: text(stdoutBytes), stderr, exitCode };
    };
    const failed = await failures(cases, async () => run);
    expect(cases.length).toBeGreaterThan(800);
    expect(failed.filter((each) => each.startsWith('SILENT'))).toEqual([]);
    expect(1 - failed.length / cases.length).toBeGreaterThanOrEqual(GOAL);
  });

  it.skipIf(!there)('gives what agents expect of it, with files and in pipes', async () => {
    const cases = recording.cases.filter(
      ({ suite, command }) => suite === 'agent' && /\bjq\b/.test(command),
    );
    const failed = await failures(cases, async ({ files = {} }) => {
      const contents = Object.entries(files).map(
        ([path, key]) => [path, Buffer.from(recording.blobs[key] ?? '', 'base64')] as const,
      );
      const world = await inProcessWorld({
        roots: ['/data'],
        files: Object.fromEntries(contents),
        cwd: '/data',
        env: { HOME: '/data', TZ: 'UTC', LC_ALL: 'C.UTF-8', USER: 'user' },
      });
      return world.run;
    });
    expect(cases.length).toBeGreaterThan(10);
    expect(failed).toEqual([]);
  });
});
