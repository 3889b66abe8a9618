import { expect, it } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { diffShims } from '../diff/index.ts';
import { doubleShell } from '../support/double-shell.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { patchShims } from './index.ts';

const lines = Array.from({ length: 30 }, (_, i) => `line ${i}\n`);
const old = lines.join('');
const fresh = [...lines.slice(0, 4), 'in\n', ...lines.slice(5, 20), ...lines.slice(22)].join('');
const files = { '/data/a': old, '/data/b': fresh, '/data/open': 'x\ny', '/data/shut': 'x\nz\n' };

it('makes of the old file the new one, and back', async () => {
  const shell = doubleShell([diffShims, patchShims], files);
  expect((await shell.run('diff -u a b > p; patch a p')).stdout).toBe('patching file a\n');
  expect(await shell.fs.readFile('/data/a')).toBe(fresh);
  await shell.run('patch -R a p');
  expect(await shell.fs.readFile('/data/a')).toBe(old);
});

it('finds a hunk that has moved, and says so', async () => {
  const shell = doubleShell([diffShims, patchShims], files);
  const { stdout } = await shell.run('diff -u a b > p; printf "x\\ny\\n" | cat - a > c; patch c p');
  expect(stdout).toContain('succeeded at 4 (offset 2 lines)');
  expect(await shell.fs.readFile('/data/c')).toBe(`x\ny\n${fresh}`);
});

it('saves what does not fit, fails, and leaves the file alone', async () => {
  const shell = doubleShell([diffShims, patchShims], files);
  const { exitCode } = await shell.run('diff -u a b > p; patch shut p');
  expect(exitCode).toBe(1);
  expect(await shell.fs.readFile('/data/shut')).toBe(files['/data/shut']);
  expect(await shell.fs.readFile('/data/shut.rej')).toContain('+in');
});

it('keeps and mends a missing newline as the patch has it', async () => {
  const shell = doubleShell([diffShims, patchShims], files);
  await shell.run('diff -u open shut > p; cp open one; patch one p; cp shut two; patch -R two p');
  expect(await shell.fs.readFile('/data/one')).toBe('x\nz\n');
  expect(await shell.fs.readFile('/data/two')).toBe('x\ny');
});

it('makes and removes files as git names them, and only checks with --dry-run', async () => {
  const shell = doubleShell([patchShims], {
    '/data/p':
      '--- /dev/null\n+++ b/new/f\n@@ -0,0 +1 @@\n+hi\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n',
    '/data/gone': 'bye\n',
  });
  await shell.run('patch -p1 --dry-run < p');
  expect(await shell.fs.exists('/data/gone')).toBe(true);
  await shell.run('patch -p1 < p');
  expect(await shell.fs.readFile('/data/new/f')).toBe('hi\n');
  expect(await shell.fs.exists('/data/gone')).toBe(false);
});

it('changes nothing outside of where it is applied, by name or through a link', async () => {
  const { run } = await inProcessWorld({ roots: ['/work', '/out'], cwd: '/work' });
  const added = (name: string): string =>
    `printf -- '--- %s\\n+++ %s\\n@@ -0,0 +1 @@\\n+in\\n' ${name} ${name}`;
  await run('mkdir in sub; ln -s /out away; ln -s in near');
  for (const name of ['../out/f', '/out/f', 'in/../../out/f', 'away/f', 'away/deeper/f']) {
    const { stdout, exitCode } = await run(`${added(name)} | patch -p0`);
    expect.soft(stdout, name).toMatch(/Ignoring potentially dangerous|Invalid file name/);
    expect.soft(exitCode, name).toBe(1);
  }
  expect((await run('ls /out')).stdout).toBe('');
  expect((await run(`${added('near/f')} | patch -p0; cat in/f`)).stdout).toContain('in\n');
  expect((await run(`${added('f')} | patch -p0 -d sub; cat sub/f`)).stdout).toContain('in\n');
  expect((await run(`${added('x')} | patch /out/f; cat /out/f`)).stdout).toContain('in\n');
});

const modified = '--- f\n+++ f\n@@ -1,4 +1,4 @@\n one\n-two\n+TWO\n three\n four\n';
const appended = '--- f\n+++ f\n@@ -3,2 +3,3 @@\n three\n four\n+five\n';
const inserted = '--- f\n+++ f\n@@ -1,2 +1,3 @@\n+zero\n one\n two\n';
const created = '--- /dev/null\n+++ new\n@@ -0,0 +1,2 @@\n+a\n+b\n';

gnuSuite(
  ['patch'],
  [patchShims],
  {
    f: 'one\ntwo\nthree\nfour\n',
    'd/f': 'one\ntwo\nthree\nfour\n',
    modified,
    appended,
    inserted,
    created,
    gone: '--- new\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n',
    other: '--- a/x/none\n+++ b/x/none\n@@ -1 +1 @@\n-a\n+b\n',
    git: 'diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -2,3 +2,2 @@\n two\n-three\n four\n',
  },
  [
    ...['modified', 'appended', 'inserted'].flatMap((name) => [
      `patch < ${name}; echo $?; cat f; patch < ${name}; echo $?; cat f; cat f.rej`,
      `patch -s < ${name}; patch -N < ${name}; echo $?; cat f f.rej`,
      `patch < ${name}; patch -t < ${name}; echo $?; cat f`,
      `patch < ${name}; patch -f < ${name}; echo $?; cat f`,
      `patch -R < ${name}; echo $?; cat f`,
      `patch < ${name}; patch -R < ${name}; echo $?; cat f`,
      `patch < ${name}; patch --dry-run < ${name}; echo $?; ls`,
      `patch -N -s -r - < ${name}; echo $?; patch -N -r - < ${name}; echo $?; ls`,
    ]),
    'patch < created; cat new; patch < created; echo $?; cat new; ls',
    'patch < created; patch -N < created; echo $?; cat new',
    'patch < created; patch < gone; echo $?; ls; patch < gone; echo $?',
    'patch < other; echo $?',
    'patch -p1 < other; echo $?',
    'patch -f -p1 < other; echo $?',
    'patch -p1 < git; cat f; patch -p1 < git; echo $?',
    'cd d; patch -p1 < ../git; cat f',
    'patch -d d < modified; cat d/f',
    'patch -i modified; cat f',
    'patch f modified; cat f',
    'patch -o out f modified; cat out f',
    'patch -b < modified; ls; cat f.orig',
    'printf "x\\n" | cat - f > g; patch g modified; cat g',
    'printf "one\\nTWO!\\nthree\\nfour\\n" > f; patch < modified; echo $?; cat f.rej',
    'printf "one\\ntwo\\nthree\\nFOUR\\n" > f; patch < modified; echo $?; cat f',
    'echo nothing | patch 2>/dev/null; echo $?',
  ],
);
