/** The shell against this machine's own bash and tools: same stdout, same status. Skips where there is no bash 5. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FILES, SCRIPTS } from './shell-parity.scripts.ts';
import { TYPED } from './shell-typed.scripts.ts';
import { inProcessWorld } from './world/in-process.ts';

const version = spawnSync('bash', ['-c', 'echo "${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}"'], {
  encoding: 'utf8',
}).stdout;
/** 5.2 is the first in which `.*` leaves out `.` and `..`. */
const there = Number.parseFloat(version ?? '0') >= 5.2;
if (!there) console.warn('skipped: there is no bash 5.2 on this machine to compare with');

const ENV = { LC_ALL: 'C.UTF-8', TZ: 'UTC' };

/** What bash gives, in a new directory with the files. */
function inBash(script: string): { stdout: string; exitCode: number | null } {
  const root = mkdtempSync(join(tmpdir(), 'dirigent-parity-'));
  try {
    for (const [name, content] of Object.entries(FILES)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), content);
    }
    const env = { ...ENV, PATH: process.env['PATH'] ?? '', HOME: root };
    const { stdout, status } = spawnSync('bash', ['--norc', '-c', script], {
      cwd: root,
      env,
      input: '',
    });
    return { stdout: stdout.toString(), exitCode: status };
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function here(script: string): Promise<{ stdout: string; stderr: string; exitCode: number }> {
  const files = Object.fromEntries(
    Object.entries(FILES).map(([name, content]) => [`/work/${name}`, content]),
  );
  const env = { ...ENV, HOME: '/work' };
  const { shell } = await inProcessWorld({ roots: ['/work'], files, cwd: '/work', env });
  // Far above what any script takes: a busy machine is no difference.
  const { stdout, stderr, exitCode } = await shell.exec(script, { deadlineMs: 50_000 });
  return { stdout: String(Buffer.from(stdout)), stderr: String(Buffer.from(stderr)), exitCode };
}

/** A tool that this machine lacks has nothing to say. */
const lacks = (script: string): boolean =>
  ['bc', 'xxd', 'column', 'rev', 'jq'].some(
    (tool) =>
      new RegExp(`\\b${tool}\\b`).test(script) &&
      spawnSync('bash', ['-c', `command -v ${tool}`]).status !== 0,
  );

describe.skipIf(!there)('the shell does what bash does', () => {
  describe.each(Object.entries({ ...SCRIPTS, ...TYPED }))('%s', (_subject, scripts) => {
    test.each([...scripts])('%s', async (script) => {
      if (lacks(script)) return;
      const ours = await here(script);
      const { stdout, exitCode } = inBash(script);
      expect({ stdout: ours.stdout, exitCode: ours.exitCode }, ours.stderr).toEqual({
        stdout,
        exitCode,
      });
    });
  });
});
