/** .ci/run ends, whatever its tests do, and counts what there is. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';

/** A process that was told to end is gone a moment later. */
const GONE = { timeout: 20_000, interval: 20 };

const root = join(import.meta.dirname, '..', '..');
const directory = mkdtempSync(join(tmpdir(), 'ci-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function step(name: string, seconds: number, ...command: string[]) {
  const args = [join(root, '.ci', 'step.mjs'), directory, name, `${seconds}`, ...command];
  return spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LEFT_BEHIND: directory },
  });
}

async function printed(child: ReturnType<typeof step>): Promise<[number | null, string]> {
  let text = '';
  child.stdout.on('data', (bytes) => {
    text += bytes;
  });
  const [code] = await once(child, 'close');
  return [code, text];
}

/** A process that ended may stay in the table, as a zombie, until somebody asks for its status. */
function alive(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && !/^.*\) Z /s.test(readFileSync(file, 'utf8'));
}

test('a step that does not end in its time is ended with all that it began, and says what that was', async () => {
  // The first ignores being asked, the second has a session of its own; both hold the output.
  const script = `trap '' TERM; echo begun; setsid sleep 1001 & echo $! >&2; while :; do sleep 1; done`;
  const [code, text] = await printed(step('slow', 1, 'bash', '-c', script));
  expect(code).toBe(124);
  const pid = Number(/^begun$/m.test(text) && text.match(/^\d+$/m)?.[0]);
  expect(pid).toBeGreaterThan(0);
  expect(text).toContain(`== slow: not ended after 1 s; still running:`);
  expect(text).toMatch(/^ {2}\d+ sleep 1001$/m);
  await expect.poll(() => alive(pid), GONE).toBe(false);
});

test('a step that ends is not held by what it leaves behind, and its status is told', async () => {
  const [code, text] = await printed(
    step('quick', 600, 'bash', '-c', 'setsid sleep 1002 & exit 3'),
  );
  expect(code).toBe(3);
  expect(text).toBe('');
});

test('a run that is ended counts what ended, and names what was still running', async () => {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const config = join(import.meta.dirname, 'fixture', 'vitest.config.ts');
  const reporter = `--reporter=${join(root, '.ci', 'reporter.mjs')}`;
  const run = step('npm test', 600, process.execPath, vitest, 'run', '--config', config, reporter);
  const ended = printed(run);
  const pidFile = join(directory, 'pid');
  await vi.waitFor(() => expect(existsSync(pidFile)).toBe(true), { timeout: 50_000, interval: 50 });
  const report = () => readFileSync(join(directory, 'npm test.jsonl'), 'utf8');
  const there = [/"runs on".*"running"/, /ends.fixture.ts","state":"failed"/, /no-hook.*"failed"/];
  await vi.waitFor(
    () => {
      for (const line of there) expect(report()).toMatch(line);
    },
    { timeout: 50_000, interval: 50 },
  );
  run.kill('SIGTERM');
  expect((await ended)[0]).toBe(143);
  const left = Number(readFileSync(pidFile, 'utf8'));
  await expect.poll(() => alive(left), GONE).toBe(false);

  appendFileSync(join(directory, 'failed-steps'), 'npm test\n');
  const long = { files: ['a.long.test.ts', 'b.long.test.ts'] };
  appendFileSync(
    join(directory, 'npm run test:long.jsonl'),
    `${JSON.stringify(long)}\n{"file":"a.long.test.ts","state":"passed"}\n{"file":"b.l`,
  );
  const sum = spawnSync(process.execPath, [join(root, '.ci', 'sum.mjs'), directory]);
  const lines = `${sum.stdout}`.split('\n');
  const here = 'test/ci/fixture';
  expect(lines.filter((line) => line.startsWith('failed: ')).sort()).toEqual([
    'failed: b.long.test.ts, which was never begun',
    `failed: ${here}/ends.fixture.ts > fails`,
    `failed: ${here}/no-hook.fixture.ts`,
    `failed: ${here}/runs-on.fixture.ts > runs on, which was still running`,
  ]);
  expect(`${sum.stdout}`).toContain('Error: no hook');
  expect(lines.at(-2)).toBe('2 passed, 4 failed');
  expect(sum.status).toBe(1);
});
