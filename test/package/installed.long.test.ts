/**
 * The package as people get it: packed, installed into an empty directory by
 * each package manager, and run by each Node; and with npm the suites of the
 * world, on what is installed.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GithubStandIn, startGithubStandIn } from '../stand-ins/github/index.ts';
import { type LinearStandIn, startLinearStandIn } from '../stand-ins/linear/index.ts';
import { type NotionStandIn, startNotionStandIn } from '../stand-ins/notion/index.ts';
import { followGuide } from './guide.ts';
import { mirrorCheckout } from './mirror.ts';
import { out, pack, type Ran, ROOT, run, SMOKE, writeProgram } from './pack.ts';

/** At most so much of the disk is a set of files: what the registry calls the unpacked size. */
const INSTALLED_MB = 100;
const CHECKOUT_MB = 500;

const base = mkdtempSync(join(tmpdir(), 'dirigent-installed-'));
const tools = join(base, 'tools');
const tool = (...path: string[]): string => join(tools, 'node_modules', ...path);
let tarball: string;
let services: [GithubStandIn, LinearStandIn, NotionStandIn];
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  tarball = pack(base);
  mkdirSync(tools);
  writeFileSync(join(tools, 'package.json'), '{"private": true, "allowScripts": {"node": true}}');
  out(
    'npm',
    [
      ...['install', '--no-fund', '--no-audit', '--prefer-offline', 'pnpm@12', 'yarn1@npm:yarn@1'],
      ...['@yarnpkg/cli-dist@4', 'node22@npm:node@22.22', 'node26@npm:node@26'],
    ],
    tools,
  );
  services = await Promise.all([startGithubStandIn(), startLinearStandIn(), startNotionStandIn()]);
  const [github, linear, notion] = services;
  env = {
    XDG_CACHE_HOME: join(base, 'cache'),
    XDG_STATE_HOME: join(base, 'state'),
    SMOKE_GITHUB: github.token,
    SMOKE_LINEAR: linear.token,
    SMOKE_NOTION: notion.token,
    SMOKE_SERVICES: JSON.stringify({
      github: { baseUrl: github.url, tokenEnv: 'SMOKE_GITHUB' },
      linear: { baseUrl: linear.url, tokenEnv: 'SMOKE_LINEAR' },
      notion: { baseUrl: notion.url, tokenEnv: 'SMOKE_NOTION' },
    }),
  };
}, 600_000);

afterAll(async () => {
  for (const service of services ?? []) await service.close();
  rmSync(base, { recursive: true, force: true });
});

/** An empty directory with a program in it, and the package as its dependency. */
function project(name: string): string {
  const directory = join(base, name);
  mkdirSync(directory);
  const manifest = { private: true, dependencies: { dirigent: `file:${tarball}` } };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
  writeProgram(directory);
  return directory;
}

const filesBelow = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** What the files hold. */
const megabytes = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + statSync(file).size, 0) / 1e6;

test('a checkout takes less than 500 MB with everything that it installs', () => {
  const modules = join(ROOT, 'node_modules');
  const files = filesBelow(modules).filter((file) => !file.startsWith(`${modules}${sep}.`));
  expect(files.length).toBeGreaterThan(1_000);
  expect(megabytes(files)).toBeLessThan(CHECKOUT_MB);
});

/** Of whatever is said, what smoke.mjs gave: it is the last line. */
function expectSmoke({ stdout, stderr, status }: Ran): void {
  expect(status, stdout + stderr).toBe(0);
  const told = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as object;
  expect(told).toMatchObject({
    ...SMOKE,
    github: expect.stringMatching(/\/1\.md\n---\n$/),
    linear: expect.stringContaining('PLT'),
    notion: expect.stringMatching(/^[1-9]/),
  });
}

const NPM = ['install', '--no-fund', '--no-audit', '--prefer-offline'];

/** Yarn 4 takes no registry from npm's settings. */
function berry(directory: string, linker: string): Ran {
  const registry = out('npm', ['config', 'get', 'registry'], directory).trim();
  const settings = {
    nodeLinker: linker,
    enableTelemetry: false,
    // Where CI is set it would write no lock file.
    enableImmutableInstalls: false,
    enableGlobalCache: false,
    cacheFolder: join(base, 'berry'),
    npmRegistryServer: registry,
    unsafeHttpWhitelist: [new URL(registry).hostname],
  };
  writeFileSync(join(directory, '.yarnrc.yml'), JSON.stringify(settings));
  writeFileSync(join(directory, 'yarn.lock'), '');
  return run(
    process.execPath,
    [tool('@yarnpkg', 'cli-dist', 'bin', 'yarn.js'), 'install'],
    directory,
  );
}

