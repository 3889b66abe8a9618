/** What a config can say of where a mount comes from: one way for the house's sourceTable.sources and those of others. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { WorldConfig } from '../../entry/index.ts';
import { sourceTable } from '../../mounts/index.ts';
import { tsOf, workspace } from '../../mounts/slack/testing.ts';
import { checkConfig } from '../../src/world/config.ts';
import { startSlackStandIn } from '../stand-ins/slack/index.ts';
import { temporaryDirectory, testWorld } from './harness.ts';

const FORMS = sourceTable.sources.flatMap(({ forms }) => forms);

const mounting = (mount: NonNullable<WorldConfig['mounts']>[string]) => () =>
  checkConfig(sourceTable, { mounts: { '/mnt/x': mount } });

/** A mount of one file, which says what its options are. */
const MODULE = `
const file = (options) => JSON.stringify(options);
const stat = (type) => ({ type, mode: 0o644, size: 1, mtime: new Date(0) });
export default ({ options }) => ({
  kind: 'told',
  searchable: false,
  async lstat(path) { return stat(path === '/' ? 'directory' : 'file'); },
  async readdir() { return [{ name: 'options', type: 'file' }]; },
  async read() { return Buffer.from(file(options)); },
});
`;
/** A Standard Schema, of no library. */
const SCHEMA = `
export const options = { '~standard': { version: 1, vendor: 'hand', async validate(value) {
  return typeof value.folder === 'string'
    ? { value: { folder: value.folder.toUpperCase() } }
    : { issues: [{ message: 'should be a text', path: [{ key: 'folder' }] }] };
} } };
`;

function deployment(files: Readonly<Record<string, string>>): string {
  const directory = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

const PACKAGE = {
  'node_modules/@they/told/package.json': JSON.stringify({
    name: '@they/told',
    type: 'module',
    exports: { '.': { import: './main.js' }, './other': './other.js' },
  }),
  'node_modules/@they/told/main.js': MODULE,
  'node_modules/@they/told/other.js': MODULE + SCHEMA,
};

describe('a source that is none', () => {
  test.each(['ftp', 'ftp:x', 'workspace', 'disk', 'disk:./x', ''])(
    '"%s" names all that are',
    (text) => {
      const parse = mounting(text === '' ? ':ro' : text);
      for (const form of FORMS) expect(parse).toThrow(form);
      expect(parse).toThrow(/mounts\.\/mnt\/x: ".*" is no source/);
    },
  );

  test.each([
    ['githb:a/b', 'did you mean github?'],
    ['Linear', 'did you mean linear?'],
    ['modul:./x', 'did you mean module?'],
  ])('"%s" is met with what was meant', (text, said) => expect(mounting(text)).toThrow(said));

  test.each([
    ['github:owner', 'should be github or github:OWNER/REPO'],
    ['github:', 'should be github or github:OWNER/REPO'],
    ['linear:eng', 'should be linear or linear:KEY'],
    ['notion:x', 'should be notion'],
    ['mem:x', 'should be mem'],
    ['mcp', 'should be mcp:NAME'],
    ['mcp:', 'should be mcp:NAME'],
    ['mcp:../x', 'should be mcp:NAME'],
    ['module', 'should be module:./FILE or module:PACKAGE'],
    ['module:', 'should be module:./FILE or module:PACKAGE'],
    ['module:@they', 'should be module:./FILE or module:PACKAGE'],
  ])('"%s" is met with its forms', (text, said) => expect(mounting(text)).toThrow(said));
});

describe('a setting', () => {
  test.each([
    [{ source: 'mem', commits: 'default-branch' }, '/mnt/x.commits: it is a setting of github'],
    [{ source: './x', maxBytes: 5 }, '/mnt/x.maxBytes: it is a setting of mem, and not of disk'],
    [{ source: 'notion', options: {} }, '/mnt/x.options: it is a setting of module'],
    [{ source: 'mem', tokenEnv: 'X' }, '/mnt/x.tokenEnv: it is a setting of services'],
    [{ source: './x', baseUrl: 'http://127.0.0.1' }, '/mnt/x.baseUrl: it is a setting of services'],
    [{ source: 'github', comits: 'x' }, '/mnt/x.comits: there is no such setting'],
  ])('%j is refused with its place', (mount, said) =>
    expect(mounting(mount as never)).toThrow(said),
  );

  test('belongs to one source at least, and each source knows its own', () => {
    const taken = sourceTable.sources.flatMap(({ ownSettings }) => ownSettings);
    expect(new Set(taken)).toEqual(new Set(Object.keys(sourceTable.settings)));
  });

  test('that a service refuses is told with the mount', async () => {
    const world = testWorld({ mounts: { '/mnt/x': { source: 'github', commits: 'sideways' } } });
    await expect(world.exec('true')).rejects.toThrow(/^mounts\.\/mnt\/x: commits: /);
  });
});

test('slack is a source, with settings and a token of its own', async () => {
  const slack = await startSlackStandIn({
    seed: workspace([{ ts: tsOf(60), text: 'Hello there' }]),
  });
  onTestFinished(() => slack.close());
  const mount = { source: 'slack', baseUrl: slack.url, days: 3, types: 'public_channel' };
  const world = testWorld(
    { mounts: { '/mnt/slack': mount } },
    { env: { SLACK_TOKEN: slack.token } },
  );
  expect((await world.exec('cat /mnt/slack/general/days/*.md')).stdout).toContain('Hello there');
  expect((await world.exec('grep Slack /README.md')).stdout).toBe(
    '| `/mnt/slack` | Slack: read-only |\n',
  );
});

describe('module:PACKAGE', () => {
  test.each([
    ['module:@they/told', '{"folder":"a"}'],
    ['module:@they/told/other', '{"folder":"A"}'],
    ['module:./node_modules/@they/told/other.js', '{"folder":"A"}'],
  ])('%s is what it exports, its options checked by its own schema', async (source, said) => {
    const world = testWorld(
      { mounts: { '/mnt/x': { source, options: { folder: 'a' } } } },
      { deployment: deployment(PACKAGE) },
    );
    expect((await world.exec('cat /mnt/x/options')).stdout).toBe(said);
    expect(world.mounts.find(({ point }) => point === '/mnt/x')).toEqual({
      point: '/mnt/x',
      kind: 'module',
      service: true,
    });
  });

  test.each([
    ['module:@they/told/other', /other\.js made no mount: options\.folder: should be a text$/],
    ['module:@they/none', /@they\/none is not installed in .*: install it there/],
    ['module:@they/told/part', /@they\/told\/part is not installed/],
    ['module:./gone.js', /gone\.js is no file/],
  ])('%s, where that is wrong, is told with the mount', async (source, said) => {
    const run = async () => {
      const world = testWorld(
        { mounts: { '/mnt/x': { source } } },
        { deployment: deployment(PACKAGE) },
      );
      return world.exec('true');
    };
    await expect(run()).rejects.toThrow(said);
    await expect(run()).rejects.toThrow(/^mounts\.\/mnt\/x: /);
  });

  test('an agent cannot write a package that is linked from elsewhere', () => {
    const at = deployment({ 'packages/told/index.js': MODULE });
    mkdirSync(join(at, 'node_modules'));
    symlinkSync('../packages/told', join(at, 'node_modules', 'told'));
    const mounts = { '/mnt/x': 'module:told', '/data': './packages' };
    expect(() => testWorld({ mounts }, { deployment: at })).toThrow(
      /\/data .*the module of \/mnt\/x/,
    );
  });
});
