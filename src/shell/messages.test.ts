import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

const world = () => inProcessWorld({ roots: ['/work'], files: {}, cwd: '/work' });

test('what is missing is told as missing, what is a loop as a loop', async () => {
  const { run } = await world();
  expect((await run('tac nosuch')).stderr).toBe(
    "tac: failed to open 'nosuch' for reading: No such file or directory\n",
  );
  expect((await run('ln -s loop loop; tac loop; awk 1 loop')).stderr).toBe(
    "tac: failed to open 'loop' for reading: Too many levels of symbolic links\nawk: fatal: cannot open file `loop' for reading: Too many levels of symbolic links\n",
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
  expect((await run('python3 -c 1')).stderr).toMatch(/^bash: python3: there is no python3 here\n/);
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

test.each([
  ['make', 'nothing is compiled here'],
  ['pip3 install x', 'nothing can be installed here'],
  ['perl5.36 -e 1', 'this language is not here'],
  ['sudo ls', 'there is one user here'],
  ['gh issue list', 'issues and pull requests are files'],
  ['crontab -l', '/session/schedule'],
  ['vim a', 'edit PATH'],
  ['grpe x', 'did you mean grep?'],
  ['sha256sums x', 'did you mean sha256sum?'],
])('%s is told what to use here instead, with status 127', async (command, advice) => {
  const { run } = await world();
  const { stdout, stderr, exitCode } = await run(command);
  const [name = ''] = command.split(' ');
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 127 });
  expect(stderr.startsWith(`bash: ${name}: command not found\ndirigent: `)).toBe(true);
  expect(stderr).toContain(advice);
  expect(stderr.split('\n')).toHaveLength(3);
});

test('a name like no other is not found, and nothing is guessed; a script that asks first is told no', async () => {
  const { run } = await world();
  expect((await run('qqqqzzzz')).stderr).toBe('bash: qqqqzzzz: command not found\n');
  expect(await run('command -v make || echo none')).toMatchObject({ stdout: 'none\n', stderr: '' });
});
