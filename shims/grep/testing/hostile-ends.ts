/** Runs hostile patterns and sees to it that each comes to an end that is told. */
import { expect } from 'vitest';
import { runRg } from '../rg.ts';
import { type Outcome, runGrep } from '../run.ts';
import { HOSTILE_TEXT, type HostilePattern } from './hostile-patterns.ts';
import { MemoryNamespace } from './memory.ts';

/** Decided, or said to be too much. */
export function expectEnd({ exitCode, stderr }: Outcome, what: string): void {
  if (exitCode === 2) expect(stderr, what).toMatch(/: (?:exceeded|pattern too expensive)/);
  else expect([exitCode, stderr], what).toEqual([exitCode === 0 ? 0 : 1, '']);
}

/** How many patterns were decided, and how many given up. */
export interface Ends {
  decided: number;
  givenUp: number;
}

/** Gives every pattern to each of the tools; rg gets those in extended syntax that it can read. */
export async function expectEnds(
  patterns: readonly HostilePattern[],
  tools: readonly ('grep' | 'grep -o' | 'rg')[],
): Promise<Ends> {
  const fs = new MemoryNamespace({ '/w/hostile.txt': `${HOSTILE_TEXT.join('\n')}\n` });
  const io = { cwd: '/w', stdin: '', piped: false, bytes: false };
  const ends: Ends = { decided: 0, givenUp: 0 };
  for (const { syntax, pattern } of patterns) {
    for (const tool of tools) {
      if (tool === 'rg' && (syntax !== '-E' || /\\[1-9]/.test(pattern))) continue;
      const option = tool === 'grep -o' ? '-o' : '-c';
      const words = [option, '-e', pattern, 'hostile.txt'];
      const outcome =
        tool === 'rg' ? await runRg(fs, words, io) : await runGrep(fs, [syntax, ...words], io);
      expectEnd(outcome, `${tool} ${syntax} ${pattern}`);
      if (outcome.exitCode === 2) ends.givenUp++;
      else ends.decided++;
    }
  }
  return ends;
}
