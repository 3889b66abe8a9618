/**
 * Suites of other shells and tools, as their answers were recorded from bash and GNU's tools: where
 * DIRIGENT_SUITES names a directory of recordings. They are no part of this repository.
 *
 * DIRECTORY/SUITE/FILE/CASE.sh is a script, and beside it are its stdin (`.in`), the stdout and the
 * status that it gave (`.out`, `.st`), the directory that it ran in (`.pwd`) with what was there
 * (`.tar`), and its environment, if it has one of its own (`.env`, JSON).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProcessWorld } from './world/in-process.ts';

/** What a suite came to when it was last looked at: it may be no worse. Shares of its cases. */
const FLOORS: Readonly<Record<string, { passed: number; silent: number }>> = {
  busybox: { passed: 0.97, silent: 0.01 },
  toybox: { passed: 0.95, silent: 0.01 },
  oils: { passed: 0.9, silent: 0.04 },
  ash: { passed: 0.88, silent: 0.05 },
};
/** A world has these; other directories of a recording cannot be made in it. */
const ROOT = '/sw';
const DEADLINE_MS = 20_000;
const HOUR_MS = 3_600_000;

const recordings = process.env['DIRIGENT_SUITES'];
if (recordings === undefined) {
  console.warn('skipped: DIRIGENT_SUITES names no directory with recorded suites of others');
}

/** Paths of the cases of a suite, without their endings. */
function casesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sh'))
    .map((name) => join(directory, name.slice(0, -'.sh'.length)))
    .filter((base) => existsSync(`${base}.st`) && !existsSync(`${base}.drop`))
    .sort();
}

type Verdict = 'passed' | 'failed' | 'silent';

async function verdictOn(base: string): Promise<Verdict> {
  const read = (ending: string): Buffer =>
    existsSync(base + ending) ? readFileSync(base + ending) : Buffer.alloc(0);
  const own = read('.env').toString() || '{}';
  const env = { HOME: ROOT, TZ: 'UTC', LC_ALL: 'C.UTF-8', USER: 'user', ...JSON.parse(own) };
  const files: Record<string, Uint8Array> = {};
  if (existsSync(`${base}.tar`)) files[`${ROOT}/case.tar`] = read('.tar');
  const world = await inProcessWorld({ roots: [ROOT], files, cwd: ROOT, env });
  const directory = read('.pwd').toString().trim() || ROOT;
  await world.run(
    `mkdir -p '${directory}'; cd '${directory}'; [ -f ${ROOT}/case.tar ] && tar xpf ${ROOT}/case.tar; rm -f ${ROOT}/case.tar`,
  );
  const answer = await world.shell.exec(read('.sh').toString(), {
    stdin: read('.in'),
    deadlineMs: DEADLINE_MS,
  });
  const isStatus = answer.exitCode === Number(read('.st').toString());
  if (isStatus && read('.out').equals(answer.stdout)) return 'passed';
  return isStatus && answer.stderr.length === 0 ? 'silent' : 'failed';
}

describe('suites of others', () => {
  const directory = recordings ?? '';
  const suites = recordings === undefined ? [] : readdirSync(directory);
  it.skipIf(suites.length === 0).each(suites.length === 0 ? ['none'] : suites)(
    '%s passes as far as it did, and is no more often wrong in silence',
    { timeout: HOUR_MS },
    async (suite) => {
      const count = { passed: 0, failed: 0, silent: 0 };
      const cases = casesOf(join(directory, suite));
      for (const base of cases) count[await verdictOn(base)] += 1;
      console.info(`${suite}: ${JSON.stringify(count)}`);
      const { passed = 0, silent = 1 } = FLOORS[suite] ?? {};
      expect(count.passed / cases.length).toBeGreaterThanOrEqual(passed);
      expect(count.silent / cases.length).toBeLessThanOrEqual(silent);
    },
  );
});
