/** timeout with GNU's options and exit statuses. */
import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { durationOf } from './index.ts';

const world = await inProcessWorld({ roots: ['/work'], cwd: '/work' });

test.each([
  ['timeout .05 sleep 30', 124],
  ['timeout --signal=KILL 0.05s sleep 30', 137],
  ['timeout -k 1 -s 3 .05 sleep 30', 124],
  ['timeout --preserve-status .05 sleep 30', 143],
  ['timeout --preserve-status -s QUIT .05 sleep 30', 131],
  ['timeout 1m sh -c "exit 7"', 7],
  ['timeout 30 sh -c "exit 124"', 124],
  // More than a timer can hold, and no limit at all.
  ['timeout 99999d true', 0],
  ['timeout 0 true', 0],
  ['timeout -- 5 true', 0],
])('%s: status %i, and nothing on stderr', async (line, status) => {
  const { stderr, exitCode } = await world.run(line);
  expect([exitCode, stderr]).toEqual([status, '']);
});

test.each([
  ['timeout', 'missing operand'],
  ['timeout 5', 'missing operand'],
  ['timeout 1x true', "invalid time interval '1x'"],
  ['timeout -k soon 1 true', "invalid time interval 'soon'"],
  ['timeout -s MONKEY 1 true', "'MONKEY': invalid signal"],
  ['timeout --until 1 true', "unrecognized option '--until'"],
])('%s: status 125, and why', async (line, message) => {
  const { stderr, exitCode } = await world.run(line);
  expect(exitCode).toBe(125);
  expect(stderr).toContain(message);
});

test('-v says which signal would have been sent, and what another command was to read is said to be lost', async () => {
  const { stderr } = await world.run('timeout -v -s INT .05 sleep 30');
  expect(stderr).toBe("timeout: sending signal INT to command 'sleep'\n");
  const piped = await world.run("timeout .3 sh -c 'echo a; sleep 30' | cat");
  expect(piped.stderr).toContain('what it had printed so far is lost');
});

test.each([
  ['1', 1000],
  ['2s', 2000],
  ['1m', 60_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['.5', 500],
  ['1.5m', 90_000],
  ['1e1', 10_000],
  ['0', 0],
  ['0d', 0],
  ['1e-9', 1],
])('a duration of %s is %d ms, and one at least where there is a limit', (text, limit) => {
  expect(durationOf(text)).toBe(limit);
});
