/** The example of commands of one's own, and what a config can have wrong about them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WorldConfig } from '../../entry/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

const example = join(import.meta.dirname, '../../examples/commands');

/** A deployment with these files, and a world of it. */
function deployed(files: Readonly<Record<string, string>>, config: WorldConfig) {
  const deployment = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(deployment, name, '..'), { recursive: true });
    writeFileSync(join(deployment, name), text);
  }
  return testWorld(config, { deployment });
}

const command = (name: string, says: string) =>
  `{ name: '${name}', execute: async () => ({ stdout: '${says}\\n', stderr: '', exitCode: 0 }) }`;
const moduleOf = (...commands: string[]) => `export default () => [${commands.join(', ')}];\n`;

test('the commands of the example are like any other, and meet the same gate', async () => {
  const world = testWorld(
    { mounts: { '/workspace': 'mem', '/mnt/a': 'mem' }, shims: ['./commands.ts'] },
    { deployment: example },
  );
  expect(await world.exec('seq 12 > numbers; lines numbers | cut -f1')).toMatchObject({
    stdout: '12\n',
    exitCode: 0,
  });
  expect(await world.exec('lines nothing')).toMatchObject({
    stderr: 'lines: nothing: No such file or directory\n',
    exitCode: 1,
  });
  expect(await world.exec('cd /mnt/a; which-mount x /tmp/y')).toMatchObject({
    stdout: '/mnt/a\tmemory\t/mnt/a/x\n/tmp\tmemory\t/tmp/y\n',
  });
  expect(await world.commands()).toEqual(expect.arrayContaining(['lines', 'which-mount', 'ls']));
  expect((await world.exec('ls /bin/lines; type lines')).exitCode).toBe(0);
});

test('a command of the config replaces the one that the shell has, at every place of a line', async () => {
  const files = { 'mine.js': moduleOf(command('sort', 'mine'), command('greet', 'hello')) };
  const world = deployed(files, { shims: ['./mine.js'] });
  expect((await world.exec('sort x; echo b | sort; echo $(greet)')).stdout).toBe(
    'mine\nmine\nhello\n',
  );
});

test('commands come from a package, too, and several modules side by side', async () => {
  const manifest = { name: 'their-commands', type: 'module', exports: { import: './main.js' } };
  const files = {
    'node_modules/their-commands/package.json': JSON.stringify(manifest),
    'node_modules/their-commands/main.js': moduleOf(command('theirs', 'theirs')),
    'mine.mjs': moduleOf(command('mine', 'mine')),
  };
  const world = deployed(files, { shims: ['their-commands', './mine.mjs'] });
  expect((await world.exec('theirs && mine')).stdout).toBe('theirs\nmine\n');
});

test.each([
  ['is missing', {}, ['./none.js'], /shims\.0: .*none\.js is no file/],
  ['is not installed', {}, ['nowhere'], /shims\.0: nowhere is not installed in/],
  [
    'is a file beside, without its ./',
    { 'mine.js': '' },
    ['mine.js'],
    /mine\.js is not installed .*\.\/mine\.js/,
  ],
  ['fails', { 'm.js': 'throw new Error("not today")' }, ['./m.js'], /cannot be loaded: not today/],
  ['has no default', { 'm.js': 'export const a = 1' }, ['./m.js'], /as its default, a function/],
  [
    'makes no list',
    { 'm.js': 'export default () => 1' },
    ['./m.js'],
    /should make a list of commands/,
  ],
  [
    'throws in making them',
    { 'm.js': 'export default () => { throw new Error("no key") }' },
    ['./m.js'],
    /made no commands: no key/,
  ],
  [
    'names one with a slash',
    { 'm.js': moduleOf(command('a/b', '')) },
    ['./m.js'],
    /no name of a c/,
  ],
  [
    'has a name of another',
    { 'm.js': moduleOf(command('a', '')), 'n.js': moduleOf(command('a', '')) },
    ['./m.js', './n.js'],
    /shims\.1: .*makes a, which another one makes/,
  ],
] as const)(
  'a module of commands that %s is told with its place',
  async (_, files, shims, said) => {
    const run = async (): Promise<unknown> => {
      const world = deployed(
        { 'package.json': '{"type": "module"}', ...files },
        { shims: [...shims] },
      );
      return world.exec('true');
    };
    await expect(run()).rejects.toThrow(said);
  },
);

test('a module of commands that an agent could write is refused', () => {
  const files = { 'data/mine.js': moduleOf(command('a', '')) };
  const config: WorldConfig = { mounts: { '/data': './data' }, shims: ['./data/mine.js'] };
  expect(() => deployed(files, config)).toThrow(/mounts\.\/data: .*the commands of \.\/data\/mine/);
});