describe('installed by each package manager it runs, and nothing is compiled', () => {
  const installs: Record<string, (directory: string) => Ran> = {
    'npm --legacy-peer-deps': (directory) => run('npm', [...NPM, '--legacy-peer-deps'], directory),
    pnpm: (directory) =>
      run(
        process.execPath,
        [
          ...[tool('pnpm', 'bin', 'pnpm.mjs'), 'install', '--no-frozen-lockfile'],
          ...['--store-dir', join(base, 'pnpm-store')],
        ],
        directory,
      ),
    'Yarn 1': (directory) =>
      run(
        process.execPath,
        [
          ...[tool('yarn1', 'bin', 'yarn.js'), 'install', '--non-interactive'],
          ...['--cache-folder', join(base, 'yarn1')],
        ],
        directory,
      ),
    'Yarn 4 with node-modules': (directory) => berry(directory, 'node-modules'),
    'Yarn 4 with pnpm': (directory) => berry(directory, 'pnpm'),
  };
  for (const [name, install] of Object.entries(installs)) {
    test(name, () => {
      const directory = project(name.replaceAll(/\W+/g, '-'));
      const { stdout, stderr, status } = install(directory);
      expect(status, stdout + stderr).toBe(0);
      expect(stdout + stderr).not.toMatch(/build scripts|install scripts/i);
      expectSmoke(run(process.execPath, ['smoke.mjs'], directory, env));
    });
  }

  test("Yarn 4 with Plug'n'Play", () => {
    const directory = project('pnp');
    const { stdout, stderr, status } = berry(directory, 'pnp');
    expect(status, stdout + stderr).toBe(0);
    const flags = ['--require', './.pnp.cjs', '--experimental-loader', './.pnp.loader.mjs'];
    expectSmoke(run(process.execPath, [...flags, 'smoke.mjs'], directory, env));
  });
});

test('the guide to a mount of your own leads from an empty directory to a package that is used', () => {
  const followed = followGuide(join(base, 'guide'), tarball, env);
  expect(followed).toEqual({ file: 1, diff: 2, sh: 4, console: 2 });
});

