/** Jobs that outlive their line: `cmd &` of a world. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Approval, createWorld, type World } from '../../entry/index.ts';
import { temporaryDirectory, testWorld } from './harness.ts';

let world: World;
let deployment: string;
const asked: Approval[] = [];

const POLICY = `sandbox: full
rules:
  - {name: locked, decision: deny, op: change, path: "/workspace/locked/**"}
  - {name: bulk, decision: deny, op: change, path: "/workspace/bulk/**", bulk: 3}
  - {name: asks, decision: ask, op: change, path: "/workspace/asks/**"}
`;

beforeAll(() => {
  deployment = mkdtempSync(join(tmpdir(), 'dirigent-test-'));
  for (const name of ['harness', 'workspace/locked', 'workspace/asks'])
    mkdirSync(join(deployment, name), { recursive: true });
  writeFileSync(join(deployment, 'harness', 'policy.yaml'), POLICY);
  world = createWorld(
    { jobs: { max: 4, maxOutputBytes: 100_000 } },
    { deployment, onApproval: (approval) => asked.push(approval) },
  );
  return async () => {
    await world.close();
    rmSync(deployment, { recursive: true, force: true });
  };
});

/** Runs a line as an agent, and gives what it printed. */
const run = async (line: string, context = {}) =>
  world.exec(line, { context: { actor: 'assistant', ...context }, timeoutMs: 9000 });
const shown = async (line: string) => (await run(line)).stdout;

/** Begins a job, and gives its number and `$!`. */
async function begin(line: string, context = {}): Promise<{ number: number; pid: number }> {
  const { stderr } = await run(`${line} &`, context);
  const [, number, pid] = /^\[(\d+)\] (\d+)$/m.exec(stderr) ?? [];
  expect(number, stderr).toBeDefined();
  return { number: Number(number), pid: Number(pid) };
}

const filesOf = (number: number) =>
  shown(`(cd /session/jobs/${number}; tail -n +1 status stdout stderr)`);

test('a job goes on when its line has ended, with what its shell knew, and its output is there while it runs', async () => {
  await run('f() { echo "f $1 ${a[1]}"; }; a=(p q); x=7; mkdir -p d; cd d');
  const { number } = await begin(
    '{ f $x; touch begun; until [ -e go ]; do sleep 0.05; done; pwd; echo err >&2; exit 3; }',
  );
  await run('until [ -e begun ]; do sleep 0.05; done');
  expect(await filesOf(number)).toBe(
    '==> status <==\nrunning\n\n==> stdout <==\nf 7 q\n\n==> stderr <==\n',
  );
  expect(await shown('jobs')).toMatch(new RegExp(`^\\[${number}\\]\\+ +Running +\\{ f`));
  const { exitCode } = await run(`x=8; touch go; wait %${number}`);
  expect(exitCode).toBe(3);
  expect(await filesOf(number)).toBe(
    '==> status <==\nexited 3\n\n==> stdout <==\nf 7 q\n/workspace/d\n\n==> stderr <==\nerr\n',
  );
  expect(await shown('jobs; cd ..; echo $x')).toBe('8\n');
});

test('it is an entry of the log when it begins and one when it ends, in the name of whoever started it', async () => {
  const { number } = await begin('echo said > made');
  await run(`wait %${number}`);
  const entries = world.session.entries();
  const start = entries.find(({ job }) => job === number);
  expect(start).toMatchObject({
    type: 'bash_start',
    command: 'echo said > made &',
    actor: 'assistant',
  });
  expect(entries.find((entry) => entry['start'] === start?.id)).toMatchObject({
    exitCode: 0,
    changed: [{ path: '/workspace/made' }],
  });
});

test('the end of one is told at the next line, once, and to whoever started it', async () => {
  const { number, pid } = await begin('(exit 4)');
  await world.exec(`wait ${pid}`, { context: { actor: 'other' } });
  const lines: string[] = [];
  for (let tries = 0; lines.length < 1 && tries < 200; tries++) {
    expect((await world.exec('sleep 0.02', { context: { actor: 'other' } })).stderr).toBe('');
    lines.push(...(await run('true')).stderr.split('\n').filter((line) => line !== ''));
  }
  expect(lines).toEqual([`[${number}]+  Exit 4                  (exit 4)`]);
  expect((await run('jobs; true')).stderr).toBe('');
  expect((await run(`wait ${pid}`)).exitCode).toBe(4);
});

