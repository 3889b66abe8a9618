import { describe, expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

const SCRIPT = { '/work/f': 'echo "$0" "$@"\n' };

describe('bash and sh', () => {
  test.each([
    ["bash -lc 'echo hi'", 'hi\n', 0],
    ["sh -ec 'false; echo no'", '', 1],
    ["bash -euo pipefail -c 'false | true; echo no'", '', 1],
    ["bash -c -e 'false; echo no'", '', 1],
    ["bash +e -c 'false; echo yes'", 'yes\n', 0],
    ["bash -c 'echo $0 $1 $#' name arg", 'name arg 1\n', 0],
    ['bash f a b; sh f -x; bash -- f c; bash --norc f d', 'f a b\nf -x\nf c\nf d\n', 0],
    ['bash -x f 2>&1', '+ echo f\nf\n', 0],
    ['bash -n f', '', 0],
    ["echo 'echo $1' | bash -s -- foo", 'foo\n', 0],
    ["bash -O extglob -c 'shopt -q extglob && echo on'", 'on\n', 0],
    ['cd /; cp /work/f /work/g; PATH=/work:$PATH bash g', 'g\n', 0],
  ])('%s', async (script, stdout, exitCode) => {
    const { run } = testShell(SCRIPT);
    expect(await run(script)).toEqual({ stdout, stderr: '', exitCode });
  });

  test.each([
    ['bash -Z', 2, 'bash: -Z: invalid option\nUsage:'],
    ['bash --nosuch', 2, 'bash: --nosuch: invalid option\nUsage:'],
    ['bash -c', 2, 'bash: -c: option requires an argument\n'],
    ['bash -o nosuch -c :', 2, 'bash: nosuch: invalid option name\n'],
    ['bash nosuch.sh', 127, 'bash: nosuch.sh: No such file or directory\n'],
    ['mkdir d; bash d', 126, 'bash: d: Is a directory\n'],
    ["printf 'a\\0b' > b; bash b", 126, 'bash: b: cannot execute binary file\n'],
  ])('%s says what is wrong', async (script, exitCode, stderr) => {
    const { run } = testShell();
    const outcome = await run(script);
    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stderr.slice(0, stderr.length)).toBe(stderr);
  });

  test('--version tells what scripts look for', async () => {
    const { run } = testShell();
    expect((await run('bash --version | head -1')).stdout).toMatch(/^GNU bash, version 5\./);
  });
});

describe('A script run by its path', () => {
  test('sees what is exported, and leaves nothing behind', async () => {
    const { run } = testShell({ '/work/p.sh': 'echo "X=$X $0"; type f; cd /; Y=1\n' });
    const asked = 'chmod +x p.sh; f() { :; }; X=1; ./p.sh 2>&1; export X; ./p.sh 2>&1; echo $PWD$Y';
    expect((await run(asked)).stdout).toBe(
      'X= ./p.sh\nbash: type: f: not found\nX=1 ./p.sh\nbash: type: f: not found\n/work\n',
    );
  });

  test('is run by what its first line names', async () => {
    const { run } = testShell({
      '/work/up': '#!/usr/bin/env -S cat -n\nline\n',
      '/work/strict': '#!/bin/bash -e\nfalse\necho no\n',
      '/work/none': '#!/usr/bin/nosuch\n',
    });
    expect(await run('chmod +x *; ./up; ./strict; echo $?')).toEqual({
      stdout: '     1\t#!/usr/bin/env -S cat -n\n     2\tline\n1\n',
      stderr: '',
      exitCode: 0,
    });
    expect(await run('./none')).toEqual({
      stdout: '',
      stderr: 'bash: ./none: /usr/bin/nosuch: bad interpreter: No such file or directory\n',
      exitCode: 126,
    });
  });
});

describe('exec', () => {
  test('puts the command in the place of the shell', async () => {
    const { run } = testShell();
    expect((await run('exec echo hi; echo AFTER')).stdout).toBe('hi\n');
    expect(
      (await run('(exec echo in > o; echo no); cat o; exec false | cat; echo on')).stdout,
    ).toBe('in\non\n');
    expect(await run('trap "echo no" EXIT; bash -c "exec sh -c \'exit 3\'"; exec false')).toEqual({
      stdout: '',
      stderr: '',
      exitCode: 1,
    });
  });
});
