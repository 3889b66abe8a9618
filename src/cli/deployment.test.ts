/** Which deployment a command is about, how it is set up, and what `dirigent init` makes of what it finds. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { installation } from '../../entry/installation.ts';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import type { WorldArguments } from './arguments.ts';
import { configName, deploymentFiles, ignoreText } from './init-files.ts';
import { OfferedServices } from './init-services.ts';
import { listening } from './listening.ts';
import { commandLineOf, configIn, findDeployment, programOf, suggested } from './place.ts';
import { setUpWorld } from './setup.ts';
import { keysOf } from './ssh.ts';
import { stateOf } from './state.ts';
import { isCalledDirigent, SCHEMES, WORLD } from './testing.ts';

afterEach(() => void vi.unstubAllEnvs());

/** A directory with these files. */
function withFiles(files: Record<string, string>): string {
  const at = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(at, name, '..'), { recursive: true });
    writeFileSync(join(at, name), text);
  }
  return at;
}

const CONFIG = 'export default { state: "./kept", mounts: { "/mnt/a": "./a:ro" } };\n';

describe('the deployment', () => {
  test('is the one that is named, that of the environment, or the nearest above', () => {
    const at = withFiles({ 'dirigent.config.mjs': CONFIG, 'deep/er/x': '' });
    const deep = join(at, 'deep/er');
    expect(configIn(at)).toBe(join(at, 'dirigent.config.mjs'));
    expect(configIn(deep)).toBeNull();
    expect(findDeployment(undefined, deep, {})).toEqual({ directory: at, by: 'search' });
    expect(findDeployment(undefined, at, {})).toEqual({ directory: at, by: 'search' });
    expect(findDeployment('x', deep, { DIRIGENT_DEPLOYMENT: '/y' })).toEqual({
      directory: join(deep, 'x'),
      by: '--deployment',
    });
    expect(findDeployment(undefined, deep, { DIRIGENT_DEPLOYMENT: '../y' })).toEqual({
      directory: join(at, 'deep/y'),
      by: 'DIRIGENT_DEPLOYMENT',
    });
    expect(findDeployment(undefined, deep, { DIRIGENT_DEPLOYMENT: '' })?.by).toBe('search');
    expect(findDeployment(null, at, { DIRIGENT_DEPLOYMENT: '/y' })).toBeNull();
    mkdirSync(join(deep, 'dirigent.config.ts'));
    expect(configIn(deep)).toBeNull();
    expect(findDeployment(undefined, '/', {})).toBeNull();
  });
});

describe('the program is called again', () => {
  test.each<[string, Record<string, string>, string]>([
    ['/x/bin/dirigent', { DIRIGENT_COMMAND: 'my dirigent' }, 'my dirigent'],
    ['/x/bin/dirigent', { DIRIGENT_COMMAND: '' }, 'dirigent'],
    ['/x/bin/dirigent.js', {}, 'dirigent'],
    ['/x/bin/dirigent.cjs', {}, 'dirigent'],
    ['/x/node_modules/.bin/dirigent', {}, 'npx dirigent'],
    ['/x/main.js', {}, 'node /x/main.js'],
    ["/x/it's.js", {}, "node '/x/it'\\''s.js'"],
    [
      '/x/y.js',
      { npm_package_name: 'dirigent', npm_lifecycle_event: 'dirigent' },
      'npm run --silent dirigent --',
    ],
    [
      '/x/y.js',
      { npm_package_name: 'dirigent', npm_lifecycle_event: 'start' },
      'npm start --silent --',
    ],
    ['/x/y.js', { npm_package_name: 'dirigent', npm_lifecycle_event: 'test' }, 'node /x/y.js'],
    ['/x/y.js', { npm_package_name: 'other', npm_lifecycle_event: 'start' }, 'node /x/y.js'],
    [`${process.cwd()}/node_modules/dirigent/main.js`, {}, 'npx dirigent'],
    [
      `${process.cwd()}x/node_modules/dirigent/main.js`,
      {},
      `node ${process.cwd()}x/node_modules/dirigent/main.js`,
    ],
  ])('%s with %j', (script, env, words) => expect(programOf(script, env)).toBe(words));

  test('with the world as it was named, where the command takes it', () => {
    isCalledDirigent();
    const given = { mounts: ['/a=x y', '/b=z'], deployment: 'my dir' };
    expect(commandLineOf(given)).toEqual({
      program: 'dirigent',
      options: " --deployment 'my dir' --mount '/a=x y' --mount /b=z",
    });
    expect(suggested(given, 'sh -c ls')).toBe(
      "dirigent sh -c ls --deployment 'my dir' --mount '/a=x y' --mount /b=z",
    );
    expect(suggested(given, 'session ls')).toBe("dirigent session ls --deployment 'my dir'");
    expect(suggested(given, 'frob')).toBe("dirigent frob --deployment 'my dir'");
    expect(suggested({ mounts: [], deployment: null }, 'sh')).toBe('dirigent sh --no-deployment');
    expect(suggested({ mounts: [], deployment: undefined }, 'sh')).toBe('dirigent sh');
    vi.stubEnv('DIRIGENT_COMMAND', 'npm start --silent --');
    expect(suggested(given, 'doctor')).toBe(
      "npm start --silent -- doctor --mount '/a=x y' --mount /b=z",
    );
  });
});

