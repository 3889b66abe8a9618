// Each command's comment is what just-bash printed by itself.
import { describe, expect, test } from 'vitest';
import { FsError } from '../errors.ts';
import { withTrueErrors } from './errors-to-stderr.ts';
import { testShell } from './test-shell.ts';

const REASON = 'dirigent: mode ro of /harness\n';

const MASKED: [string, string, number][] = [
  // "No such file or directory"
  ['cat /harness/x', 'cat: /harness/x: Permission denied\n', 1],
  ['head /harness/x', 'head: /harness/x: Permission denied\n', 1],
  ['tail /harness/x', 'tail: /harness/x: Permission denied\n', 1],
  ['grep q /harness/x', 'grep: /harness/x: Permission denied\n', 2],
  ['echo a | tee /harness/x > /dev/null', 'tee: /harness/x: Permission denied\n', 1],
  ['sed -i s/a/b/ /harness/x', 'sed: /harness/x: Permission denied\n', 1],
  ['chmod 600 /harness/seed', "chmod: cannot access '/harness/seed': Permission denied\n", 1],
  ['wc -l /harness/x', 'wc: /harness/x: Permission denied\n', 1],
  ['cd /harness/x', 'bash: cd: /harness/x: Permission denied\n', 1],
  ['source /harness/x', 'bash: /harness/x: Permission denied\n', 1],
  ['/harness/x', 'bash: /harness/x: Permission denied\n', 126],
  // nothing, and 0
  ['rm -f /harness/seed', 'rm: /harness/seed: Permission denied\n', 1],
  ['rm -rf /harness/seed', 'rm: /harness/seed: Permission denied\n', 1],
  ['[ ! -e /harness/x ]', 'bash: [: /harness/x: Permission denied\n', 2],
  // nothing
  ['grep -r q /harness', 'grep: /harness/seed: Permission denied\n', 2],
  ['test -e /harness/x', 'bash: test: /harness/x: Permission denied\n', 1],
  ['[[ -e /harness/x ]]', 'bash: /harness/x: Permission denied\n', 1],
  ['[[ ! -e /harness/x ]]', 'bash: /harness/x: Permission denied\n', 2],
  ['find /harness -size +1', 'find: /harness/seed: Permission denied\n', 1],
  // "cannot safely determine whether …"
  ['cp a.txt /harness/x', 'cp: /harness/x: Permission denied\n', 1],
  ['mv a.txt /harness/x', 'mv: /harness/x: Permission denied\n', 1],
  // the truth already
  ['touch /harness/x', "touch: cannot touch '/harness/x': Permission denied\n", 1],
  ['mkdir /harness/d', "mkdir: cannot create directory '/harness/d': Permission denied\n", 1],
];

describe('A refusal reaches stderr and the status, once, with its reason', () => {
  for (const [script, message, exitCode] of MASKED) {
    test(script, async () => {
      const { run } = testShell();
      expect(await run(script)).toEqual({ stdout: '', stderr: message + REASON, exitCode });
    });
  }

  test('Other messages of the command stand', async () => {
    const { run } = testShell();
    expect(await run('cat a.txt /harness/x nope')).toEqual({
      stdout: 'alpha\n',
      stderr: `cat: /harness/x: Permission denied\ncat: nope: No such file or directory\n${REASON}`,
      exitCode: 1,
    });
  });

  test('2> /dev/null holds for it, also for the expansion of a word', async () => {
    const { run } = testShell();
    expect((await run('cat /harness/x 2> /dev/null')).stderr).toBe('');
    expect((await run('echo /harness/*/y 2> /dev/null')).stderr).toBe('');
  });

  test('A refusal while a word is expanded does not change the status', async () => {
    const { run } = testShell();
    expect((await run('echo /harness/x/*')).exitCode).toBe(0);
  });

  test('It is told once through functions, substitutions and started scripts', async () => {
    const { run } = testShell();
    const told = `cat: /harness/x: Permission denied\n${REASON}`;
    expect((await run('f() { cat /harness/x; }; f')).stderr).toBe(told);
    expect((await run("bash -c 'cat /harness/x'")).stderr).toBe(told);
    expect((await run('echo /harness/x | xargs cat')).stderr).toBe(told);
    expect((await run('x=$(cat /harness/x)')).stderr).toBe(told);
  });

  test('The true path is shown where just-bash writes <path>', () => {
    // It does so for every path below /home, /tmp, /var and others.
    const error = new FsError('EACCES', { path: '/tmp/a', op: 'mkdir' });
    const result = (stderr: string) =>
      withTrueErrors({ stdout: '', stderr, exitCode: 1 }, [error], {
        speaker: 'mkdir',
        cwd: '/',
        words: [],
        resolve: (_base, path) => path,
        failure: 1,
      }).stderr;
    expect(result("mkdir: EACCES: permission denied, mkdir '<path>'\n")).toBe(
      'mkdir: /tmp/a: Permission denied\n',
    );
    expect(result("mkdir: '<path>': No such file or directory\n")).toBe(
      "mkdir: '/tmp/a': Permission denied\n",
    );
  });

  test('A missing file is no refusal', async () => {
    const { run } = testShell();
    expect(await run('cat nope')).toEqual({
      stdout: '',
      stderr: 'cat: nope: No such file or directory\n',
      exitCode: 1,
    });
    expect((await run('rm -f nope; test -e nope')).stderr).toBe('');
  });
});
