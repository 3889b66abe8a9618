/** Which deployment a command is about, and how it is called again. */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { installation } from '../../entry/installation.ts';
import { parseInvocation } from '../../src/cli/options.ts';
import { findDeployment, programOf, suggested } from '../../src/cli/place.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { cli, ROOT } from './run-cli.ts';

/** A deployment whose shell says which one it is, and a directory deep in it. */
function deployment(name: string): { directory: string; below: string } {
  const directory = temporaryDirectory();
  const below = join(directory, 'a b', 'c');
  mkdirSync(below, { recursive: true });
  const config = `export default { env: { WHICH: '${name}' } };\n`;
  writeFileSync(join(directory, 'dirigent.config.mjs'), config);
  return { directory, below };
}

const which = async (cwd: string, env: Record<string, string> = {}, ...options: string[]) => {
  const { stdout, stderr, status } = await cli(['sh', ...options, '-c', 'echo "$WHICH."'], {
    cwd,
    env,
  });
  return [stdout.toString(), stderr, status];
};

test('a deployment is found above; the environment goes before it, the option before both', async () => {
  const here = deployment('here');
  const there = deployment('there');
  const DIRIGENT_DEPLOYMENT = there.directory;
  expect(await which(here.below)).toEqual(['here.\n', '', 0]);
  expect(await which(here.below, { DIRIGENT_DEPLOYMENT })).toEqual(['there.\n', '', 0]);
  const env = { DIRIGENT_DEPLOYMENT: '/nowhere' };
  expect(await which(here.below, env, '--deployment', '../..')).toEqual(['here.\n', '', 0]);
  expect(await which(here.below, env, '--no-deployment')).toEqual(['.\n', '', 0]);
  expect(await which(here.below, { DIRIGENT_DEPLOYMENT: '' })).toEqual(['here.\n', '', 0]);
});

test('a directory that is named and has no config is refused by the name that named it', async () => {
  const empty = temporaryDirectory();
  expect(await which(empty, { DIRIGENT_DEPLOYMENT: empty })).toEqual([
    '',
    `dirigent: DIRIGENT_DEPLOYMENT: ${empty} has no dirigent.config.ts, dirigent.config.js, dirigent.config.mjs, dirigent.config.mts\n`,
    2,
  ]);
  const both = await cli(['sh', '--deployment', empty, '--no-deployment', '-c', ':']);
  expect([both.stderr, both.status]).toEqual([expect.stringContaining('not both'), 2]);
});

test.skipIf(process.getuid?.() !== 0)(
  "another user's config above is not run unless it is named (needs root, to make one)",
  () => {
    const { directory, below } = deployment('theirs');
    chownSync(join(directory, 'dirigent.config.mjs'), 12_345, 12_345);
    // Root may run what is anybody's only if it is told to: it is the user who matters.
    expect(() => findDeployment(undefined, below, {})).toThrow(
      /belongs to another user \(uid 12345\)/,
    );
    expect(findDeployment(directory, below, {})?.directory).toBe(directory);
    expect(findDeployment(null, below, {})).toBeNull();
  },
);

test('what is suggested names the world as it was named, each word quoted that needs it', () => {
  const args = ['--deployment', "it's here", '--mount', '/mnt/a b=./x:ro'];
  const invocation = parseInvocation(['changes', ...args], installation.schemes);
  if (!('given' in invocation)) throw new Error('no world was parsed');
  const { given } = invocation;
  const deployed = " --deployment 'it'\\''s here'";
  expect(suggested(given, 'changes list')).toBe(
    `dirigent changes list${deployed} --mount '/mnt/a b=./x:ro'`,
  );
  expect(suggested(given, 'session ls')).toBe(`dirigent session ls${deployed}`);
});

test('the program is named as it was called', () => {
  const run = { npm_package_name: 'dirigent', npm_lifecycle_event: 'dirigent' };
  expect(programOf('/x/entry/main.ts', run)).toBe('npm run --silent dirigent --');
  expect(programOf('/x/entry/main.ts', { ...run, npm_package_name: 'other' })).toBe(
    'node /x/entry/main.ts',
  );
  expect(programOf('/p/node_modules/.bin/dirigent', {})).toBe('npx dirigent');
  const installed = join(process.cwd(), 'node_modules', 'dirigent', 'bin', 'dirigent.cjs');
  expect(programOf(installed, {})).toBe('npx dirigent');
  expect(programOf('/usr/lib/node_modules/dirigent/bin/dirigent.cjs', {})).toBe('dirigent');
  expect(programOf('/usr/local/bin/dirigent', {})).toBe('dirigent');
  expect(programOf('/a b/main.ts', {})).toBe("node '/a b/main.ts'");
  expect(programOf('/x/main.ts', { DIRIGENT_COMMAND: 'docker run x' })).toBe('docker run x');
});

test('a path that is not there is told as meant, where something beside it is like it', async () => {
  const { directory } = deployment('here');
  mkdirSync(join(directory, 'documents'));
  writeFileSync(join(directory, 'build.sh'), 'echo built\n');
  const refused = async (...args: string[]) => (await cli(args, { cwd: directory })).stderr;
  expect(await refused('sh', 'biuld.sh')).toContain('(did you mean build.sh?)');
  expect(await refused('sh', '--mount', '/mnt/docs=./docments:ro', '-c', ':')).toContain(
    `(did you mean ${join(directory, 'documents')}?)`,
  );
  expect(await refused('sh', '--deployment', './documnets', '-c', ':')).toContain(
    `(did you mean ${join(directory, 'documents')}?)`,
  );
  expect(await refused('sh', 'xyzzy')).not.toContain('did you mean');
});

test.skipIf(spawnSync('script', ['--version']).status !== 0)(
  'mcp at a terminal says what it is for (skipped where there is no script(1))',
  async () => {
    const { directory } = deployment('here');
    const main = join(ROOT, 'entry', 'main.ts');
    const line = `${process.execPath} ${main} mcp`;
    const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: directory });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    for await (const chunk of child.stdout) {
      said += String(chunk);
      // Ctrl-D, as the sentence says.
      if (said.includes('ends it.')) child.stdin.end('\u0004');
    }
    expect(said).toContain('this is for an MCP client');
    expect(said).toContain(`"dirigent mcp --deployment ${directory}"`);
    expect(said).toContain('docs/clients.md');
  },
  60_000,
);
