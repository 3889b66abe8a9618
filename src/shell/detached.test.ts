/** Jobs that outlive their line: what the shell asks of whoever carries them out, and what it tells of them. */
import { describe, expect, test } from 'vitest';
import { FsError } from '../errors.ts';
import { type Background, type BackgroundJob, runsCommand } from './background.ts';
import { testShell } from './test-shell.ts';

/** Carries out nothing: its jobs run until a test ends them. */
class Jobs implements Background {
  readonly rows: BackgroundJob[] = [];
  readonly told: BackgroundJob[] = [];
  readonly signals: [number, number][] = [];
  readonly forgotten: number[] = [];
  full = false;
  #waiting: (() => void)[] = [];

  async begin({ text }: { text: string }): Promise<BackgroundJob> {
    if (this.full)
      throw new FsError('EAGAIN', { op: 'begin', path: '/session/jobs', reason: 'three at most' });
    const number = this.rows.length + this.told.length + 1;
    const job = { number, pid: 500 + number, text, status: null, signal: 0, origins: [] };
    this.rows.push(job);
    return job;
  }
  async list(): Promise<BackgroundJob[]> {
    return this.rows.map((row) => ({ ...row }));
  }
  async ended(id: number): Promise<BackgroundJob | null> {
    const row = [...this.rows, ...this.told].find(({ number, pid }) => id === number || id === pid);
    if (row === undefined) return null;
    while (row.status === null) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return row;
  }
  async signal(number: number, signal: number): Promise<void> {
    this.signals.push([number, signal]);
    this.end(number, 128 + signal, signal);
  }
  async forget(numbers: readonly number[]): Promise<void> {
    this.forgotten.push(...numbers);
    for (const number of numbers) {
      const at = this.rows.findIndex((row) => row.number === number);
      if (at !== -1) this.told.push(...this.rows.splice(at, 1));
    }
  }
  end(number: number, status: number, signal = 0): void {
    const row = this.rows.find((each) => each.number === number);
    Object.assign(row ?? {}, { status, signal });
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

function shellWith(count = 0): { jobs: Jobs; run: ReturnType<typeof testShell>['run'] } {
  const jobs = new Jobs();
  for (let number = 1; number <= count; number++)
    jobs.rows.push({
      number,
      pid: 500 + number,
      text: `job ${number} x`,
      status: null,
      signal: 0,
      origins: [],
    });
  return { jobs, run: testShell({}, { background: jobs }).run };
}

test('a job begins, is told of by its number, and where its output is; its line ends', async () => {
  const { jobs, run } = shellWith();
  const begun = await run('sleep 100  & echo $!');
  expect(begun).toEqual({
    stdout: '501\n',
    stderr:
      '[1] 501\ndirigent: job 1 goes on beside what follows; its output is in /session/jobs/1/\n',
    exitCode: 0,
  });
  expect(jobs.rows.map(({ text }) => text)).toEqual(['sleep 100']);
  const terminal = { columns: 80, rows: 24, color: false, ask: async () => null };
  expect((await run('echo "$COLUMNS $LINES"; true &', { terminal })).stderr).toBe('[2] 502\n');
});

test('a job that cannot begin says why, and the line goes on', async () => {
  const { jobs, run } = shellWith();
  jobs.full = true;
  expect(await run('sleep 1 & echo "$? on"')).toEqual({
    stdout: '254 on\n',
    stderr: 'bash: fork: Resource temporarily unavailable\ndirigent: three at most\n',
    exitCode: 0,
  });
});

test.each([
  'sleep 1 & wait',
  'f() { wait; }; sleep 0 & f',
  'sleep 0 & x=$(wait)',
  'sleep 0 & (wait)',
])('a line that waits has its jobs in it: %s', async (line) => {
  const { jobs, run } = shellWith();
  await run(line.replace('sleep 1', 'sleep 0'));
  expect(jobs.rows).toEqual([]);
});

test('a command is found wherever a script may run it, and not where it is a word', () => {
  const word = (value: string) => ({ parts: [{ type: 'Literal', value }] });
  const command = (name: unknown, args: unknown[] = []) => ({ type: 'SimpleCommand', name, args });
  expect(runsCommand([null, 3, { body: [command(word('wait'))] }], 'wait')).toBe(true);
  expect(runsCommand(command(word('echo'), [word('wait')]), 'wait')).toBe(false);
  expect(runsCommand(command(null), 'wait')).toBe(false);
  const two = { parts: [...word('wait').parts, ...word('er').parts] };
  expect(runsCommand(command(two), 'wait')).toBe(false);
  const quoted = { parts: [{ type: 'SingleQuoted', value: 'wait' }] };
  expect(runsCommand(command(quoted), 'wait')).toBe(false);
});

test('jobs are listed, the last ones marked; those that have ended once, with how they did', async () => {
  const { jobs, run } = shellWith(6);
  jobs.end(1, 0);
  jobs.end(2, 3);
  jobs.end(3, 143, 15);
  jobs.end(4, 137, 9);
  expect((await run('jobs -r')).stdout).toBe(
    '[5]-  Running                 job 5 x &\n[6]+  Running                 job 6 x &\n',
  );
  expect((await run('jobs -p')).stdout).toBe('501\n502\n503\n504\n505\n506\n');
  expect(jobs.forgotten).toEqual([]);
  expect((await run('jobs')).stdout).toBe(
    '[1]   Done                    job 1 x\n[2]   Exit 3                  job 2 x\n' +
      '[3]   Terminated              job 3 x\n[4]   Killed                  job 4 x\n' +
      '[5]-  Running                 job 5 x &\n[6]+  Running                 job 6 x &\n',
  );
  expect(jobs.forgotten).toEqual([1, 2, 3, 4]);
  expect((await run('jobs -l')).stdout).toBe(
    '[5]- 505 Running                 job 5 x &\n[6]+ 506 Running                 job 6 x &\n',
  );
});

describe('waiting', () => {
  test('for all of them forgets them, for one gives its status', async () => {
    const { jobs, run } = shellWith(3);
    jobs.end(2, 5);
    expect((await run('wait %2; echo $?')).stdout).toBe('5\n');
    expect(jobs.forgotten).toEqual([2]);
    // It was told of: its status is known all the same, by its number and its pid.
    expect((await run('wait 502; echo $?; wait %2; echo $?; wait 2; echo $?')).stdout).toBe(
      '5\n5\n127\n',
    );
    const waits = run('wait; echo "$? all"');
    setTimeout(() => {
      jobs.end(1, 0);
      jobs.end(3, 4);
    }, 20);
    expect((await waits).stdout).toBe('0 all\n');
    expect([...new Set(jobs.forgotten)]).toEqual([2, 1, 3]);
  });

  test('for the next one to end, by name or of some, puts its number where it is to be', async () => {
    const { jobs, run } = shellWith(3);
    const next = run('wait -n -p id %1 %2; echo "$? $id"');
    setTimeout(() => {
      jobs.end(3, 7);
      jobs.end(2, 6);
    }, 20);
    expect((await next).stdout).toBe('6 502\n');
    expect((await run('wait -p id %3; echo "$? $id"')).stdout).toBe('7 503\n');
  });

  test('for what is not there says so', async () => {
    const { run } = shellWith();
    expect(
      await run('wait %9; echo $?; wait 77; echo $?; wait x; echo $?; wait -n; echo $?'),
    ).toEqual({
      stdout: '127\n127\n1\n127\n',
      stderr:
        "bash: wait: %9: no such job\nbash: wait: pid 77 is not a child of this shell\nbash: wait: `x': not a pid or valid job spec\n",
      exitCode: 0,
    });
  });

  test('ends with the line, and the job goes on', async () => {
    const { jobs, run } = shellWith(1);
    const { exitCode } = await run('wait; echo no', { deadlineMs: 50 });
    expect(exitCode).toBe(124);
    expect([jobs.rows.length, jobs.forgotten]).toEqual([1, []]);
  });
});

test('a signal reaches the job that is meant, by its number, its pid, its text or its place', async () => {
  const { jobs, run } = shellWith(6);
  expect((await run('kill %1; kill -9 502; kill -HUP "%job 3"; kill %?4')).stderr).toBe('');
  expect(jobs.signals).toEqual([
    [1, 15],
    [2, 9],
    [3, 1],
    [4, 15],
  ]);
  expect((await run('kill -0 %5; echo $?; kill -CHLD %5; echo $?')).stdout).toBe('0\n0\n');
  expect(jobs.signals).toHaveLength(4);
  await run('kill %+');
  expect(jobs.signals.at(-1)).toEqual([6, 15]);
  await run('kill %-; kill %%');
  expect(jobs.signals.slice(5)).toEqual([[5, 15]]);
  const gone = await run('kill %1; kill 501; kill %9; kill 99; kill x; echo $?');
  expect(gone.stderr).toBe(
    'bash: kill: (501) - No such process\nbash: kill: (501) - No such process\nbash: kill: %9: no such job\nbash: kill: (99) - No such process\nbash: kill: x: arguments must be process or job IDs\n',
  );
  expect(gone.stdout).toBe('1\n');
});

test('a job is not held for a while, and the shell itself is asked whether it is there', async () => {
  const { jobs, run } = shellWith(1);
  expect(await run('kill -STOP %1; echo $?; kill -0 $$; echo $?; kill -0 0; echo $?')).toEqual({
    stdout: '1\n0\n0\n',
    stderr: 'bash: kill: %1: a job cannot be stopped for a while here, only ended\n',
    exitCode: 0,
  });
  expect(jobs.signals).toEqual([]);
});

test('a job that is disowned is forgotten and goes on', async () => {
  const { jobs, run } = shellWith(4);
  expect((await run('disown; disown %1 503; disown %9 2>&1; echo $?')).stdout).toBe(
    'bash: disown: %9: no such job\n1\n',
  );
  expect(jobs.forgotten).toEqual([4, 1, 3]);
  expect((await run('disown -a; echo $?; disown 2>&1; echo $?')).stdout).toBe(
    '0\nbash: disown: current: no such job\n1\n',
  );
  expect(jobs.forgotten).toEqual([4, 1, 3, 2]);
  expect(jobs.told.every(({ status }) => status === null)).toBe(true);
});
