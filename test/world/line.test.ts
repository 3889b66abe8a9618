/** A process of the host that asks a world's worker by itself: in whose name, and how it ends. */
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { World, WorldFs } from '../../entry/index.ts';
import type { FsCall } from '../../src/world/fs-call.ts';
import { LineClient, lineIn } from '../../src/world/line/client.ts';
import type { LineAddress, LostLine } from '../../src/world/line/protocol.ts';
import { spawnWorker } from '../../src/world/spawn-worker.ts';
import { temporaryDirectory, testWorld } from './harness.ts';

/** A mount whose file is never read to its end. */
const HANGS = `
export default () => {
  const stat = { type: 'file', mode: 0o644, size: 1, mtime: new Date(0), ino: '1' };
  return {
    kind: 'slow', local: false, searchable: false,
    lstat: async (path) => (path === '/' ? { ...stat, type: 'directory' } : stat),
    readdir: async () => [{ name: 'hang', type: 'file' }],
    read: () => new Promise(() => {}),
  };
};
`;

/** A world, and a process on a line to it. @param meet what happens where the process waits */
function lineTo(
  world: World,
  fs: WorldFs,
  meet: (address: LineAddress) => Promise<void> = async () => undefined,
) {
  const directory = mkdtempSync(join(temporaryDirectory(), 'line-'));
  const line = fs.line();
  let opened = 0;
  const client = new LineClient(async (address): Promise<LostLine> => {
    opened += 1;
    await meet(address);
    return line.open(address);
  });
  client.useDirectory(directory);
  onTestFinished(() => {
    client.end(new Error('the test has ended'));
    line.close();
  });
  const call = async (...calls: FsCall[]) => (await client.ask(calls)).at(-1);
  const text = async (path: string) => String(await call(['readFileBuffer', path]));
  return { world, line, client, call, text, directory, opened: () => opened };
}

const ended = async (socket: Socket): Promise<string> => {
  let said = '';
  socket.on('data', (bytes) => {
    said += String(bytes);
  });
  socket.on('error', () => undefined);
  await once(socket, 'close');
  return said;
};

test('small and large contents cross whole, in the order in which they were written, and are what the world has', async () => {
  const world = testWorld();
  const { client, call, text } = lineTo(world, world.fs);
  const large = Buffer.alloc(3_000_000, 'abcdefg');
  const writes = [
    client.ask([['writeFile', '/workspace/a', Buffer.from('first')]]),
    client.ask([
      ['writeFile', '/workspace/b', large],
      ['writeFile', '/workspace/c', large.subarray(0, 65_536)],
      ['writeFile', '/workspace/empty', Buffer.alloc(0)],
    ]),
    client.ask([['writeFile', '/workspace/a', Buffer.from('second')]]),
  ];
  await Promise.all(writes);
  expect((await world.exec('cat a; cksum < b; wc -c < c; wc -c < empty')).stdout).toBe(
    `second${(await world.exec('for n in b; do cksum < $n; done')).stdout}65536\n0\n`,
  );
  expect(await text('/workspace/a')).toBe('second');
  const both = await client.ask([
    ['readFileBuffer', '/workspace/b'],
    ['readFileBuffer', '/workspace/a'],
    ['readFileBuffer', '/workspace/c'],
  ]);
  expect(both.map((each) => (each as Buffer).length)).toEqual([3_000_000, 6, 65_536]);
  expect(large.equals(both[0] as Buffer)).toBe(true);
  expect(await call(['exists', '/workspace/d'])).toBe(false);
});

test('a stranger where a process waits for the world is told nothing, and keeps nobody from coming', async () => {
  const world = testWorld();
  const strangers: Promise<string>[] = [];
  const places: string[] = [];
  const { text, call } = lineTo(world, world.fs, async ({ socket, secret }) => {
    places.push(socket);
    const said = [secret.replaceAll(/./g, '0'), '', secret.slice(2), `ff${secret}`];
    for (const each of said) {
      const stranger = connect(socket);
      await once(stranger, 'connect');
      stranger.write(Buffer.from(each, 'hex'));
      strangers.push(ended(stranger));
    }
  });
  await call(['writeFile', '/workspace/a', 'text']);
  expect(await text('/workspace/a')).toBe('text');
  expect(await Promise.all(strangers)).toEqual(['', '', '', '']);
  // It waits no more: nobody finds the place again.
  expect(places).toHaveLength(1);
  expect(places.map((place) => existsSync(place))).toEqual([false]);
});

test('what is no call of files is refused, and what was asked beside it is answered', async () => {
  const world = testWorld();
  const { client, call } = lineTo(world, world.fs);
  const hostile = ['constructor', 'flush', '__proto__', 'keeper', 'toString'].map((method) =>
    client.ask([[method as 'rm', '/workspace']]).catch((error: Error) => error.message),
  );
  expect(await call(['exists', '/workspace'])).toBe(true);
  for (const said of await Promise.all(hostile)) expect(said).toContain('no call of files');
});

