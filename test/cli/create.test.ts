/** `dirigent create mount`: what it makes, and what it refuses. That the package is green is test/package's. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installation } from '../../entry/installation.ts';
import { parseInvocation, UsageError } from '../../src/cli/options.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { cli } from './run-cli.ts';

const FILES = [
  'README.md',
  'fake-server.js',
  'index.js',
  'mount-test.js',
  'package.json',
  'try.js',
];

test('it makes a package by its name, whole, with nothing of the template left open', async () => {
  const cwd = temporaryDirectory();
  const made = await cli(['create', 'mount', '@they/bug-tracker-mount'], { cwd });
  expect(made).toMatchObject({ status: 0, stderr: '' });
  expect(String(made.stdout)).toContain('cd bug-tracker-mount && npm install && npm test\n');
  const directory = join(cwd, 'bug-tracker-mount');
  expect(readdirSync(directory).sort()).toEqual(FILES);
  const text = FILES.map((name) => readFileSync(join(directory, name), 'utf8')).join('\n');
  expect(text).not.toMatch(/@[A-Z]+@/);
  expect(text).toContain('"name": "@they/bug-tracker-mount"');
  expect(text).toContain("kind: 'bug-tracker'");
  expect(text).toContain("title: 'Bug Tracker'");
  expect(text).toContain("tokenEnv: 'BUG_TRACKER_TOKEN'");
  expect(text).toContain("'BUG_TRACKER_URL': service.url");
  const named = readFileSync(join(directory, 'README.md'), 'utf8').matchAll(/`([\w-]+\.js)`/g);
  expect([...named].map(([, name]) => name).filter((name) => !FILES.includes(name ?? ''))).toEqual(
    [],
  );
});

test('what is there is not touched; an empty directory is taken', async () => {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, 'tracker'));
  expect((await cli(['create', 'mount', 'tracker'], { cwd })).status).toBe(0);
  writeFileSync(join(cwd, 'tracker', 'index.js'), 'mine');
  const again = await cli(['create', 'mount', 'tracker'], { cwd });
  expect([again.status, String(again.stdout)]).toEqual([1, '']);
  expect(again.stderr).toContain('tracker is there already, and nothing was changed');
  expect(readFileSync(join(cwd, 'tracker', 'index.js'), 'utf8')).toBe('mine');
});

test.each([
  [[], 'say what to create: mount NAME'],
  [['mont', 'x'], '"mont" is not allowed (did you mean mount?)'],
  [['mount'], 'mount takes the NAME of a package'],
  [['mount', 'a', 'b'], 'one NAME is allowed (unexpected "b")'],
  [['mount', '../x'], '"../x" is no name of a package'],
  [['mount', 'Tracker'], '"Tracker" is no name of a package'],
  [['mount', '@they'], '"@they" is no name of a package'],
  [['mount', "x'y"], 'is no name of a package'],
])('create %j is refused with what is right', (args, said) => {
  expect(() => parseInvocation(['create', ...args], installation.schemes)).toThrow(UsageError);
  expect(() => parseInvocation(['create', ...args], installation.schemes)).toThrow(said);
});
