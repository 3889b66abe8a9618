/**
 * No pattern hangs grep or rg: each is decided, or given up with a message and
 * status 2. `hostile.long.test.ts` takes all patterns, here it is some of them.
 */
import { describe, expect, it } from 'vitest';
import { runGrep } from './run.ts';
import { expectEnd, expectEnds } from './testing/hostile-ends.ts';
import { HOSTILE } from './testing/hostile-patterns.ts';
import { MemoryNamespace } from './testing/memory.ts';

const LONG = 'a'.repeat(20_000);
const fs = new MemoryNamespace({
  '/w/a.txt': `${LONG}!\n${LONG}\n`,
  '/w/lines.txt': `${'a'.repeat(40)}!\n`.repeat(2000),
  '/w/small.txt': 'needle\n',
});
const io = { cwd: '/w', stdin: '', piped: false, bytes: false };

it('each of some catastrophic patterns ends', async () => {
  const some = HOSTILE.filter((_, i) => i % 5 === 0);
  await expectEnds(some, ['grep', 'rg']);
});

describe('on long lines and many', () => {
  it.each([
    ['-E', '(a+)+$b'],
    ['-E', '(a|aa)*c'],
    ['-E', '(.*.*.*.*)x'],
    ['-E', '((a{0,50}){0,50}){0,20}b'],
    ['-E', '(a?){300}a{300}b'],
    ['-E', '(a|b)*a(a|b){14}c'],
    ['-oE', 'a*b|a*c'],
    ['-F', 'aaaaaaaaaaaaaaaab'],
    ['-P', '^(a+)+$(?<=b)'],
    ['-P', '(a|aa)+(?=c)'],
    ['-G', '\\(a*\\)*\\(a*\\)*\\1\\2b'],
    ['-P', '(?:(a*)*)*\\1c'],
  ])('grep %s %s finds nothing, or is given up', async (option, pattern) => {
    for (const file of ['a.txt', 'lines.txt']) {
      const outcome = await runGrep(fs, [option, pattern, file], io);
      expect(outcome.stdout).toBe('');
      expectEnd(outcome, pattern);
    }
  });

  it('a file that was given up hides no other', async () => {
    const args = ['-P', '(?:(a*)*)*\\1(c|(?=z)|needle)', 'a.txt', 'small.txt'];
    const { stdout, exitCode } = await runGrep(fs, args, io);
    expect(stdout).toBe('small.txt:needle\n');
    expect([0, 2]).toContain(exitCode);
  });
});