describe('installed by npm', () => {
  let directory: string;
  let modules: string;
  beforeAll(() => {
    directory = project('npm');
    modules = join(directory, 'node_modules');
    out('npm', NPM, directory);
  });

  const command = (...args: string[]): Ran =>
    run(
      process.execPath,
      [join(modules, 'dirigent', 'bin', 'dirigent.cjs'), ...args],
      directory,
      env,
    );

  const nodes = {
    24: () => process.execPath,
    22.22: () => tool('node22', 'bin', 'node'),
    26: () => tool('node26', 'bin', 'node'),
  };
  for (const [version, node] of Object.entries(nodes)) {
    test(`it runs on Node ${version}`, () => {
      const ran = run(node(), ['smoke.mjs'], directory, env);
      expectSmoke(ran);
      expect(ran.stdout).toContain(`"node":"${version}.`);
      const launcher = join(modules, 'dirigent', 'bin', 'dirigent.cjs');
      const said = run(node(), [launcher, 'sh', '-c', 'echo hi; exit 3'], directory, env);
      expect(said).toMatchObject({ stdout: 'hi\n', stderr: '', status: 3 });
    });
  }

  test('it takes at most 100 MB, and no package of it is compiled at its installation', () => {
    const compiled: string[] = [];
    const files = filesBelow(modules);
    for (const file of files) {
      if (basename(file) === 'binding.gyp') compiled.push(file);
      if (basename(file) !== 'package.json') continue;
      const { scripts = {} } = JSON.parse(readFileSync(file, 'utf8')) as { scripts?: object };
      if ('install' in scripts || 'postinstall' in scripts) compiled.push(file);
    }
    expect(compiled).toEqual([]);
    expect(megabytes(files)).toBeLessThanOrEqual(INSTALLED_MB);
  });

  test('no test, and nothing that tests need, is in it', () => {
    const files = readdirSync(join(modules, 'dirigent'), { recursive: true, encoding: 'utf8' });
    const stray = files.filter((file) => /(^|\/)(test|testing)(\/|\.)|\.test\./.test(file));
    expect(stray).toEqual([]);
    expect(files.length).toBeGreaterThan(100);
  });

  test('the command says which version it is, and mounts a service', () => {
    expect(command('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const mounted = command('sh', '--mount', '/mnt/gh=github:octocat/hello', '-c', 'ls /mnt');
    expect(mounted.stdout, mounted.stderr).toBe('gh\n');
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
    const read = command('sh', '--deployment', 'deployment', '-c', 'cat /data/a.txt');
    expect(read).toMatchObject({ stdout: 'text\n', status: 0 });
  });

  test('a program in TypeScript has its types, those of the shell included, and makes a world', () => {
    writeFileSync(
      join(directory, 'use.mts'),
      `import { ConfigError, createWorld, type ExecResult, type World } from 'dirigent';
const world: World = createWorld({ mounts: { '/data': 'mem' }, state: './state' });
const result: ExecResult = await world.exec('echo from a world > /data/x; cat /data/x');
const size: number = (await world.fs.stat('/data/x')).size;
// @ts-expect-error Types that could not be found would be any.
const wrong: string = await world.fs.stat('/data/x');
console.log(result.stdout.trim(), result.exitCode, ConfigError.name, size, typeof wrong);
await world.close();
`,
    );
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const strict = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
    const types = ['--target', 'es2024', '--types', 'node'];
    const roots = ['--typeRoots', join(ROOT, 'node_modules', '@types')];
    out(process.execPath, [tsc, ...strict, ...types, ...roots, 'use.mts'], directory);
    const printed = out(process.execPath, ['use.mts'], directory, env);
    expect(printed).toBe('from a world 0 ConfigError 13 object\n');
  });

  const suites = {
    'conformance of GitHub': ['test/conformance/github.test.ts', 'test/world/github.test.ts'],
    'conformance of Linear': ['test/conformance/linear.test.ts', 'test/world/linear.test.ts'],
    'conformance of Notion': ['test/conformance/notion.test.ts'],
    'the mounts of the house, and the world': [
      'test/conformance/mounts.test.ts',
      'test/world/world.test.ts',
    ],
    MCP: ['test/mcp/mcp.test.ts'],
    'the registry example': ['test/examples/registry.long.test.ts'],
    'the three example agents': ['test/examples/examples.long.test.ts'],
  };
  for (const [name, files] of Object.entries(suites)) {
    test(`on what is installed: ${name}`, () => {
      const checkout = join(base, 'checkout');
      if (!existsSync(checkout)) mirrorCheckout(join(modules, 'dirigent'), checkout);
      const long = files.some((file) => file.includes('.long.'));
      const { passed, failed } = suite(checkout, files, long);
      expect(failed).toEqual([]);
      expect(passed).toBeGreaterThan(0);
    });
  }
});

/** Runs test files in a checkout. */
function suite(checkout: string, files: readonly string[], long: boolean) {
  const report = join(checkout, 'report.json');
  rmSync(report, { force: true });
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const config = ['--config', long ? 'vitest.long.config.ts' : 'vitest.config.ts'];
  const reporter = ['--reporter=json', `--outputFile.json=${report}`, '--maxWorkers=1'];
  // A busy machine is no failure.
  const patience = ['--testTimeout=300000', '--hookTimeout=300000'];
  const ran = run(
    process.execPath,
    [vitest, 'run', ...config, ...reporter, ...patience, ...files],
    checkout,
    {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      // The files of the package are to run, as they are.
      DIRIGENT_TEST_SOURCES: '1',
      VITEST: undefined,
      VITEST_POOL_ID: undefined,
      VITEST_WORKER_ID: undefined,
    },
  );
  if (!existsSync(report)) throw new Error(`the suite did not run: ${ran.stdout}${ran.stderr}`);
  const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    numPassedTests: number;
    testResults: {
      name: string;
      status: string;
      message: string;
      assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
    }[];
  };
  const failed = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((each) => each.status === 'failed');
    if (tests.length === 0) return status === 'failed' ? [`${name}: ${message}`] : [];
    return tests.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]}`);
  });
  return { passed: numPassedTests, failed };
}