test('`kill` ends one, one that spins included, and its trap goes first; whoever else has none of it', async () => {
  const spins = await begin('while :; do :; done');
  const other = { context: { actor: 'other' } };
  expect((await world.exec(`kill %${spins.number}`, other)).stderr).toContain('no such job');
  expect((await run(`kill -9 ${spins.pid}; wait ${spins.pid}`)).exitCode).toBe(137);
  const traps = await begin(
    '{ trap "echo bye; exit 5" TERM; touch up; while :; do sleep 0.05; done; }',
  );
  await run('until [ -e up ]; do sleep 0.05; done');
  expect((await run(`kill ${traps.pid}; wait ${traps.pid}`)).exitCode).toBe(5);
  expect(await shown(`cat /session/jobs/${traps.number}/stdout`)).toBe('bye\n');
});

test('what an agent wrote moves no cursor of the person who lists its job; whoever wrote it reads it as it was', async () => {
  const escaping = '{ sleep 60; : "\u001b[2J\r[1]+  Done"; }';
  const { number } = await begin(escaping);
  const { stdout } = await world.exec('jobs');
  expect(stdout).toContain(`[${number}]`);
  expect(stdout).not.toMatch(/[\u001b\r]/);
  expect(await shown('jobs')).toContain(escaping);
  await run(`kill %${number}; wait %${number}`);
});

test('Ctrl-C ends the waiting for one, not the job; and what is disowned is neither waited for nor told of', async () => {
  const { number } = await begin('{ until [ -e end ]; do sleep 0.05; done; echo done; }');
  const stop = new AbortController();
  const waiting = world.exec(`echo waits; wait %${number}; echo never`, {
    signal: stop.signal,
    context: { actor: 'assistant' },
    onOutput: () => stop.abort(),
  });
  expect(await waiting).toMatchObject({ exitCode: 130, stdout: 'waits\n' });
  expect(await shown('jobs -r')).toContain(`[${number}]`);
  expect(await shown('disown; jobs; wait; echo waited')).toBe('waited\n');
  expect(await shown(`cat /session/jobs/${number}/status`)).toBe('running\n');
  await run(
    `touch end; until [ "$(cat /session/jobs/${number}/status)" != running ]; do sleep 0.05; done`,
  );
  expect((await run('true')).stderr).toBe('');
});

test('a line that waits has its jobs in it, with what they print; a line whose world ends with it, too', async () => {
  const before = await shown('ls /session/jobs');
  expect(await shown('{ sleep 0.05; echo a; } & echo b & wait; echo c')).toBe('b\na\nc\n');
  const kept = await world.exec('{ sleep 0.05; echo late; } & echo first', { keepsJobs: true });
  expect(kept.stdout).toBe('first\nlate\n');
  expect(await shown('x=$(echo in & echo out); echo $x; { echo p & } | cat')).toBe('in out\np\n');
  expect(await shown('ls /session/jobs')).toBe(before);
});

test('no more run than may, and one that prints too much is ended and says so', async () => {
  const { stderr, exitCode } = await run('for i in 1 2 3 4 5; do sleep 60 & done');
  expect(exitCode).toBe(254);
  expect(stderr).toMatch(/fork: Resource temporarily unavailable\ndirigent: 4 jobs run at once/);
  await run('kill %1 %2 %3 %4 2> /dev/null; for p in $(jobs -p); do kill $p; done; wait');
  const { number } = await begin('yes | head -c 300000');
  await run(`wait %${number}`);
  expect(await shown(`cat /session/jobs/${number}/stderr`)).toContain('File too large (EFBIG)');
  expect(Number(await shown(`wc -c < /session/jobs/${number}/stdout`))).toBe(100_000);
});

