/** What the doctor looks at on this machine: the program, the state directory, tools and optional packages. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isMissing, KNOWN_PROVIDERS } from '../agent/providers.ts';
import { packageVersion } from '../version.ts';
import { runtimeFault } from '../world/runtime.ts';
import { formatBytes } from './cost.ts';
import type { Check } from './doctor-check.ts';
import type { DoctorArguments } from './options.ts';
import { suggested } from './place.ts';

export function checkProgram(): Check {
  const what = 'program';
  const versions = process.versions;
  const fault = runtimeFault({ versions, restricted: process.permission !== undefined });
  const text = `dirigent ${packageVersion()} on Node ${versions.node}`;
  return fault === null
    ? { what, state: 'ok', text }
    : { what, state: 'fail', text, advice: fault };
}

/** Below so many bytes a log or a replica may soon fail to be written. */
const LITTLE = 1024 ** 3;
const HARDLY_ANY = 64 * 1024 ** 2;
/** Others of the machine may write. */
const WRITABLE_BY_OTHERS = 0o022;

export function* checkState(state: string): Generator<Check> {
  const what = 'state';
  const there = nearestDirectory(state);
  try {
    fs.accessSync(there, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  } catch {
    const advice = `make ${there} readable and writable for this user`;
    yield { what, state: 'fail', text: `${there} cannot be written`, advice };
    return;
  }
  const { mode } = fs.statSync(there);
  const { bavail, bsize } = fs.statfsSync(there);
  const free = bavail * bsize;
  const text = `${state}${there === state ? '' : ' (not made yet)'}, ${formatBytes(free)} free`;
  if (free < HARDLY_ANY) yield { what, state: 'fail', text, advice: 'make room on that disk' };
  else if (free < LITTLE) yield { what, state: 'warn', text, advice: 'make room on that disk' };
  else if (there === state && (mode & WRITABLE_BY_OTHERS) !== 0) {
    const advice = `other users may write there, and so change logs and answers: chmod go-w ${there}`;
    yield { what, state: 'warn', text, advice };
  } else yield { what, state: 'ok', text };
}

function nearestDirectory(path: string): string {
  let directory = path;
  while (!fs.existsSync(directory)) directory = dirname(directory);
  return directory;
}

export function* checkIndex(state: string, { given }: DoctorArguments): Generator<Check> {
  const what = 'index';
  const stat = fs.statSync(join(state, 'index.sqlite'), { throwIfNoEntry: false });
  if (stat === undefined) {
    const advice = `the first search builds it; "${suggested(given, 'index')}" does so ahead`;
    yield { what, state: 'ok', text: 'none yet', advice };
  } else {
    const text = `${formatBytes(stat.size)}, last written ${stat.mtime.toISOString()}`;
    yield { what, state: 'ok', text };
  }
}

const OPTIONAL: readonly { name: string; use: string }[] = [
  ...KNOWN_PROVIDERS.flatMap(({ name, package: peer }) =>
    peer === null ? [] : [{ name: peer, use: `models of ${name}` }],
  ),
  { name: '@huggingface/transformers', use: 'a sentence model in this process' },
  { name: '@opentelemetry/sdk-trace', use: 'traces' },
  { name: '@opentelemetry/exporter-trace-otlp-http', use: 'traces' },
];

export function* checkPeers(): Generator<Check> {
  const rows = OPTIONAL.map(({ name, use }) => ({ name, use, version: versionOf(name) }));
  const there = rows.filter(({ version }) => version !== null);
  const absent = rows.filter(({ version }) => version === null);
  yield {
    what: 'optional packages',
    state: 'ok',
    text: there.length === 0 ? 'none' : there.map((row) => `${row.name} ${row.version}`).join(', '),
    ...(absent.length === 0
      ? {}
      : { advice: `not installed: ${absent.map((row) => `${row.name} (${row.use})`).join(', ')}` }),
  };
}

/** The version of a package as this one finds it; null where it is not installed. */
function versionOf(name: string): string | null {
  let directory: string;
  try {
    directory = dirname(fileURLToPath(import.meta.resolve(name)));
  } catch (error) {
    if (isMissing(error, name)) return null;
    throw error;
  }
  for (; dirname(directory) !== directory; directory = dirname(directory)) {
    const file = join(directory, 'package.json');
    if (!fs.existsSync(file)) continue;
    const found = JSON.parse(fs.readFileSync(file, 'utf8')) as { name?: string; version?: string };
    if (found.name === name) return found.version ?? 'of an unknown version';
  }
  return null;
}

const TOOLS: readonly { name: string; use: string }[] = [
  { name: 'git', use: 'nothing here needs it; a deployment is best kept in a repository' },
  { name: 'gh', use: 'nothing here needs it; where it is signed in, init finds its token' },
];

const TOOL_TIMEOUT_MS = 5_000;

export async function* checkTools(): AsyncGenerator<Check> {
  const run = promisify(execFile);
  for (const { name, use } of TOOLS) {
    const told = await run(name, ['--version'], { timeout: TOOL_TIMEOUT_MS }).catch(
      // Whatever keeps it from telling its version, it cannot be used.
      () => null,
    );
    const version = told?.stdout.split('\n')[0]?.trim();
    yield version === undefined
      ? { what: name, state: 'ok', text: `not found: ${use}` }
      : { what: name, state: 'ok', text: version };
  }
}
