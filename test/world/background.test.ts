/** Jobs that outlive their line: `cmd &` of a world. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Approval, createWorld, type World } from '../../entry/index.ts';
import { openAgent } from '../../src/agent/open-agent.ts';
import { NOTHING_PLANNED, type PlanScope } from '../../src/policy/plan.ts';
import type { FilesystemRights } from '../../src/policy/rights.ts';
import type { Entry } from '../../src/session/entry.ts';
import type { SessionLog } from '../../src/session/log.ts';
import { leaveJobs } from '../../src/world/background/left.ts';
import { testModel } from '../agent/support.ts';
import { calls, says } from '../stand-ins/model/index.ts';
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

test('what a world has left of jobs is told to whoever began each, with the labels of what that had read', async () => {
  const state = temporaryDirectory();
  const first = createWorld({ state }, {});
  const knowing = { actor: 'reader', untrustedRead: true, untrustedFrom: ['/mnt/gh'] };
  await first.exec('sleep 60 &', { context: knowing });
  await first.exec('sleep 61 &');
  await first.close();
  const next = testWorld({ state }, { session: first.session.id });
  const told = async (actor: string) => {
    const { stderr, read } = await next.exec('true', { context: { actor } });
    return [stderr.match(/sleep \d+/)?.[0], read];
  };
  expect(await told('writer')).toEqual([undefined, []]);
  expect(await told('user')).toEqual(['sleep 61', []]);
  expect(await told('reader')).toEqual(['sleep 60', ['copy:/mnt/gh']]);
  expect(await told('reader')).toEqual([undefined, []]);
});

test('of a job whose process was killed all services count, and its actor alone is told', () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, '1'));
  const entries: Entry[] = [];
  const add = (entry: object): void =>
    void entries.push({ id: String(entries.length), ...entry } as unknown as Entry);
  add({ type: 'bash_start', job: 1, command: 'x &', actor: 'reader' });
  add({ type: 'bash_start', command: 'ls' });
  const session = { entries: () => [...entries], append: add } as unknown as SessionLog;
  const left = () => leaveJobs(session, directory, ['/mnt/gh']).notices;
  expect(left()).toMatchObject([{ actor: 'reader', origins: ['/mnt/gh'] }]);
  add({ type: 'bash_start', command: 'ls' });
  // A line of somebody else has told of it to nobody.
  expect(left()).toMatchObject([{ actor: 'reader', origins: ['/mnt/gh'] }]);
  add({ type: 'bash_start', command: 'ls', actor: 'reader' });
  expect(left()).toEqual([]);
});

/** A job that tries to change something each time that it is told to, and gives what came of it. */
async function trying(context = {}): Promise<() => Promise<string>> {
  const directory = `/workspace/${randomUUID()}`;
  await world.fs.mkdir(directory);
  const each = `until [ -e ${directory}/$n ]; do sleep 0.02; done; if echo x > ${directory}/made; then echo yes; else echo no; fi`;
  const { number } = await begin(`{ for n in 0 1 2 3 4 5; do ${each}; done; }`, context);
  let step = 0;
  return async () => {
    await world.fs.writeFile(`${directory}/${step++}`, '');
    for (;;) {
      const told = await world.fs.readFile(`/session/jobs/${number}/stdout`);
      const answers = told.split('\n').slice(0, -1);
      if (answers.length === step) return answers.at(-1) ?? '';
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
}

test('a job has the rights that its agent has when it does something, and changes nothing that a plan of by then does not name', async () => {
  const { jobBounds } = world;
  const rights = (filesystem: FilesystemRights) =>
    new Map([['assistant', { filesystem, tools: [], skills: null }]]);
  jobBounds.agentsAre(rights('read-write'), true);
  const [job, persons] = [await trying(), await trying({ actor: 'user' })];
  expect([await job(), await persons()]).toEqual(['yes', 'yes']);
  let scope: PlanScope = NOTHING_PLANNED;
  const end = jobBounds.during(() => scope);
  // What the person in charge has begun is theirs.
  expect([await job(), await persons()]).toEqual(['no', 'yes']);
  scope = { writes: [{ path: '/workspace/*/made', operations: ['write'] }], tools: [] };
  expect(await job()).toBe('yes');
  end();
  jobBounds.agentsAre(rights('read-only'), false);
  expect(await job()).toBe('no');
  jobBounds.agentsAre(rights('read-write'), true);
  expect(await job()).toBe('yes');
  // The harness has no such agent any more.
  jobBounds.agentsAre(new Map(), true);
  expect([await job(), await persons()]).toEqual(['no', 'yes']);
  jobBounds.agentsAre(rights('read-write'), true);
  await run('kill %%; true', { actor: 'user' });
});

test('a job of an earlier turn changes nothing in a turn that plans, and nothing after its agent has lost the right', async () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, 'harness/agents'), { recursive: true });
  const write = (filesystem: string) =>
    writeFileSync(
      join(root, 'harness/agents/doer.md'),
      `---\ndescription: does\nfilesystem: ${filesystem}\n---\nYou do.\n`,
    );
  write('read-write');
  writeFileSync(join(root, 'harness/policy.yaml'), 'sandbox: full\nrules: []\n');
  const inner = testWorld({}, { deployment: root });
  const loop = (name: string) =>
    `until [ -e ${name} ]; do sleep 0.02; done; echo x > made-${name}; echo $?`;
  const held = Promise.withResolvers<void>();
  const model = await testModel([
    calls(['bash', { command: `{ ${loop('one')}; ${loop('two')}; } &` }]),
    says('begun'),
    { parts: [{ wait: held.promise }, { text: 'planned' }] },
    says('lost'),
  ]);
  const host = { base: root, env: { OPENAI_BASE_URL: model.url } };
  const agent = await openAgent(inner, host, { model: 'openai/m' });
  onTestFinished(() => agent.close());
  const printed = async (lines: number): Promise<string> => {
    for (;;) {
      const told = await inner.fs.readFile('/session/jobs/1/stdout');
      if (told.split('\n').length > lines) return told;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  await agent.run({ prompt: 'begin', agent: 'doer' });
  const planning = agent.run({ prompt: 'plan', agent: 'doer', plan: true });
  while (model.requests.length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
  await inner.fs.writeFile('/workspace/one', '');
  expect(await printed(1)).toBe('1\n');
  held.resolve();
  await planning;
  write('read-only');
  await agent.run({ prompt: 'go on', agent: 'doer' });
  await inner.fs.writeFile('/workspace/two', '');
  expect(await printed(2)).toBe('1\n1\n');
  expect(await inner.fs.readdir('/workspace')).toEqual(['one', 'two']);
});
