import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

const world = () => inProcessWorld({ roots: ['/work'], files: {}, cwd: '/work' });

test('what is missing is told as missing, what is a loop as a loop', async () => {
  const { run } = await world();
  expect((await run('tac nosuch')).stderr).toBe('tac: nosuch: No such file or directory\n');
  expect((await run('ln -s loop loop; tac loop; awk 1 loop')).stderr).toBe(
    "tac: loop: Too many levels of symbolic links\nawk: fatal: cannot open file `loop' for reading: Too many levels of symbolic links\n",
  );
});

test('a redirection from a loop is told as one', async () => {
  const { run } = await world();
  expect((await run('ln -s loop loop; cat < loop')).stderr).toBe(
    'bash: loop: Too many levels of symbolic links\n',
  );
});

test('the sums tell their errors on stderr', async () => {
  const { run } = await world();
  expect(await run('md5sum nosuch')).toMatchObject({
    stdout: '',
    stderr: 'md5sum: nosuch: No such file or directory\n',
    exitCode: 1,
  });
});

test('no message advises what cannot be done here', async () => {
  const { run } = await world();
  expect((await run('python3 -c 1')).stderr).toBe('bash: python3: there is no python3 here\n');
  const { stderr, exitCode } = await run('f() { f; }; f');
  expect(stderr).toContain('maximum recursion depth');
  expect(stderr).not.toContain('executionLimits');
  expect(exitCode).not.toBe(0);
});

test('head refuses more of an endless device than it can hold', async () => {
  const { run } = await world();
  const { stdout, stderr, exitCode } = await run('head -c 1G /dev/zero');
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(stderr).toContain('/dev/zero');
});