describe('the config of a world', () => {
  const setUp = (at: string | undefined, more: Partial<WorldArguments> = {}, given = at) =>
    setUpWorld(
      { ...WORLD, deployment: at, given: { mounts: [], deployment: given }, ...more },
      installation,
      '/cwd',
    );

  test('is the file of the deployment, with what the command line adds', async () => {
    const at = withFiles({ 'dirigent.config.mjs': CONFIG });
    expect(await setUp(at)).toEqual({
      config: { state: './kept', mounts: { '/mnt/a': './a:ro' } },
      deployment: at,
    });
    const mounts = ['/mnt/a/=./b', '/mnt/c=mem', '/=/root', '/mnt/d=../up'];
    expect((await setUp(at, { mounts, dryRun: true })).config).toEqual({
      state: './kept',
      dryRun: true,
      mounts: { '/mnt/a': '/cwd/b', '/mnt/c': 'mem', '/': '/root', '/mnt/d': '/up' },
    });
    expect(await setUp(undefined)).toEqual({ config: {}, deployment: null });
  });

  test.each<[string[], string]>([
    [['mnt=mem'], '"mnt" should be an absolute path, such as /mnt/docs'],
    [['/a=mem', '/a//=mem'], '/a is mounted twice'],
  ])('with --mount %j is refused', async (mounts, message) => {
    await expect(setUp(undefined, { mounts })).rejects.toThrow(message);
  });

  test('of a directory that has none, or that says nothing, is refused by whoever named it', async () => {
    const at = withFiles({
      file: '',
      'empty/x': '',
      'none/dirigent.config.mjs': 'export const a = 1;\n',
      'array/dirigent.config.mjs': 'export default [];\n',
      'fault/dirigent.config.mjs': 'throw new TypeError("no");\n',
      'thrown/dirigent.config.mjs': 'throw "text";\n',
      'mounts/dirigent.config.mjs': 'export default { mounts: 3 };\n',
    });
    const refused = async (name: string, message: string, path: string) =>
      expect(setUp(join(at, name))).rejects.toMatchObject({
        message: expect.stringContaining(message),
        path,
      });
    await refused('file', 'is not a directory', '--deployment');
    await refused('gone', 'is not a directory', '--deployment');
    await refused('empty', 'has no dirigent.config', '--deployment');
    await expect(setUp(join(at, 'gone'), {}, undefined)).rejects.toMatchObject({
      path: '--deployment',
    });
    const found = { given: { mounts: [], deployment: undefined } };
    await expect(setUp(join(at, 'gone'), found)).rejects.toMatchObject({
      path: 'DIRIGENT_DEPLOYMENT',
    });
    const config = (name: string) => join(at, name, 'dirigent.config.mjs');
    for (const name of ['none', 'array'])
      await refused(name, 'it should say "export default defineConfig({ … })"', config(name));
    await refused('fault', 'it could not be loaded: TypeError: no', config('fault'));
    await refused('thrown', 'it could not be loaded: text', config('thrown'));
    // What is no object is left to the check of the whole config.
    const { config: left } = await setUp(join(at, 'mounts'), { mounts: ['/a=mem'] });
    expect(left).toEqual({ mounts: 3 });
  });

  test('has the state where it says, or beside it', async () => {
    const named = withFiles({ 'dirigent.config.mjs': CONFIG, 'a/x': '' });
    const usual = withFiles({ 'dirigent.config.mjs': 'export default {};\n' });
    const state = (deployment: string) => stateOf({ ...WORLD, deployment }, installation);
    expect([await state(named), await state(usual)]).toEqual([
      join(named, 'kept'),
      join(usual, '.dirigent'),
    ]);
  });
});

