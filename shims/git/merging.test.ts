/** Two sides of a text put together, beside the machine's git. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/world/harness.ts';
import { mergeTexts } from './merging.ts';

const merge = (base: string, ours: string, theirs: string) =>
  mergeTexts(base, ours, theirs, () => undefined);

/** Each line is another: of equal ones git may choose another place. */
const text = fc.tuple(fc.nat(9), fc.boolean()).map(([count, isOpen]) => {
  const lines = Array.from({ length: count }, (_, index) => `line ${index}`);
  return lines.join('\n') + (isOpen || count === 0 ? '' : '\n');
});

/** What may have become of a text: some lines gone, changed, or new. */
const edited = (base: string) =>
  fc
    .array(
      fc.record({
        at: fc.nat(12),
        gone: fc.nat(2),
        come: fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 2 }),
      }),
      { maxLength: 2 },
    )
    .map((edits) => {
      const lines = base.split('\n');
      for (const { at, gone, come } of edits)
        lines.splice(Math.min(at, lines.length), gone, ...come);
      return lines.join('\n');
    });

const sides = text.chain((base) => fc.tuple(fc.constant(base), edited(base), edited(base)));

test('a side that changed nothing has the other for a merge, and the order of the two is no matter', async () => {
  await fc.assert(
    fc.asyncProperty(sides, async ([base, ours, theirs]) => {
      expect(await merge(base, base, theirs)).toBe(theirs);
      expect(await merge(base, ours, base)).toBe(ours);
      expect(await merge(base, ours, ours)).toBe(ours);
      expect(await merge(base, ours, theirs)).toBe(await merge(base, theirs, ours));
    }),
  );
});

test('what is no text is not merged by lines', async () => {
  expect(await merge('a\0\n', 'a\0\nb\n', 'a\0\nc\n')).toBe(null);
});

const hasGit = spawnSync('git', ['--version']).status === 0;

describe.skipIf(!hasGit)('beside the machine’s git', () => {
  test('what is merged is what git makes of it, and where git sees a conflict there is one', async () => {
    const directory = temporaryDirectory();
    const names = ['ours', 'base', 'theirs'].map((name) => join(directory, name));
    let merged = 0;
    await fc.assert(
      fc.asyncProperty(sides, async ([base, ours, theirs]) => {
        for (const [index, content] of [ours, base, theirs].entries())
          writeFileSync(names[index] ?? '', content);
        const git = spawnSync('git', ['merge-file', '-p', ...names], { encoding: 'utf8' });
        const found = await merge(base, ours, theirs);
        if (found === null) return;
        merged += 1;
        expect({ status: git.status, stdout: git.stdout }).toEqual({ status: 0, stdout: found });
      }),
      { numRuns: 300 },
    );
    expect(merged).toBeGreaterThan(50);
  });
});
