/** A patch says what differs, applies, and is made quickly whatever the texts are. */
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { growth } from '../test/support/cpu-time.ts';
import { filePatch, twoFilesPatch } from './patch.ts';

const lines = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => `${text(index)}\n`).join('');

test('a patch turns the one text into the other, long and quite different ones too', () => {
  const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd\r\n', '-e\n', 'f');
  const text = fc.array(line, { maxLength: 12 }).map((all) => all.join(''));
  const far = fc.constantFrom(
    '',
    lines(1_200, (index) => `old ${index}`),
  );
  fc.assert(
    fc.property(text, text, text, text, far, (head, old, fresh, tail, long) => {
      const [before, after] = [`${head}${old}${long}${tail}`, `${head}${fresh}${tail}`];
      expect(
        applyPatch(before, filePatch('x', before, after), { autoConvertLineEndings: false }),
      ).toBe(after);
    }),
    { numRuns: 150 },
  );
});

test('a name that would forge a line is quoted', () => {
  const patch = filePatch('a\n+++ b', 'x\n', 'y\n');
  expect(patch.split('\n').slice(0, 4)).toEqual([
    'Index: "a\\n+++ b"',
    '='.repeat(67),
    '--- "a\\n+++ b"',
    '+++ "a\\n+++ b"',
  ]);
  expect(twoFilesPatch('/dev/null', 'b/f', '', 'y\n')).toBe(
    '--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+y\n',
  );
});

test('twice as much that has nothing in common takes some twice as long', () => {
  const work = (count: number) => {
    const before = lines(count, (index) => `old ${index}`);
    const after = lines(count, (index) => `new ${index}`);
    return () => void filePatch('x', before, after);
  };
  // The square would be 64.
  const most = 32;
  expect(growth(work, { small: 8_000, large: 64_000, enough: most })).toBeLessThan(most);
});