test('the keys that SSH lets in are those that are named, or the deployment’s', () => {
  expect(keysOf({ authorizedKeys: '/k', deployment: '/d' }, 'ssh')).toBe('/k');
  expect(keysOf({ authorizedKeys: undefined, deployment: '/d' }, 'ssh')).toBe('/d/authorized_keys');
  expect(() => keysOf({ authorizedKeys: undefined, deployment: undefined }, 'serve')).toThrow(
    'say who may come in: --authorized-keys FILE (of a deployment it is DIR/authorized_keys)',
  );
});

test.each<[string, string, string]>([
  ['EADDRINUSE', '--port', '80 is taken on h; name another one, or 0'],
  ['EADDRNOTAVAIL', '--host', 'this machine has no address h'],
  ['ENOTFOUND', '--host', 'this machine has no address h'],
  ['EACCES', '--port', '80 is not for this user; name one above 1023'],
])('a port that cannot be had by %s is told', async (code, path, message) => {
  const at = { option: '--port', host: 'h', port: 80 };
  const failing = (error: unknown) => listening(() => Promise.reject(error), at);
  await expect(failing(Object.assign(new Error('no'), { code }))).rejects.toMatchObject({
    path,
    message: expect.stringContaining(message),
  });
  const other = Object.assign(new Error('no'), { code: 'EOTHER' });
  await expect(failing(other)).rejects.toBe(other);
  await expect(failing('text')).rejects.toBe('text');
  expect(await listening(async () => 7, at)).toBe(7);
});

