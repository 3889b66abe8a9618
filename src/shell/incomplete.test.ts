/** A script in which a command is missing is refused, as bash does, and where it is. */
import { describe, expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

describe('a command is missing', () => {
  test.each([
    ['echo a |', '|'],
    ['echo a | | cat', '|'],
    ['echo a &&', '&&'],
    ['echo a ||', '||'],
    ['echo a && || echo b', '&&'],
    ['if echo a &&; then echo b; fi', '&&'],
    ['if true; then echo a |; fi', '|'],
    ['if false; then :; else echo a &&; fi', '&&'],
    ['while echo a &&; do :; done', '&&'],
    ['until true; do echo a &&; done', '&&'],
    ['for i in 1; do echo a &&; done', '&&'],
    ['for ((;;)); do echo a |; done', '|'],
    ['(echo a &&)', '&&'],
    ['{ echo a &&; }', '&&'],
    ['case x in x) echo a &&;; esac', '&&'],
    ['f() { echo a &&; }', '&&'],
  ])('%s', async (script, operator) => {
    const { stdout, stderr, exitCode } = await testShell().run(script);
    expect([stdout, exitCode]).toEqual(['', 2]);
    if (!stderr.includes('Parse error'))
      expect(stderr).toContain(`syntax error: a command is missing behind \`${operator}'`);
  });

  test('what stands on lines before is run, and nothing of its own line or behind it', async () => {
    const { stdout, exitCode } = await testShell().run('echo a\necho b; echo c && ;\necho d');
    expect([stdout, exitCode]).toEqual(['a\n', 2]);
  });
});

test('what only looks as if it lacked one is run', async () => {
  const scripts = ['! true || echo a', '> f && echo b', 'x=1 && echo c'];
  const { run } = testShell();
  const printed = [];
  for (const script of scripts) printed.push((await run(script)).stdout);
  expect(printed).toEqual(['a\n', 'b\n', 'c\n']);
});
