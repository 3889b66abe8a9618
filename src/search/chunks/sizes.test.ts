/** Where documents are cut, and what is joined again. */
import { describe, expect, test } from 'vitest';
import { chunksOf } from './chunker.ts';
import { codeBlocks, isCode } from './code.ts';
import { isMarkdown, markdownBlocks } from './markdown.ts';

/** First and last lines of the chunks of a document of lines. */
const cuts = (path: string, lines: readonly string[]): [number, number][] =>
  chunksOf(path, lines.join('\n')).map(({ firstLine, lastLine }) => [firstLine, lastLine]);

const times = (count: number, line: string): string[] => Array<string>(count).fill(line);

test('a text of one paragraph is cut where it is larger than a passage, and one line is said again', () => {
  const line = 'x'.repeat(99);
  expect(cuts('/a.txt', times(20, line))).toEqual([[1, 20]]);
  expect(cuts('/a.txt', times(21, line))).toEqual([
    [1, 20],
    [20, 21],
  ]);
  // A line that is longer stays whole.
  expect(cuts('/a.txt', ['x'.repeat(5_000), 'y', 'z'])).toEqual([
    [1, 1],
    [2, 3],
  ]);
  expect(cuts('/a.txt', ['x'.repeat(500), 'x'.repeat(1_498)])).toEqual([[1, 2]]);
  expect(cuts('/a.txt', ['x'.repeat(500), 'x'.repeat(1_499)])).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('paragraphs are joined up to a passage', () => {
  const paragraph = (size: number): string[] => ['x'.repeat(size), ''];
  expect(cuts('/a.txt', [...paragraph(997), ...paragraph(999), 'y'])).toEqual([
    [1, 4],
    [5, 5],
  ]);
  expect(cuts('/a.txt', [...paragraph(998), ...paragraph(1_000), 'y'])).toEqual([
    [1, 2],
    [3, 5],
  ]);
});

test('below a new heading begins a new chunk, unless what is above is small', () => {
  const section = (size: number): string[] => ['# A', 'x'.repeat(size - 4), '# B', 'y'];
  expect(cuts('/a.md', section(400))).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(cuts('/a.md', section(399))).toEqual([[1, 4]]);
});

test('what is joined below two headings stands under what both are under', () => {
  const crumbs = (text: string): string[] => chunksOf('/d/a.md', text).map(({ crumb }) => crumb);
  expect(crumbs('# T\n\n## A\n\na\n\n## B\n\nb')).toEqual(['a.md › T']);
  expect(crumbs(`# T\n\n${'x'.repeat(400)}\n\n## A\n\na\n\n## B\n\nb`)).toEqual([
    'a.md › T',
    'a.md › T',
  ]);
  expect(crumbs('---\nname: "Top"\n---\n# Top\n\nx')).toEqual(['Top']);
});

test('a document without a word has none; Windows ends of lines are ends of lines', () => {
  expect(chunksOf('/a.txt', ' \n\n\t')).toEqual([]);
  expect(chunksOf('/a.txt', 'a\r\nb')).toEqual([
    { firstLine: 1, lastLine: 2, crumb: 'a.txt', text: 'a\nb' },
  ]);
});

test('what a document is tells its name', () => {
  const body = ['# A', ...times(30, 'x'.repeat(50)), '', '# B', 'y'];
  const crumb = (path: string): string | undefined => chunksOf(path, body.join('\n')).at(-1)?.crumb;
  expect(
    ['/d/a.md', '/d/a.MDX', '/d/a.pdf', '/d/a.txt', '/d/a.py', '/d/Makefile'].map(crumb),
  ).toEqual(['a.md › B', 'a.MDX › B', 'a.pdf › B', 'a.txt', 'a.py', 'Makefile']);
  expect([
    isMarkdown('a.markdown'),
    isMarkdown('md'),
    isCode('Dockerfile'),
    isCode('a.tsx'),
  ]).toEqual([true, false, true, true]);
  expect([isCode('a.txt'), isCode('Makefile.txt')]).toEqual([false, false]);
});

describe('code', () => {
  const blocks = (lines: readonly string[]): [number, number][] =>
    codeBlocks(lines, 'a.ts').map(({ firstLine, lines: own }) => [
      firstLine,
      firstLine + own.length - 1,
    ]);
  /** Lines with a blank one before each line that begins something. */
  const lines = (count: number, ...begins: readonly number[]): string[] =>
    Array.from({ length: count }, (_, at) =>
      begins.includes(at + 2) ? '' : begins.includes(at + 1) ? 'fn' : '  x',
    );

  test('is cut after 75 lines', () => {
    expect(blocks(lines(75))).toEqual([[1, 75]]);
    expect(blocks(lines(76))).toEqual([
      [1, 75],
      [76, 76],
    ]);
    expect(blocks(lines(151))).toEqual([
      [1, 75],
      [76, 150],
      [151, 151],
    ]);
  });

  test('or before that, where something begins at the margin behind a blank line', () => {
    expect(blocks(lines(100, 60))).toEqual([
      [1, 59],
      [60, 100],
    ]);
    expect(blocks(lines(100, 50, 70))).toEqual([
      [1, 69],
      [70, 100],
    ]);
    expect(blocks(lines(100, 76))).toEqual([
      [1, 75],
      [76, 100],
    ]);
    expect(blocks(lines(100, 42))).toEqual([
      [1, 41],
      [42, 100],
    ]);
    expect(blocks(lines(100, 41))).toEqual([
      [1, 75],
      [76, 100],
    ]);
    expect(blocks(lines(100).with(59, 'fn'))).toEqual([
      [1, 75],
      [76, 100],
    ]);
    expect(blocks(lines(100).with(58, ''))).toEqual([
      [1, 75],
      [76, 100],
    ]);
  });

  test('is parts of its own', () => {
    expect(codeBlocks(['a'], 'a.ts')).toEqual([
      { firstLine: 1, lines: ['a'], crumb: 'a.ts', begins: true, overlap: 10 },
    ]);
    // A part that is too large says ten lines again.
    expect(cuts('/a.ts', times(30, 'x'.repeat(99)))).toEqual([
      [1, 20],
      [11, 30],
    ]);
  });
});

describe('markdown', () => {
  const titled = (text: string): string | undefined =>
    markdownBlocks(text.split('\n'), 'n').at(-1)?.crumb;

  test.each([
    ['---\ntitle: T\n---\nx', 'T'],
    ['---\nname: "N"\ntitle: T\n---\nx', 'N'],
    ["---\ntitle: 'T'\n---\nx", 'T'],
    ['---\ntitle: "T\'\n---\nx', '"T\''],
    ['---\nx: y\n---\ntitle: T', 'n'],
    ['---\ntitle: T', 'n'],
    ['\n---\ntitle: T\n---\nx', 'n'],
    ['title: T', 'n'],
    ['---\ntitle: T\n---\n# T\n## A', 'T › A'],
    ['# A\n### C\n## B', 'n › A › B'],
    ['####### A', 'n'],
    ['#A', 'n'],
    ['# A #\n', 'n › A'],
  ])('%j stands under %s', (text, crumb) => {
    expect(titled(text)).toBe(crumb);
  });

  test('says two lines again where a part is too large', () => {
    expect(cuts('/a.md', times(30, 'x'.repeat(99)))).toEqual([
      [1, 20],
      [19, 30],
    ]);
    expect(cuts('/a.md', ['# A', ...times(30, 'x'.repeat(99))])).toEqual([
      [1, 20],
      [19, 31],
    ]);
  });
});
