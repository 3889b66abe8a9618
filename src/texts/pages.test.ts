import { describe, expect, test } from 'vitest';
import { sectionsOf } from './convert/sections.ts';
import { documentFormat, parseTextName } from './names.ts';
import { isWithoutText, pageAt, pagesOf, textOfPages, withPictures } from './pages.ts';

const text = textOfPages({
  fields: { title: 'T' },
  unit: 'p',
  pages: ['one\ntwo\n\nthree', '', 'last'],
});

test('a text has its fields, and each page behind a line that names it', () => {
  expect(text).toBe(
    '---\ntitle: T\npages: 3\n---\n\n<!-- p1 -->\n\none\ntwo\n\nthree\n\n<!-- p2 -->\n\n\n<!-- p3 -->\n\nlast\n',
  );
  expect(pagesOf(text)).toEqual([
    { name: 'p1', firstLine: 8, text: 'one\ntwo\n\nthree\n' },
    { name: 'p2', firstLine: 15, text: '' },
    { name: 'p3', firstLine: 18, text: 'last\n' },
  ]);
  const lines = text.split('\n');
  for (const { firstLine, text: page } of pagesOf(text))
    expect(`${lines[firstLine - 1]}\n`).toBe(page === '' ? '\n' : page.replace(/\n.*/s, '\n'));
});

test.each([
  ['p', 'pages'],
  ['sheet', 'sheets'],
  ['slide', 'slides'],
  ['ch', 'chapters'],
  ['cell', 'cells'],
  ['s', 'sections'],
  ['part', 'parts'],
] as const)('pages of %s are counted as %s, unless there are none', (unit, name) => {
  expect(textOfPages({ fields: {}, unit, pages: ['x'] })).toBe(
    `---\n${name}: 1\n---\n\n<!-- ${unit}1 -->\n\nx\n`,
  );
  expect(textOfPages({ fields: {}, unit, pages: [] })).toBe('');
});

test.each<[string | number, string]>([
  ['Plain (words), v.2/3_a-b', 'Plain (words), v.2/3_a-b'],
  [' two\n lines ', 'two lines'],
  [7, '7'],
  ['7 apples', '"7 apples"'],
  ['a: b', '"a: b"'],
  ['say "x"', '"say \\"x\\""'],
  ['# x', '"# x"'],
  ...['true', 'False', 'null', 'yes', 'NO', 'on', 'off'].map(
    (word) => [word, `"${word}"`] satisfies [string, string],
  ),
  ['Nothing', 'Nothing'],
])('a field %j is %s', (value, line) => {
  expect(textOfPages({ fields: { a: value, b: '', c: undefined }, unit: 'p', pages: [] })).toBe(
    `---\na: ${line}\n---\n`,
  );
});

test.each([
  ['ends of lines', 'a\r\nb\rc', 'a\nb\nc\n'],
  ['blanks at ends', 'a  \n\t\nb', 'a\n\nb\n'],
  ['many empty lines', '\n\na\n\n\n\nb\n\n', 'a\n\nb\n'],
  ['what a terminal would act on', 'a\u001b[31mb\u0000c\u007fd\u0009e', 'a [31mb c d\te\n'],
  ['what passes for a page', '<!-- p7 -->  \nx <!-- p8 -->', '\\<!-- p7 -->\nx <!-- p8 -->\n'],
  ['what is empty', ' \n ', ''],
])('of a page goes: %s', (_, page, body) => {
  expect(pagesOf(textOfPages({ fields: {}, unit: 's', pages: [page] }))).toMatchObject([
    { name: 's1', text: body },
  ]);
});

test('a line of a text is one of a page: of the page that it stands on, or whose head it is in', () => {
  const places = text.split('\n').map((_, index) => pageAt(text, index + 1));
  expect(places.slice(0, 5)).toEqual([null, null, null, null, null]);
  expect(places.slice(5, 12)).toEqual([1, 1, 1, 2, 3, 4, 5].map((line) => ({ page: 'p1', line })));
  expect(places.slice(12, 15)).toEqual([1, 1, 1].map((line) => ({ page: 'p2', line })));
  expect(places[17]).toEqual({ page: 'p3', line: 1 });
  expect(pageAt('<!-- p1 -->\n\nx\n', 0)).toEqual({ page: 'p1', line: 1 });
});

test('what is read off pictures comes behind what the pages said', () => {
  const scanned = textOfPages({
    fields: { title: 'T', 'without text': '2 of 2 pages' },
    unit: 'p',
    pages: ['said', ''],
  });
  expect(withPictures(scanned, ['seen', 'too', 'third'])).toBe(
    '---\ntitle: T\npages: 3\n---\n\n<!-- p1 -->\n\nsaid\n\nseen\n\n<!-- p2 -->\n\ntoo\n\n<!-- p3 -->\n\nthird\n',
  );
  expect(withPictures('', ['seen'])).toBe('---\npages: 1\n---\n\n<!-- p1 -->\n\nseen\n');
  expect([isWithoutText(scanned), isWithoutText(text.replace(/one|two|three|last/g, ''))]).toEqual([
    false,
    true,
  ]);
});

describe('sections', () => {
  test.each([
    [
      'begin at headings of two levels',
      'a\n# B\nb\n## C\nc\n### D',
      ['a', '# B\nb', '## C\nc\n### D'],
    ],
    ['are one where there is no heading', 'a\nb', ['a\nb']],
    ['are none before the first heading but blanks', '\n \n# A\na', ['\n \n# A\na']],
    ['need a word in their heading', '# A\n#\n#x\n#  B', ['# A\n#\n#x', '#  B']],
    ['do not begin in code', '# A\n```\n# B\n```\n# C', ['# A\n```\n# B\n```', '# C']],
    ['nor in other code', '~~~\n# B\n```\n# C\n~~~~\n# D', ['~~~\n# B\n```\n# C\n~~~~', '# D']],
    [
      'nor in code with longer fences',
      '````\n```\n# B\n````\n# C',
      ['````\n```\n# B\n````', '# C'],
    ],
    [
      'nor in code that is indented by three',
      '   ```\n# B\n   ```\n# C',
      ['   ```\n# B\n   ```', '# C'],
    ],
    ['but four are no fence', 'a\n    ```\n# B', ['a\n    ```', '# B']],
  ])('%s', (_, markdown, sections) => {
    expect(sectionsOf(markdown)).toEqual(sections);
  });
});

test.each([
  ['a.pdf', 'pdf'],
  ['/d/A.PDF', 'pdf'],
  ['a.b.docm', 'docx'],
  ['a.xhtml', 'html'],
  ['a.jpeg', 'image'],
  ['x.eml', 'eml'],
  ['a.txt', null],
  ['pdf', null],
  ['/d.pdf/a', null],
  ['/d/.pdf', null],
  ['a.', null],
  ['a.constructor', null],
])('%s is of the format %s', (path, format) => {
  expect(documentFormat(path)).toBe(format);
});

test.each([
  ['a.pdf.md', { document: 'a.pdf', page: null }],
  ['/d/a.DOCX:S12', { document: '/d/a.DOCX', page: 's12' }],
  ['a.xlsx:sheet1', { document: 'a.xlsx', page: 'sheet1' }],
  ['a.eml:part2', { document: 'a.eml', page: 'part2' }],
  ['a.pdf:p0', null],
  ['a.pdf:q1', null],
  ['a.pdf', null],
  ['a.md', null],
  ['/d/.pdf.md', null],
  ['a.txt:p1', null],
])('%s is the name of a text: %j', (path, name) => {
  expect(parseTextName(path)).toEqual(name);
});
