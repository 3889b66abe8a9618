import { describe, expect, test } from 'vitest';
import { zip } from '../../../test/documents/make.ts';
import type { DocumentFormat } from '../names.ts';
import { pagesOf } from '../pages.ts';
import { convert } from './convert.ts';

const content = (kind: string, body: string): string =>
  `<o:document-content><o:body><o:${kind}>${body}</o:${kind}></o:body></o:document-content>`;

async function pages(format: DocumentFormat, kind: string, body: string): Promise<string[]> {
  const text = await convert(format, zip({ 'content.xml': content(kind, body) }));
  return pagesOf(text).map((page) => page.text);
}

const p = (text: string): string => `<t:p>${text}</t:p>`;

test.each<[string, string, string]>([
  ['paragraphs are blocks', p('a') + p(' ') + p('b'), 'a\n\nb\n'],
  ['blanks are one', p('a\n  b'), 'a b\n'],
  ['more of them are counted', p('a<t:s/>b<t:s t:c="3"/>c<t:s t:c="none"/>d'), 'a b   c d\n'],
  ['tabs and breaks', p('a<t:tab/>b<t:line-break/>c'), 'a\tb\nc\n'],
  ['spans and links', p('a<t:span>b<t:a>c</t:a></t:span>d'), 'abcd\n'],
  [
    'a note',
    p(
      'a<t:note><t:note-citation>1</t:note-citation><t:note-body><t:p>why</t:p></t:note-body></t:note>b',
    ),
    'a (why)b\n',
  ],
  ['a note without a body', p('a<t:note>why</t:note>'), 'a (why)\n'],
  ['what somebody noted beside it', p('a<o:annotation><t:p>hm</t:p></o:annotation>b'), 'ab\n'],
  [
    'what is framed in it',
    p('a<d:frame><d:text-box><t:p>box</t:p></d:text-box></d:frame>b'),
    'ab\n\nbox\n',
  ],
  [
    'headings',
    '<t:h t:outline-level="4"> c </t:h><t:h t:outline-level="3">a</t:h>',
    '#### c\n\n### a\n',
  ],
  ['headings of no level', '<t:h t:outline-level="9">i</t:h>', '###### i\n'],
  ['headings of a wrong level', '<t:h t:outline-level="-1">i</t:h>', '# i\n'],
  ['headings that do not say', '<t:h>i</t:h>', '# i\n'],
  ['headings of no number', '<t:h t:outline-level="x">i</t:h>', '# i\n'],
  [
    'lists',
    `<t:list><t:list-item>${p('one')}${p('more')}</t:list-item><t:list-item>${p('two')}<t:list><t:list-item>${p('deep')}<t:list><t:list-item>${p('deeper')}</t:list-item></t:list></t:list-item></t:list></t:list-item></t:list>`,
    '- one\n  more\n- two\n  - deep\n    - deeper\n',
  ],
  ['sections', `<t:section>${p('in')}</t:section>`, 'in\n'],
  ...['tracked-changes', 'forms', 'sequence-decls', 'table-of-content', 'binary-data'].map(
    (name) =>
      [`not ${name}`, `<t:${name}>${p('gone')}</t:${name}>${p('kept')}`, 'kept\n'] satisfies [
        string,
        string,
        string,
      ],
  ),
])('of a text: %s', async (_, body, text) => {
  expect(await pages('odt', 'text', body)).toEqual([text]);
});

test('spaces and repetitions end somewhere', async () => {
  expect(await pages('odt', 'text', p('a<t:s t:c="101"/>b'))).toEqual([`a${' '.repeat(100)}b\n`]);
  const cell = `<table:table-cell table:number-columns-repeated="65">${p('x')}</table:table-cell>`;
  const [page = ''] = await pages(
    'ods',
    'spreadsheet',
    `<table:table><table:table-row table:number-rows-repeated="65">${cell}</table:table-row></table:table>`,
  );
  const rows = page.split('\n').filter((line) => line.startsWith('| x'));
  expect(rows).toEqual(Array(64).fill(`|${' x |'.repeat(64)}`));
});

test('a text is pages by its chapters', async () => {
  const body = `<t:h t:outline-level="1">A</t:h>${p('a')}<t:h t:outline-level="2">B</t:h>${p('b')}`;
  expect(await pages('odt', 'text', body)).toEqual(['# A\n\na\n', '## B\n\nb\n']);
});

