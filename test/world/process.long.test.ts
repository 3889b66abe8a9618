/** A world in somebody else's program: whatever flags it runs with, and whether or not it says `close`. */
import { type SpawnSyncReturns, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWorld, type World } from '../../entry/index.ts';
import { runtimeFault } from '../../src/world/runtime.ts';
import { temporaryDirectory } from './harness.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const library = new URL('../../entry/index.ts', import.meta.url).href;

/** Far beyond what any of it takes. */
const HANGS_MS = 50_000;

type Run = Pick<SpawnSyncReturns<string>, 'stdout' | 'stderr' | 'status'>;

function node(args: readonly string[], cwd = temporaryDirectory()): Promise<Run> {
  const child = spawn(process.execPath, args, { cwd, timeout: HANGS_MS, stdio: 'pipe' });
  const told = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (told.stdout += chunk));
  child.stderr.on('data', (chunk) => (told.stderr += chunk));
  return new Promise((resolve) => child.on('close', (status) => resolve({ ...told, status })));
}

const program = (body: string): string => `import { createWorld } from '${library}';
const world = createWorld({ mounts: { '/data': 'mem' }, state: './state' });
${body}`;

const GREETING = program(`
const { stdout } = await world.exec('echo hi > /data/x; cat /data/x');
process.stdout.write(stdout);
`);

test('a world works under every flag of its process, but for --permission, of which a sentence tells', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'main.mjs'), GREETING);
  writeFileSync(join(directory, 'env'), 'NEEDED=1\n');
  // In a worker, whose environment is empty, this would fail.
  const first = 'if (process.env.NEEDED !== "1") throw new Error("NEEDED is not set");\n';
  writeFileSync(join(directory, 'first.mjs'), first);
  const flags = [
    ['--input-type=module', '-e', GREETING],
    ['--frozen-intrinsics', 'main.mjs'],
    ['--env-file=env', '--import', './first.mjs', 'main.mjs'],
    ['--inspect=127.0.0.1:0', 'main.mjs'],
  ];
  const all = ['--allow-fs-read=*', '--allow-fs-write=*'];
  const restricted = node(['--permission', ...all, 'main.mjs'], directory);
  for (const run of await Promise.all(flags.map((args) => node(args, directory)))) {
    expect(run).toMatchObject({ stdout: 'hi\n', status: 0 });
  }
  expect((await restricted).stderr).toContain('ConfigError: Node runs with --permission');
});

test('a program ends by itself when nothing is waited for, and not before', async () => {
  const evaluated = (body: string) => node(['--input-type=module', '-e', program(body)]);
  const [busy, idle, stopped] = await Promise.all([
    evaluated(`
world.commands().then((names) => console.log(names.includes('grep')));
world.fs.writeFile('/data/y', 'text').then(() => console.log('written'));
world.exec('sleep 1; cat /data/y').then(({ stdout }) => console.log(stdout));
`),
    evaluated(''),
    evaluated(`
const { exitCode } = await world.exec('while true; do :; done', { timeoutMs: 200 });
console.log(exitCode, (await world.exec('echo again')).stdout);
`),
  ]);
  expect(busy.stdout.split('\n').sort()).toEqual(['', 'text', 'true', 'written']);
  expect(busy.status).toBe(0);
  expect(idle).toMatchObject({ stdout: '', status: 0 });
  expect(stopped).toMatchObject({ stdout: '124 again\n\n', status: 0 });
});

test('`await using` closes the world', async () => {
  let left: World;
  {
    await using world = createWorld({ state: temporaryDirectory() });
    left = world;
    expect((await world.exec('echo hi')).stdout).toBe('hi\n');
  }
  await expect(left.exec('true')).rejects.toThrow('was closed');
});

test('a runtime that cannot do it is told what to do', () => {
  const fault = (versions: Record<string, string>, restricted = false) =>
    runtimeFault({ versions, restricted });
  expect(fault({ node: '22.22.0' })).toBeNull();
  expect(fault({ node: '26.1.0' })).toBeNull();
  expect(fault({ node: '20.11.0', deno: '2.9.6' })).toBeNull();
  expect(fault({ node: '22.21.9' })).toContain('needs Node 22.22 or newer');
  expect(fault({ node: '20.20.2' })).toContain('needs Node 22.22 or newer');
  expect(fault({ node: '24.0.0', bun: '1.4.5' })).toContain('Bun 1.4.5 cannot guard');
  expect(fault({ node: '24.0.0' }, true)).toContain('run it without that flag');
});

test('the command on an old Node says which one is needed, in one sentence', async () => {
  const launcher = JSON.stringify(join(ROOT, 'bin', 'dirigent.cjs'));
  const versions = `{ value: { ...process.versions, node: '20.20.2' } }`;
  const { stdout, stderr, status } = await node([
    ...['--input-type=commonjs', '-e'],
    `Object.defineProperty(process, 'versions', ${versions}); require(${launcher});`,
  ]);
  expect(stderr).toMatch(
    /^dirigent: this is Node 20\.20\.2, and Node 22\.22 or newer is needed: .*\n$/,
  );
  expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
});