describe('services that init offers', () => {
  const offered = new OfferedServices(SCHEMES);

  test('are named by their schemes, whole or by a part', () => {
    expect([offered.names, offered.forms, offered.addresses]).toEqual([
      ['tracker', 'pages'],
      ['tracker', 'tracker=TEAM', 'pages'],
      ['TRACKER_URL', 'PAGES_URL'],
    ]);
    expect(offered.example).toEqual({ name: 'tracker', part: 'ENG', token: 'TRACKER_TOKEN' });
    expect(() => new OfferedServices([]).example).toThrow('no service is offered');
    expect(() => offered.schemeOf('mem')).toThrow('no service is called mem');
    expect(
      ['tracker', 'tracker=ENG', 'tracker=eng', 'tracker=', 'pages=x', 'mem', ''].map((text) =>
        offered.parse(text),
      ),
    ).toEqual([
      { name: 'tracker' },
      { name: 'tracker', only: 'ENG' },
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  test('are asked at the public address, unless the environment names another', () => {
    const at = (TRACKER_URL?: string) =>
      offered.addressOf('tracker', TRACKER_URL === undefined ? {} : { TRACKER_URL });
    expect([at(), at(''), at('https://tracker.example'), at('https://own')]).toEqual([
      null,
      null,
      null,
      'https://own',
    ]);
  });

  test('have their token from the environment, or printed by their own program for the public address', async () => {
    const PATH = process.env['PATH'];
    const found = (env: Record<string, string>) => offered.findToken('tracker', { PATH, ...env });
    expect(await found({ TRACKER_TOKEN: 'a', TRACKER_KEY: 'b' })).toEqual({
      variable: 'TRACKER_TOKEN',
      value: 'a',
    });
    expect(await found({ TRACKER_TOKEN: '', TRACKER_KEY: 'b' })).toEqual({
      variable: 'TRACKER_KEY',
      value: 'b',
    });
    expect(await found({})).toEqual({
      variable: 'TRACKER_TOKEN',
      value: 'printed',
      setBy: 'TRACKER_TOKEN="$(printf  printed\n)"',
    });
    expect(await found({ TRACKER_URL: 'https://own' })).toBeNull();
    expect(await found({ PATH: '/none' })).toBeNull();
    expect(await offered.findToken('pages', { PATH })).toBeNull();
  });

  test('are narrowed to the git remote of a directory', async () => {
    const at = realpathSync(temporaryDirectory());
    const narrowed = async () => [...(await offered.narrowedByRemote(at, process.env))];
    expect(await narrowed()).toEqual([]);
    const git = (...args: string[]) => execFileSync('git', ['-C', at, ...args], { stdio: 'pipe' });
    git('init', '-q');
    git('remote', 'add', 'origin', 'git@tracker.example:ENG/x.git');
    expect(await narrowed()).toEqual([['tracker', 'ENG']]);
    git('remote', 'set-url', 'origin', 'git@tracker.example:eng/x.git');
    expect(await narrowed()).toEqual([]);
  });
});

describe('a new deployment', () => {
  const offered = new OfferedServices(SCHEMES);
  const files = (env = {}) =>
    deploymentFiles(
      offered,
      [
        { name: 'tracker', only: 'ENG', token: { variable: 'TRACKER_KEY', value: 'secret' } },
        { name: 'pages', token: null },
      ],
      false,
      env,
    );

  test('mounts each service so that what is written waits, and holds no secret', () => {
    const config = files({ TRACKER_URL: 'https://own' }).get('dirigent.config.mjs') ?? '';
    expect(config).toBe(`import { defineConfig } from 'dirigent';

export default defineConfig({
  mounts: {
    // The token is in TRACKER_KEY. 'stage': what is written waits until you apply it.
    '/mnt/tracker': { source: "tracker:ENG", mode: 'stage', baseUrl: "https://own", tokenEnv: "TRACKER_KEY" },
    // The token is in PAGES_TOKEN. 'stage': what is written waits until you apply it.
    '/mnt/pages': { source: "pages", mode: 'stage' },
    // A directory of yours, to read and to search:
    // '/mnt/docs': './docs:ro',
  },
});
`);
    expect([...files().values()].join('')).not.toContain('secret');
  });

  test('has a harness, which says what is mounted', () => {
    expect([...files().keys()]).toEqual([
      'dirigent.config.mjs',
      'harness/AGENTS.md',
      'harness/policy.yaml',
      'harness/skills/triage/SKILL.md',
      'harness/tools/outline.sh',
    ]);
    expect(files().get('harness/AGENTS.md')).toMatch(
      /\n\n## What is mounted\n\n- `\/mnt\/tracker`: Tracker\n- `\/mnt\/pages`: Pages\n$/,
    );
    const plain = deploymentFiles(offered, [], true, {});
    expect(plain.get('harness/AGENTS.md')).not.toContain('What is mounted');
    expect([...plain.keys()][0]).toBe('dirigent.config.mts');
    expect(plain.get('harness/policy.yaml')).toMatch(/^# What an agent may do\. The first rule/);
    expect([configName(true), configName(false)]).toEqual([
      'dirigent.config.mts',
      'dirigent.config.mjs',
    ]);
  });

  test.each<[string | null, string | null]>([
    [null, '.dirigent/\nworkspace/\n'],
    ['', '.dirigent/\nworkspace/\n'],
    ['node_modules', 'node_modules\n.dirigent/\nworkspace/\n'],
    ['.dirigent/\n', '.dirigent/\nworkspace/\n'],
    ['/.dirigent\n workspace/ \n', null],
    ['.dirigent/\nworkspace\n', null],
    ['x.dirigent/\nworkspace\n', 'x.dirigent/\nworkspace\n.dirigent/\n'],
  ])('adds to .gitignore %j: %j', (before, after) => expect(ignoreText(before)).toBe(after));
});
