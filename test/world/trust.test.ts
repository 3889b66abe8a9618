/** A world does not start in which an agent could write what the host runs, or what binds the agent. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createWorld, type WorldConfig } from '../../entry/index.ts';
import { cli } from '../cli/run-cli.ts';
import { temporaryDirectory, testWorld } from './harness.ts';

type Files = Readonly<Record<string, string>>;

/** Files of a deployment; a text that begins with `-> ` makes a link. */
function deployed(files: Files): string {
  const directory = join(temporaryDirectory(), 'deployment');
  for (const [name, text] of Object.entries({
    'dirigent.config.mjs': 'export default {};',
    ...files,
  })) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    if (text.startsWith('-> ')) symlinkSync(text.slice(3), path);
    else writeFileSync(path, text);
  }
  return directory;
}

const TOOL = `import { z } from 'zod';
export default { description: 'x', input: z.object({}), execute: () => 'x' };
`;
const HARNESS = { 'harness/AGENTS.md': 'x', 'harness/skills/a/SKILL.md': 'x' };

function refused(config: WorldConfig, files: Files): { path: string; message: string } {
  const deployment = deployed(files);
  const state = config.state ?? join(deployment, '.dirigent');
  try {
    createWorld({ ...config, state }, { deployment });
  } catch (error) {
    expect(error).toMatchObject({ name: 'ConfigError' });
    return error as { path: string; message: string };
  }
  throw new Error('the world was made');
}

