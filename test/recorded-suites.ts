/** Suites that others wrote, with the answers recorded: read where the recording is at hand, and judged. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type Answer, inProcessWorld } from './world/in-process.ts';

export interface Case {
  id: string;
  suite: string;
  command: string;
  exit: number;
  /** Text for JSON; otherwise a character is a byte. */
  stdout: string;
  compare: 'bytes' | 'lines' | 'json';
  /** Keys of blobs by absolute path. */
  files?: Record<string, string>;
  /** Writable directories; `/data` if not given. */
  roots?: string[];
  env?: Record<string, string>;
}

export interface Recording {
  cases: Case[];
  /** Contents in base64. */
  blobs: Record<string, string>;
}

export type Run = (command: string) => Promise<Answer>;

const SOURCE = fileURLToPath(new URL('../../shared/data/shell-suites.json', import.meta.url));

/** The recording; null where there is none, which is said. It is no part of this repository. */
export function readRecording(): Recording | null {
  if (existsSync(SOURCE)) return JSON.parse(readFileSync(SOURCE, 'utf8')) as Recording;
  console.warn(`skipped: there is no recording at ${SOURCE}`);
  return null;
}

/** A world of its own for a case, with its files. */
export async function worldOf(one: Case, { blobs }: Recording): Promise<Run> {
  const contents = Object.entries(one.files ?? {}).map(
    ([path, key]) => [path, Buffer.from(blobs[key] ?? '', 'base64')] as const,
  );
  const world = await inProcessWorld({
    roots: one.roots ?? ['/data'],
    files: Object.fromEntries(contents),
    cwd: '/data',
    python: true,
    env: { HOME: '/data', TZ: 'UTC', LC_ALL: 'C.UTF-8', USER: 'user', ...one.env },
  });
  return world.run;
}

/** The failures among cases, each a text; those that are wrong in silence begin with SILENT. */
export async function failures(
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

/** Same status, nothing on stderr, and yet another answer: the worst kind of failure. */
export function silent(failed: readonly string[]): string[] {
  return failed.filter((each) => each.startsWith('SILENT'));
}

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
