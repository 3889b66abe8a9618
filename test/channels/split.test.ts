/** Long answers in parts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codeBlock, splitMarkdown } from '../../src/serve/channels/split.ts';
import { exactLines } from '../../src/serve/channels/words.ts';

const line = fc.oneof(
  fc.string({ maxLength: 200, unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, ' ')),
  fc.constantFrom('```js', '```', '~~~', '````', '', '', '| a | b |', '- item'),
);
const long = fc.integer({ min: 100, max: 150 }).map((length) => 'x'.repeat(length));
const text = fc.array(fc.oneof(line, long), { maxLength: 80 }).map((lines) => lines.join('\n'));

/** Is a code block open at the end? */
function endsInside(part: string): boolean {
  let fence = '';
  for (const each of part.split('\n')) {
    const [, marks = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(each) ?? [];
    if (marks === '') continue;
    if (fence === '') fence = marks.startsWith('`') && rest.includes('`') ? '' : marks;
    else if (marks[0] === fence[0] && marks.length >= fence.length && rest.trim() === '')
      fence = '';
  }
  return fence !== '';
}

test('no part is longer than it may be, or ends inside of a code block that the text closes', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 300, max: 1_000 }), (whole, most) => {
      const parts = splitMarkdown(whole, most);
      for (const part of parts) expect(part.length).toBeLessThanOrEqual(most);
      for (const part of parts.slice(0, -1)) expect(endsInside(part)).toBe(false);
      for (const part of parts) expect(part.isWellFormed()).toBe(true);
    }),
  );
});

const paragraph = fc
  .array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 })
  .map((lengths) => lengths.map((length) => 'x'.repeat(length)).join('\n'));

test('a part holds every whole paragraph that has room in it', () => {
  fc.assert(
    fc.property(
      fc.array(paragraph, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 300, max: 600 }),
      (paragraphs, most) => {
        const parts = splitMarkdown(paragraphs.join('\n\n'), most);
        for (const [at, part] of parts.entries()) {
          // An empty line at its beginning counts, and is not shown.
          const [next = 'x'.repeat(most)] = parts[at + 1]?.split('\n\n') ?? [];
          expect(`${part}\n\n${next}`.length).toBeGreaterThanOrEqual(most);
        }
      },
    ),
  );
});

test('nothing is lost but blanks at the ends, and fences are all that is added', () => {
  fc.assert(
    fc.property(text, (whole) => {
      const bare = (each: string): string => each.replaceAll(/[`~]{3,}\w*|\s/g, '');
      expect(bare(splitMarkdown(whole, 400).join('\n'))).toBe(bare(whole));
    }),
  );
});

test('a text in a code block cannot end it', () => {
  fc.assert(
    fc.property(text, (inner) => {
      const block = codeBlock(inner);
      expect(endsInside(block)).toBe(false);
      expect(endsInside(block.slice(0, block.lastIndexOf('\n')))).toBe(true);
    }),
  );
});

test('what somebody decides on has no line that runs out of its block, and says where one was broken', () => {
  const gap = `+fine${' '.repeat(5_000)}rm -r /`;
  for (const text of [gap, `{/w/a.md,${'x'.repeat(990)},/**}`, 'short\n\nlines']) {
    const lines = exactLines(text, true).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(lines.join('').replaceAll(/\+?↪/g, '')).toBe(text.replaceAll('\n', ''));
  }
});
