/** What `run` hands over, and what it says; the sandbox itself is tried in test/doors/programs.long.test.ts. */
import { expect, test } from 'vitest';
import { ConfigError } from '../../src/errors.ts';
import type { HostProgram, HostPrograms } from '../../src/shell/host-programs.ts';
import { inProcessWorld } from '../../test/world/in-process.ts';

async function shellWith(run: HostPrograms['run'], names: readonly string[] = ['python3', 'git']) {
  return inProcessWorld({
    roots: ['/w'],
    cwd: '/w',
    env: { GREETING: 'hello' },
    hostPrograms: names,
    runProgram: run,
  });
}

const said = (stdout: string, stderr = '', exitCode = 0) => ({
  stdout: Buffer.from(stdout),
  stderr: Buffer.from(stderr),
  exitCode,
});

test('a program gets its arguments, where the shell stands, what is exported and its stdin as bytes', async () => {
  const ran: HostProgram[] = [];
  const { run } = await shellWith(async (program) => {
    ran.push(program);
    return said('out\n', 'err\n', 7);
  });
  const told = await run(
    "mkdir d; cd d; export A=1; B=2; printf '\\377\\n' | run git log --help 'a b'; echo $?",
  );
  expect(told).toEqual({ stdout: 'out\n7\n', stderr: 'err\n', exitCode: 0 });
  const [program] = ran;
  expect(program).toMatchObject({ name: 'git', args: ['log', '--help', 'a b'], cwd: '/w/d' });
  expect(program?.env).toMatchObject({ A: '1', GREETING: 'hello' });
  expect(program?.env).not.toHaveProperty('B');
  expect([...(program?.stdin ?? [])]).toEqual([0xff, 0x0a]);
});

test('what it prints is bytes, which go through pipes as they are', async () => {
  const { run } = await shellWith(async () => ({
    ...said(''),
    stdout: new Uint8Array([0xff, 0x00, 0x0a]),
  }));
  expect((await run('run git | od -An -tx1')).stdout).toBe(' ff 00 0a\n');
});

test('a program that the deployment does not name is refused, with those that it does', async () => {
  const { run } = await shellWith(() => Promise.reject(new Error('nothing is to be run')));
  for (const name of ['bash', '/usr/bin/git', './git', 'git/../sh']) {
    const { exitCode, stderr } = await run(`run ${name}`);
    expect(exitCode).toBe(127);
    expect(stderr).toContain(
      `run: ${name}: no program that this world may run; there are python3, git`,
    );
  }
  expect((await run('run')).exitCode).toBe(125);
  expect((await run('run --help')).stdout).toContain('Programs: python3, git');
});

test('what is missing on the machine is a sentence, and the shell goes on', async () => {
  const { run } = await shellWith(() =>
    Promise.reject(new ConfigError('', 'bubblewrap is missing on this machine')),
  );
  expect(await run('run git status; echo $?')).toEqual({
    stdout: '126\n',
    stderr: 'run: git: bubblewrap is missing on this machine\n',
    exitCode: 0,
  });
});

test('a command that is stopped stops its program', async () => {
  const stopped = Promise.withResolvers<void>();
  const { run } = await shellWith(async (_program, signal) => {
    await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    stopped.resolve();
    return said('', '', 137);
  });
  expect((await run('timeout 0.2 run git; echo $?')).stdout).toBe('124\n');
  await stopped.promise;
});

test('without programs of the host there is no such command, and who deploys it is named', async () => {
  const { run } = await inProcessWorld({ roots: ['/w'], cwd: '/w' });
  const { exitCode, stderr } = await run('run python3');
  expect(exitCode).toBe(127);
  expect(stderr).toContain('run: command not found');
});
