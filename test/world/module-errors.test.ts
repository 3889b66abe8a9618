/** What a mount's module throws, from a package of its own: the errno that it means is the one that commands show. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, FsError, isFsError } from '../../entry/index.ts';
import { ServiceFailure } from '../../src/mount/client/failure.ts';
import { FrontmatterError } from '../../src/mount/record/frontmatter.ts';
import { RecordError } from '../../src/mount/record/record.ts';
import { revive, wire } from '../../src/world/wire-errors.ts';
import { temporaryDirectory, testWorld } from './harness.ts';

const errors = new URL('../../src/errors.ts', import.meta.url).href;

/** Every file of it fails on reading, each in a way of its own. */
const MODULE = `
import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { FsError } from '${errors}?another-copy';
const failures = {
  'plain-enoent': () => { throw Object.assign(new Error('no such thing'), { code: 'ENOENT' }); },
  'plain-eacces': () => { throw Object.assign(new Error('sign in first'), { code: 'EACCES' }); },
  'system': () => readFileSync('/there/is/no/such/file'),
  'system-eisdir': () => readFileSync('/'),
  'text': () => { throw new Error("EPERM: operation not permitted, open '/text'"); },
  'copy': () => {
    throw new FsError('EBUSY', { path: '/copy', op: 'open', rule: 'one at a time', reason: 'somebody has it; wait' });
  },
  'spawn': () => execFileSync('there-is-no-such-program'),
  'odd': () => { throw Object.assign(new Error('what now'), { code: 'E_ODD' }); },
  'nothing': () => { throw undefined; },
};
export default () => ({
  kind: 'failing',
  async lstat(path) {
    return path === '/' || path.slice(1) in failures
      ? { type: path === '/' ? 'directory' : 'file', mode: 0o644, size: 1, mtime: new Date(0) }
      : Promise.reject(Object.assign(new Error('no such thing'), { code: 'ENOENT' }));
  },
  async readdir() { return Object.keys(failures).map((name) => ({ name, type: 'file' })); },
  async read(path) { return failures[path.slice(1)](); },
});
`;

function worldWithModule() {
  const deployment = temporaryDirectory();
  const directory = join(deployment, 'node_modules', 'failing-mount');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{"name": "failing-mount", "type": "module"}');
  writeFileSync(join(directory, 'index.js'), MODULE);
  return testWorld(
    { mounts: { '/mnt/x': 'module:./node_modules/failing-mount/index.js' } },
    { deployment },
  );
}

test('a module in node_modules fails with the errno that it means, and its sentence', async () => {
  const world = worldWithModule();
  const failed = async (name: string) => {
    const error: unknown = await world.fs.readFile(`/mnt/x/${name}`).catch((thrown) => thrown);
    if (!isFsError(error)) throw new Error(`${name} did not fail as a file does: ${error}`);
    const { code, path, rule, reason } = error;
    return { code, path, rule, reason };
  };
  const at = (name: string) => ({ path: `/mnt/x/${name}`, rule: undefined, reason: undefined });
  expect(await failed('plain-enoent')).toEqual({ ...at('plain-enoent'), code: 'ENOENT' });
  expect(await failed('plain-eacces')).toEqual({
    ...at('plain-eacces'),
    code: 'EACCES',
    reason: 'sign in first',
  });
  expect(await failed('system')).toEqual({ ...at('system'), code: 'ENOENT' });
  expect(await failed('system-eisdir')).toEqual({ ...at('system-eisdir'), code: 'EISDIR' });
  expect(await failed('text')).toEqual({ ...at('text'), code: 'EPERM' });
  expect(await failed('copy')).toEqual({
    code: 'EBUSY',
    path: '/mnt/x/copy',
    rule: 'one at a time',
    reason: 'somebody has it; wait',
  });
  // That a program is missing says nothing about the file.
  expect(await failed('spawn')).toMatchObject({
    code: 'EIO',
    reason: expect.stringContaining('ENOENT'),
  });
  expect(await failed('odd')).toMatchObject({ code: 'EIO', reason: 'the mount failed: what now' });
  expect(await failed('nothing')).toMatchObject({ code: 'EIO' });
  expect(await world.exec('cat /mnt/x/copy; [ -e /mnt/x/absent ] || echo absent')).toMatchObject({
    stdout: 'absent\n',
    stderr: expect.stringContaining('somebody has it; wait'),
  });
});

describe('two copies of the package know each other’s errors', () => {
  let copy: typeof import('../../src/errors.ts');
  beforeAll(async () => {
    copy = (await import(/* @vite-ignore */ `${errors}?a-second-copy`)) as typeof copy;
    expect(copy.FsError).not.toBe(FsError);
  });

  test('by instanceof, both ways, and by isFsError', () => {
    const theirs = new copy.FsError('ENOENT', { path: '/a', op: 'open' });
    const ours = new FsError('ENOENT', { path: '/a', op: 'open' });
    expect(theirs).toBeInstanceOf(FsError);
    expect(ours).toBeInstanceOf(copy.FsError);
    expect(isFsError(theirs, 'ENOENT') && copy.isFsError(ours, 'ENOENT')).toBe(true);
    expect(isFsError(theirs, 'EACCES')).toBe(false);
    expect(new copy.ConfigError('a', 'b')).toBeInstanceOf(ConfigError);
    expect(new ConfigError('a', 'b')).toBeInstanceOf(copy.ConfigError);
  });

  test('and take nothing else for one', () => {
    for (const value of [null, undefined, 'ENOENT', {}, new Error('ENOENT: x'), FsError]) {
      expect(value instanceof FsError || value instanceof ConfigError).toBe(false);
      expect(value instanceof ServiceFailure || value instanceof RecordError).toBe(false);
      expect(value instanceof FrontmatterError).toBe(false);
    }
    class Special extends FsError {}
    const plain = new FsError('ENOENT', { path: '/a', op: 'open' });
    expect(plain).not.toBeInstanceOf(Special);
    expect(new Special('ENOENT', { path: '/a', op: 'open' })).toBeInstanceOf(Special);
    expect(new ServiceFailure('auth', 'no')).toBeInstanceOf(ServiceFailure);
    expect(new RecordError([])).toBeInstanceOf(RecordError);
  });
});

test('between threads an error keeps errno, path, rule and reason, and a setting its place', () => {
  const made = { path: '/a', op: 'open', rule: 'mode ro', reason: 'ask' };
  expect(revive(structuredClone(wire(new FsError('EACCES', made))))).toMatchObject({
    code: 'EACCES',
    ...made,
  });
  const revived = revive(structuredClone(wire(new ConfigError('mounts./data', 'is no mode'))));
  expect(revived).toMatchObject({
    name: 'ConfigError',
    path: 'mounts./data',
    message: 'mounts./data: is no mode',
  });
});
