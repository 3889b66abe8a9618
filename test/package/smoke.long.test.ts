/**
 * The package as it is published, beside the dependencies that it names and no
 * others: the tarball holds what it needs, each part of it runs, and a mount that
 * somebody else publishes runs beside it. `installed.long.test.ts` installs it with
 * each package manager.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { out, pack, ROOT, SMOKE, writeProgram } from './pack.ts';

const directory = mkdtempSync(join(tmpdir(), 'dirigent-package-'));
const modules = join(directory, 'node_modules');

/** What the packed package depends on, linked from the checkout's. */
function linkDependencies(into: string): void {
  const { dependencies } = JSON.parse(readFileSync(join(into, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const link = join(modules, name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
}

beforeAll(() => {
  const installed = join(modules, 'dirigent');
  mkdirSync(installed, { recursive: true });
  out('tar', ['xzf', pack(directory), '--strip-components=1', '-C', installed], directory);
  linkDependencies(installed);
  writeProgram(directory);
}, 300_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('what is packed runs beside its own dependencies', () => {
  const told = JSON.parse(out(process.execPath, ['smoke.mjs'], directory)) as object;
  expect(told).toMatchObject(SMOKE);
});

describe('the doors of what is packed', () => {
  const launcher = join(modules, 'dirigent', 'bin', 'dirigent.cjs');
  const dirigent = (args: readonly string[], input = '') =>
    spawnSync(process.execPath, [launcher, ...args], { cwd: directory, input, encoding: 'utf8' });
  const request = (method: string, params: object): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`;
  const clientInfo = { name: 'smoke', version: '1' };
  const META = 'io.modelcontextprotocol';

  const asked = {
    'an editor by ACP': ['acp', 'initialize', { protocolVersion: 1, clientCapabilities: {} }],
    'an older client by MCP': [
      ...['mcp', 'initialize'],
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    ],
    'a client by MCP': [
      ...['mcp', 'server/discover'],
      {
        _meta: {
          [`${META}/protocolVersion`]: '2026-07-28',
          [`${META}/clientCapabilities`]: {},
          [`${META}/clientInfo`]: clientInfo,
        },
      },
    ],
  } as const;
  test.for(Object.entries(asked))('%s is answered', ([, [command, method, params]]) => {
    const { stdout, stderr, status } = dirigent([command], request(method, params));
    expect(status, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: expect.any(Object) });
  });

  test('SSH has its help', () => {
    expect(dirigent(['ssh', '--help'])).toMatchObject({ status: 0, stderr: '' });
  });

  test('what they are for programs of others has its types', () => {
    for (const name of ['ai-sdk', 'deepagents', 'eve'])
      expect(existsSync(join(modules, 'dirigent', 'dist', 'entry', `${name}.d.ts`))).toBe(true);
  });
});

describe('a mount from a package of its own', () => {
  /** What mounted.mjs was told, with notes-mount in a directory of node_modules. */
  function mounted(name: string, prepare: (mount: string) => void) {
    const project = join(directory, name);
    const mount = join(project, 'node_modules', 'notes-mount');
    mkdirSync(project);
    cpSync(join(import.meta.dirname, 'notes-mount'), mount, { recursive: true });
    cpSync(join(import.meta.dirname, 'mounted.mjs'), join(project, 'mounted.mjs'));
    prepare(mount);
    const env = { NOTES_SOURCE: 'module:notes-mount' };
    return JSON.parse(out(process.execPath, ['mounted.mjs'], project, env)) as object;
  }

  const failed = (code: string, name: string, more: object = {}) => ({
    code,
    path: `/mnt/notes/${name}`,
    ...more,
  });
  const said = (exitCode: number, stderr: string) => ({
    exitCode,
    stderr: expect.stringContaining(stderr),
  });
  const EXPECTED = {
    list: 'README.md\nn0.md\nn1.md\n',
    read: '---\ntitle: First\n---\n\nText 0\n',
    absent: failed('ENOENT', 'n9.md'),
    catAbsent: said(1, 'cat: n9.md: No such file or directory\n'),
    sealed: failed('EBUSY', 'n1.md', {
      rule: 'seals',
      reason: 'it is sealed; break the seal first',
    }),
    edit: { exitCode: 0, stderr: '' },
    edited: { title: 'Anew', text: 'Edited' },
    create: { exitCode: 0, stdout: '/mnt/notes/n2.md\n' },
    made: { title: 'Made', text: 'By a write' },
    wrong: said(1, 'colour'),
    refused: said(4, 'locked on Sundays'),
    unknown: said(4, 'it is kept as unknown in /session/changes/'),
    staged: { exitCode: 0, stdout: '1\n' },
    unsent: 'Edited',
    badOption: ['ConfigError', expect.stringMatching(/mounts\.\/mnt\/n: .*folder: .*colour/s)],
    badFolder: ['ConfigError', expect.stringContaining('there is no such folder')],
  };

  test('beside the package that it shares with the host', () => {
    expect(mounted('shared', () => undefined)).toMatchObject(EXPECTED);
  });

  test('with a copy of the package of its own', () => {
    const told = mounted('copied', (mount) => {
      const copy = join(mount, 'node_modules', 'dirigent');
      cpSync(join(modules, 'dirigent'), copy, { recursive: true });
    });
    expect(told).toMatchObject(EXPECTED);
  });
});

test('a mount that `create` makes is green at once, with every trial', () => {
  const launcher = join(modules, 'dirigent', 'bin', 'dirigent.cjs');
  out(process.execPath, [launcher, 'create', 'mount', 'tracker-mount'], directory);
  const told = out(process.execPath, ['--test'], join(directory, 'tracker-mount'), {
    // As a person's own terminal has it: told that it runs in a test, it would report to that.
    NODE_TEST_CONTEXT: undefined,
  });
  expect(told).toMatch(/^. pass 9$/m);
  expect(told).toMatch(/^. fail 0$/m);
});
