// just-bash gives output at the end alone: a line that was stopped had none.
import { describe, expect, test } from 'vitest';
import { testFs } from './test-fs.ts';
import { testShell } from './test-shell.ts';

/** The pieces of stdout as they came. */
async function pieces(script: string): Promise<string[]> {
  const { run, live } = testShell();
  const { stdout } = await run(script);
  const found = live.filter(({ stream }) => stream === 'stdout').map(({ text }) => text);
  expect(found.join('')).toBe(stdout);
  return found;
}

describe('Output comes command by command', () => {
  test.each([
    ['a; list', 'echo a; echo b', ['a\n', 'b\n']],
    ['a loop', 'for i in 1 2; do echo $i; done', ['1\n', '2\n']],
    ['a function', 'f() { echo a; echo b; }; f', ['a\n', 'b\n']],
    ['a group and a subshell', '{ echo a; (echo b; echo c); }', ['a\n', 'b\n', 'c\n']],
    ['eval', 'eval "echo a; echo b"', ['a\n', 'b\n']],
    ['bash -c', 'bash -c "echo a; echo b"', ['a\n', 'b\n']],
    ['the end of a pipe', 'echo a | { cat; echo b; }', ['a\n', 'b\n']],
    ['with stderr in it', 'f() { echo a; echo b >&2; }; f 2>&1', ['a\n', 'b\n']],
  ])('%s', async (_name, script, expected) => {
    expect(await pieces(script)).toEqual(expected);
  });

  test.each([
    ['before a pipe', 'for i in 1 2; do echo $i; done | cat', ['1\n2\n']],
    ['a function before a pipe', 'f() { echo a; echo b; }; f | cat', ['a\nb\n']],
    ['in a substitution', 'x=$(echo a; echo b); echo "$x"', ['a\nb\n']],
    ['in a process substitution', 'cat <(echo a; echo b)', ['a\nb\n']],
    ['to a file', '{ echo a; echo b; } > o; cat o', ['a\nb\n']],
    ['to stderr', '{ echo a; echo b; } >&2', []],
    ['by xargs', 'echo a b | xargs -n 1 echo', ['a\nb\n']],
  ])('and not what goes elsewhere: %s', async (_name, script, expected) => {
    expect(await pieces(script)).toEqual(expected);
  });

  test('A trace precedes what it traces', async () => {
    const { run } = testShell();
    expect((await run('f() { echo a >&2; }; set -x; f')).stderr).toBe('+ f\na\n+ echo a\n');
  });

  test('Nothing is handed on twice when a command fails, exits or breaks out', async () => {
    const { run } = testShell();
    expect((await run('f() { echo a; return 1; echo no; }; f || echo b')).stdout).toBe('a\nb\n');
    expect((await run('while :; do echo a; (echo b; exit 1); break; done')).stdout).toBe('a\nb\n');
    expect((await run('f() { echo a; exit 2; }; { f; }')).stdout).toBe('a\n');
    expect((await run('(set -e; echo a; false; echo no); echo b')).stdout).toBe('a\nb\n');
  });
});

describe('A line that is stopped keeps its output', () => {
  test('by its deadline, in a loop that waits for nothing', async () => {
    const { run } = testShell();
    expect(await run('echo a; while :; do :; done; echo b', { deadlineMs: 200 })).toEqual({
      stdout: 'a\n',
      stderr: 'dirigent: stopped after 0.2 s (deadline)\n',
      exitCode: 124,
    });
  });

  test('by its deadline, in a command that waits', async () => {
    const { run } = testShell();
    const result = await run('for i in 1 2 3; do echo $i; sleep 0.3; done', { deadlineMs: 450 });
    expect([result.stdout, result.exitCode]).toEqual(['1\n2\n', 124]);
  });

  test('by a signal', async () => {
    const { run } = testShell();
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 100);
    const result = await run('echo a; while :; do :; done', { signal: abort.signal });
    expect(result).toEqual({ stdout: 'a\n', stderr: '', exitCode: 130 });
  });

  test('by `timeout`, which ends its own command alone', async () => {
    const { run } = testShell();
    const result = await run("timeout 0.2 bash -c 'echo a; sleep 5; echo no'; echo $?");
    expect(result.stdout).toBe('a\n124\n');
  });

  test('by its deadline, while a file operation never ends', async () => {
    // just-bash waits for a redirection's file for ever, even after an abort.
    const fs = testFs();
    const hanging = Object.create(fs, {
      readFileBytes: { value: () => new Promise(() => undefined) },
    });
    const { run } = testShell({}, { fs: hanging });
    const result = await run('x=1; echo a; cat < a.txt', { deadlineMs: 100 });
    expect([result.stdout, result.exitCode]).toEqual(['a\n', 124]);
    expect((await run('echo next')).stdout).toBe('next\n');
  });

  test('by too much output', async () => {
    const { run } = testShell({}, { limits: { maxOutputSize: 100 } });
    const result = await run('while :; do echo 123456789; done');
    expect(result.stdout).toHaveLength(100);
    expect(result.stderr).toContain('of output');
    expect(result.exitCode).toBe(126);
  });
});
