import { describe, expect, it } from 'vitest';
import { runRg } from './rg.ts';
import { type Outcome, runGrep } from './run.ts';
import { MemoryNamespace } from './testing/memory.ts';

const LONG = 'a'.repeat(20_000);
const fs = new MemoryNamespace({
  '/w/a.txt': `${LONG}!\n${LONG}\n`,
  '/w/lines.txt': `${'a'.repeat(40)}!\n`.repeat(2000),
  '/w/small.txt': 'needle\n',
});
const io = { cwd: '/w', stdin: '', piped: false, bytes: false };

async function timed(run: () => Promise<Outcome>): Promise<Outcome> {
  const begin = process.threadCpuUsage();
  const outcome = await run();
  const { user, system } = process.threadCpuUsage(begin);
  expect((user + system) / 1e6).toBeLessThan(2);
  return outcome;
}

describe('a hostile pattern ends within 2 s of work', () => {
  it.each([
    ['-E', '(a+)+$b'],
    ['-E', '(a|aa)*c'],
    ['-E', '(.*.*.*.*)x'],
    ['-E', '((a{0,50}){0,50}){0,20}b'],
    ['-E', '(a?){300}a{300}b'],
    ['-E', '(a|b)*a(a|b){14}c'],
    ['-oE', 'a*b|a*c'],
    ['-F', 'aaaaaaaaaaaaaaaab'],
  ])('grep %s %s is decided', async (option, pattern) => {
    for (const file of ['a.txt', 'lines.txt']) {
      const { exitCode, stdout } = await timed(() => runGrep(fs, [option, pattern, file], io));
      expect(stdout).toBe('');
      expect([1, 2]).toContain(exitCode);
    }
  });

  it.each([
    ['-P', '^(a+)+$(?<=b)'],
    ['-P', '(a|aa)+(?=c)'],
    ['-G', '\\(a*\\)*\\(a*\\)*\\1\\2b'],
    ['-P', '(?:(a*)*)*\\1c'],
  ])('grep %s %s is decided or given up with status 2', async (option, pattern) => {
    const { exitCode, stderr } = await timed(() => runGrep(fs, [option, pattern, 'a.txt'], io));
    expect([1, 2]).toContain(exitCode);
    if (exitCode === 2) expect(stderr).toMatch(/^grep: a\.txt: (exceeded|pattern too)/);
  });

  it('rg (a+)+b with -o is decided', async () => {
    const { exitCode } = await timed(() => runRg(fs, ['-o', '(a+)+b', 'a.txt'], io));
    expect(exitCode).toBe(1);
  });

  it('a file that was given up hides no other', async () => {
    const args = ['-P', '(?:(a*)*)*\\1(c|(?=z)|needle)', 'a.txt', 'small.txt'];
    const { stdout, exitCode } = await timed(() => runGrep(fs, args, io));
    expect(stdout).toBe('small.txt:needle\n');
    expect([0, 2]).toContain(exitCode);
  });
});
