/** A world in somebody else's program: whatever flags it runs with, and whether or not it says `close`. */
import { type SpawnSyncReturns, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runtimeFault } from '../../src/world/runtime.ts';
import { temporaryDirectory } from './harness.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const library = new URL('../../src/index.ts', import.meta.url).href;

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

describe('a world works under every flag of its process', () => {
  const cases: Record<string, (directory: string) => string[]> = {
    '--input-type and -e': () => ['--input-type=module', '-e', GREETING],
    '--frozen-intrinsics': (directory) => ['--frozen-intrinsics', join(directory, 'main.mjs')],
    '--import and --env-file': (directory) => [
      '--env-file=env',
      '--import',
      './first.mjs',
      join(directory, 'main.mjs'),
    ],
    '--inspect': (directory) => ['--inspect=127.0.0.1:0', join(directory, 'main.mjs')],
  };
  for (const [name, args] of Object.entries(cases)) {
    test.concurrent(name, async () => {
      const directory = temporaryDirectory();
      writeFileSync(join(directory, 'main.mjs'), GREETING);
      writeFileSync(join(directory, 'env'), 'NEEDED=1\n');
      // In a worker, whose environment is empty, this would fail.
      const first = 'if (process.env.NEEDED !== "1") throw new Error("NEEDED is not set");\n';
      writeFileSync(join(directory, 'first.mjs'), first);
      expect(await node(args(directory), directory)).toMatchObject({ stdout: 'hi\n', status: 0 });
    });
  }

  test.concurrent('but for --permission, of which a sentence tells', async () => {
    const all = ['--allow-fs-read=*', '--allow-fs-write=*'];
    const { stderr } = await node(['--permission', ...all, '--input-type=module', '-e', GREETING]);
    expect(stderr).toContain('ConfigError: Node runs with --permission');
  });
});

describe('a program ends by itself', () => {
  test.concurrent('when nothing is waited for, and not before', async () => {
    const body = `
world.commands().then((names) => console.log(names.includes('grep')));
world.fs.writeFile('/data/y', 'text').then(() => console.log('written'));
world.exec('sleep 1; cat /data/y').then(({ stdout }) => console.log(stdout));
`;
    const { stdout, status } = await node(['--input-type=module', '-e', program(body)]);
    expect(stdout.split('\n').sort()).toEqual(['', 'text', 'true', 'written']);
    expect(status).toBe(0);
  });

  test.concurrent('when nothing was asked of a world', async () => {
    expect(await node(['--input-type=module', '-e', program('')])).toMatchObject({
      stdout: '',
      status: 0,
    });
  });

  test.concurrent('after a command was ended at its deadline', async () => {
    const body = `
const { exitCode } = await world.exec('while true; do :; done', { timeoutMs: 200 });
console.log(exitCode, (await world.exec('echo again')).stdout);`;
    const { stdout, status } = await node(['--input-type=module', '-e', program(body)]);
    expect(stdout).toBe('124 again\n\n');
    expect(status).toBe(0);
  });

  test.concurrent('and `await using` closes the world', async () => {
    const body = `
async function inside() {
  await using used = world;
  await used.exec('true');
}
await inside();
await world.exec('true').catch((error) => console.log(error.message));`;
    const { stdout } = await node(['--input-type=module', '-e', program(body)]);
    expect(stdout).toContain('was closed');
  });
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
