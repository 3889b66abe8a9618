/** Derived lines in a file of facts, and a person's own beside them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DerivedFact, derivedFact, sourcesOf, textHash, withFacts } from './facts-file.ts';

const fact = (text: string, source = '/mnt/a/x.md'): DerivedFact => ({
  fact: text,
  source,
  date: '2026-01-02',
  hash: textHash(text),
});

const text = (file: Uint8Array): string => Buffer.from(file).toString('utf8');
const bytes = (of: string): Uint8Array => Buffer.from(of);

/** The lines of a file, derived ones by their facts. */
const shown = (file: Uint8Array): string[] =>
  text(file)
    .split('\n')
    .map((line) => derivedFact(line)?.fact ?? `> ${line}`);

test('a derived line is known by itself, until anything in it is changed', () => {
  const file = withFacts(bytes(''), '/mnt/a/x.md', [fact('The  door\nis rëd.')]);
  const [line = '', end] = text(file).split('\n');
  expect(end).toBe('');
  expect(line).toMatch(
    /^- The door is rëd\. \[from \/mnt\/a\/x\.md, 2026-01-02, sha256:[0-9a-f]{16}, line:[0-9a-f]{8}\]$/,
  );
  expect(derivedFact(line)).toEqual(
    fact('The  door\nis rëd.') && {
      ...fact('The  door\nis rëd.'),
      fact: 'The door is rëd.',
    },
  );
  for (const [from, to] of [
    ['door', 'gate'],
    ['x.md', 'y.md'],
    ['2026', '2025'],
    ['- ', '* '],
  ] as const)
    expect(derivedFact(line.replace(from, to))).toBeNull();
});

test('the lines of a source are replaced where the first of them stood, all others stay byte for byte', () => {
  const person = Buffer.concat([bytes('# Mine\n'), Buffer.of(0xff, 0xfe), bytes('\nno end')]);
  const one = withFacts(person, '/mnt/a/x.md', [fact('A1'), fact('A2')]);
  const both = withFacts(one, '/mnt/a/y.md', [fact('B', '/mnt/a/y.md')]);
  expect(shown(both).slice(2)).toEqual(['> no end', 'A1', 'A2', 'B', '> ']);
  expect(both.subarray(0, person.length)).toEqual(person);
  const again = withFacts(both, '/mnt/a/x.md', [fact('A3')]);
  expect(shown(again).slice(2)).toEqual(['> no end', 'A3', 'B', '> ']);
  const gone = withFacts(again, '/mnt/a/x.md', []);
  expect(shown(gone).slice(2)).toEqual(['> no end', 'B', '> ']);
  expect(withFacts(gone, '/mnt/a/x.md', [])).toBe(gone);
  expect(sourcesOf(both)).toEqual(
    new Map([
      ['/mnt/a/x.md', textHash('A2')],
      ['/mnt/a/y.md', textHash('B')],
    ]),
  );
});

test('whatever a person has written, facts that are put in and taken out again leave it as it was', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (own) => {
      const file = withFacts(own, '/mnt/a/x.md', [fact('A')]);
      const left = withFacts(file, '/mnt/a/x.md', []);
      const isWhole = own.length === 0 || own.at(-1) === 10;
      expect(Buffer.from(left)).toEqual(Buffer.from(isWhole ? own : [...own, 10]));
    }),
  );
});