describe('a harness that can be written is refused where host code is looked up through it', () => {
  const rw = (more: object = {}): WorldConfig => ({ harness: { mode: 'rw', ...more } });
  test.each<[string, WorldConfig, Files, RegExp]>([
    [
      'a tool in it, whose packages it could bring',
      rw({ tools: ['./harness/tools/t.mjs'] }),
      { 'harness/tools/t.mjs': TOOL },
      /harness\/tools\/t\.mjs\)/,
    ],
    [
      'a tool outside that imports a file in it',
      rw({ tools: ['./tools/t.mjs'] }),
      {
        'tools/t.mjs': `import x from '../harness/lib/helper.mjs';${TOOL}`,
        'harness/lib/helper.mjs': 'export default 1;',
      },
      /harness\/lib\/helper\.mjs\)/,
    ],
    [
      'the same, over another module, and without its ending',
      rw({ tools: ['./tools/t.cjs'] }),
      {
        'tools/t.cjs': `const more = require('./more'); module.exports = { description: 'x', execute() {} };`,
        'tools/more.js': `module.exports = require('../harness/x.js');`,
        'harness/x.js': '',
      },
      /harness\/x\.js\)/,
    ],
    [
      'a file that is only made later',
      rw({ tools: ['./tools/t.mjs'] }),
      { 'tools/t.mjs': `import('../harness/later.mjs').catch(() => {});${TOOL}` },
      /harness\/later\.mjs\)/,
    ],
    [
      'a tool that is a link into it',
      rw({ tools: ['./tools/t.mjs'] }),
      { 'tools/t.mjs': '-> ../harness/t.mjs', 'harness/t.mjs': TOOL },
      /harness\/t\.mjs\)/,
    ],
    [
      'a tool that is named by a link in it',
      rw({ tools: ['./harness/t.mjs'] }),
      { 'harness/t.mjs': '-> ../tools/t.mjs', 'tools/t.mjs': TOOL },
      /harness\/t\.mjs\)/,
    ],
    [
      'packages that are a link into it',
      rw({ tools: ['./tools/t.mjs'] }),
      {
        'tools/t.mjs': TOOL,
        'tools/node_modules': '-> ../harness/packages',
        'harness/packages/zod/index.js': '',
      },
      /tools\/node_modules|harness\/packages/,
    ],
    [
      'a package that is linked into it',
      rw({ tools: ['./tools/t.mjs'] }),
      {
        'tools/t.mjs': `import 'mine';${TOOL}`,
        'node_modules/mine': '-> ../harness/mine',
        'harness/mine/package.json': '{}',
      },
      /harness\/mine\)/,
    ],
    ['hooks', { ...rw(), hooks: './harness/hooks.mjs' }, { 'harness/hooks.mjs': '' }, /hooks\.mjs/],
    [
      'a mount',
      { ...rw(), mounts: { '/mnt/x': 'module:./harness/m.mjs' } },
      { 'harness/m.mjs': '' },
      /module of \/mnt\/x/,
    ],
    [
      'a provider',
      { ...rw(), agent: { providers: { own: './harness/p.mjs' } } },
      { 'harness/p.mjs': '' },
      /provider own/,
    ],
    [
      'the config',
      rw(),
      {
        'dirigent.config.mjs': `import './harness/settings.json' with { type: 'json' };`,
        'harness/settings.json': '{}',
      },
      /settings\.json\)/,
    ],
    [
      'globs that let packages in',
      { harness: { mode: ['tools/**'], tools: ['./harness/tools/t.mjs'] } },
      { 'harness/tools/t.mjs': TOOL },
      /harness\.mode/,
    ],
    [
      'globs that let one package in',
      { harness: { mode: ['**/zod/*.js'], tools: ['./harness/tools/t.mjs'] } },
      { 'harness/tools/t.mjs': TOOL },
      /node_modules\)/,
    ],
    [
      'globs that let a package.json in',
      { harness: { mode: ['*.json'], tools: ['./harness/tools/t.mjs'] } },
      { 'harness/tools/t.mjs': TOOL },
      /harness\/package\.json\)/,
    ],
    [
      'globs that let code beside it in',
      { harness: { mode: ['tools/*.ts'], tools: ['./harness/tools/t.mjs'] } },
      { 'harness/tools/t.mjs': TOOL },
      /harness\/tools\/\*\.ts\)/,
    ],
    [
      'globs for a file that it imports',
      { harness: { mode: ['lib/helper.*'], tools: ['./harness/tools/t.mjs'] } },
      { 'harness/tools/t.mjs': `import '../lib/helper.mjs';${TOOL}`, 'harness/lib/helper.mjs': '' },
      /lib\/helper\.mjs\)/,
    ],
  ])('%s', (_, config, files, said) => {
    const { path, message } = refused(config, { ...HARNESS, ...files });
    expect(path).toBe('harness.mode');
    expect(message).toMatch(said);
    expect(message).toMatch(/outside of the harness/);
  });

  test.each<[string, WorldConfig, Files]>([
    ['tools outside of it', rw({ tools: ['./tools/t.mjs'] }), { 'tools/t.mjs': TOOL }],
    [
      'tools in one that is read-only',
      { harness: { tools: ['./harness/tools/t.mjs'] } },
      { 'harness/tools/t.mjs': TOOL },
    ],
    [
      'globs for what nothing is loaded from, and for tools of the sandbox',
      {
        harness: {
          mode: ['AGENTS.md', 'skills/**', 'tools/*.sh'],
          tools: ['./harness/tools/t.mjs'],
        },
      },
      { 'harness/tools/t.mjs': TOOL },
    ],
  ])('what is apart may be: %s', async (_, config, files) => {
    const deployment = deployed({ ...HARNESS, ...files });
    const world = testWorld({ ...config, state: join(deployment, '.dirigent') }, { deployment });
    expect(await world.exec('echo x > f; cat f')).toMatchObject({ stdout: 'x\n' });
  });
});

