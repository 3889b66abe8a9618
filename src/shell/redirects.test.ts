// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the scripts are bash.
// Without the guard each of these made Bash.exec reject with "EACCES: permission
// denied, open '/harness/x'": the output before it and the rest were lost.
import { describe, expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

const DENIED = 'bash: /harness/x: Permission denied\ndirigent: mode ro of /harness\n';

/** Each construct and what `echo` prints after it. */
const CONSTRUCTS: [string, string, string][] = [
  ['>', 'echo a > /harness/x; echo "$?"', '1\n'],
  ['>>', 'echo a >> /harness/x; echo "$?"', '1\n'],
  ['>|', 'echo a >| /harness/x; echo "$?"', '1\n'],
  ['&>', 'echo a &> /harness/x; echo "$?"', '1\n'],
  ['>& file', 'echo a >& /harness/x; echo "$?"', '1\n'],
  ['2>', 'ls nope 2> /harness/x; echo "$?"', '1\n'],
  ['<>', 'cat <> /harness/x; echo "$?"', '1\n'],
  ['<', 'cat < /harness/x; echo "$?"', '1\n'],
  ['bare', '> /harness/x; echo "$?"', '1\n'],
  ['here-document', 'cat > /harness/x <<E\nhi\nE\necho "$?"', '1\n'],
  ['group', '{ echo a; } > /harness/x; echo "$?"', '1\n'],
  ['subshell', '(echo a) > /harness/x; echo "$?"', '1\n'],
  ['inside a subshell', '(echo a > /harness/x; echo "$?"); echo "$?"', '1\n0\n'],
  ['for', 'for i in 1 2; do echo $i; done > /harness/x; echo "$?"', '1\n'],
  ['while', 'while :; do echo a; break; done > /harness/x; echo "$?"', '1\n'],
  ['if', 'if :; then echo a; fi > /harness/x; echo "$?"', '1\n'],
  ['inside a loop', 'for i in 1 2; do echo a > /harness/x; echo $i; done', '1\n2\n'],
  ['in a function', 'f() { echo a > /harness/x; echo "$?"; }; f', '1\n'],
  ['on a definition', 'f() { echo a; } > /harness/x; f; echo "$?"', '1\n'],
  ['on a call', 'f() { echo a; }; f > /harness/x; echo "$?"', '1\n'],
  ['exec', 'exec 3> /harness/x; echo "$?"', '1\n'],
  ['first of a pipe', 'echo a > /harness/x | cat; echo "${PIPESTATUS[@]}"', '1 0\n'],
  ['last of a pipe', 'echo a | cat > /harness/x; echo "${PIPESTATUS[@]}"', '0 1\n'],
  ['||', 'echo a > /harness/x || echo alt', 'alt\n'],
  ['&&', 'echo a > /harness/x && echo no; echo yes', 'yes\n'],
  ['if condition', 'if echo a > /harness/x; then echo no; else echo yes; fi', 'yes\n'],
  ['eval', 'eval "echo a > /harness/x; echo in"; echo "$?"', 'in\n0\n'],
  ['source', 'source ./s.sh; echo "$?"', 'two\n0\n'],
  ['script by path', './s.sh; echo "$?"', 'two\n0\n'],
  ['bash file', 'bash s.sh; echo "$?"', 'two\n0\n'],
  ['bash -c', 'bash -c "echo a > /harness/x; echo in"; echo "$?"', 'in\n0\n'],
  ['substitution', 'x=$(echo a > /harness/x; echo in); echo "$x"', 'in\n'],
];

const FILES = {
  '/work/s.sh': { content: '#!/bin/bash\necho a > /harness/x\necho two\n', mode: 0o755 },
};

describe('A redirection that fails ends its command with bash’s message, and the script goes on', () => {
  for (const [name, script, stdout] of CONSTRUCTS) {
    test(name, async () => {
      const { run } = testShell(FILES);
      const result = await run(`echo before; ${script}`);
      expect(result).toEqual({
        stdout: `before\n${stdout}`,
        stderr: expect.any(String),
        exitCode: 0,
      });
      expect(result.stderr.replaceAll(DENIED, '')).toBe('');
      expect(result.stderr).not.toBe('');
    });
  }

  test('The target is named as the script wrote it', async () => {
    const { run } = testShell();
    const { stderr } = await run('cd /harness; echo a > y; d=z; echo a > "$d"');
    expect(stderr).toBe(
      'bash: y: Permission denied\ndirigent: mode ro of /harness\n' +
        'bash: z: Permission denied\ndirigent: mode ro of /harness\n',
    );
  });

  test('`set -e` stops at it', async () => {
    const { run } = testShell();
    expect(await run('set -e; echo a; echo b > /harness/x; echo c')).toEqual({
      stdout: 'a\n',
      stderr: DENIED,
      exitCode: 1,
    });
  });

  test('An assignment before the command does not outlive it', async () => {
    const { run } = testShell();
    expect((await run('X=1 echo a > /harness/x; echo "[$X]"')).stdout).toBe('[]\n');
  });

  test('A message sent to /dev/null stays there', async () => {
    const { run } = testShell();
    expect((await run('{ echo a > /harness/x; } 2> /dev/null; echo "$?"')).stderr).toBe('');
  });

  test('A missing file is still said to be missing', async () => {
    const { run } = testShell();
    expect((await run('cat < nope')).stderr).toBe('bash: nope: No such file or directory\n');
  });
});
