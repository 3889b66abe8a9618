import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineKernel } from './line-kernel.ts';

/** What the kernel does, said plainly. */
function plainly(text: Buffer, literal: Buffer, eol: number, numbered: boolean, head: string) {
  const bytes = text.toString('latin1');
  const mark = String.fromCharCode(eol);
  const lines = (bytes.endsWith(mark) ? bytes.slice(0, -1) : bytes).split(mark);
  let output = '';
  let selected = 0;
  for (const [index, line] of lines.entries()) {
    if (!line.includes(literal.toString('latin1'))) continue;
    selected++;
    output += Buffer.from(head).toString('latin1');
    output += `${numbered ? `${index + 1}:` : ''}${line}${mark}`;
  }
  return { selected, output };
}

function byKernel(
  kernel: LineKernel,
  text: Buffer,
  literal: Buffer,
  eol: number,
  numbered: boolean,
  head: string,
) {
  let output = '';
  const query = { literal, eol, numbered, print: true };
  const selected = kernel.search(text, query, head, (memory, from, to) => {
    output += Buffer.from(memory.subarray(from, to)).toString('latin1');
  });
  const counted = kernel.search(text, { ...query, print: false }, head, () => {
    throw new Error('nothing is printed');
  });
  expect(counted).toBe(selected);
  return { selected, output };
}

const piece = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\0'), maxLength: 40 }),
  fc.nat({ max: 200 }).map((length) => 'ab'.repeat(length)),
  fc.nat({ max: 60 }).map((length) => '.'.repeat(length)),
  fc.nat({ max: 40 }).map((length) => 'x\n'.repeat(length)),
  fc.constantFrom('\n', '\n\n', 'a', 'ab', 'needle', 'needl', 'eedle'),
);
const literals = ['a', 'ab', 'ba', 'needle', 'é', 'abababababababababababab', 'xx', 'aba', 'abba'];

test('the kernel prints and counts the lines that hold a literal, numbered or not', () => {
  const kernel = new LineKernel();
  let found = 0;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(piece, fc.constantFrom('\n', '\n', '\0', '')), {
        minLength: 10,
        maxLength: 80,
        size: 'max',
      }),
      fc.constantFrom(...literals),
      fc.boolean(),
      fc.constantFrom('', 'f:', './dir/file-é.txt:', 'x'.repeat(300)),
      fc.constantFrom(10, 0),
      (pieces, literal, numbered, head, eol) => {
        const text = Buffer.from(pieces.map(([each, end]) => each + end).join(''));
        const wanted = Buffer.from(literal);
        const expected = plainly(text, wanted, eol, numbered, head);
        expect(byKernel(kernel, text, wanted, eol, numbered, head)).toEqual(expected);
        found += expected.selected;
      },
    ),
    { numRuns: 1500 },
  );
  expect(found).toBeGreaterThan(3000);
});

test('texts longer than its memory, and output longer than its text', () => {
  const kernel = new LineKernel();
  const literal = Buffer.from('ab');
  for (const line of [
    'ab',
    `${'x'.repeat(70_000)}ab`,
    'nothing is in this line',
    'ab'.repeat(300),
  ]) {
    const text = Buffer.from(`${line}\n`.repeat(Math.ceil(1_300_000 / Math.max(20, line.length))));
    for (const numbered of [true, false]) {
      const expected = plainly(text, literal, 10, numbered, 'name:');
      expect(
        byKernel(kernel, text, literal, 10, numbered, 'name:').output === expected.output,
      ).toBe(true);
    }
  }
  const long = Buffer.from(`ab\n${'x'.repeat(1_100_000)}\nab`);
  expect(byKernel(kernel, long, literal, 10, true, '').selected).toBeNull();
});