test('a command that spins is ended without what goes on beside it: not an operation of the job is lost', async () => {
  const { number } = await begin('for i in {1..40}; do echo $i >> log; sleep 0.02; done');
  await run('until [ -s log ]; do sleep 0.02; done');
  const spun = await world.exec('awk "BEGIN { while (1) x++ }"', { timeoutMs: 300 });
  expect(spun.exitCode).toBe(124);
  expect((await run(`wait %${number}`)).exitCode).toBe(0);
  expect(await shown('cat log')).toBe(Array.from({ length: 40 }, (_, i) => `${i + 1}\n`).join(''));
});

test('each of its operations meets the policy that is in force then, and a refusal is in its stderr and in the log', async () => {
  const { number } = await begin(
    '{ echo x > locked/a; echo x > early; until [ -e edited ]; do sleep 0.05; done; echo x > late; }',
  );
  await run('until [ -e early ]; do sleep 0.05; done');
  const deny = '  - {name: later, decision: deny, op: change, path: "/workspace/late"}\n';
  writeFileSync(join(deployment, 'harness', 'policy.yaml'), `${POLICY}${deny}`);
  expect((await run(`touch edited; wait %${number}`)).exitCode).toBe(1);
  const stderr = await shown(`cat /session/jobs/${number}/stderr`);
  expect(stderr).toMatch(
    /locked\/a: Permission denied\n.*locked[\s\S]*late: Permission denied\n.*later/,
  );
  const start = world.session.entries().find(({ job }) => job === number);
  const end = world.session.entries().find((entry) => entry['start'] === start?.id);
  expect(end?.['refused']).toMatchObject([
    { path: '/workspace/locked/a' },
    { path: '/workspace/late' },
  ]);
  expect(await shown('ls locked late 2>&1')).toContain('cannot access');
});

test('its operations are counted together, as those of a line are: what is done in bulk is refused', async () => {
  const line = 'for i in 1 2 3 4 5; do echo x > bulk/$1$i; done';
  await run('mkdir bulk');
  for (const context of [{ actor: 'user' }, { actor: 'assistant' }]) {
    await world.exec(`set -- ${context.actor}-line; ${line}`, { context });
    await world.exec(`set -- ${context.actor}-job; { ${line}; } &`, { context });
    await world.exec('wait', { context });
    const { actor } = context;
    const counted = ['line', 'job'].map((what) => `ls bulk | grep -c ${actor}-${what}`);
    expect.soft(await shown(counted.join('; ')), actor).toBe('3\n3\n');
  }
});

test('what asks is asked where somebody can be, and refused with its request where nobody is', async () => {
  const alone = await begin('echo x > asks/a', { attended: false });
  expect((await run(`wait %${alone.number}`)).exitCode).toBe(1);
  expect(await shown(`cat /session/jobs/${alone.number}/stderr`)).toMatch(/approvals allow \w+/);
  const before = asked.length;
  const there = await begin('echo y > asks/b', { attended: true });
  // A line beside it does not wait for the answer.
  while (asked.length === before) await run('sleep 0.02');
  await world.approvals.answer(asked.at(-1)?.id ?? '', { decision: 'allow' });
  expect((await run(`wait %${there.number}; cat asks/b`)).stdout).toBe('y\n');
  expect(await run('cat asks/a')).toMatchObject({ exitCode: 1 });
});

test('a job ends with its world, is said to be interrupted by the next one, and is not run again', async () => {
  const state = temporaryDirectory();
  const first = createWorld({ state }, {});
  await first.exec('{ echo begun; sleep 60; echo more >> again; } &');
  await first.exec('until [ -s /session/jobs/1/stdout ]; do sleep 0.05; done');
  await first.close();
  const next = testWorld({ state }, { session: first.session.id });
  const { stderr, stdout } = await next.exec('cat /session/jobs/1/status /session/jobs/1/stdout');
  expect(stdout).toBe('interrupted\nbegun\n');
  expect(stderr).toMatch(/^dirigent: job 1 \(.*\) was interrupted when its world ended/);
  const again = await next.exec('ls; true & ls /session/jobs');
  expect(again).toMatchObject({
    stdout: '1\n2\n',
    stderr: expect.not.stringContaining('interrupted'),
  });
  const log = readFileSync(next.session.file, 'utf8');
  expect(log).toContain('"interrupted":true');
});
