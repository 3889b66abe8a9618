/** The package as a user gets it: packed, installed into an empty directory, and run. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const directory = mkdtempSync(join(tmpdir(), 'dirigent-package-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function run(command: string, args: string[], cwd = directory): SpawnSyncReturns<string> {
  return spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, XDG_CACHE_HOME: join(directory, 'cache') },
  });
}

/** Runs what must succeed, and gives its stdout. */
function out(command: string, args: string[], cwd?: string): string {
  const { stdout, stderr, status } = run(command, args, cwd);
  expect(status, `${command} ${args.join(' ')}: ${stderr}`).toBe(0);
  return stdout;
}

const dirigent = (...args: string[]) => run('npx', ['--no-install', 'dirigent', ...args]);

beforeAll(() => {
  out('npm', ['pack', '--silent', '--pack-destination', directory], root);
  const tarball = readdirSync(directory).find((name) => name.endsWith('.tgz')) ?? '';
  writeFileSync(join(directory, 'package.json'), '{"private": true, "type": "module"}\n');
  out('npm', ['install', '--no-fund', '--no-audit', '--prefer-offline', `./${tarball}`]);
}, 300_000);

test('the command runs, and says which version it is', () => {
  expect(dirigent('sh', '-c', 'echo hi; ls /harness/AGENTS.md')).toMatchObject({
    stdout: 'hi\n/harness/AGENTS.md\n',
    status: 0,
  });
  expect(dirigent('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(dirigent('sh', '-c', 'exit 3').status).toBe(3);
});

test('no test, and nothing that tests need, is in it', () => {
  const installed = join(directory, 'node_modules', 'dirigent');
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  const stray = files.filter((file) => /(^|\/)(test|testing)(\/|\.)|\.test\./.test(file));
  expect(stray.filter((file) => !file.startsWith('node_modules'))).toEqual([]);
  expect(files.length).toBeGreaterThan(100);
});

test('a config in TypeScript imports the package by its name', () => {
  const deployment = join(directory, 'deployment');
  mkdirSync(join(deployment, 'data'), { recursive: true });
  writeFileSync(join(deployment, 'data', 'a.txt'), 'text\n');
  writeFileSync(
    join(deployment, 'dirigent.config.ts'),
    `import { defineConfig, type WorldConfig } from 'dirigent';
const mounts: WorldConfig['mounts'] = { '/data': './data:ro' };
export default defineConfig({ mounts });
`,
  );
  expect(dirigent('sh', '--deployment', 'deployment', '-c', 'cat /data/a.txt')).toMatchObject({
    stdout: 'text\n',
    status: 0,
  });
});

test('a service can be mounted', () => {
  const { stdout, stderr } = dirigent(
    ...['sh', '--mount', '/mnt/gh=github:octocat/hello', '-c', 'ls /mnt'],
  );
  expect(stdout, stderr).toBe('gh\n');
});

test('the library has its types, and makes a world', () => {
  writeFileSync(
    join(directory, 'use.ts'),
    `import { ConfigError, createWorld, type ExecResult, type World } from 'dirigent';
const world: World = createWorld({ mounts: { '/data': 'mem' }, state: './state' });
const result: ExecResult = await world.exec('echo from a world > /data/x; cat /data/x');
console.log(result.stdout.trim(), result.exitCode, ConfigError.name);
await world.close();
`,
  );
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const strict = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
  const types = ['--target', 'es2024', '--types', 'node'];
  const roots = ['--typeRoots', join(root, 'node_modules', '@types')];
  out(process.execPath, [tsc, ...strict, ...types, ...roots, 'use.ts']);
  expect(out(process.execPath, ['use.ts'])).toBe('from a world 0 ConfigError\n');
});