test('who asks is who was let in: modes and policy refuse, and whoever watches is told of all before the line is closed', async () => {
  const deployment = temporaryDirectory();
  const policy = join(deployment, 'harness/policy.yaml');
  mkdirSync(join(deployment, 'harness'));
  const deny = (name: string): string =>
    `sandbox: full\nrules:\n  - { name: ${name}, decision: deny, op: [create, write], path: /workspace/${name} }\n`;
  writeFileSync(policy, deny('one'));
  const world = testWorld(
    { mounts: { '/workspace': 'mem' } },
    { deployment, cwd: deployment, env: {} },
  );
  const told = { changed: [] as string[], failed: [] as string[] };
  const fs = world.fsAs(
    { actor: 'client', origin: 'fuse', turn: null },
    {
      onChanged: (paths) => void told.changed.push(...paths),
      onFailed: (error) => void told.failed.push((error as { rule?: string }).rule ?? ''),
    },
  );
  const { line, call } = lineTo(world, fs);
  const write = (name: string) =>
    call(['writeFile', `/workspace/${name}`, 'text']).then(
      () => 'done',
      (error: { code?: string }) => error.code,
    );
  expect([await write('one'), await write('two')]).toEqual(['EACCES', 'done']);
  // An edit counts from the next question on, in the midst of others.
  writeFileSync(policy, `${deny('two')}# edited\n`);
  expect([await write('one'), await write('two')]).toEqual(['done', 'EACCES']);
  line.close();
  expect(told).toEqual({
    changed: ['/workspace/two', '/workspace/one'],
    failed: [expect.stringContaining('one'), expect.stringContaining('two')],
  });
});

test('when the worker ends, what it had not begun is asked of the next, and of the rest it is said that nobody knows', async () => {
  const file = join(temporaryDirectory(), 'hangs.mjs');
  writeFileSync(file, HANGS);
  const worker = spawnWorker();
  const mounts = { '/mnt/x': { source: `module:${file}`, search: false } };
  const world = testWorld({ mounts }, { worker });
  const { client, call, text, opened } = lineTo(world, world.fs);
  await call(['writeFile', '/workspace/a', 'kept']);
  const begun = client
    .ask([['readFileBuffer', '/mnt/x/hang']])
    .catch((error: Error) => error.message);
  // It has begun by the time that the next one is answered.
  expect(await text('/workspace/a')).toBe('kept');
  // The worker's thread is held: what is asked now is not begun.
  const spinning = Promise.withResolvers<void>();
  const spins = world.exec(`echo spins; awk 'BEGIN { while (1) {} }'`, {
    onOutput: () => spinning.resolve(),
  });
  await spinning.promise;
  const waiting = [text('/workspace/a'), call(['writeFile', '/workspace/b', 'later'])];
  await worker.terminate();
  expect(await spins).toMatchObject({ exitCode: 137 });
  expect(await begun).toMatch(/was ended .* and another one started: .* ask again$/);
  expect(await Promise.all(waiting)).toEqual(['kept', undefined]);
  expect(await text('/workspace/b')).toBe('later');
  expect(opened()).toBe(2);
});

test('the end of the world, and that of the visit, end the line', async () => {
  const world = testWorld();
  const first = lineTo(world, world.fs);
  const second = lineTo(world, world.fs);
  expect(await first.call(['exists', '/workspace'])).toBe(true);
  expect(await second.call(['exists', '/workspace'])).toBe(true);
  first.line.close();
  // Nothing that is asked after it is done.
  const refused = first
    .call(['writeFile', '/workspace/a', ''])
    .catch((error: Error) => error.message);
  expect(await refused).toBe('this line was closed');
  expect(await second.call(['exists', '/workspace/a'])).toBe(false);
  await world.close();
  expect(await second.call(['exists', '/']).catch((error: Error) => error.message)).toBe(
    'this world was closed',
  );
  expect(existsSync(lineIn(second.directory))).toBe(false);
});

test('a holder of a lease gives it back ahead of what another asks on a line, and has none while that goes on', async () => {
  const world = testWorld();
  const steps: string[] = [];
  const granted = Promise.withResolvers<void>();
  const end = world.lease({
    granted: () => {
      steps.push('granted');
      granted.resolve();
    },
    recalled: async () => {
      await Promise.resolve();
      steps.push('recalled');
    },
  });
  onTestFinished(end);
  await granted.promise;
  const { call } = lineTo(world, world.fs);
  expect(steps).toEqual(['granted']);
  await call(['exists', '/workspace']);
  steps.push('answered');
  expect(steps).toEqual(['granted', 'recalled', 'answered']);
  // As long as it asks, one question after the other, nobody has the world to himself.
  for (const until = performance.now() + 200; performance.now() < until; )
    await call(['exists', '/workspace']);
  expect(steps).toEqual(['granted', 'recalled', 'answered']);
});
