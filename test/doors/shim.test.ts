/** The grep of real shells: the system's, but for a query without an option in a mounted world. */
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installation } from '../../entry/installation.ts';
import { UsageError } from '../../src/cli/arguments.ts';
import { parseInvocation } from '../../src/cli/options.ts';
import { installShims, removeShims } from '../../src/doors/fuse/shims.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { mountedWorld, NO_FUSE, type Said } from './mounted.ts';

const root = mkdtempSync(join(tmpdir(), 'dirigent-test-shim-'));
const bin = join(root, 'a bin');
const files = join(root, 'files');

afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeAll(async () => {
  await installShims(bin);
  mkdirSync(files);
  writeFileSync(join(files, 'a.txt'), 'one two\nthree\n');
  writeFileSync(join(files, '-e'), 'three\n');
  writeFileSync(join(files, 'with blank'), 'two\n');
  mkdirSync(join(files, 'd'));
  writeFileSync(join(files, 'd', 'b.bin'), Buffer.from([0, 116, 119, 111, 10, 255]));
});

/** Runs a script of the shell with a PATH. */
const run = (script: string, path: string, input = ''): Promise<Said> =>
  new Promise((resolve) => {
    const options = { cwd: files, env: { PATH: path, HOME: files }, encoding: 'latin1' } as const;
    const child = execFile('/bin/sh', ['-c', script], options, (error, stdout, stderr) =>
      resolve({ stdout, stderr, status: error === null ? 0 : Number(error.code ?? 1) }),
    );
    // Who reads none of it may have ended before.
    child.stdin?.on('error', () => undefined).end(input);
  });

const SYSTEM = '/usr/local/bin:/usr/bin:/bin';

test.each([
  'grep two a.txt',
  'grep four a.txt',
  'grep two no-such-file a.txt',
  'grep two d',
  'grep -r two',
  'grep -rn two . | sort',
  'grep two a.txt "with blank" -- -e',
  'grep -e two -- -e',
  'grep',
  'grep --no-such-option',
  'grep --version',
  'grep --help',
  "grep ''  a.txt",
  "grep '[' a.txt",
  "grep '*' a.txt",
  'grep two < a.txt',
  'cat a.txt | grep three -',
  'grep two',
  "grep 'two\nthree' a.txt",
  'grep two d/b.bin',
  'GREP_COLORS="mt=01;32" grep --color=always two a.txt',
  'LC_ALL=C grep two d/b.bin; grep -q two a.txt; echo $?',
  'cd d; grep two ../a.txt',
])('outside of a mounted world it is the system’s, byte for byte: %s', async (script) => {
  const input = 'one\ntwo\n';
  const [own, system] = await Promise.all([
    run(script, `${bin}:${SYSTEM}`, input),
    run(script, SYSTEM, input),
  ]);
  expect(own).toEqual(system);
});

test('it finds the system’s behind another shim, a link to itself and an empty place on the PATH', async () => {
  const other = join(temporaryDirectory(), 'other');
  const linked = temporaryDirectory();
  await installShims(other);
  symlinkSync(join(bin, 'grep'), join(linked, 'grep'));
  const said = await run('grep two a.txt', `${bin}:${other}:${linked}:${bin}::${SYSTEM}`);
  expect(said).toEqual({ stdout: 'one two\n', stderr: '', status: 0 });
});

test('it is installed over an older one, removed, and nobody else’s file is touched', async () => {
  const place = join(temporaryDirectory(), 'new', 'bin');
  expect(await installShims(place)).toEqual([join(place, 'grep')]);
  expect(await installShims(place)).toEqual([join(place, 'grep')]);
  expect(await removeShims(place)).toEqual([join(place, 'grep')]);
  expect(await removeShims(place)).toEqual([]);
  writeFileSync(join(place, 'grep'), '#!/bin/sh\necho mine\n');
  await expect(installShims(place)).rejects.toThrow(/no shim of dirigent.*--dir/s);
  expect(await removeShims(place)).toEqual([]);
  expect(readFileSync(join(place, 'grep'), 'utf8')).toBe('#!/bin/sh\necho mine\n');
  expect(existsSync(join(bin, 'grep'))).toBe(true);
});

test.each([
  [[], /install or uninstall/],
  [['instal'], /did you mean install\?/],
  [['install', 'grep'], /no operand/],
  [['install', '--dir', ''], /--dir takes a directory/],
])('%j is refused, and what is meant is said', (args, said) => {
  const parsed = (): unknown => parseInvocation(['shim', ...args], installation.schemes);
  expect(parsed).toThrow(UsageError);
  expect(parsed).toThrow(said);
});

describe.skipIf(NO_FUSE !== null)('in a mounted world', () => {
  test('a query without an option searches by meaning; with one, and where nothing is searched so, it is the system’s', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'release.md'), 'Releases are made by pushing a tag.\n');
    const { sh } = await mountedWorld({ mounts: { '/mnt/docs': `${directory}:ro` } });
    const PATH = `${bin}:${SYSTEM}`;
    expect(await sh('grep "how is a release made"', '/mnt/docs', { PATH })).toMatchObject({
      stdout: 'release.md:1:Releases are made by pushing a tag.\n',
      status: 0,
    });
    const script = 'grep -c tag *; grep -r pushing; grep tag /mnt/none; cd ../../tmp; grep a b';
    const [own, system] = [
      await sh(script, '/mnt/docs', { PATH }),
      await sh(script, '/mnt/docs', { PATH: SYSTEM }),
    ];
    expect(own).toEqual(system);
  });
});
