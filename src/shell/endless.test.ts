import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

const world = () => inProcessWorld({ roots: ['/work', '/tmp'], files: {}, cwd: '/work' });

test.each([
  'cat /dev/zero > f',
  'timeout 25 cat /dev/zero > f',
  "tr '\\0' x < /dev/zero > f",
  'cat < /dev/urandom > f',
  'cat /dev/zero | cat > f',
  'cat /dev/zero | wc -c',
  '{ cat /dev/zero; } | tr a b | sha256sum',
  'wc -c /dev/zero',
  'wc -c < /dev/full',
  'cp /dev/zero f',
  'tee f < /dev/zero | wc -c',
  'tr -dc a-z < /dev/urandom > f',
  'head -c 5M < /dev/urandom > f',
  'head -c -5 /dev/zero > f',
  'yes | { cat > f; }',
  'yes | bash -c "cat > f"',
  'f() { cat; }; yes | f | wc -l',
  'dd if=/dev/zero of=f',
  'head -c 10T /dev/zero > f',
  'yes > f',
])('%s fails, and says that what it read never ends', async (command) => {
  const { run } = await world();
  const { stderr, exitCode } = await run(command);
  expect(exitCode).not.toBe(0);
  expect(stderr).toMatch(/never ends|at most \d+ bytes/);
});

test.each([
  ['head -c 5 /dev/zero | wc -c', '5\n'],
  ['head -c 5 < /dev/zero | wc -c', '5\n'],
  ['head -c 3M /dev/zero > f; wc -c < f', '3145728\n'],
  ['cat /dev/zero | head -c 5 | wc -c', '5\n'],
  ['{ cat /dev/zero; } | head -c 5 | wc -c', '5\n'],
  ['timeout 5 cat /dev/zero | head -c 5 | wc -c', '5\n'],
  ['tr -dc a-z < /dev/urandom | head -c 8 | wc -c', '8\n'],
  ['tr -dc a-z < /dev/urandom | fold -w 8 | head -n 1 | wc -c', '9\n'],
  ['x=$(tr -dc a-z < /dev/urandom | head -c 8); echo ${#x}', '8\n'],
  ['od -An -N4 -tu4 /dev/urandom | wc -w', '1\n'],
  ['xxd -l 4 -p /dev/zero', '00000000\n'],
  ['dd if=/dev/zero bs=4 count=2 2> /dev/null | wc -c', '8\n'],
  ['dd bs=4 count=2 < /dev/zero 2> /dev/null | wc -c', '8\n'],
  ['read -rn 3 x < /dev/zero; echo $?', '0\n'],
  ['cat /dev/zero | true; echo $?', '0\n'],
  ['printf ab > f; cmp f /dev/zero', 'f /dev/zero differ: byte 1, line 1\n'],
  ['printf ab > f; cat /dev/zero | true; wc -c < f', '2\n'],
  ['touch g; yes | bash -c "rm -i g" 2> /dev/null; echo hi', 'hi\n'],
  ['yes | head -n 1', 'y\n'],
  ['yes | head -n 10000000 | wc -l', '10000000\n'],
  ['yes | sed 2q', 'y\ny\n'],
  ["yes | awk 'NR == 2 { print; exit }'", 'y\n'],
  ['yes | grep -m 1 y', 'y\n'],
  ['yes | grep -q y; echo $?', '0\n'],
  ['yes | { read x; echo $x; }', 'y\n'],
  ['yes | bash -c "read x; echo \\$x"', 'y\n'],
  ['yes | bash -c "echo hi"', 'hi\n'],
  ['yes | while read x; do echo $x; break; done', 'y\n'],
  ["echo 'read x; echo $x' > s; yes | bash s", 'y\n'],
  ['touch f; yes | rm -i f 2> /dev/null; ls', ''],
  ['f() { read x; echo $x; }; yes | f', 'y\n'],
  ['cat /dev/zero | true; printf ab | wc -c', '2\n'],
  ['head -c 4 /dev/zero > a; cat a a | wc -c', '8\n'],
])('%s: who wants a part is given it, and nothing is said', async (command, stdout) => {
  const { run } = await world();
  expect(await run(command)).toEqual({
    stdout,
    stderr: '',
    exitCode: command.includes('cmp f') ? 1 : 0,
  });
});

test('what was written up to there is left as it is', async () => {
  const { run } = await world();
  expect(
    (await run("tr '\\0' x < /dev/zero > f; echo $?; head -c 3 f; test -s f && echo ' kept'"))
      .stdout,
  ).toBe('1\nxxx kept\n');
});
