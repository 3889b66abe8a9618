import { expect, test } from 'vitest';
import { pagesOf } from '../pages.ts';
import { convert } from './convert.ts';

const read = (notebook: unknown): Promise<string> =>
  convert('ipynb', Buffer.from(JSON.stringify(notebook)));

const pages = async (...cells: readonly unknown[]): Promise<string[]> =>
  pagesOf(await read({ cells })).map((page) => page.text);

const code = (source: unknown, ...outputs: readonly unknown[]): unknown => ({
  cell_type: 'code',
  source,
  outputs,
});

test.each([
  ['text', { cell_type: 'markdown', source: ['# A\n', 'b'] }, '# A\nb\n'],
  ['text of nothing', { cell_type: 'raw' }, ''],
  ['code', code('x = 1\n'), '```\nx = 1\n```\n'],
  ['code of an earlier format', { cell_type: 'code', input: ['x\n', 'y'] }, '```\nx\ny\n```\n'],
  ['no code', code(' \n'), ''],
  ['fences in fences', code('```\na\n````'), '`````\n```\na\n````\n`````\n'],
  [
    'what it printed',
    code('p', { output_type: 'stream', text: ['1\n', '2\n'] }),
    '```\np\n```\n\n```\n1\n2\n```\n',
  ],
  [
    'what it came to',
    code('p', { data: { 'text/plain': '3', 'text/html': '<b>' } }),
    '```\np\n```\n\n```\n3\n```\n',
  ],
  [
    'what it failed with',
    code('p', { ename: 'KeyError', evalue: 'x', text: 'no' }),
    '```\np\n```\n\n```\nKeyError: x\n```\n',
  ],
  ['a failure without a word', code('p', { ename: 'Stop' }), '```\np\n```\n\n```\nStop:\n```\n'],
  [
    'no empty output',
    code('p', {}, { text: '' }, { data: {} }, { text: 'q' }),
    '```\np\n```\n\n```\nq\n```\n',
  ],
])('a cell has %s', async (_, cell, text) => {
  expect(await pages(cell)).toEqual([text]);
});

test('a notebook has the title that it says, or its first heading; its language is that of its code', async () => {
  const cells = [
    { cell_type: 'markdown', source: 'text' },
    { cell_type: 'markdown', source: 'a\n#  Head\n# More' },
    code('x'),
  ];
  const said = await read({
    metadata: { title: 'Said', language_info: { name: 'julia' }, kernelspec: { language: 'r' } },
    cells,
  });
  expect(said).toMatch(/^---\ntitle: Said\nlanguage: julia\ncells: 3\n---\n/);
  expect(said).toContain('```julia\nx\n```');
  const found = await read({ metadata: { kernelspec: { language: 'r' } }, cells });
  expect(found).toMatch(/^---\ntitle: Head\nlanguage: r\ncells: 3\n---\n/);
  expect(await read({ cells: [code('x')] })).toMatch(/^---\ncells: 1\n---\n/);
});

test('cells of an earlier format are in sheets', async () => {
  const text = await read({
    worksheets: [
      { cells: [{ cell_type: 'markdown', source: 'a' }] },
      { cells: [{ cell_type: 'markdown', source: 'b' }] },
    ],
  });
  expect(pagesOf(text).map((page) => page.text)).toEqual(['a\n', 'b\n']);
});

test('what has no cells, or is no JSON, is no notebook', async () => {
  for (const notebook of [{}, { cells: 7 }, [], null])
    await expect(read(notebook)).rejects.toThrow('is no notebook: it has no cells');
  await expect(convert('ipynb', Buffer.from('{'))).rejects.toThrow(/^is no notebook: .*JSON/);
});
