/** What a shell keeps from line to line, forgets, and tells of itself; and what a line is given. */
import { expect, test } from 'vitest';
import type { TerminalRequest } from './terminal.ts';
import { testShell } from './test-shell.ts';

test.each([
  ['x=1', true],
  ['cd /', true],
  ['a=(1)', true],
  ['f() { :; }', true],
  ['set -u', true],
  ['shopt -s nullglob', true],
  ['set -- a', true],
  ['echo a', false],
  ['echo a | cat; false', false],
  ['x=1 true', false],
  ['echo $HOME', true],
  ['readonly x', true],
  ['unset PATH', true],
  ['', false],
])('a line leaves something that a later one could show: %j, %s', async (line, leaves) => {
  const { shell, run } = testShell({ '/work/f': 'x' });
  expect(shell.leftAnything()).toBe(false);
  await run('echo before');
  await run(line);
  expect(shell.leftAnything()).toBe(leaves);
});

test('what a line had left, and the next one left as it was, is left no more', async () => {
  const { shell, run } = testShell();
  await run('x=1; declare -i n');
  await run('echo "$x"');
  await run('true');
  expect(shell.leftAnything()).toBe(false);
  await run('unset x n');
  expect(shell.leftAnything()).toBe(true);
});

test('a shell begins anew, or as another one was; nothing of it is shared', async () => {
  const { shell, run } = testShell();
  await run('x=1; cd /; f() { echo f; }; a=(1 2)');
  const state = shell.state();
  const kept = structuredClone(state);
  await run('x=2; a[0]=changed; unset -f f; cd /work');
  expect(state).toEqual(kept);
  shell.reset();
  expect((await run('echo "[$x$a]" "$PWD" "${OLDPWD-none}"; f')).stdout).toBe('[] /work none\n');
  shell.reset(state);
  expect((await run('echo "$x ${a[*]} $PWD"; f; x=3')).stdout).toBe('1 1 2 /\nf\n');
  expect(testShell({}, { state }).shell.state().env.get('x')).toBe('1');
});

test('a line has its own directory, variables and input, and the next one has not', async () => {
  const { run } = testShell({ '/work/d/f': '' });
  const given = { cwd: '/work/d', env: { V: 'v' }, stdin: 'typed\n' };
  expect((await run('pwd; echo "$V"; printenv V; cat; W=w', given)).stdout).toBe(
    '/work/d\nv\nv\ntyped\n',
  );
  expect((await run('pwd; echo "${V-none} $W"; printenv V; echo $?')).stdout).toBe(
    '/work\nnone w\n1\n',
  );
  const bytes = await run('wc -c', { stdin: Uint8Array.of(0xff, 0x00, 0x0a) });
  expect(bytes.stdout.trim()).toBe('3');
});

test('a line that was stopped before it began does nothing, and says so by its status', async () => {
  const { run } = testShell();
  const stopped = await run('echo no; touch f', { signal: AbortSignal.abort() });
  expect(stopped).toEqual({ stdout: '', stderr: '', exitCode: 130 });
  expect((await run('[ -e f ] || echo none')).stdout).toBe('none\n');
  const stop = new AbortController();
  const later = run('echo begun; while true; do sleep 0.01; done; echo no', {
    signal: stop.signal,
  });
  setTimeout(() => stop.abort(), 30);
  expect(await later).toMatchObject({ stdout: 'begun\n', exitCode: 130 });
});

test('lines run one after the other, and tell whether they ended by exit', async () => {
  const { shell } = testShell();
  const lines = ['sleep 0.02; x=1', 'echo $x; exit 3', 'false', 'echo on'];
  const outcomes = await Promise.all(lines.map((line) => shell.exec(line)));
  expect(outcomes.map(({ exitCode, exited }) => [exitCode, exited])).toEqual([
    [0, false],
    [3, true],
    [1, false],
    [0, false],
  ]);
  expect(Buffer.from(outcomes[1]?.stdout ?? []).toString()).toBe('1\n');
});

test('what stops a line is said, with how much it was', async () => {
  const { run } = testShell();
  const late = await run('while :; do :; done', { deadlineMs: 60 });
  expect(late).toMatchObject({
    exitCode: 124,
    stderr: 'dirigent: stopped after 0.1 s (deadline)\n',
  });
  const much = await run('while :; do echo 0123456789; done', { maxOutput: 2 ** 20 / 4 });
  expect(much.exitCode).toBe(126);
  expect(much.stderr).toBe('dirigent: stopped after 0.3 MiB of output\n');
});

test('at a terminal a line has its size, its aliases, its history and its keyboard', async () => {
  const { run } = testShell();
  const requests: TerminalRequest[] = [];
  const terminal = {
    columns: 99,
    rows: 33,
    color: true,
    async ask(request: TerminalRequest) {
      requests.push(request);
      return request.kind === 'history' ? 'first\n\nsecond line\nthird\n' : 'typed';
    },
  };
  const { stdout } = await run('echo "$COLUMNS $LINES"\nalias q="echo alias"\nq a', { terminal });
  expect(stdout).toBe('99 33\nalias a\n');
  expect((await run('history; history 2; history 9 | wc -l; history 0', { terminal })).stdout).toBe(
    '    1  first\n    2  second line\n    3  third\n    2  second line\n    3  third\n3\n',
  );
  expect(await run('history x; echo $?; history 1 y; echo $?', { terminal })).toMatchObject({
    stdout: '2\n2\n',
    stderr:
      'bash: history: x: only a number of lines can be given\nbash: history: y: only a number of lines can be given\n',
  });
  expect((await run('history; echo $?')).stdout).toBe('0\n');
  const read = await run('read -p "Name: " x; echo "<$x>"; cat; cat f 2> /dev/null', { terminal });
  expect(read.stdout).toBe('<typed>\ntyped');
  expect(requests.filter(({ kind }) => kind !== 'history')).toEqual([
    { kind: 'line', prompt: 'Name: ', hidden: false },
    { kind: 'rest' },
  ]);
});

test('what this shell has for bash’s other builtins', async () => {
  const { run } = testShell();
  expect((await run('help')).stdout).toContain('grep QUERY');
  expect((await run('help cd')).stdout).not.toContain('grep QUERY');
  expect(await run('times; umask 077; echo $?; ulimit; ulimit -n; ulimit -a; echo $?; fg')).toEqual(
    {
      stdout: '0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n1\nunlimited\nunlimited\n1\n',
      stderr:
        'bash: umask: the mask cannot be changed in this shell; use chmod\nbash: ulimit: the limits of this shell cannot be listed or changed\nbash: fg: no job control\n',
      exitCode: 1,
    },
  );
  expect((await run('ulimit -n 5')).exitCode).toBe(1);
});
