/** Jobs run beside one another, each in a shell of its own. */
import { expect, test } from 'vitest';
import { createWorld } from '../../entry/index.ts';
import { testShell } from './test-shell.ts';

/** Two that only end if both run at once: each waits for the other's file. */
const MEET =
  'meet() { touch "$1"; for n in {1..200}; do [ -e "$2" ] && return 0; sleep 0.01; done; return 9; }\n';

test('jobs run side by side, and `wait` waits for all of them', async () => {
  const { run } = testShell();
  const { stdout } = await run(
    `${MEET}meet a b & one=$!; meet b a & two=$!; wait $one; echo $?; wait $two; echo $?; wait; echo $?`,
  );
  expect(stdout).toBe('0\n0\n0\n');
  expect((await run(`${MEET}meet c d & meet d c; echo $?`)).stdout).toBe('0\n');
  const loop = await run(
    `${MEET}for i in 1 2; do (meet e$i e$((3-i)); echo "$i $?") & done; wait; echo all`,
  );
  expect(loop.stdout.split('\n').sort()).toEqual(['', '1 0', '2 0', 'all']);
});

test('a job changes nothing of the shell that started it, and sees what that had then', async () => {
  const { run } = testShell();
  const { stdout } = await run(
    'x=1; a=(p q); f() { echo "f $x ${a[1]}"; }\n{ sleep 0.05; f; x=2; a[1]=changed; cd /; f() { :; }; } & x=3; wait; echo $x ${a[1]} $PWD; f',
  );
  expect(stdout).toBe('f 1 q\n3 q /work\nf 3 q\n');
  const own = await run(
    'g() { local v=$1; { sleep 0.03; echo $v $1; } & v=later; }; g a; g b; wait; for i in 1 2 3; do { sleep 0.0$((4-i)); [[ $i == [0-9] ]] && echo "$((i*2)) ${i#0}"; } & done; wait',
  );
  expect(own.stdout.split('\n').sort()).toEqual(['', '2 1', '4 2', '6 3', 'a a', 'b b']);
});

test('the status of a job is kept for `wait`, for the first to end with -n', async () => {
  const { run } = testShell();
  const { stdout } = await run(
    '{ sleep 0.2; exit 3; } & a=$!; (exit 4) & b=$!; wait -n; echo $?; wait -n; echo $?; wait -n; echo $?; wait $a; echo $?; wait %2; echo $?; wait 1234 2> /dev/null; echo $?',
  );
  expect(stdout).toBe('4\n3\n127\n3\n4\n127\n');
  const failed = await run(
    'set -e; false & wait $! || echo failed; set +e; false & echo on; wait; echo $?',
  );
  expect(failed.stdout).toBe('failed\non\n0\n');
});

test('`jobs` tells what runs and what has ended, and `kill` ends what runs', async () => {
  const { run } = testShell();
  const { stdout, stderr } = await run(
    'sleep 30 & p=$!; true & sleep 0.05; jobs; jobs -r; kill -0 $p && echo runs; kill $p; wait $p; echo $?; kill $p 2> /dev/null; echo $?; sleep 30 & kill -9 %%; wait $!; echo $?',
  );
  expect(stdout).toBe(
    '[1]-  Running                 sleep 30 &\n[2]+  Done                    true\n[1]+  Running                 sleep 30 &\nruns\n143\n1\n137\n',
  );
  expect(stderr).toBe('');
});

test('a line ends when its jobs have, and at its deadline they end with it', async () => {
  const { run } = testShell();
  expect((await run('{ sleep 0.05; echo late; } & echo first')).stdout).toBe('first\nlate\n');
  const { exitCode } = await run('sleep 30 & sleep 30 & wait', { deadlineMs: 200 });
  expect(exitCode).toBe(124);
  expect((await run('timeout 0.1 bash -c "sleep 30 & wait"; echo $?')).stdout).toBe('124\n');
  expect((await run('bash -c "{ sleep 0.02; echo in; } &"; echo out')).stdout).toBe('in\nout\n');
});

test('what a job prints into a pipe, a file or a variable is all there', async () => {
  const { run } = testShell();
  const { stdout } = await run(
    '{ echo a & echo b & wait; } | sort; { echo c & } > f; cat f; x=$(echo d & wait); echo $x; echo e > g & wait; cat g',
  );
  expect(stdout).toBe('a\nb\nc\nd\ne\n');
});

test('a failure of one is told once, and is not that of another', async () => {
  const { run } = testShell();
  const { stdout, stderr } = await run(
    'cat /nothing & for i in 1 2 3 4 5 6 7 8; do cat a.txt > /dev/null || echo wrong; done; echo x > /harness/no & cat a.txt; wait $!; echo $?',
  );
  expect(stdout).toBe('alpha\n1\n');
  expect(stderr.match(/\/nothing/g)).toHaveLength(1);
  expect(stderr.match(/\/harness\/no/g)?.length).toBeGreaterThan(0);
});

test('a job of a shell that begins anew has its own status, whatever job had its number before', async () => {
  await using world = createWorld({});
  const statusOf = async (line: string) => (await world.exec(line, { fresh: true })).exitCode;
  expect(await statusOf('(exit 3) & wait $!')).toBe(3);
  expect(await statusOf('(exit 4) & wait $!')).toBe(4);
});
