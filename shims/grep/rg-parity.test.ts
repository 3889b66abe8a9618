/** rg against the machine's ripgrep 13, in generated cases. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runRg } from './rg.ts';
import { MemoryNamespace } from './testing/memory.ts';
import { NativeTree, versionOf } from './testing/native.ts';
import { knownDifference, rgCase } from './testing/rg-cases.ts';
import { FILES as ALL } from './testing/tree.ts';

/** Without the file whose NUL comes after ripgrep's first look at it. */
const FILES = Object.fromEntries(Object.entries(ALL).filter(([path]) => path !== '/t/late.dat'));
const CASES = 150;
const SEED = 20240607;

const there = versionOf('rg')?.startsWith('ripgrep 13.') ?? false;
if (!there) console.warn('skipped: there is no ripgrep 13 on this machine to compare with');

describe.skipIf(!there)('rg prints what ripgrep prints, with its status', () => {
  it(`in ${CASES} generated cases; its messages are its own affair, that there is one is not`, async () => {
    const comparable = rgCase.filter((one) => knownDifference(one) === null);
    const cases = fc.sample(comparable, { seed: SEED, numRuns: CASES });
    const tree = new NativeTree(FILES);
    const native = tree.run('rg', cases, 't');
    tree.dispose();
    const fs = new MemoryNamespace(FILES);
    const differences: unknown[] = [];
    for (const [i, { args, stdin }] of cases.entries()) {
      const ours = await runRg(fs, args, { cwd: '/t', stdin, piped: stdin !== '', bytes: false });
      const theirs = native[i];
      const seen = (o: typeof ours | undefined): unknown => [
        o?.stdout,
        o?.stderr !== '',
        o?.exitCode,
      ];
      const [here, there] = [seen(ours), seen(theirs)];
      if (JSON.stringify(here) !== JSON.stringify(there)) differences.push({ args, here, there });
    }
    expect(differences).toEqual([]);
  });
});
