/** Which documents have a token, and how. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SearchIndex } from '../index/search-index.ts';
import { RANKS } from './look-up.ts';

let index: SearchIndex;
beforeEach(() => {
  index = new SearchIndex(':memory:', null);
});
afterEach(() => index.close());

type Texts = Readonly<Record<string, string>>;

const add = (texts: Texts): void =>
  index.update(
    Object.entries(texts).map(([path, text]) => ({ path, text })),
    [],
  );

const find = (
  token: string,
  accepts: (path: string) => boolean = () => true,
  ...more: [order?: (path: string) => number, inTexts?: boolean]
) => {
  const [order = () => 0, inTexts] = more;
  return index
    .lookUp(index.memory.select(({ path }) => accepts(path)))
    .find(token, ({ path }) => order(path), inTexts);
};

/** How each document has a token, in their order. */
const ranks = (token: string): [path: string, rank: string | undefined, lines: number[]][] =>
  find(token).map(({ document, rank, lines }) => [
    document.path,
    RANKS[rank],
    lines.map(({ line }) => line),
  ]);

test('a token is in a name, a title, a field or a text, whole or in part, and in that order', () => {
  add({
    '/i/PLT-12.md': 'text',
    '/i/title.md': '# About PLT-12\n\ntext',
    '/i/field.md': '---\nblocks: PLT-12\n---\n\ntext',
    '/i/key.md': '---\nkey: PLT-12\n---\n\ntext',
    '/i/text.md': 'text\nsee PLT-12 for it',
    '/i/case.md': 'see plt-12 for it',
    '/i/loose.md': 'see PLT 12 for it',
    '/i/aPLT-12b.md': 'text',
    '/i/other.md': 'PLT-123 and text',
  });
  expect(ranks('PLT-12')).toEqual([
    ['/i/key.md', 'its name', [2]],
    ['/i/PLT-12.md', 'its name', []],
    ['/i/title.md', 'its title', [1]],
    ['/i/field.md', 'a field', [2]],
    ['/i/text.md', 'its text', [2]],
    ['/i/case.md', 'its text, letter case aside', [1]],
    ['/i/loose.md', 'its text, loosely', [1]],
    ['/i/aPLT-12b.md', 'part of its path', []],
  ]);
  expect(find('PLT-12').map(({ isWhole }) => isWhole)).toEqual([
    ...Array<boolean>(7).fill(true),
    false,
  ]);
});

test('a part of a word is found in texts, titles and fields', () => {
  add({
    '/a.md': '# Retokenize\n\nx',
    '/b.md': '---\nx: retokenized\n---\n\ny',
    '/c.md': 'the retokenizer',
    '/d.md': 'nothing',
  });
  expect(ranks('token')).toEqual([
    ['/a.md', 'part of its title or of a field', [1]],
    ['/b.md', 'part of its title or of a field', [2]],
    ['/c.md', 'part of its text', [1]],
  ]);
  // Of two letters there are parts everywhere, and whole words.
  add({ '/e.md': 'in Go' });
  expect(ranks('Go')).toEqual([['/e.md', 'its text', [1]]]);
  expect(ranks('ke')).toEqual([]);
  expect(ranks('ken').map(([path]) => path)).toEqual(['/a.md', '/b.md', '/c.md']);
});

test.each([
  ['/i/12.md', '#12', true],
  ['/i/12.md', '12', true],
  ['/i/12.md', 'i/12.md', true],
  ['/i/12.md', '/i/12.md', true],
  ['/i/12.md', '12.md', true],
  ['/p/page--a1b2c3.md', 'page', true],
  ['/p/page--a1b2c3.md', 'a1b2c3', true],
  ['/p/page--xyz.md', 'xyz', false],
  ['/p/report.pdf.md', 'report', true],
  ['/p/Größe.md', 'grosse', true],
  ['/i/12.md', '2.md', false],
  ['/i/12.md', 'i', false],
])('%s is called %s: %s', (path, token, is) => {
  add({ [path]: 'text', '/x.md': 'other' });
  expect(find(token).some(({ document, rank }) => document.path === path && rank === 0)).toBe(is);
});

test('what is not selected, or has no text, is not found; nor are texts where names alone are asked', () => {
  add({
    '/a/x.md': 'see PLT-12',
    '/b/PLT-12.md': 'text',
    '/b/y.md': 'see PLT-12',
    '/c/PLT-12.md': '',
  });
  const paths = (...given: Parameters<typeof find>): string[] =>
    find(...given).map(({ document }) => document.path);
  expect(paths('PLT-12')).toEqual(['/b/PLT-12.md', '/a/x.md', '/b/y.md']);
  expect(paths('PLT-12', (path) => path.startsWith('/b/'))).toEqual(['/b/PLT-12.md', '/b/y.md']);
  expect(
    paths(
      'PLT-12',
      () => true,
      () => 0,
      false,
    ),
  ).toEqual(['/b/PLT-12.md']);
});

test('of those that have it alike the order decides, a comment comes last, then the path by its numbers', () => {
  add({
    '/i/10.md': 'see X-1 or PLT-12',
    '/i/9/comments/1.md': 'see PLT-12',
    '/i/9.md': 'see PLT-12',
  });
  expect(find('PLT-12').map(({ document }) => document.path)).toEqual([
    '/i/9.md',
    '/i/10.md',
    '/i/9/comments/1.md',
  ]);
  const order = (path: string): number => (path === '/i/10.md' ? 0 : 1);
  expect(find('PLT-12', undefined, order).map(({ document }) => document.path)[0]).toBe('/i/10.md');
});

test('lines are told once, the best first, with the line that was asked for', () => {
  const filler = Array.from({ length: 60 }, (_, at) => `filler ${at} ${'x'.repeat(60)}`).join('\n');
  add({ '/src/a.ts': `plt-12\n${filler}\nPLT-12\n${filler}` });
  const [found] = find('PLT-12');
  expect(found?.lines.map(({ line }) => line)).toEqual([62, 1]);
  expect(found?.lines[0]?.text).toBe('PLT-12');
  expect([find('src/a.ts:12')[0]?.asked, find('src/a.ts')[0]?.asked]).toEqual([12, null]);
  expect([found?.first, found?.end]).toEqual([0, index.memory.corpus.size]);
});

describe('a token without a word', () => {
  test('is looked for in all texts, as is a hash that is no word', () => {
    const hash = 'a1'.repeat(32);
    add({ '/a.md': 'one → two', '/b.md': `at ${hash}`, '/c.md': 'x' });
    expect(ranks('→')).toEqual([['/a.md', 'its text', [1]]]);
    expect(ranks(hash.slice(0, 12))).toEqual([['/b.md', 'part of its text', [1]]]);
    expect(ranks(hash.slice(1, 12))).toEqual([['/b.md', 'part of its text', [1]]]);
    expect(ranks('zz')).toEqual([]);
  });

  test('and only where it is selected', () => {
    add({ '/a.md': 'one → two', '/b.md': 'three → four' });
    expect(find('→', (path) => path === '/b.md').map(({ document }) => document.path)).toEqual([
      '/b.md',
    ]);
  });
});

test('words of other languages are found by their stems, and measures by their parts', () => {
  add({
    '/de.md': 'Wir haben nicht die Rechnungen, die ich und er haben.',
    '/m.md': 'it takes 10 ms',
  });
  expect(ranks('Rechnungen')).toEqual([['/de.md', 'its text', [1]]]);
  expect(ranks('10ms')).toEqual([['/m.md', 'its text, loosely', [1]]]);
});
