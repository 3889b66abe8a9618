import { expect, test } from 'vitest';
import { pdf, pdfOf } from '../../../test/documents/make.ts';
import { pagesOf } from '../pages.ts';
import { convert } from './convert.ts';

const stream = (data: string): string => `<< /Length ${data.length} >>\nstream\n${data}\nendstream`;

/** A PDF of one page, of which each stream is told apart by its number. */
const drawn = (...contents: readonly string[]): Buffer =>
  pdfOf(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Kids [${contents.map((_, index) => `${4 + 2 * index} 0 R`).join(' ')}] /Count ${contents.length} >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      ...contents.flatMap((content, index) => [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * index} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        content,
      ]),
    ],
    '/Root 1 0 R',
  );

const at = (y: number, text: string): string => `1 0 0 1 72 ${y} Tm (${text}) Tj`;
const written = (...lines: readonly string[]): string =>
  stream(`BT /F1 10 Tf ${lines.join(' ')} ET`);

const pages = async (bytes: Uint8Array): Promise<string[]> =>
  pagesOf(await convert('pdf', bytes)).map((page) => page.text);

test.each([
  ['lines that follow one another are one paragraph', [700, 688, 676], 'a\nb\nc\n'],
  ['a gap of 1.8 heights is none', [700, 682, 664], 'a\nb\nc\n'],
  ['a wider one is one', [700, 681, 669], 'a\n\nb\nc\n'],
  ['up as well as down', [700, 681, 760], 'a\n\nb\n\nc\n'],
])('%s', async (_, ys, text) => {
  const lines = ys.map((y, index) => at(y, 'abc'[index] ?? ''));
  expect(await pages(drawn(written(...lines)))).toEqual([text]);
});

test('the gap is one of the line above; blanks are no line', async () => {
  const large = `/F1 30 Tf ${at(700, 'large')} /F1 10 Tf ${at(650, 'under it')} ${at(610, 'far')}`;
  expect(await pages(drawn(written(large)))).toEqual(['large\nunder it\n\nfar\n']);
  expect(await pages(drawn(written(at(700, 'a'), at(690, ' '), at(688, 'b'))))).toEqual([
    expect.stringMatching(/^a\n+b\n$/),
  ]);
});

test('what stands on one line is one line', async () => {
  expect(await pages(drawn(written(at(700, 'left'), '1 0 0 1 300 700 Tm (right) Tj')))).toEqual([
    expect.stringMatching(/^left\s*right\n$/),
  ]);
});

test('a document says of itself what its fields say', async () => {
  expect(
    await convert(
      'pdf',
      pdf(['x'], {
        Title: 'T',
        Author: 'Ada',
        Subject: 'S',
        Keywords: 'k',
        CreationDate: "D:20240603120000+02'00'",
        ModDate: 'D:2025',
      }),
    ),
  ).toBe(
    '---\ntitle: T\nauthor: Ada\nsubject: S\nkeywords: k\ncreated: "2024-06-03"\nupdated: "2025-01-01"\npages: 1\n---\n\n<!-- p1 -->\n\nx\n',
  );
  expect(await convert('pdf', pdf(['x'], { CreationDate: 'yesterday' }))).not.toContain('created');
});

test('pages without a word are counted', async () => {
  expect(await convert('pdf', pdf(['x', '', ' ']))).toContain(
    'without text: "2 of 3 pages, which may be pictures of text"',
  );
  expect(await convert('pdf', pdf(['x', 'y']))).not.toContain('without text');
});

test('one page that is broken takes no others along; where all are, there is no text', async () => {
  const broken = (texts: readonly string[], kid: string): Buffer =>
    Buffer.from(pdf(texts).toString('latin1').replace(kid, '99 0 R '), 'latin1');
  const [first, second] = await pages(broken(['one', 'two', 'three'], '6 0 R '));
  expect(first).toBe('one\n');
  expect(second).toMatch(/^\[this page cannot be read: .+\]\n$/);
  await expect(convert('pdf', broken(['one'], '4 0 R'))).rejects.toThrow();
});

test('what opens with a password is encrypted', async () => {
  const key = `<${'41'.repeat(32)}>`;
  const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >> /ID [${key} ${key}]`;
  const bytes = pdf(['secret']).toString('latin1').replace('/Root', `${encrypt} /Root`);
  await expect(convert('pdf', Buffer.from(bytes, 'latin1'))).rejects.toThrow(
    'is encrypted, and opens with a password alone',
  );
});