describe('tables', () => {
  const cell = (text: string, more = ''): string =>
    `<table:table-cell ${more}>${text === '' ? '' : p(text)}</table:table-cell>`;
  const row = (cells: string, more = ''): string =>
    `<table:table-row ${more}>${cells}</table:table-row>`;

  test.each([
    [
      'of rows and cells',
      row(cell('a') + cell('b')) + row(cell('c')),
      [
        ['a', 'b'],
        ['c', ''],
      ],
    ],
    [
      'paragraphs of a cell',
      row(`<table:table-cell>${p('a')}${p('b')}</table:table-cell>`),
      [['a b']],
    ],
    [
      'rows that are heads or in groups',
      `<table:table-header-rows>${row(cell('h'))}</table:table-header-rows><table:table-rows>${row(cell('r'))}</table:table-rows><table:table-row-group><table:table-row-group>${row(cell('g'))}</table:table-row-group></table:table-row-group><table:other>${row(cell('no'))}</table:other>`,
      [['h'], ['r'], ['g']],
    ],
    [
      'cells behind others',
      row(`${cell('a')}<table:covered-table-cell/><o:annotation/>${cell('c')}`),
      [['a', '', 'c']],
    ],
    [
      'what is repeated',
      row(cell('x', 'table:number-columns-repeated="2"'), 'table:number-rows-repeated="3"') +
        row(cell('y', 'table:number-columns-repeated="0"'), 'table:number-rows-repeated="none"'),
      [
        ['x', 'x'],
        ['x', 'x'],
        ['x', 'x'],
        ['y', ''],
      ],
    ],
    [
      'nothing that is empty at the end, nor as a row',
      row(cell('a') + cell('', 'table:number-columns-repeated="1000"')) +
        row(cell(''), 'table:number-rows-repeated="1000"') +
        row(cell('b')),
      [['a'], ['b']],
    ],
  ])('have %s', async (_, rows, cells) => {
    const [page = ''] = await pages(
      'ods',
      'spreadsheet',
      `<table:table table:name="T">${rows}</table:table>`,
    );
    const [name, empty, ...lines] = page.trimEnd().split('\n');
    expect([name, empty]).toEqual(['## T', '']);
    expect(
      lines
        .filter((line) => !/^\|( --- \|)+$/.test(line))
        .map((line) => line.slice(2, -2).split(' | ')),
    ).toEqual(cells);
  });

  test('are in texts as well', async () => {
    expect(await pages('odt', 'text', `<table:table>${row(cell('a'))}</table:table>`)).toEqual([
      '| a |\n| --- |\n',
    ]);
  });

  test('of a sheet without a name, and of a second one', async () => {
    expect(
      await pages('ods', 'spreadsheet', '<table:table/><table:table table:name="B"/>'),
    ).toEqual(['##\n', '## B\n']);
  });
});

test('slides are pages, with their notes behind them', async () => {
  const frame = (text: string): string => `<d:frame><d:text-box>${p(text)}</d:text-box></d:frame>`;
  expect(
    await pages(
      'odp',
      'presentation',
      `<d:page>${frame('one')}<presentation:notes>${frame('say')}</presentation:notes></d:page><d:page>${frame('two')}<presentation:notes/></d:page><d:page>${frame('three')}</d:page>`,
    ),
  ).toEqual(['one\n\nNotes:\n\nsay\n', 'two\n', 'three\n']);
});

describe('a document', () => {
  const read = (files: Readonly<Record<string, string>>): Promise<string> =>
    convert('odt', zip({ 'content.xml': content('text', p('x')), ...files }));
  const meta = (fields: string): Record<string, string> => ({
    'meta.xml': `<o:document-meta><o:meta>${fields}</o:meta></o:document-meta>`,
  });

  test('says of itself what its fields say', async () => {
    expect(
      await read(
        meta(
          '<dc:title>T</dc:title><dc:creator>Ada</dc:creator><m:initial-creator>Bo</m:initial-creator><dc:subject>S</dc:subject><m:keyword>k</m:keyword><m:creation-date>2024-06-03T10:00:00</m:creation-date><dc:date>2025-01-02T10:00:00</dc:date>',
        ),
      ),
    ).toBe(
      '---\ntitle: T\nauthor: Ada\nsubject: S\nkeywords: k\ncreated: "2024-06-03"\nupdated: "2025-01-02"\nsections: 1\n---\n\n<!-- s1 -->\n\nx\n',
    );
    expect(await read(meta('<m:initial-creator>Bo</m:initial-creator><dc:title/>'))).toContain(
      '---\nauthor: Bo\nsections: 1\n---\n',
    );
  });

  test('that is encrypted, or of another kind, is none that is read', async () => {
    const manifest = (entry: string): Record<string, string> => ({
      'META-INF/manifest.xml': `<m:manifest><m:file-entry>${entry}</m:file-entry></m:manifest>`,
    });
    expect(await read(manifest(''))).toContain('x');
    await expect(read(manifest('<m:encryption-data/>'))).rejects.toThrow('is encrypted');
    await expect(read({ 'content.xml': content('spreadsheet', '') })).rejects.toThrow(
      'it has no text in content.xml',
    );
    await expect(convert('odt', zip({ other: '' }))).rejects.toThrow('is not what its name says');
  });
});
