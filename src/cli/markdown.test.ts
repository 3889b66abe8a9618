/** An answer as a terminal shows it. */
import { expect, test } from 'vitest';
import { MarkdownStream } from './markdown.ts';

/** Styles as `<1>` and `<0>`. */
function shown(...pieces: string[]): string {
  const stream = new MarkdownStream();
  const text = pieces.map((piece) => stream.push(piece).toString()).join('') + stream.end();
  return text.replace(/\x1b\[(\d)m/g, '<$1>');
}

test('headings, strong words, lists, quotes and code are styled, wherever the pieces are cut', () => {
  const text =
    '# Why\n\nIt is **late**, see `a_b_c`:\n- one\n  * two\n> said\n```sh\n# no **heading**\n```\nend';
  const expected =
    '<1>Why<0>\n\nIt is <1>late<0>, see `a_b_c`:\n• one\n  • two\n<2>│ <0>said\n<2>```sh<0>\n# no **heading**\n<2>```<0>\nend';
  expect(shown(text)).toBe(expected);
  expect(shown(...text)).toBe(expected);
});

test('what a terminal would act on is written out, in every part of the text', () => {
  const hostile = '\x1b]52;c;x\x07';
  const text = `# ${hostile}\n- **${hostile}**\n> \`${hostile}\`\n\`\`\`\n${hostile}\n\`\`\`${hostile}`;
  expect(shown(text)).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  expect(shown(text).match(/\\u001b/g)).toHaveLength(5);
});
