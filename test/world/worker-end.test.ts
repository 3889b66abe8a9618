/** However a world's worker ends, what was asked is answered, and the world goes on. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { spawnWorker } from '../../src/world/spawn-worker.ts';
import { temporaryDirectory, testWorld } from './harness.ts';

/** A mount whose files end the worker when they are read. */
const DEADLY = `
export default () => {
  const stat = { type: 'file', mode: 0o644, size: 1, mtime: new Date(0), ino: '1' };
  const deaths = {
    '/exit': () => process.exit(3),
    '/throw': () => new Promise(() => setTimeout(() => { throw new Error('a fault of the mount'); }, 0)),
    '/hang': () => new Promise(() => {}),
  };
  return {
    kind: 'deadly',
    local: false,
    searchable: false,
    lstat: async (path) => (path === '/' ? { ...stat, type: 'directory' } : stat),
    readdir: async () => Object.keys(deaths).map((path) => ({ name: path.slice(1), type: 'file' })),
    read: async (path) => deaths[path](),
  };
};
`;

function deadlyWorld() {
  const file = join(temporaryDirectory(), 'deadly.mjs');
  writeFileSync(file, DEADLY);
  const worker = spawnWorker();
  const world = testWorld(
    { mounts: { '/mnt/x': { source: `module:${file}`, search: false } } },
    { worker },
  );
  return { world, worker };
}

test('ended from outside while nothing runs: the next call and the next command are answered, with all that was', async () => {
  const { world, worker } = deadlyWorld();
  await world.exec('x=1; echo kept > f; cd /tmp');
  await worker.terminate();
  expect(await world.fs.readFile('/workspace/f')).toBe('kept\n');
  expect(await world.exec('echo $x; pwd')).toMatchObject({ exitCode: 0, stdout: '1\n/tmp\n' });
});

test('ended from outside before it was up: the next call has another one', async () => {
  const { world, worker } = deadlyWorld();
  const first = world.fs.readdir('/').catch((error: Error) => error.message);
  await worker.terminate();
  expect(await first).toBe('the worker of this world ended');
  expect(await world.fs.exists('/workspace')).toBe(true);
  expect((await world.exec('echo up')).stdout).toBe('up\n');
});

test('ended from outside while things are under way: the command is stopped, calls are refused, and both are told', async () => {
  const { world, worker } = deadlyWorld();
  await world.exec('echo kept > f');
  const command = world.exec('echo before; echo more > g; cat /mnt/x/hang');
  const call = world.fs.readFile('/mnt/x/hang').catch((error: Error) => error.message);
  while ((await world.fs.exists('/workspace/g')) === false);
  await worker.terminate();
  expect(await command).toMatchObject({
    exitCode: 137,
    stdout: 'before\n',
    stderr: 'dirigent: stopped: the worker of this world ended\n',
  });
  expect(await call).toMatch(/was ended .* and another one started: .* ask again$/);
  expect((await world.exec('cat f g')).stdout).toBe('kept\nmore\n');
  const types = world.session.entries().map(({ type }) => type);
  expect(types.filter((type) => type === 'bash_end')).toHaveLength(3);
});

test.each([
  ['exit', /ended/],
  ['throw', /a fault of the mount/],
])('ended from inside by a mount (%s): as often as it happens', async (name, said) => {
  const { world } = deadlyWorld();
  for (const round of [1, 2]) {
    const result = await world.exec(`echo ${round}; cat /mnt/x/${name}; echo never`);
    expect([result.exitCode, result.stdout]).toEqual([137, `${round}\n`]);
    expect(result.stderr).toMatch(said);
    await expect(world.fs.readFile(`/mnt/x/${name}`)).rejects.toThrow(said);
    expect((await world.exec('echo alive')).stdout).toBe('alive\n');
  }
});

test('a world that cannot begin says why at each command, and the log has the end of each', async () => {
  const file = join(temporaryDirectory(), 'broken.mjs');
  writeFileSync(file, 'throw new Error("broken");');
  const world = testWorld({ mounts: { '/mnt/x': `module:${file}` } });
  for (const command of ['echo 1', 'echo 2'])
    await expect(world.exec(command)).rejects.toThrow(/cannot be loaded: broken/);
  expect(world.session.entries().map(({ type, stderr }) => [type, stderr])).toEqual([
    ['bash_start', undefined],
    ['bash_end', expect.stringContaining('broken')],
    ['bash_start', undefined],
    ['bash_end', expect.stringContaining('broken')],
  ]);
});

test('after close every call is refused', async () => {
  const { world } = deadlyWorld();
  await world.exec(':');
  await world.close();
  await expect(world.fs.readFile('/workspace/f')).rejects.toThrow('this world was closed');
  await expect(world.exec('echo x')).rejects.toThrow(/closed/);
});
