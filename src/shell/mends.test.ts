import { Bash, InMemoryFs } from 'just-bash';
import { describe, expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

describe('trap', () => {
  // Was "bash: trap: command not found".
  test('EXIT runs at the end of the line, however it ends', async () => {
    const { run } = testShell();
    const set = 't=/work/t; trap \'echo "bye $?"; rm -f $t\' EXIT; touch $t';
    expect(await run(set)).toEqual({ stdout: 'bye 0\n', stderr: '', exitCode: 0 });
    expect(await run(`${set}; exit 3`)).toEqual({ stdout: 'bye 3\n', stderr: '', exitCode: 3 });
    expect((await run(`${set}; set -e; false; echo no`)).stdout).toBe('bye 1\n');
    expect((await run('set +e; ls t 2> /dev/null; echo end')).stdout).toBe('end\n');
  });

  test('A script started by a command has its own', async () => {
    const { run } = testShell();
    expect((await run('bash -c \'trap "echo in" EXIT; echo a\'; echo b')).stdout).toBe(
      'a\nin\nb\n',
    );
  });

  test('It can be shown, taken back and ignored', async () => {
    const { run } = testShell();
    expect((await run("trap 'echo T' EXIT; trap -p; trap - EXIT; trap '' INT TERM")).stdout).toBe(
      "trap -- 'echo T' EXIT\n",
    );
    expect((await run("trap 'x' NOPE")).exitCode).toBe(1);
  });
});

describe('A pattern for the target of a redirection', () => {
  test('is the one file that fits, else a name, else ambiguous', async () => {
    const { run } = testShell({ '/work/one/new.md': '', '/work/x1': '', '/work/x2': '' });
    expect(await run('echo a > o*/new.md; cat one/new.md')).toEqual({
      stdout: 'a\n',
      stderr: '',
      exitCode: 0,
    });
    expect((await run('echo b >> one/*.md; cat < o*/n*')).stdout).toBe('a\nb\n');
    expect((await run("p='o?e/new.md'; cat > $p <<< c; cat one/new.md")).stdout).toBe('c\n');
    expect(await run('echo c > x*')).toEqual({
      stdout: '',
      stderr: 'bash: x*: ambiguous redirect\n',
      exitCode: 1,
    });
    expect((await run('echo d > y*; echo y*; cat "y*"; cat x1 x2')).stdout).toBe('y*\nd\n');
    expect((await run("echo e > 'x*'; ls")).stdout).toBe('a.txt\none\nx*\nx1\nx2\ny*\n');
  });
});

describe('Globs from the root', () => {
  // Was "c.md": the files of the working directory, without their directory.
  test('/**/*.md with globstar finds every file, with its leading slash', async () => {
    const { run } = testShell({ '/work/b/c.md': '', '/z.md': '' });
    expect((await run('shopt -s globstar; echo /**/*.md')).stdout).toBe('/work/b/c.md /z.md\n');
  });
});

describe('A pipe into a compound command', () => {
  // Was lost: the `if` ran on the stdin of the shell.
  test('reaches the commands in it', async () => {
    const { run } = testShell();
    expect((await run('echo x | if grep -q x; then echo yes; fi')).stdout).toBe('yes\n');
    expect((await run('echo x | for i in 1; do cat; done')).stdout).toBe('x\n');
  });
});

describe('The hooks', () => {
  test('leave any other Bash of the process alone, and Function.prototype too', async () => {
    const { bind } = Function.prototype;
    testShell();
    testShell();
    expect(Function.prototype.bind).toBe(bind);
    const plain = new Bash({ fs: new InMemoryFs() });
    // Decoded once too often, as just-bash does.
    expect((await plain.exec('echo Ã©; x=1; echo $x')).stdout).toBe('é\n1\n');
  });
});