describe('a directory that can be written is refused where it covers the deployment', () => {
  const files = { ...HARNESS, 'tools/t.mjs': TOOL, 'data/f': '' };
  const at = (source: string | object, more: object = {}): WorldConfig =>
    ({ mounts: { '/data': source }, ...more }) as WorldConfig;
  test.each<[string, WorldConfig, RegExp]>([
    ['itself', at('.'), /holds/],
    ['a directory above it', at('..'), /holds/],
    ['as /workspace', { mounts: { '/workspace': '.' } }, /holds/],
    ['to append to', at('.:append'), /holds/],
    ['by a rule', at({ source: '.', mode: 'ro', rules: [{ pattern: '**', mode: 'rw' }] }), /holds/],
    [
      'by a rule for the config',
      at({ source: '.', mode: 'ro', rules: [{ pattern: 'dirigent.*', mode: 'rw' }] }),
      /holds the config/,
    ],
    [
      'by a rule for a config that would come first',
      at({ source: '.', mode: 'ro', rules: [{ pattern: '*.ts', mode: 'rw' }] }),
      /dirigent\.config\.ts/,
    ],
    ['its harness', at('./harness'), /holds the harness/],
    ['a directory of its harness', at('./harness/skills'), /lies in the harness/],
    ['its state', at('./.dirigent'), /holds the state/],
    ['a directory of its state', at('./.dirigent/sessions'), /lies in the state/],
    ['a state elsewhere', at('./data', { state: './data/state' }), /holds the state/],
    [
      'a tool',
      at('./tools', { harness: { tools: ['./tools/t.mjs'] } }),
      /a tool of the config.*t\.mjs\)/,
    ],
    [
      'packages',
      at('./node_modules/zod', { harness: { tools: ['./tools/t.mjs'] } }),
      /node_modules\)/,
    ],
    ['through a link', at('./link'), /holds/],
    ['the program', at(join(import.meta.dirname, '../../src')), /holds the program itself/],
  ])('%s', (_, config, said) => {
    const more = { '.dirigent/sessions/x': '', 'node_modules/zod/x': '', link: '-> .' };
    const state = config.state ?? undefined;
    const { path, message } = refused(state === undefined ? config : { ...config, state }, {
      ...files,
      ...more,
    });
    expect(path).toMatch(/^mounts\.\/(data|workspace)$/);
    expect(message).toMatch(said);
    expect(message).toMatch(/apart from it, or mount it read-only/);
  });

  test('a mount that is named through a link that can be changed from inside', () => {
    const { path, message } = refused(
      { mounts: { '/docs': './data/docs:ro', '/data': './data' } },
      { ...files, 'data/docs': '-> ../tools' },
    );
    expect(path).toBe('mounts./docs');
    expect(message).toMatch(/data\/docs, which can be changed from inside, at \/data: name/);
  });

  test('what is apart from it, or read-only, may be; and its own workspace', async () => {
    const deployment = deployed(files);
    const world = testWorld(
      {
        mounts: { '/all': '.:ro', '/data': './data', '/docs': './data:ro' },
        harness: { tools: ['./tools/t.mjs'] },
        state: join(deployment, '.dirigent'),
      },
      { deployment },
    );
    const { stdout, stderr } = await world.exec(
      'echo x > f; echo y > /data/g; cat f /docs/g; ls -A /all',
    );
    expect([stdout, stderr]).toEqual([
      'x\ny\ndata\ndirigent.config.mjs\nharness\ntools\nworkspace\n',
      '',
    ]);
  });

  test('at the command line: one sentence, status 2, and nothing was made', async () => {
    const deployment = deployed(files);
    const answer = await cli([
      'sh',
      '--deployment',
      deployment,
      '--mount',
      `/data=${deployment}`,
      '-c',
      'ls',
    ]);
    expect([answer.status, answer.stdout.toString()]).toEqual([2, '']);
    expect(answer.stderr.toString()).toMatch(/^dirigent: mounts\.\/data: [^\n]*read-only[^\n]*\n$/);
    expect(existsSync(join(deployment, '.dirigent', 'changes.sqlite'))).toBe(false);
  });
});

test('a file that says who may come in through a door is not written from inside', () => {
  const deployment = deployed({ 'keys/authorized_keys': '', 'docs/x.md': 'x' });
  const clientFiles = [join(deployment, 'keys', 'authorized_keys')];
  const state = join(deployment, '.dirigent');
  const open = (mounts: WorldConfig['mounts']) =>
    createWorld({ mounts: mounts ?? {}, state }, { deployment, clientFiles });
  expect(() => open({ '/mnt/keys': './keys' })).toThrow(
    /holds the file that says who may come in .*authorized_keys/,
  );
  return open({ '/mnt/keys': './keys:ro', '/mnt/docs': './docs' }).close();
});
